package extended

import (
	"errors"
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Result is an allocation, each number rounded to a double once.
type Result struct {
	X      []float64 // tasks x[j,s], user-major
	Prices []float64 // of a unit of capacity, in the first round that prices ended
	// Envy are the prices of the rows against envy of a [LinearProblem], in its order,
	// per task of the envier.
	Envy []float64
	// Gap is the largest distance of the level of a round from the bound that the
	// prices of the round prove, relative to the level. It is computed from the
	// numbers before they are rounded.
	Gap float64
	// Excess is the largest violation of a row, relative to its capacity, or of a
	// sign, before rounding.
	Excess         float64
	Rounds, Pivots int
}

var errStuck = errors.New("solve: nobody is saturated")

// MaxMin finds the lexicographic max-min allocation of x[j]/norm[j] over χ for the
// users that are present, as [solve.MaxMin] does. least returns, for the users
// that rise, the level below which the gap is absolute; see there.
func MaxMin(env *cluster.Environment, norm []float64, present []bool, least func(rising []bool) float64) (r *Result, err error) {
	defer precise(&err)
	p := newProgram(env, norm, present)
	if p.wide() {
		return nil, ErrPrecision
	}
	f := &filling{basis: newBasis(p), gap: newNumber(), least: newNumber()}
	for _, infinite := range []bool{true, false} {
		f.level.SetInt64(0)
		for j, v := range norm {
			f.rate[j] = f.here[j] && math.IsInf(v, 1) == infinite
		}
		f.least.SetFloat64(least(f.rate))
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
	return f.result(), nil
}

// filling is the state of progressive filling.
type filling struct {
	*basis
	rounds int
	costs  []*big.Float // per user: of a unit of its share
	first  vector       // prices of the first round that prices ended
	gap    *big.Float
	least  *big.Float
}

// fill runs rounds until nobody rises.
func (f *filling) fill() error {
	for f.rising() {
		// 1. Raise the level to its maximum, at most to the lowest task cap.
		f.rounds++
		limit := f.lowestCap()
		f.load(f.levelVar())
		s := f.ratio(f.levelVar(), limit)
		if s.kind == exitNone {
			return errUnbounded
		}
		f.take(f.levelVar(), s)
		if s.kind == exitLimit {
			f.level.Set(limit)
		} else if err := f.primal(limit); err != nil {
			return err
		}
		// 2. If a cap ended the round, freeze the users at their caps; else certify the level
		// by the prices and freeze the users whose work costs something.
		if f.where < 0 {
			f.freezeCapped(limit)
			continue
		}
		f.certify()
		f.lower()
		if !f.freezePriced() {
			return errStuck
		}
	}
	return nil
}

func (f *filling) rising() bool {
	for _, rate := range f.rate {
		if rate {
			return true
		}
	}
	return false
}

// lowestCap returns the share at which the first rising user reaches its task
// cap; nil: none does.
func (f *filling) lowestCap() *big.Float {
	var low *big.Float
	for j, rate := range f.rate {
		if n := f.limit[j]; rate && n != nil && (low == nil || n.Cmp(low) < 0) {
			low = n
		}
	}
	return low
}

// freezeCapped freezes the users that have reached their task cap.
func (f *filling) freezeCapped(level *big.Float) {
	for j, rate := range f.rate {
		if rate && f.limit[j] != nil && f.limit[j].Cmp(level) <= 0 {
			f.rate[j] = false
			f.fixed[j].Set(f.limit[j])
		}
	}
}

// freezePriced freezes the rising users whose work costs something, and reports
// whether there was any.
func (f *filling) freezePriced() bool {
	any := false
	for j, rate := range f.rate {
		if rate && f.costs[j].Sign() > 0 {
			f.rate[j], any = false, true
			f.fixed[j].Set(&f.level)
		}
	}
	return any
}

// lower takes the level out of the basis where it is, for the slack of the row
// with the highest price.
func (f *filling) lower() {
	best := 0
	for k := range f.prices {
		if f.prices[k].Cmp(&f.prices[best]) > 0 {
			best = k
		}
	}
	f.load(-1 - best)
	f.level.Set(f.g())
	f.pivot(f.where, -1-best, newNumber(), newNumber())
}

// certify bounds the level by the prices of the round, which it leaves in
// f.prices with the costs of the users' work in f.costs. With q[j] the least
// cost of a unit of share of user j, no allocation that gives the frozen users
// theirs raises the level by more than
//
//	(Σ_k π[k]·slack[k] + Σ_j Σ_s y[j,s]·(q[j,s] − q[j])) / Σ_rising q[j].
func (f *filling) certify() {
	f.setPrices()
	f.costs = make([]*big.Float, f.users)
	lost, each, t := newNumber(), newNumber(), newNumber()
	f.visit(func(j, s int, y *big.Float) {
		if f.costs[j] == nil {
			_, f.costs[j] = f.cheapest(f.prices, j)
			if f.rate[j] {
				each.Add(each, f.costs[j])
			}
		}
		dear := f.cost(newNumber(), f.prices, j, s)
		lost.Add(lost, t.Mul(t.Abs(y), dear.Sub(dear, f.costs[j])))
	})
	left := f.left()
	for k := range left {
		lost.Add(lost, t.Mul(t.Abs(&left[k]), &f.prices[k]))
	}
	f.record(lost, each)
	if len(f.first) == 0 {
		f.first = newVector(f.rows)
		for k := range f.first {
			f.first[k].Set(&f.prices[k])
		}
	}
}

// record keeps the largest gap: lost/each over the level, or over least.
func (f *filling) record(lost, each *big.Float) {
	unit := newNumber().Set(f.g())
	if unit.Cmp(f.least) < 0 {
		unit.Set(f.least)
	}
	if unit.Mul(unit, each).Sign() <= 0 {
		f.gap.SetInf(false)
		return
	}
	if gap := lost.Quo(lost, unit); gap.Cmp(f.gap) > 0 {
		f.gap.Set(gap)
	}
}

// visit calls back with all that is held, keys first.
func (b *basis) visit(do func(j, s int, y *big.Float)) {
	for j := range b.users {
		if b.here[j] {
			do(j, b.key[j], b.keyValue(j))
		}
	}
	for i, v := range b.in {
		if j := b.owner(v); j >= 0 {
			do(j, v%b.servers, &b.value[i])
		}
	}
}

// left returns what is left of each row.
func (b *basis) left() vector {
	b.dense.clear()
	b.visit(b.spread)
	left := newVector(b.rows)
	for k := range left {
		left[k].Sub(big.NewFloat(1), &b.dense[k])
	}
	left.clean(big.NewFloat(1))
	return left
}

// result rounds.
func (f *filling) result() *Result {
	r := &Result{
		X: make([]float64, f.users*f.servers), Prices: make([]float64, f.rows),
		Gap: double(f.gap), Rounds: f.rounds, Pivots: f.pivots,
	}
	low := newNumber()
	f.visit(func(j, s int, y *big.Float) {
		if y.Cmp(low) < 0 {
			low.Set(y)
		}
		if y.Sign() > 0 {
			r.X[j*f.servers+s] = double(newNumber().Mul(y, exactly(f.unit[j])))
		}
	})
	left := f.left()
	for k := range left {
		if left[k].Cmp(low) < 0 {
			low.Set(&left[k])
		}
		if c := f.env.RowCapacity(k); len(f.first) > 0 && c > 0 {
			r.Prices[k] = double(newNumber().Quo(&f.first[k], exactly(c)))
		}
	}
	r.Excess = -double(low)
	return r
}
