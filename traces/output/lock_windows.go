package output

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow: this operating system has no such flag.
const noFollow = 0

// closedToName: Windows neither renames nor removes a file that is open.
const closedToName = true

// TryLock locks a file for this process, or returns [ErrLocked] or [ErrUnlockable].
// The lock goes with the process or with the closing of the file. It is on a byte far
// beyond the end of the file: a locked byte could not be read by others.
func TryLock(f *os.File) error {
	const far = 1 << 30
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: far})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrLocked
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return ErrUnlockable
	}
	return err
}

// names is the number of names of a file, which is not known here.
func names(fs.FileInfo) uint64 { return 1 }
