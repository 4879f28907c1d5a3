package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Why a path can not be written to.
var (
	errNotFile = errors.New("is there, and is no regular file")
	errFolder  = errors.New("is a folder")
	errLink    = errors.New("is a symbolic link; name the file that it leads to")
)

// CheckFile reports whether a file can be written at a path: its folder is there
// and can be written to, and what the path names is a regular file or nothing yet.
// The error is a [*fs.PathError]. Nothing is left behind, so a command can ask
// before it begins to work.
func CheckFile(path string) error {
	info, err := os.Lstat(path)
	switch {
	case path == "":
		return &fs.PathError{Op: "write", Path: `""`, Err: fs.ErrInvalid}
	case err == nil && info.Mode()&fs.ModeSymlink != 0: // it would be replaced
		return &fs.PathError{Op: "write", Path: path, Err: errLink}
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errFolder}
	case err == nil && !info.Mode().IsRegular():
		return &fs.PathError{Op: "write", Path: path, Err: errNotFile}
	}
	return Try(path)
}

// Try begins a file and removes it. The error names its folder.
func Try(path string) error {
	f, err := Create(path)
	if err == nil {
		return f.Abort()
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return &fs.PathError{Op: "write to", Path: filepath.Dir(path), Err: err}
}
