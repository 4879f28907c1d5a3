//go:build !unix && !windows

package program

import "os/exec"

// Elsewhere a process is ended by itself; one whose parent was killed reads the end of
// its input.

func apart(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func watch(int) {}

func unwatch(int) {}
