//go:build !unix || solaris || aix

package experiments

import "os"

// tryLock: this operating system has no flock.
var tryLock = func(*os.File) error { return errUnlockable }
