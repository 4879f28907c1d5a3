package alibaba

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// row is one row of a table. Its readers take a column by its place in the
// official order; they record the first error, with file, row and column, and
// the values of a row with an error mean nothing. [table.each] stops at it.
type row struct {
	file     string
	official []string
	place    []int // where the official columns are
	width    int   // columns of a row
	number   int64 // of the line, the header's included, from 1
	rows     int64 // without the header
	fields   []string
	err      error
}

// longestS bounds times, in s, so that the sum of many durations in µs stays
// inside 64 bits.
const longestS = 1e9

// text returns a field. It is part of the row's memory, see [row.own].
func (r *row) text(column int) string { return r.fields[r.place[column]] }

// own returns a field as a text of its own: the fields of a row share memory
// that is kept as long as any of them.
func (r *row) own(column int) string { return string([]byte(r.text(column))) }

// amount returns a number, which must be finite and not negative, and whether
// it is there.
func (r *row) amount(column int) (float64, bool) {
	text := r.text(column)
	if text == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
	case v < 0:
		err = errors.New("negative")
	case math.IsNaN(v) || math.IsInf(v, 0):
		err = errors.New("not finite")
	}
	r.fail(column, err)
	return v, true
}

// whole returns a number that must be whole; an empty field is 0.
func (r *row) whole(column int) int64 {
	v, _ := r.amount(column)
	if v != math.Trunc(v) || v > math.MaxInt32 {
		r.fail(column, errors.New("not a whole number in range"))
		return 0
	}
	return int64(v)
}

// timeUS returns a time in µs, of a field in s, and whether it is there.
func (r *row) timeUS(column int) (int64, bool) {
	s, ok := r.amount(column)
	if s > longestS {
		r.fail(column, fmt.Errorf("later than %v s", longestS))
		return 0, false
	}
	return int64(math.Round(s * 1e6)), ok
}

// fail records the row's first error.
func (r *row) fail(column int, err error) {
	if err == nil || r.err != nil {
		return
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		err = number.Err
	}
	r.err = fmt.Errorf("%s:row %d, column %d (%s): %q: %w",
		r.file, r.number, r.place[column]+1, r.official[column], r.text(column), err)
}
