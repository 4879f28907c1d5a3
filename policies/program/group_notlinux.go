//go:build unix && !linux

package program

import "syscall"

func withParent(*syscall.SysProcAttr) {}
