package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/leontief-sim/leontief/traces/output"
)

// errNotFile and errFolder say why a path can not be written to.
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
	return writable(filepath.Dir(path))
}

// CheckOutput reports whether results can be written into a folder: that
// [CheckFolder] takes it, and that it, or what it would be made in, can be written
// to. Nothing is left behind.
func CheckOutput(path string) error {
	if err := CheckFolder(path); err != nil {
		return err
	}
	for {
		_, err := os.Stat(path)
		if up := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && up != path {
			path = up
			continue
		}
		return writable(path)
	}
}

// writable makes a file in a folder and removes it. It has a name that another
// process takes for a manifest under way, see [CheckFolder]. The error names the
// folder.
func writable(folder string) error {
	probe, err := output.Create(filepath.Join(folder, ManifestFile))
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return &fs.PathError{Op: "write to", Path: folder, Err: err}
	}
	return probe.Abort()
}
