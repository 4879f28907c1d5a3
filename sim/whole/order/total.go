package order

import (
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve/exact"
)

// Total is the share of a tenant whose weight W is divided equally among its k users: the
// mean of their shares x/(w·N) at the weight w = W/k,
//
//	(1/k)·Σ_j x[j]/(W/k·N[j]) = Σ_j x[j]/(W·N[j]),
//
// in which k is no more. Users whom the rule does not see (N = +Inf) add nothing, nor do
// those to which it gives nothing (N = 0).
type Total struct {
	weight float64
	parts  []part   // of those that run tasks, by N
	near   float64  // to doubles; NaN: they do not hold it
	exact  *big.Rat // nil: not needed so far
}

// part is the running tasks of the users of one N.
type part struct {
	norm  *Norm
	count int64
}

// NewTotal returns the share of a tenant of whom nothing runs.
func NewTotal(weight float64) *Total { return &Total{weight: weight} }

// Add counts tasks that start (n > 0) or end, of a user with the given N.
//
// To doubles a total has the relative error of N, of reading the weight, of a product and a
// quotient each, and of len(parts) sums: below [MaxError] for 2^18 parts.
func (t *Total) Add(norm *Norm, n int64) {
	if norm.never || norm.zero {
		return
	}
	i := slices.IndexFunc(t.parts, func(p part) bool { return p.norm == norm })
	if i < 0 {
		i = len(t.parts)
		t.parts = append(t.parts, part{norm: norm})
	}
	if t.parts[i].count += n; t.parts[i].count == 0 {
		last := len(t.parts) - 1
		t.parts[i] = t.parts[last]
		t.parts = t.parts[:last]
	}
	t.exact, t.near = nil, 0
	for _, p := range t.parts {
		wn := t.weight * p.norm.near
		if !held(wn) {
			wn = nan
		}
		t.near += float64(p.count) / wn
	}
	if len(t.parts) > 1<<18 {
		t.near = nan
	}
}

// Compare compares two totals as rational numbers.
func (t *Total) Compare(o *Total) int {
	switch {
	case t == o:
		return 0
	case len(t.parts) == 0 || len(o.parts) == 0:
		return min(len(t.parts), 1) - min(len(o.parts), 1)
	case t.near < o.near*Apart:
		return -1
	case o.near < t.near*Apart:
		return 1
	case len(t.parts) == 1 && len(o.parts) == 1:
		a, b := t.parts[0], o.parts[0]
		return compareQuotients(a.count, a.norm.ScaleOf(t.weight).fraction(), b.count, b.norm.ScaleOf(o.weight).fraction())
	}
	return t.rat().Cmp(o.rat())
}

// rat returns the total for reading.
func (t *Total) rat() *big.Rat {
	if t.exact == nil {
		t.exact = new(big.Rat)
		for _, p := range t.parts {
			x := new(big.Rat).SetInt64(p.count)
			t.exact.Add(t.exact, x.Quo(x, p.norm.fraction().rat()))
		}
		t.exact.Quo(t.exact, exact.Rational(t.weight))
	}
	return t.exact
}

// Last reports whether a turn is one that comes after all others, whatever its tenant: that
// of a user to whom the rule gives nothing.
func (a *Turn) Last() bool { return a.scale != nil && a.scale.norm.zero }
