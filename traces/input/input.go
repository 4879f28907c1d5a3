// Package input opens the files that a user names, and writes what a user wrote
// into messages.
//
// A table or a Parquet file must be a regular file: it may be read twice, and its
// checksum identifies it. A short text (an environment, a mapping, a spec) may
// also come through a pipe that a shell has opened, and is bounded by [TextLimit].
// Everything else (a device, a named pipe, a folder) is refused before it is
// opened: opening or reading it may never end.
package input

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TextLimit bounds, in bytes, a file that is held in memory as a whole.
const TextLimit = 64 << 20

// ErrKind is the error of a file that is not of a kind that can be read.
var ErrKind = errors.New("not a regular file")

// ErrTooLarge is the error of a text beyond [TextLimit].
var ErrTooLarge = errors.New("too large")

// Open opens a regular file, or a symbolic link to one. The error names the file.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, named(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %s, %w", Path(path), kind(info.Mode()), ErrKind)
	}
	f, err := os.Open(path)
	return f, named(err)
}

// Checksum returns the SHA-256 of a regular file in hexadecimal.
func Checksum(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadText returns the content of a regular file or of an opened pipe: /dev/stdin
// or /dev/fd/N, as a shell passes the output of another program. The error names
// the file.
func ReadText(path string) ([]byte, error) {
	f, err := openText(path)
	if err != nil {
		return nil, err
	}
	text, err := ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", Path(path), unnamed(err))
	}
	return text, nil
}

// ReadAll reads a text to its end. Beyond [TextLimit] the error wraps
// [ErrTooLarge].
func ReadAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, TextLimit+1))
	if err == nil && len(text) > TextLimit {
		err = fmt.Errorf("%w: more than %d MiB, the most that is read of such a file", ErrTooLarge, TextLimit>>20)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

func openText(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, named(err)
	}
	if pipe := info.Mode().Type()&(fs.ModeNamedPipe|fs.ModeSocket) != 0; pipe && openedByShell(path) {
		f, err := os.Open(path)
		return f, named(err)
	}
	return Open(path)
}

// openedByShell reports whether a path names a file that this process was started
// with. Opening such a pipe does not wait for somebody to write into it.
func openedByShell(path string) bool {
	path = filepath.Clean(path)
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// kind says what a file is that is not a regular one.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// named writes the path of an error of the operating system as [Path] does.
func named(err error) error {
	var of *fs.PathError
	if !errors.As(err, &of) {
		return err
	}
	return &fs.PathError{Op: of.Op, Path: Path(of.Path), Err: of.Err}
}

// unnamed drops the path of an error of the operating system.
func unnamed(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("%s: %w", of.Op, of.Err)
	}
	return err
}
