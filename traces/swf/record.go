package swf

import (
	"errors"
	"math"
	"strconv"

	"github.com/leontief-sim/leontief/traces/rows"
)

// The columns of a record, in their order.
const (
	number = iota
	submit
	wait
	runTime
	allocated
	cpuTime
	usedMemory
	requested
	requestedTime
	requestedMemory
	status
	user
	group
	executable
	queue
	partition
	preceding
	think
)

var columns = []string{"job number", "submit time", "wait time", "run time", "allocated processors",
	"average CPU time used", "used memory", "requested processors", "requested time", "requested memory", "status",
	"user", "group", "executable", "queue", "partition", "preceding job", "think time"}

// largest bounds numbers, so that no sum of times in µs overflows: 300 years in s. A
// number that is not 0 is at least 1/largest.
const largest = 1e10

// record is one line of a log.
type record struct{ *rows.Row }

// value returns a number, which must be finite and in range; negative where it is
// not known.
func (r record) value(column int) float64 {
	v, err := strconv.ParseFloat(r.Text(column), 64)
	switch {
	case err != nil:
	case math.IsNaN(v) || math.IsInf(v, 0):
		err = errors.New("not finite")
	case math.Abs(v) > largest, v != 0 && math.Abs(v) < 1/largest:
		err = errors.New("beyond any log")
	}
	r.Fail(column, err)
	return v
}

// us returns a time in µs.
func (r record) us(column int) int64 { return int64(math.Round(r.value(column) * 1e6)) }
