package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockFile is the file of an output folder that the process which works in it
// has locked. The lock goes with the process, however that ends; the file
// stays.
const lockFile = ".lock"

// errUnlockable says that the file system, or this operating system, knows no
// locks.
var errUnlockable = errors.New("no locks here")

// errLocked says that another process has the lock.
var errLocked = errors.New("locked")

// FolderLock keeps other processes of leontief out of an output folder.
type FolderLock struct {
	path string
	file *os.File
	held bool // false where there are no locks
}

// BusyError says that another process works in a folder.
type BusyError struct{ Path, Holder string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: in use by %s; wait for it, or name another folder", e.Path, e.Holder)
}

// LockFolder makes the folder if it does not exist and takes its lock. A folder
// that is not ours is a [ForeignFolderError]; one in which another process
// works, after having waited for it, a [BusyError]. Where the file system knows
// no locks, none is taken: the results of scenarios are still never mixed up,
// but may be computed twice.
//
// With the lock, what processes before this one left half-written is removed.
func LockFolder(ctx context.Context, path string, wait time.Duration) (*FolderLock, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	until := time.Now().Add(wait)
	l, err := takeLock(ctx, path, until)
	for err == nil && !l.there() { // the folder was removed before we had it
		l.Close()
		l, err = takeLock(ctx, path, until)
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(CheckFolder(path), l.sweep()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// takeLock makes the folder if it does not exist and locks the file in it.
func takeLock(ctx context.Context, path string, until time.Time) (*FolderLock, error) {
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &FolderLock{path: path, file: file}
	if err := l.take(ctx, until); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// there reports whether the file that is locked is still the one in the folder.
// If it is not, the folder was removed, and may belong to another process by now.
// Some network file systems number a file anew at times: there our name in it
// tells.
func (l *FolderLock) there() bool {
	ours, err := l.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(filepath.Join(l.path, lockFile))
	if err != nil {
		return false
	}
	who, ok := signed(l.path)
	return os.SameFile(ours, now) || ok && who == thisProcess()
}

// errRemoved says that the folder which a process works in is no longer there.
var errRemoved = errors.New("the folder, or its " + lockFile + ", was removed or replaced while this process worked in it")

// check returns an error of the file system if the folder is not ours any more.
// A nil lock is always in order.
func (l *FolderLock) check() error {
	if l == nil || l.there() {
		return nil
	}
	return &fs.PathError{Op: "write", Path: l.path, Err: errRemoved}
}

// retryLock is how often a lock that is waited for is tried.
const retryLock = 200 * time.Millisecond

func (l *FolderLock) take(ctx context.Context, until time.Time) error {
	for {
		err := tryLock(l.file)
		switch {
		case err == nil:
			l.held = true
			return l.sign()
		case errors.Is(err, errUnlockable):
			return l.sign()
		case !errors.Is(err, errLocked):
			return fmt.Errorf("%s: %w", l.path, err)
		case !time.Now().Before(until):
			return &BusyError{l.path, l.holder()}
		}
		select {
		case <-time.After(retryLock):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// signature begins what is in a lock file. It marks the folder as ours.
const signature = Program + ": "

// sign writes who holds the lock into its file, in one piece of one length.
func (l *FolderLock) sign() error {
	_, err := l.file.WriteAt(fmt.Appendf(nil, "%-79.79s\n", signature+thisProcess()), 0)
	return err
}

// thisProcess names this process, as far as there is room in a lock file.
func thisProcess() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%.60s", fmt.Sprintf("process %d on %s", os.Getpid(), host))
}

// signed returns who signed the lock file of a folder last; ok is false if it
// is not ours.
func signed(path string) (who string, ok bool) {
	data, err := os.ReadFile(filepath.Join(path, lockFile))
	who, ok = strings.CutPrefix(strings.TrimSpace(string(data)), signature)
	return who, ok && err == nil
}

func (l *FolderLock) holder() string {
	if who, ok := signed(l.path); ok {
		return who
	}
	return "another process"
}

// sweep removes the temporary files of processes that were ended.
func (l *FolderLock) sweep() error {
	if !l.held {
		return nil // others may be at work
	}
	entries, err := os.ReadDir(l.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if temporary(e.Name()) {
			err := os.Remove(filepath.Join(l.path, e.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // a report that is written here has just got its name
				return err
			}
		}
	}
	return nil
}

// temporary reports whether a file of an output folder is one of ours that was
// never renamed: .NAME.RANDOM, with digits at the end.
func temporary(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && name[0] == '.' && dot+1 < len(name) && strings.Trim(name[dot+1:], "0123456789") == ""
}

// Close gives the lock back.
func (l *FolderLock) Close() error { return l.file.Close() }
