//go:build unix && !solaris && !aix

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noFollow opens no symbolic link and waits for no pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// closedToName: a file is renamed and removed while it is open.
const closedToName = false

// TryLock locks a file for this process, or returns [ErrLocked] or [ErrUnlockable].
// The lock goes with the process or with the closing of the file.
func TryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
			return ErrUnlockable
		}
		return err
	}
}

// names is the number of names of a file.
func names(info fs.FileInfo) uint64 {
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(of.Nlink) // of another size on other systems
	}
	return 1
}
