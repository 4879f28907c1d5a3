//go:build !windows && (!unix || solaris || aix)

package output

import (
	"io/fs"
	"os"
)

// noFollow: this operating system has no such flag.
const noFollow = 0

// closedToName: a file is renamed and removed while it is open.
const closedToName = false

// TryLock: this operating system has no flock.
func TryLock(*os.File) error { return ErrUnlockable }

// names is the number of names of a file, which is not known here.
func names(fs.FileInfo) uint64 { return 1 }
