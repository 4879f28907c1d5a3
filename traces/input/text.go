package input

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"
)

// ErrUTF16 is the error of a text in UTF-16 or UTF-32.
var ErrUTF16 = errors.New("the text is in UTF-16 or UTF-32 (a byte order mark says so, or every other byte is zero); save it as UTF-8")

// Text returns a reader of a text without the byte order mark of UTF-8 that some
// programs write first. A text in UTF-16 or UTF-32 is an error that is
// [ErrUTF16].
func Text(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	mark, err := checkMark(head)
	if err != nil {
		return nil, err
	}
	if _, err := in.Discard(mark); err != nil {
		return nil, err
	}
	return in, nil
}

// TrimMark returns a text as [Text] reads it.
func TrimMark(text []byte) ([]byte, error) {
	mark, err := checkMark(text[:min(4, len(text))])
	if err != nil {
		return nil, err
	}
	return text[mark:], nil
}

// checkMark returns the length of the byte order mark that a text begins with.
func checkMark(head []byte) (int, error) {
	if len(head) >= 2 {
		a, b := head[0], head[1]
		if a == 0xFE && b == 0xFF || a == 0xFF && b == 0xFE || a == 0 && b != 0 && b < utf8.RuneSelf || a != 0 && a < utf8.RuneSelf && b == 0 {
			return 0, ErrUTF16
		}
	}
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] == 0xFE && head[3] == 0xFF {
		return 0, ErrUTF16
	}
	if len(head) >= 3 && string(head[:3]) == "\ufeff" {
		return 3, nil
	}
	return 0, nil
}
