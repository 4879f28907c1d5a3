package solve

import "math"

// double is an unevaluated sum hi + lo of two floating-point numbers with lo
// below half a unit in the last place of hi: about 32 decimal digits. Each
// operation is exact to a few units of the last of these, relative to its
// operands.
//
// References: Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18 (1971).
type double struct{ hi, lo float64 }

// twoSum returns a + b rounded, and exactly what the rounding left.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

// add returns x + y.
func (x double) add(y double) double {
	hi, lo := twoSum(x.hi, y.hi)
	return normal(hi, lo+x.lo+y.lo)
}

// sub returns x − y.
func (x double) sub(y double) double { return x.add(double{-y.hi, -y.lo}) }

// plus returns x + y for a plain number.
func (x double) plus(y float64) double {
	hi, lo := twoSum(x.hi, y)
	return normal(hi, lo+x.lo)
}

// mul returns x·y.
func (x double) mul(y double) double {
	hi := float64(x.hi * y.hi)
	return normal(hi, math.FMA(x.hi, y.hi, -hi)+(x.hi*y.lo+x.lo*y.hi))
}

// times returns x·y for a plain number.
func (x double) times(y float64) double {
	hi := float64(x.hi * y)
	return normal(hi, math.FMA(x.hi, y, -hi)+x.lo*y)
}

// normal returns hi + lo, with |lo| well below |hi|, as a double.
func normal(hi, lo float64) double {
	sum := hi + lo
	return double{sum, lo - (sum - hi)}
}

// min returns the smaller one of x and y.
func (x double) min(y double) double {
	if y.hi < x.hi || y.hi == x.hi && y.lo < x.lo {
		return y
	}
	return x
}
