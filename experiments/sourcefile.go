package experiments

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// fileMark begins the canonical text of a file: its checksum follows.
const fileMark = "sha256:"

// sourceFiles are the files that scenarios were made with.
var sourceFiles = struct {
	sync.Mutex
	path map[string]string   // by checksum
	seen map[string]seenFile // by path
}{path: map[string]string{}, seen: map[string]seenFile{}}

// seenFile is a file whose checksum was taken; it is taken again when size or
// time say that the file is another.
type seenFile struct {
	size int64
	time time.Time
	sum  string
}

// sourceChecksum returns the checksum of a file, and remembers the file.
func sourceChecksum(path string, info os.FileInfo) (string, error) {
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	seen := sourceFiles.seen[path]
	if seen.sum == "" || seen.size != info.Size() || !seen.time.Equal(info.ModTime()) {
		sum, err := checksum(path)
		if err != nil {
			return "", err
		}
		seen = seenFile{info.Size(), info.ModTime(), sum}
		sourceFiles.seen[path] = seen
	}
	sourceFiles.path[fileMark+seen.sum] = path
	return seen.sum, nil
}

// NameOrFile is the check of a parameter that is one of the known names or
// names a file; "" is a name only if it is among them. The canonical text of a
// file is its checksum, so that a scenario stays the same when the file is moved
// or renamed, and is another when the file changes. A text with a slash or a dot
// names a file.
func NameOrFile(known ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(known, text) {
			return text, nil
		}
		if sum, ok := strings.CutPrefix(text, fileMark); ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == "" {
			return text, nil // of a file that was read before
		}
		if !namesFile(text) {
			return "", fmt.Errorf("%q is not one of %s, and no file (which has a dot or a slash in its name)", text, strings.Join(known, ", "))
		}
		info, err := os.Stat(text)
		if err != nil {
			return "", err
		}
		if !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a file", text)
		}
		sum, err := sourceChecksum(text, info)
		return fileMark + sum, err
	}
}

// namesFile reports whether a value names a file and is not a name by itself.
func namesFile(text string) bool { return strings.ContainsAny(text, "./\\") }

// ErrChanged says that a file was written after the scenario was made with it.
var ErrChanged = errors.New("the file has changed since the scenario was planned")

// File returns the path of the file of a parameter that [NameOrFile] has
// checked; ok is false if the parameter is a name. That the file still has its
// checksum is up to the reader.
func (s Scenario) File(name string) (path string, ok bool, err error) {
	text := s.Text(name)
	if !strings.HasPrefix(text, fileMark) {
		return "", false, nil
	}
	sourceFiles.Lock()
	defer sourceFiles.Unlock()
	path, known := sourceFiles.path[text]
	if !known {
		return "", true, fmt.Errorf("%s: no file with the checksum %s was named", name, strings.TrimPrefix(text, fileMark))
	}
	return path, true, nil
}
