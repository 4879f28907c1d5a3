package cluster

import "math"

// The range of the numbers of an environment and of a trace: a number is 0, or
// lies from [LeastNumber] to [MostNumber]. A product or a ratio of two such
// numbers, and a sum of a billion of these, is then neither beyond the range of
// a double nor below its full precision.
const (
	LeastNumber = 1e-150
	MostNumber  = 1e150
)

// InRange reports whether v is 0 or a positive number from [LeastNumber] to
// [MostNumber]. It is false for NaN, infinities and negative numbers.
func InRange(v float64) bool { return v == 0 || v >= LeastNumber && v <= MostNumber }

// amountProblem says why v is no amount (a capacity, a demand, a weight, a task
// cap): that it is not finite, negative or out of range. It is empty where v is
// one.
func amountProblem(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "must be finite, is %g"
	case v < 0:
		return "must not be negative, is %g"
	case !InRange(v):
		return "must be 0 or from 1e-150 to 1e150, is %g"
	}
	return ""
}
