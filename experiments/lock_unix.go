//go:build unix && !solaris && !aix

package experiments

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file for this process, or returns errLocked or errUnlockable.
var tryLock = func(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
			return errUnlockable
		}
		return err
	}
}
