package solve

import "math"

// inverseError returns the largest entry of inverse·B − I over the basis.
func (b *basis) inverseError() float64 {
	worst := 0.0
	for i, v := range b.in {
		b.load(v)
		if v == b.levelVar() {
			b.loadLevel(func(j int) float64 { return b.rate[j] })
		}
		b.solve()
		for l, a := range b.alpha {
			want := 0.0
			if l == i {
				want = 1
			}
			worst = math.Max(worst, math.Abs(a-want))
		}
	}
	return worst
}
