package psdsf

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// fewLevels is the largest number of levels of which powers of the map are computed.
const fewLevels = 48

// power is the map of 2^k sweeps of one pattern, as matrices over the levels, row-major. A sweep
// that has changed the levels by c is followed by one that changes them by A·c. After m more the
// change is A^m·c, the levels are (A + … + A^m)·c away, and these distances, added up, are
// Σ_i (A + … + A^i)·c.
type power struct{ change, dev, sum []float64 }

// square returns the map of twice as many sweeps as p, which is that of m sweeps.
func (p *power) square(m, n int) power {
	to := power{make([]float64, n*n), slices.Clone(p.dev), slices.Clone(p.sum)}
	multiply(n, p.change, p.change, to.change)
	multiply(n, p.dev, p.change, to.dev)
	floats.AddScaled(to.sum, float64(m), p.dev)
	multiply(n, p.sum, p.change, to.sum)
	return to
}

// multiply adds the product of two matrices of order n to a third.
func multiply(n int, a, b, to []float64) {
	for i := range n {
		row := to[i*n:][:n]
		for k, factor := range a[i*n:][:n] {
			if factor == 0 {
				continue
			}
			for j, x := range b[k*n:][:n] {
				row[j] += factor * x
			}
		}
	}
}

// dense reports whether sweeps are made by powers of their map.
func (m *model) dense() bool { return len(m.origin) <= fewLevels && m.st.crowded() }

// farthest is the largest number of sweeps that are leapt over.
func (m *model) farthest() int {
	if m.dense() {
		return remotest
	}
	return farthest
}

// sweepMap returns the map of one sweep.
func (m *model) sweepMap() power {
	n := len(m.origin)
	a := make([]float64, n*n)
	for k := range m.first[:len(m.first)-1] {
		for q := m.first[k]; q < m.first[k+1]; q++ {
			for _, t := range m.rows[q] {
				if t.of < m.first[k] { // acted in the same sweep
					floats.AddScaled(a[q*n:][:n], t.weight, a[t.of*n:][:n])
				} else {
					a[q*n+t.of] += t.weight
				}
			}
		}
	}
	return power{a, slices.Clone(a), slices.Clone(a)}
}

// double lets 2^k sweeps pass at once.
func (m *model) double(k int) {
	n := len(m.origin)
	if len(m.powers) == 0 {
		m.powers = append(m.powers, m.sweepMap())
	}
	for k >= len(m.powers) {
		last := len(m.powers) - 1
		m.powers = append(m.powers, m.powers[last].square(1<<last, n))
	}
	m.made += 1 << k
	p, sweeps := &m.powers[k], float64(int(1)<<k)
	last := append(m.entering[:0], m.change...)
	for q := range n {
		m.sum[q] += sweeps*m.dev[q] + floats.Dot(p.sum[q*n:][:n], last)
		m.dev[q] += floats.Dot(p.dev[q*n:][:n], last)
		m.change[q] = floats.Dot(p.change[q*n:][:n], last)
		m.before[q] = m.dev[q] - m.change[q]
	}
	m.calm()
}
