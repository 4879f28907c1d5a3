package rows

import (
	"fmt"
	"io"
)

// Longest is the largest size of a row, in bytes.
const Longest = 1 << 20

// ErrLong is the error of a row that is longer than [Longest].
var ErrLong = fmt.Errorf("longer than %d MiB, the most that is read of a row (a quotation mark without its end?)", Longest>>20)

// Limited reads a text that is taken apart row by row, with an error that is
// [ErrLong] where a row does not end: its readers keep it in memory.
type Limited struct {
	R    io.Reader
	left int // bytes that may be read before the next row
}

// ahead is what a reader of rows may have read of the next ones.
const ahead = 1 << 16

// Next is called before each row.
func (l *Limited) Next() { l.left = Longest + ahead }

func (l *Limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, ErrLong
	}
	n, err := l.R.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
