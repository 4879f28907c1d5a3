// Package output writes files as a whole or not at all.
//
// The bytes go to a temporary file in the same folder, .NAME.leontief-DIGITS, which
// takes the name when everything is on the disk. A process that is killed leaves its
// temporary file; the next one that writes a file of that name removes it. The two
// are told apart by a lock on the temporary file, which goes with the process, so
// that nothing is taken away from one that is still writing. Where the file system
// knows no locks, what was left stays.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// ErrUnlockable says that the file system, or this operating system, knows no
// locks, and ErrLocked that another process has the lock.
var (
	ErrUnlockable = errors.New("no locks here")
	ErrLocked     = errors.New("locked")
)

// File is a file that is being written. The embedded file is the temporary one.
type File struct {
	*os.File
	path string
	done bool
}

// mark is in the names of temporary files, before a random number.
const mark = ".leontief-"

// temporaryName is the form of their names.
var temporaryName = regexp.MustCompile(`^\..+\.leontief-[0-9]+$`)

// Temporary reports whether a name is one that temporary files of this package have.
func Temporary(name string) bool { return temporaryName.MatchString(name) }

// beginning is what the names of the temporary files of a file begin with. Of a
// long name a part is left out, as file systems bound names.
func beginning(path string) string {
	const most = 150
	base := filepath.Base(path)
	return "." + base[:min(most, len(base))] + mark
}

// Create begins a file at a path, whose folder must exist. What other processes left
// of earlier attempts at the same file is removed. The caller must call Commit or
// Abort.
func Create(path string) (*File, error) {
	folder := filepath.Dir(path)
	if err := Sweep(folder, beginning(path)); err != nil {
		return nil, err
	}
	for {
		tmp, err := os.CreateTemp(folder, beginning(path)+"*")
		if err != nil {
			return nil, err
		}
		ours, err := hold(tmp)
		if ours {
			return &File{File: tmp, path: path}, nil
		}
		if err := errors.Join(err, tmp.Close()); err != nil {
			return nil, err
		}
	}
}

// hold locks a temporary file that was just made. It reports false if another
// process took it for one that was left, and removed it.
func hold(tmp *os.File) (bool, error) {
	for {
		err := TryLock(tmp)
		switch {
		case errors.Is(err, ErrLocked): // somebody looks at it
			continue
		case errors.Is(err, ErrUnlockable):
			return true, nil
		case err != nil:
			return false, errors.Join(err, os.Remove(tmp.Name()))
		}
		return Named(tmp, tmp.Name()), nil
	}
}

// Tests end the process between the steps of writing, and see what is forced to the
// disk, and when.
var (
	atStep = func(name string) {}
	force  = (*os.File).Sync
)

// Commit gives the file its name, in the place of one that has it, when all that was
// written is on the disk, where everybody may read it.
func (f *File) Commit() error {
	atStep("written")
	err := errors.Join(f.Chmod(0o644), force(f.File))
	atStep("on the disk")
	if err == nil && closedToName {
		err = f.Close()
	}
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	atStep("renamed")
	f.done = true
	return errors.Join(f.close(), syncFolder(filepath.Dir(f.path)))
}

// close closes the file unless that was done.
func (f *File) close() error {
	err := f.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// rename gives the file its name. A file server that is asked again, because its
// answer was lost, finds nothing under the old name: the file has its new one then.
func (f *File) rename() error {
	err := os.Rename(f.Name(), f.path)
	if errors.Is(err, fs.ErrNotExist) && Named(f.File, f.path) {
		return nil
	}
	return err
}

// Named reports whether an open file is the one at a path.
func Named(f *os.File, path string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(ours, now)
}

// Abort removes what was written. After Commit it does nothing.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	if closedToName {
		return errors.Join(f.close(), f.remove())
	}
	return errors.Join(f.remove(), f.close())
}

// remove removes the temporary file if it is there.
func (f *File) remove() error {
	err := os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// WriteFile writes a file as a whole or not at all.
func WriteFile(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

// MkdirAll makes a folder and those above it.
func MkdirAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MkdirAll(above); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o777); err != nil { // another process may be faster
		return err
	}
	return syncFolder(above)
}

// syncFolder waits until the names in a folder are on the disk. Systems that can not
// do that, and folders that may not be read, are left alone.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err == nil {
		err = errors.Join(force(dir), dir.Close())
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Sweep removes the temporary files of a folder whose names begin so ("" for all)
// and whose processes have ended.
func Sweep(folder, begin string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !Temporary(e.Name()) || !strings.HasPrefix(e.Name(), begin) || !e.Type().IsRegular() {
			continue
		}
		if err := removeLeft(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// removeLeft removes a temporary file unless a process writes to it.
func removeLeft(path string) error {
	file, err := OpenRegular(path, os.O_RDWR)
	if err != nil {
		return err
	}
	if err = TryLock(file); err == nil {
		if closedToName {
			file.Close()
		}
		err = os.Remove(path)
		if err != nil && closedToName { // somebody has just opened it
			err = nil
		}
	} else if errors.Is(err, ErrLocked) || errors.Is(err, ErrUnlockable) {
		err = nil
	}
	if closing := file.Close(); !errors.Is(closing, fs.ErrClosed) {
		err = errors.Join(err, closing)
	}
	return err
}

// ErrNotPlain is the error of a path that is no regular file of one name: a symbolic
// link, a hard link, a folder, a pipe.
var ErrNotPlain = errors.New("not a file of its own")

// OpenRegular opens a regular file without following a symbolic link and without
// waiting for a pipe. With [os.O_CREATE] it is made if it is not there. A file that
// has another name too (a hard link) is refused as well.
func OpenRegular(path string, flags int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %s, %w", path, kind(info.Mode()), ErrNotPlain)
	}
	file, err := os.OpenFile(path, flags|noFollow, 0o666)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: a symbolic link, %w", path, ErrNotPlain)
	}
	if err != nil {
		return nil, err
	}
	info, err = file.Stat()
	if err == nil && (!info.Mode().IsRegular() || names(info) > 1) {
		err = fmt.Errorf("%s: %s, %w", path, kind(info.Mode()), ErrNotPlain)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// kind says what is in the place of a file of its own.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file that has another name as well"
	}
	return "a pipe or a device"
}
