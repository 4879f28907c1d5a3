package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/output"
)

// lockFile is the file of an output folder that the process which works in it
// has locked. The lock goes with the process, however that ends; the file
// stays.
const lockFile = ".lock"

// tryLock is [output.TryLock]. Tests take it for that of a file system without locks.
var tryLock = output.TryLock

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
	file, err := output.OpenRegular(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, notALock(err)
	}
	if !lockable(file) {
		file.Close()
		return nil, spec.OfInput(fmt.Errorf("%s is there, and is no lock of leontief: remove it, or name another folder", filepath.Join(path, lockFile)))
	}
	l := &FolderLock{path: path, file: file}
	if err := l.take(ctx, until); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// lockable reports whether a file is a lock of ours: signed, empty, or, where the
// disk was full, begun to be signed.
func lockable(file *os.File) bool {
	begin := make([]byte, len(signature))
	n, err := file.ReadAt(begin, 0)
	return (err == nil || err == io.EOF) && strings.HasPrefix(signature, string(begin[:n]))
}

// notALock says of what is in the place of the lock what to do with it.
func notALock(err error) error {
	if errors.Is(err, output.ErrNotPlain) {
		return spec.OfInput(fmt.Errorf("%w, where the lock of the folder is to be: remove it, or name another folder", err))
	}
	return err
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
		case errors.Is(err, output.ErrUnlockable):
			return l.sign()
		case !errors.Is(err, output.ErrLocked):
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
	data, err := readRegular(filepath.Join(path, lockFile))
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
func (l *FolderLock) sweep() error { return output.Sweep(l.path, "") }

// Close gives the lock back.
func (l *FolderLock) Close() error { return l.file.Close() }
