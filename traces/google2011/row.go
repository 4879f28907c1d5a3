package google2011

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// row is one row of a table. Its readers record the first error, with file,
// row and column, and return zero from then on; [tableParts.each] stops at
// it.
type row struct {
	file    string
	columns []string
	number  int64 // 1-based
	fields  []string
	err     error
}

// integer returns a mandatory integer field, which must not be negative.
func (r *row) integer(column int) int64 {
	v, err := strconv.ParseInt(r.fields[column], 10, 64)
	if err == nil && v < 0 {
		err = errors.New("negative")
	}
	r.fail(column, err)
	return v
}

// event returns a field that holds one of the event types 0 … last.
func (r *row) event(column int, last int64) event {
	v := r.integer(column)
	if v > last {
		r.fail(column, fmt.Errorf("not an event type from 0 to %d", last))
	}
	return event(v)
}

// amount returns an optional number, which must be finite and not negative,
// and whether it is there.
func (r *row) amount(column int) (float64, bool) {
	text := r.fields[column]
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

// text returns a field as a text of its own. The fields of a row share memory
// that is kept as long as any of them.
func (r *row) text(column int) string { return string([]byte(r.fields[column])) }

// missing reports whether the row is marked as reconstructed by the makers of
// the trace (field 2 of the event tables).
func (r *row) missing() bool { return r.fields[1] != "" }

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
		r.file, r.number, column+1, r.columns[column], r.fields[column], err)
}
