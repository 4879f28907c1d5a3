package google2011

import (
	"fmt"

	"github.com/leontief-sim/leontief/traces/rows"
)

// row is one row of a table; [tableParts.each] stops at its first error.
type row struct{ *rows.Row }

// event returns a field that holds one of the event types 0 … last.
func (r row) event(column int, last int64) event {
	v := r.Integer(column)
	if v > last {
		r.Fail(column, fmt.Errorf("not an event type from 0 to %d", last))
	}
	return event(v)
}

// missing reports whether the row is marked as reconstructed by the makers of
// the trace (field 2 of the event tables).
func (r row) missing() bool { return r.Text(1) != "" }
