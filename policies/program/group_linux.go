package program

import "syscall"

// withParent has the system kill a process when this one ends, also before the guard
// knows of it.
func withParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
