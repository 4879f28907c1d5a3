//go:build unix

package input

import (
	"os"
	"strconv"
	"syscall"
)

func makePipe(path string) error { return syscall.Mkfifo(path, 0o644) }

func fdName(f *os.File) string { return strconv.Itoa(int(f.Fd())) }
