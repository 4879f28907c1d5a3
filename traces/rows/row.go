package rows

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unique"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/input"
)

// Row is the row of a file that is being read. Its readers take a column by its
// place among the names given to [New]. They record the first error, with file,
// row and column, which [Row.Err] returns; the values of a row with an error mean
// nothing.
type Row struct {
	file    string
	columns []string
	place   []int // where the columns stand in the file
	width   int   // columns of the file
	number  int64
	fields  []string
	err     error
}

// New returns the row before the first one of a file, whose columns have the
// names and the order given.
func New(file string, columns []string) *Row {
	r := &Row{file: file, columns: columns, width: len(columns)}
	for i := range columns {
		r.place = append(r.place, i)
	}
	return r
}

// Place takes names as the columns of the file, in which those of the table may
// stand anywhere. The error names the first that is missing, and the source of
// the names.
func (r *Row) Place(names []string, source string) error {
	for i, column := range r.columns {
		if r.place[i] = slices.Index(names, column); r.place[i] < 0 {
			return fmt.Errorf("%s: no column %s (columns: %s)", input.Path(source), column, input.Names(names))
		}
	}
	r.width = len(names)
	return nil
}

// Next makes fields the row after the last one. It is an error if they are not as
// many as the file's columns.
func (r *Row) Next(fields []string) error {
	r.number++
	r.fields = fields
	if len(fields) != r.width {
		return fmt.Errorf("%s:row %d: %d columns instead of %d", input.Path(r.file), r.number, len(fields), r.width)
	}
	return nil
}

// CSV calls f for every row of a text, until one has an error, and returns their
// number. The row is valid during the call only. With names a first line that
// holds the name of the first column is not a row: it says where the columns
// stand. A row may have [Longest] bytes; a text in UTF-16 is an error, and the
// byte order mark of UTF-8 is not part of the first field.
func (r *Row) CSV(text io.Reader, names bool, f func()) (rows int64, err error) {
	text, err = input.Text(text)
	if err != nil {
		return 0, r.Broken(err)
	}
	limited := &Limited{R: text}
	lines := csv.NewReader(limited)
	lines.ReuseRecord, lines.FieldsPerRecord = true, -1
	for {
		limited.Next()
		fields, err := lines.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, r.Broken(err)
		}
		if names && r.number == 0 && slices.Contains(fields, r.columns[0]) {
			if err := r.Place(fields, r.file); err != nil {
				return rows, err
			}
			r.number++
			continue
		}
		if err := r.Next(fields); err != nil {
			return rows, err
		}
		rows++
		if f(); r.err != nil {
			return rows, r.err
		}
	}
}

// Number is the number of the row: the line of the file, from 1, where no field
// goes over several lines.
func (r *Row) Number() int64 { return r.number }

// Err is the first error of the row's readers.
func (r *Row) Err() error { return r.err }

// Text returns a field, which must be UTF-8. It is part of the row's memory, see
// [Row.Own].
func (r *Row) Text(column int) string {
	text := r.fields[r.place[column]]
	if !utf8.ValidString(text) {
		r.Fail(column, errors.New("not UTF-8"))
	}
	return text
}

// Own returns a field as a text of its own: the fields of a row share memory that
// is kept as long as any of them.
func (r *Row) Own(column int) string { return strings.Clone(r.Text(column)) }

// Shared is [Row.Own] of texts that come again and again: equal ones share memory.
func (r *Row) Shared(column int) string { return unique.Make(r.Text(column)).Value() }

// Integer returns an integer, which must be there and must not be negative.
func (r *Row) Integer(column int) int64 {
	v, err := strconv.ParseInt(r.Text(column), 10, 64)
	if err == nil && v < 0 {
		err = errors.New("negative")
	}
	r.Fail(column, err)
	return v
}

// Amount returns a number, which must be finite and not negative, and whether it
// is there.
func (r *Row) Amount(column int) (float64, bool) {
	text := r.Text(column)
	if text == "" {
		return 0, false
	}
	v, err := Number(text)
	r.Fail(column, err)
	return v, true
}

// Number reads an amount: a number that is finite, not negative, and 0 or from
// [cluster.LeastNumber] to [cluster.MostNumber].
func Number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) && err == nil:
		return 0, errors.New("not finite")
	case err != nil && v == 0:
		return 0, err
	case v < 0:
		return 0, errors.New("negative")
	case !cluster.InRange(v), v == 0 && hasDigit(text):
		return 0, fmt.Errorf("must be 0 or from %g to %g", cluster.LeastNumber, cluster.MostNumber)
	}
	return v, err
}

// hasDigit reports whether a number that was read as 0 is written with another
// digit before its exponent: it is too close to 0 for a double.
func hasDigit(text string) bool {
	exponent := "eE"
	if strings.ContainsAny(text, "xX") {
		exponent = "pP"
	}
	mantissa := text[:max(0, strings.IndexAny(text+exponent, exponent))]
	return strings.ContainsAny(mantissa, "123456789abcdefABCDEF")
}

// Fail records an error of a column, if there is one and it is the row's first.
func (r *Row) Fail(column int, err error) {
	if err == nil || r.err != nil {
		return
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		err = number.Err
	}
	r.err = fmt.Errorf("%s:row %d, column %d (%s): %s: %w",
		input.Path(r.file), r.number, r.place[column]+1, r.columns[column], input.Quote(r.fields[r.place[column]]), err)
}

// Broken describes an error of reading the row after the last one.
func (r *Row) Broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		what := "the file ends in the middle"
		if packed(r.file) {
			what += " (truncated gzip)"
		}
		err = fmt.Errorf("%s: %w", what, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s:row %d: %w", input.Path(r.file), r.number+1, err)
}
