package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyRegularFilesAreOpened: what may never end is refused before it is
// opened. A named pipe without a writer would block the test for ever.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if text, err := ReadText(path); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	special := map[string]string{dir: "a folder", "/dev/zero": "a device", "/dev/null": "a device"}
	if fifo := filepath.Join(dir, "fifo"); makePipe(fifo) == nil {
		special[fifo] = "a pipe"
	}
	for path, want := range special {
		_, err := Open(path)
		_, errText := ReadText(path)
		for _, err := range []error{err, errText} {
			if !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), path+": "+want) {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		}
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

// TestPipesOfAShellAreTexts: /dev/fd/N is what a shell makes of <(command).
func TestPipesOfAShellAreTexts(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := filepath.Join("/dev/fd", fdName(r))
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /dev/fd")
	}
	go func() {
		_, _ = io.WriteString(w, "through a pipe")
		w.Close()
	}()
	if text, err := ReadText(path); err != nil || string(text) != "through a pipe" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Open(path); !errors.Is(err, ErrKind) {
		t.Errorf("as a table: %v", err)
	}
}

// endless is a text without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	clear(p)
	return len(p), nil
}

func TestTextsAreBounded(t *testing.T) {
	var e endless
	if _, err := ReadAll(&e); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
	if e.read > 3*TextLimit {
		t.Errorf("%d bytes were read", e.read)
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		in, out string
		err     error
	}{
		{"", "", nil}, {"a", "a", nil}, {"ab", "ab", nil}, {"\ufeff", "", nil}, {"\ufeffab", "ab", nil}, {"a\ufeffb", "a\ufeffb", nil},
		{"\xef\xbb", "\xef\xbb", nil}, {"äöü", "äöü", nil},
		{"\xff\xfea\x00", "", ErrUTF16}, {"\xfe\xff\x00a", "", ErrUTF16}, {"a\x00b\x00", "", ErrUTF16}, {"\x00a\x00b", "", ErrUTF16},
		{"\xff\xfe\x00\x00a\x00\x00\x00", "", ErrUTF16}, {"\x00\x00\xfe\xff\x00\x00\x00a", "", ErrUTF16},
	} {
		text, err := Text(strings.NewReader(c.in))
		if err == nil {
			var b []byte
			b, err = io.ReadAll(text)
			if string(b) != c.out {
				t.Errorf("%q: %q, want %q", c.in, b, c.out)
			}
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%q: error %v, want %v", c.in, err, c.err)
		}
		if got, err := TrimMark([]byte(c.in)); !errors.Is(err, c.err) || !bytes.Equal(got, []byte(c.out)) {
			t.Errorf("%q as bytes: %q, %v", c.in, got, err)
		}
	}
}

// TestMessagesObeyNobody: nothing in a message acts on a terminal.
func TestMessagesObeyNobody(t *testing.T) {
	for in, want := range map[string]string{
		"plain": `"plain"`, "\x1b[31mred": `"\x1b[31mred"`, "a\nb": `"a\nb"`, "\u202eabc": `"\u202eabc"`, "\x9b": `"\x9b"`,
		strings.Repeat("x", 201): `"` + strings.Repeat("x", 200) + `"… (201 bytes)`,
		strings.Repeat("ä", 200): `"` + strings.Repeat("ä", 100) + `"… (400 bytes)`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"out/a b.csv": "out/a b.csv", "a\x1b[2Jb": `"a\x1b[2Jb"`, "a\xff": `"a\xff"`, "größe": "größe"} {
		if got := Path(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if _, err := Open("\x1b[2J"); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error %q", err)
	}
	for in, want := range map[string]string{"a 'b' \"c\"": "a 'b' \"c\"", "a\x1b[2J\x7f\n": `a\x1b[2J\x7f\n`, "cut \xc3": `cut \ufffd`, strings.Repeat("x", 3000): strings.Repeat("x", 2001) + "… (3000 bytes)"} {
		if got := Line(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	many := make([]string, 1000)
	if got := Names(many); !strings.HasSuffix(got, " and 950 more") {
		t.Errorf("names: %s", got)
	}
}
