//go:build unix

package program

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// apart puts a process into a group of its own, which is ended as a whole and has no
// part in an interrupt from the terminal: what is under way is finished then.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	withParent(cmd.SysProcAttr)
}

// killGroup kills a process and all of its group.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none any more
}

// guard is a process that ends the groups of programs when this process has ended
// without doing so: killed, or by a second interrupt. Its standard input says which
// groups there are; the end of it, that there is nobody else to end them.
var guard struct {
	sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	groups int
}

// guarding is the guard: a shell, as every Unix has one. Interrupts from the terminal
// are not for it.
const guarding = `trap '' INT TERM HUP QUIT
all=
while read what group; do
	if [ "$what" = + ]; then all="$all $group"; continue; fi
	left=
	for one in $all; do [ "$one" = "$group" ] || left="$left $one"; done
	all=$left
done
for one in $all; do kill -s KILL -- "-$one"; done`

// watch has the guard end a group if need be. Where there is no shell there is no guard.
func watch(group int) {
	guard.Lock()
	defer guard.Unlock()
	guard.groups++
	if guard.cmd == nil {
		r, w, err := os.Pipe()
		if err != nil {
			return
		}
		cmd := exec.Command("/bin/sh", "-c", guarding)
		cmd.Stdin, cmd.SysProcAttr = r, &syscall.SysProcAttr{Setpgid: true}
		err = cmd.Start()
		r.Close()
		if err != nil {
			w.Close()
			return
		}
		guard.cmd, guard.in = cmd, w
	}
	fmt.Fprintln(guard.in, "+", group)
}

// unwatch tells the guard that a group has ended. Without groups it ends too.
func unwatch(group int) {
	guard.Lock()
	defer guard.Unlock()
	guard.groups--
	if guard.cmd == nil {
		return
	}
	fmt.Fprintln(guard.in, "-", group)
	if guard.groups == 0 {
		guard.in.Close()
		_ = guard.cmd.Wait()
		guard.cmd = nil
	}
}
