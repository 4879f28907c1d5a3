package experiments

import (
	"context"
	"errors"
	"fmt"
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
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &FolderLock{path: path, file: file}
	if err := l.take(ctx, time.Now().Add(wait)); err != nil {
		file.Close()
		return nil, err
	}
	if err := errors.Join(CheckFolder(path), l.sweep()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
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
	host, _ := os.Hostname() // for messages only
	_, err := l.file.WriteAt(fmt.Appendf(nil, "%-79.79s\n", fmt.Sprintf("%sprocess %d on %s", signature, os.Getpid(), host)), 0)
	return err
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
			if err := os.Remove(filepath.Join(l.path, e.Name())); err != nil {
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
