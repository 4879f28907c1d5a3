package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/input"
)

// FileMark begins the canonical text of a file or a folder: its checksum
// follows.
const FileMark = "sha256:"

// sourceFiles are the files and folders that scenarios were made with.
var sourceFiles = struct {
	sync.Mutex
	path    map[string]string   // by canonical text
	content map[string][]byte   // likewise, of those that can be read once only
	seen    map[string]seenFile // by path
}{path: map[string]string{}, content: map[string][]byte{}, seen: map[string]seenFile{}}

// seenFile is a file whose checksum was taken; it is taken again when size or
// time say that the file is another.
type seenFile struct {
	size int64
	time time.Time
	sum  string
}

// forgetChecksums has all checksums taken again: a file can be written without
// its size or its time showing it.
func forgetChecksums() {
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	clear(sourceFiles.seen)
}

// sourceChecksum returns the checksum of a file that scenarios are made with.
func sourceChecksum(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: there is no such file", path)
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	seen := sourceFiles.seen[path]
	if seen.sum == "" || seen.size != info.Size() || !seen.time.Equal(info.ModTime()) {
		sum, err := input.Checksum(path)
		if err != nil {
			return "", err
		}
		seen = seenFile{info.Size(), info.ModTime(), sum}
		sourceFiles.seen[path] = seen
	}
	return seen.sum, nil
}

// named remembers what a checksum is of and returns the canonical text.
func named(path, sum string) string {
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	sourceFiles.path[FileMark+sum] = path
	return FileMark + sum
}

// NameOrFile is the check of a parameter that is one of the known names or
// names a file; "" is a name only if it is among them. The canonical text of a
// file is its checksum, so that a scenario stays the same when the file is moved
// or renamed, and is another when the file changes. A text with a slash or a dot
// names a file ([PathLike]).
func NameOrFile(known ...string) Check {
	return Text(func(text string) (string, error) {
		switch {
		case slices.Contains(known, text) || ofContent(text):
			return text, nil
		case !PathLike(text):
			return "", fmt.Errorf("%w (a file has a dot or a slash in its name)", spelling.Check("", text, known))
		}
		return canonicalFile(text)
	})
}

// FileOrNone is the check of a parameter that names a file or is empty
// ([AnyPath]). The canonical text is that of [NameOrFile].
var FileOrNone = Text(func(text string) (string, error) {
	if !AnyPath(text) {
		return text, nil
	}
	return canonicalFile(text)
})

func canonicalFile(path string) (string, error) {
	sum, err := sourceChecksum(path)
	if err != nil {
		return "", err
	}
	return named(path, sum), nil
}

// FolderOrNone is the check of a parameter that names a folder or is empty
// ([AnyPath]). The files in it that results depend on are those that match the
// patterns of [filepath.Match], which are relative to it; one at least must be
// there. The canonical text is a checksum of their contents.
func FolderOrNone(patterns ...string) Check {
	return Text(func(text string) (string, error) {
		if !AnyPath(text) {
			return text, nil
		}
		var sums []string
		for _, pattern := range patterns {
			files, err := fs.Glob(os.DirFS(text), pattern) // in order of name
			if err != nil {
				panic(err) // a bad pattern
			}
			for _, file := range files {
				sum, err := sourceChecksum(filepath.Join(text, file))
				if err != nil {
					return "", err
				}
				sums = append(sums, sum)
			}
		}
		if len(sums) == 0 {
			return "", fmt.Errorf("%s: there is no such folder, or it holds no %s", text, strings.Join(patterns, " and no "))
		}
		return named(text, Digest([]byte(strings.Join(sums, "\n")))), nil
	})
}

// PathLike reports whether a value names a file where it may be a name as well:
// it has a slash or a dot.
func PathLike(text string) bool { return strings.ContainsAny(text, "./\\") }

// AnyPath reports whether a value names a file or a folder where it can be
// nothing else but empty.
func AnyPath(text string) bool { return text != "" && !ofContent(text) }

// ofContent reports whether a value is the canonical text of a file that was
// read before.
func ofContent(text string) bool {
	sum, ok := strings.CutPrefix(text, FileMark)
	return ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
}

// ErrChanged says that a file was written after the scenario was made with it.
var ErrChanged = errors.New("the file has changed since the scenario was planned")

// File returns the path of the file or folder of a parameter that [NameOrFile],
// [FileOrNone] or [FolderOrNone] has checked; ok is false, and the path empty, if
// the parameter is a name or empty. That its content is still the same is up to
// the reader: see [Scenario.Unchanged].
func (s Scenario) File(name string) (path string, ok bool, err error) {
	text := s.Text(name)
	if !ofContent(text) {
		return "", false, nil
	}
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	path, known := sourceFiles.path[text]
	if !known {
		return "", true, fmt.Errorf("%s: no file with the checksum %s was named", name, strings.TrimPrefix(text, FileMark))
	}
	return path, true, nil
}

// Remember takes the content of what was read already, a pipe say, and what messages
// call it. It returns the canonical text, which is a value of the parameter.
func Remember(path string, content []byte) string {
	text := named(path, Digest(content))
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	sourceFiles.content[text] = content
	return text
}

// Content returns the path and the content of the file of a parameter, see
// [Scenario.File]. If it is not that which the scenario was made with, the error is
// [ErrChanged].
func (s Scenario) Content(name string) (path string, content []byte, err error) {
	if path, _, err = s.File(name); err != nil {
		return "", nil, err
	}
	sourceFiles.Lock()
	content, kept := sourceFiles.content[s.Text(name)]
	sourceFiles.Unlock()
	if kept {
		return path, content, nil
	}
	if content, err = input.ReadText(path); err == nil && FileMark+Digest(content) != s.Text(name) {
		err = fmt.Errorf("%s: %w", path, ErrChanged)
	}
	return path, content, err
}

// Unchanged is called when the files of parameters have been read: if the content
// of one is not that which the scenario was made with, the error is [ErrChanged].
func (s Scenario) Unchanged(names ...string) error {
	kind, err := KindNamed(s.Kind)
	if err != nil {
		return err
	}
	forgetChecksums()
	for _, name := range names {
		path, ok, err := s.File(name)
		of, unknown := kind.Parameter(name)
		if err := errors.Join(err, unknown); err != nil {
			return err
		}
		if !ok {
			continue
		}
		if now, err := of.Canonical(path); err != nil || now.String() != s.Text(name) {
			return errors.Join(fmt.Errorf("%s: %w", path, ErrChanged), err)
		}
	}
	return nil
}

// InputError says that what a run was given can not be used: a file that is
// damaged, or a workload that is too small for what is asked. It is no failure
// of ours.
type InputError struct{ error }

// Unwrap returns the reason.
func (e InputError) Unwrap() error { return e.error }

// OfInput marks an error as an [InputError]; nil stays nil.
func OfInput(err error) error {
	if err == nil {
		return nil
	}
	return InputError{err}
}

// Digest returns the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
