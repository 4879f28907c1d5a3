//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// While a rule's program hangs with a child, leontief is killed, or interrupted twice:
// nothing of the program is left.
func TestKilledWithAProgram(t *testing.T) {
	needs(t, python)
	needs(t, "ps")
	dir := t.TempDir()
	text := `import subprocess, sys, time
print('{"leontief": 1, "kind": "normaliser"}', flush=True)
sys.stdin.readline()
sys.stdin.readline()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100000)", "` + dir + `"])
print("asked", file=sys.stderr, flush=True)
time.sleep(100000)
`
	path := filepath.Join(dir, "hang.py")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	env, err := filepath.Abs("../../docs/examples/servers.json")
	if err != nil {
		t.Fatal(err)
	}
	running := func(mark string) int {
		out, err := exec.Command("ps", "-eo", "args").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(out), mark)
	}
	for _, signals := range [][]syscall.Signal{{syscall.SIGKILL}, {syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}} {
		cmd, m := leontief(t, dir, "allocate", env, "--policy", "mine", "--rule", "mine="+python+" "+path)
		waitUntil(t, "a request", func() bool { return strings.Contains(m.String(), "mine: asked") })
		if running("time.sleep(100000) "+dir) == 0 {
			t.Error("the program has no child")
		}
		for k, s := range signals {
			if k > 0 {
				waitUntil(t, "an answer", func() bool { return strings.Contains(m.String(), "interrupt again to stop at once") })
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait()
		waitUntil(t, "the end of the program", func() bool { return running(path)+running("time.sleep(100000) "+dir) == 0 })
	}
}
