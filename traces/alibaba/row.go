package alibaba

import (
	"errors"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/traces/rows"
)

// row is one row of a table, whose readers take a column by its place in the
// official order; [table.each] stops at its first error.
type row struct{ *rows.Row }

// longestS bounds times, in s, so that the sum of many durations in µs stays
// inside 64 bits.
const longestS = 1e9

// name returns a field that names something and must not be empty.
func (r row) name(column int, what string) string {
	text := r.Own(column)
	if text == "" {
		r.Fail(column, fmt.Errorf("%s without a name", what))
	}
	return text
}

// whole returns a number that must be whole; an empty field is 0.
func (r row) whole(column int) int64 {
	v, _ := r.Amount(column)
	if v != math.Trunc(v) || v > math.MaxInt32 {
		r.Fail(column, errors.New("not a whole number in range"))
		return 0
	}
	return int64(v)
}

// timeUS returns a time in µs, of a field in s, and whether it is there.
func (r row) timeUS(column int) (int64, bool) {
	s, ok := r.Amount(column)
	if s > longestS {
		r.Fail(column, fmt.Errorf("later than %v s", longestS))
		return 0, false
	}
	return int64(math.Round(s * 1e6)), ok
}
