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
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/output"
)

// lockFile is the file of an output folder that the process which works in it
// has locked. The lock goes with the process, however that ends; the file
// stays. It says who signed it last, which marks the folder as ours.
const (
	lockFile  = ".lock"
	signature = Program + ": "
)

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
	for until := time.Now().Add(wait); ; {
		if err := CheckFolder(path); err != nil {
			return nil, err
		}
		if err := output.MkdirAll(path); err != nil {
			return nil, err
		}
		file, err := openLock(filepath.Join(path, lockFile))
		if err != nil {
			return nil, err
		}
		l := &FolderLock{path: path, file: file}
		err = l.take(ctx, until)
		if err == nil && !l.there() { // the folder was removed before we had it
			l.Close()
			continue
		}
		if err == nil {
			err = output.Sweep(path, "")
		}
		if err != nil {
			l.Close()
			return nil, err
		}
		return l, nil
	}
}

// openLock opens a lock file, or makes it. It follows no link, and takes a file for a
// lock of ours that is signed, empty, or, where the disk was full, begun to be signed.
func openLock(path string) (*os.File, error) {
	file, err := output.OpenRegular(path, os.O_RDWR|os.O_CREATE)
	if errors.Is(err, output.ErrNotPlain) {
		return nil, spec.OfInput(fmt.Errorf("%w, where the lock of the folder is to be: remove it, or name another folder", err))
	}
	if err != nil {
		return nil, err
	}
	begin := make([]byte, len(signature))
	n, err := file.ReadAt(begin, 0)
	if err != nil && err != io.EOF || !strings.HasPrefix(signature, string(begin[:n])) {
		file.Close()
		return nil, spec.OfInput(fmt.Errorf("%s is there, and is no lock of leontief: remove it, or name another folder", path))
	}
	return file, nil
}

// take locks the file, as soon as it is free, and signs it.
func (l *FolderLock) take(ctx context.Context, until time.Time) error {
	const again = 200 * time.Millisecond
	for {
		err := tryLock(l.file)
		l.held = err == nil
		switch {
		case l.held, errors.Is(err, output.ErrUnlockable):
			// In one piece of one length.
			_, err := l.file.WriteAt(fmt.Appendf(nil, "%-79.79s\n", signature+thisProcess()), 0)
			return err
		case !errors.Is(err, output.ErrLocked):
			return fmt.Errorf("%s: %w", l.path, err)
		case !time.Now().Before(until):
			who, ok := signed(l.path)
			if !ok {
				who = "another process"
			}
			return &BusyError{l.path, who}
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// thisProcess names this process, as far as there is room in a lock file.
func thisProcess() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%.60s", fmt.Sprintf("process %d on %s", os.Getpid(), host))
}

// signed returns who signed the lock file of a folder last; ok is false if it
// is not ours.
func signed(folder string) (who string, ok bool) {
	data, err := input.ReadText(filepath.Join(folder, lockFile))
	who, ok = strings.CutPrefix(strings.TrimSpace(string(data)), signature)
	return who, ok && err == nil
}

// there reports whether the file that is locked is still the one in the folder.
// If it is not, the folder was removed, and may belong to another process by now.
// Some network file systems number a file anew at times: there our name in it
// tells.
func (l *FolderLock) there() bool {
	if output.Named(l.file, filepath.Join(l.path, lockFile)) {
		return true
	}
	who, ok := signed(l.path)
	return ok && who == thisProcess()
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

// Close gives the lock back.
func (l *FolderLock) Close() error { return l.file.Close() }
