package google2019

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/traces/rows"
)

// The event types of collections and instances that mean something here.
const (
	submit   = 0
	schedule = 3
	evict    = 4
	fail     = 5
	finish   = 6
	kill     = 7
	lost     = 8
)

// The names of the enumerations, in the order of their numbers.
var (
	eventNames   = []string{"SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING", "UPDATE_RUNNING"}
	machineNames = []string{"EVENT_TYPE_UNKNOWN", "ADD", "REMOVE", "UPDATE"}
	kindNames    = []string{"JOB", "ALLOC_SET"}
	missingNames = []string{"MISSING_TYPE_NONE", "SNAPSHOT_BUT_NO_TRANSITION", "NO_SNAPSHOT_OR_TRANSITION", "EXISTS_BUT_NO_CREATION", "TRANSITION_MISSING_STEP", "TOO_MANY_EVENTS"}
)

// afterEnd is the time of what happened after the trace, and beyond it is none.
const afterEnd = math.MaxInt64

// largestUS bounds times: 115 days, so that no sum over a job's tasks overflows. The
// trace has 31.
const largestUS = 1e13

// row is a row of a table; its columns are those of the table.
type row struct{ *rows.Row }

// integer returns a whole number; 0 where it is not there. Some programs write 12.0.
func (r row) integer(column int) int64 {
	text := r.Text(column)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		if f, wrong := strconv.ParseFloat(text, 64); wrong == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			v, err = int64(f), nil
		}
	}
	r.Fail(column, err)
	return v
}

// time returns a time in µs.
func (r row) time(column int) int64 {
	t := r.integer(column)
	if t < 0 || t > largestUS && t != afterEnd {
		r.Fail(column, errors.New("not a time of the trace"))
	}
	return t
}

// enum returns the number of a value of an enumeration, which stands there as that or
// as its name; 0 where it is not there.
func (r row) enum(column int, names []string) int {
	text := r.Text(column)
	if k := slices.Index(names, strings.ToUpper(text)); k >= 0 {
		return k
	}
	v := r.integer(column)
	if v < 0 || v >= int64(len(names)) {
		r.Fail(column, fmt.Errorf("not from 0 to %d, nor one of %s", len(names)-1, strings.Join(names, ", ")))
		return 0
	}
	return int(v)
}

// flag returns a truth value; false where it is not there.
func (r row) flag(column int) bool {
	switch text := strings.ToLower(r.Text(column)); text {
	case "", "0", "false", "f":
		return false
	case "1", "true", "t":
		return true
	}
	r.Fail(column, errors.New("neither true nor false"))
	return false
}

// amount returns a normalised amount, and whether it is there.
func (r row) amount(column int) (float64, bool) {
	v, ok := r.Amount(column)
	if v > 1e9 || v > 0 && v < 1e-12 {
		r.Fail(column, errors.New("not a normalised amount"))
	}
	return v, ok
}
