package solve

import "gonum.org/v1/gonum/floats"

// brief is the length below which a loop takes less time than a call.
const brief = 12

// addScaled is [floats.AddScaled].
func addScaled(dst []float64, f float64, x []float64) {
	if len(x) >= brief {
		floats.AddScaled(dst, f, x)
		return
	}
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += f * v
	}
}

// dot is [floats.Dot], with the same rounding.
func dot(x, y []float64) float64 {
	if len(x) >= brief {
		return floats.Dot(x, y)
	}
	var a, b, c, d float64
	for y = y[:len(x)]; len(x) >= 4; x, y = x[4:], y[4:] {
		y = y[:len(x)]
		a, b, c, d = a+x[0]*y[0], b+x[1]*y[1], c+x[2]*y[2], d+x[3]*y[3]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + c) + (b + d)
}
