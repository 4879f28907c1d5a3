package rows

import (
	"bufio"
	"errors"
	"io"

	"github.com/leontief-sim/leontief/traces/input"
)

// Lines calls f for every line of a text, without its end, until one gives an
// error. f makes each either the next row ([Row.Next]) or skips it ([Row.Skip]), so
// that the numbers of rows are those of lines. A line may have [Longest] bytes; a
// text in UTF-16 is an error, and the byte order mark of UTF-8 is not part of the
// first line.
func (r *Row) Lines(text io.Reader, f func(line string) error) error {
	text, err := input.Text(text)
	if err != nil {
		return r.Broken(err)
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, Longest)
	// A line that a read error cut short comes with the error.
	for lines.Scan() && lines.Err() == nil {
		if err := f(lines.Text()); err != nil {
			return err
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = ErrLong
	}
	if err != nil {
		return r.Broken(err)
	}
	return nil
}

// Skip counts a line that is no row of the table.
func (r *Row) Skip() { r.number++ }
