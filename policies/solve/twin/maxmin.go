package twin

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

const (
	// raiseTol is the relative rise of a share that counts as one.
	raiseTol = 1e-9
	// noiseTol is the rise, relative to what the user has on an empty
	// server, below which it is rounding.
	noiseTol = 1e-12
	// priceTol is the price of a user's row, as a part of 1, that proves it
	// saturated.
	priceTol = 1e-6
	// slackTol is how much less than its level a frozen user may hold, so
	// that rounding does not make a round infeasible.
	slackTol = 1e-14
)

// MaxMin returns the lexicographic max-min of x[j]/norm[j] over χ, as tasks
// per user. norm is w[j]·N[j], in tasks: 0 for a user that is to hold nothing;
// +Inf for one that the rule does not see. Users of norm +Inf are filled
// before all others, by x[j]/w[j].
//
// Each round maximises the smallest share g of the users that are not frozen,
// then solves one program per such user: the most that it can have while
// every other keeps g or its frozen level. Users that cannot exceed g, and
// those at their cap, are frozen. Where rounding hides all of them (the last
// digits of what one user frees can be many tasks of another whose demands are
// orders of magnitude smaller), those whose row carries a price in the first
// program are: by duality their share is g in every optimum.
func MaxMin(env *cluster.Environment, norm []float64) ([]float64, error) {
	f := &filling{region: newRegion(env), tasks: make([]float64, len(env.Users))}
	first, second := make([]float64, len(norm)), make([]float64, len(norm))
	for j, v := range norm {
		if math.IsInf(v, 1) {
			first[j] = env.Users[j].Weight
		} else {
			second[j] = v
		}
	}
	for _, share := range [][]float64{first, second} {
		if err := f.fill(share); err != nil {
			return nil, err
		}
	}
	return f.tasks, nil
}

// filling is the state of progressive filling.
type filling struct {
	*region
	tasks  []float64 // levels of the frozen users
	frozen []int
}

// fill raises the users of positive norm together until all are frozen.
func (f *filling) fill(norm []float64) error {
	most := f.most()
	var active []int
	for j, v := range norm {
		if v > 0 && most[j] > 0 {
			active = append(active, j)
		}
	}
	for len(active) > 0 {
		g, prices, err := f.level(active, norm)
		if err != nil {
			return err
		}
		stuck := make([]bool, len(active))
		for i, j := range active {
			top, err := f.top(j, active, norm, g)
			if err != nil {
				return err
			}
			stuck[i] = top <= g*norm[j]*(1+raiseTol)+noiseTol*most[j]
		}
		if !slices.Contains(stuck, true) {
			for i, price := range prices {
				stuck[i] = price > priceTol
			}
		}
		if active, err = f.freeze(active, stuck, norm, g); err != nil {
			return err
		}
	}
	return nil
}

// freeze freezes the active users that are stuck at level g and returns the
// others.
func (f *filling) freeze(active []int, stuck []bool, norm []float64, g float64) ([]int, error) {
	var still []int
	for i, j := range active {
		if !stuck[i] {
			still = append(still, j)
			continue
		}
		f.tasks[j] = g * norm[j]
		f.frozen = append(f.frozen, j)
	}
	if len(still) == len(active) {
		return nil, fmt.Errorf("twin: no user is frozen at level %g", g)
	}
	return still, nil
}

// level returns the largest g such that all active users can hold g·norm, and
// the prices of their rows x >= g·norm, as parts of 1.
func (f *filling) level(active []int, norm []float64) (float64, []float64, error) {
	most := f.most()
	unit := math.Inf(1) // g is measured in the least share that a server gives
	for _, j := range active {
		unit = math.Min(unit, most[j]/norm[j])
	}
	n := len(f.cols)
	c := make([]float64, n+1)
	c[n] = 1
	p := f.program(c, 1)
	f.holdFrozen(p, 1)
	for _, j := range active {
		a := widen(f.tasksRow(j), 1)
		a[n] = -unit * norm[j]
		p.Add(a, GE, 0)
	}
	sol, err := p.Solve()
	if err != nil {
		return 0, nil, fmt.Errorf("level of %d users: %w", len(active), err)
	}
	prices := sol.Dual[len(sol.Dual)-len(active):]
	for i, j := range active {
		prices[i] *= -unit * norm[j]
	}
	return sol.Value * unit, prices, nil
}

// top returns the most that user j can hold while the other active users hold
// at least g·norm.
func (f *filling) top(j int, active []int, norm []float64, g float64) (float64, error) {
	p := f.program(f.tasksRow(j), 0)
	f.holdFrozen(p, 0)
	for _, i := range active {
		if i != j {
			p.Add(f.tasksRow(i), GE, g*norm[i]*(1-slackTol))
		}
	}
	sol, err := p.Solve()
	if err != nil {
		return 0, fmt.Errorf("most of user %d at level %g: %w", j, g, err)
	}
	return sol.Value, nil
}

// holdFrozen adds x[j] >= its level for every frozen user.
func (f *filling) holdFrozen(p *LP, extra int) {
	for _, j := range f.frozen {
		p.Add(widen(f.tasksRow(j), extra), GE, f.tasks[j]*(1-slackTol))
	}
}
