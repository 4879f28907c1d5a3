package printable

import (
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Writer escapes what is written through it as [Text] does, but for the ends of
// lines: the last place before a terminal, in case that a text was not escaped
// where it was taken. It can be used by several goroutines.
type Writer struct {
	mu    sync.Mutex
	to    io.Writer
	begun []byte // the first bytes of a character whose others are to come
}

// NewWriter returns a Writer in front of another.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns the writer behind it, for what a terminal is to obey: the bar
// that shows progress.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(w.begun, p...)
	whole := len(all) - partial(all)
	w.begun = append([]byte(nil), all[whole:]...)
	return len(p), w.put(string(all[:whole]))
}

// Flush writes what is left of a character that was never finished.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := string(w.begun)
	w.begun = nil
	return w.put(rest)
}

func (w *Writer) put(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, escape(text, func(r rune) bool { return r == '\n' || unicode.IsPrint(r) }))
	return err
}

// partial is the number of bytes at the end that begin a character and do not
// end it.
func partial(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if first := p[len(p)-n]; utf8.RuneStart(first) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
