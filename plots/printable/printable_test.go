package printable

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ρ ≤ η, 作业, é, 🙂": "plain, ρ ≤ η, 作业, é, 🙂",
		"\x1b[2Jcleared":         `\u001b[2Jcleared`,
		"\x1b]0;title\a":         `\u001b]0;title\u0007`,
		"a\u202egpj.exe":         `a\u202egpj.exe`,
		"a\u2066b\u2069\u200f":   `a\u2066b\u2069\u200f`,
		"\u009b31m":              `\u009b31m`,
		"\x9b31m":                `\x9b31m`,
		"two\nlines\r\tand":      `two\nlines\r\tand`,
		"\ufefftop, soft\u00ad":  `\ufefftop, soft\u00ad`,
		"a\u2028b\u00a0c\x7f":    `a\u2028b\u00a0c\u007f`,
		"tag \U000e0041":         `tag \udb40\udc41`,
		"\xf0\x9f":               `\xf0\x9f`,
		"":                       "",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	if got := Cut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
	long := strings.Repeat("ä", 700) + strings.Repeat("z", 300)
	got := Cut(long, 100)
	if n := utf8.RuneCountInString(got); n > 105 || !strings.HasPrefix(got, "ää") || !strings.HasSuffix(got, "zz") {
		t.Errorf("%d characters: %s", n, got)
	}
	kept := strings.Count(got, "ä") + strings.Count(got, "z")
	if !strings.Contains(got, "(931 characters left out)") || kept != 1000-931 {
		t.Errorf("%d characters are kept: %s", kept, got)
	}
}

func TestAMessageIsBounded(t *testing.T) {
	if got := Message("one\ntwo \x1b"); got != "one\ntwo \\u001b" {
		t.Errorf("%q", got)
	}
	many := strings.TrimSuffix(strings.Repeat("users[1].demand: wrong\n", 200_000), "\n")
	got := Message(many)
	if n := strings.Count(got, "wrong"); n != 20 || !strings.HasSuffix(got, "\nand 199980 more") {
		t.Errorf("%d problems, %q", n, got[len(got)-40:])
	}
	twenty := strings.TrimSuffix(strings.Repeat("x\n", 20), "\n")
	if got := Message(twenty); got != twenty {
		t.Errorf("%q", got)
	}
	if got := Message(strings.Repeat("x", 1<<20)); len(got) > 2100 {
		t.Errorf("a line of %d bytes", len(got))
	}
}

// A writer gives the same as one piece, wherever the text is cut.
func TestWriterInPieces(t *testing.T) {
	const text = "a 作\nρ\x1b[1m\xe4\xbd 🙂\u202e\xff end\xe4\xbd"
	want := "a 作\nρ\\u001b[1m\\xe4\\xbd 🙂\\u202e\\xff end\\xe4\\xbd"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := NewWriter(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatalf("%d, %v", got, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || b.String() != want {
			t.Fatalf("pieces of %d: %v, %q", size, err, b.String())
		}
	}
}

// Nothing that a terminal obeys gets through, and JSON keeps its meaning.
func FuzzWriter(f *testing.F) {
	for _, s := range []string{"", "a\x1bb", "\u202e", "\U000e0041", "\x7f\x00\xff", "\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range strings.ReplaceAll(through(t, s), "\n", "") {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q lets %U through", s, r)
			}
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if json.Unmarshal(data, &before) != nil || json.Unmarshal([]byte(through(t, string(data))), &after) != nil || before != after {
			t.Fatalf("%q becomes %q", before, after)
		}
	})
}

func through(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
