//go:build unix

package program

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// When the process that has rules is killed, or ended by a signal, at whatever it is
// with them, nothing of theirs is left: not a program that hangs, not its children.
func TestNothingIsLeftOfTheKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// What nohup and scripts ignore here, a process that is started from here does not.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(heard)
	for _, what := range []string{"none", "hang", "fork"} {
		for _, by := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			mark := fmt.Sprintf("killed-%s-%d", what, by)
			args := []string{"-parent", "normaliser:tsf-er", what, "5", mark}
			if what == "fork" {
				args[2] = "fork-marked"
			}
			cmd := exec.Command(self, args...)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "begun") {
				t.Fatalf("%q %v", line, err)
			}
			if what == "fork" { // its child is there
				for len(left(t, "child-"+mark)) == 0 {
				}
			}
			if err := cmd.Process.Signal(by); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			gone(t, mark)
		}
	}
}
