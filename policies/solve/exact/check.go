package exact

import (
	"fmt"
	"math/big"
)

// CheckMaxMin returns an error unless x is feasible in e and its totals are the
// lexicographic max-min of x[j]/(w[j]·norm[j]).
func (e *Environment) CheckMaxMin(norm []*big.Rat, x [][]*big.Rat) error {
	if err := e.Feasible(x); err != nil {
		return err
	}
	want, err := e.MaxMin(norm)
	if err != nil {
		return err
	}
	for j, total := range Totals(x) {
		if total.Cmp(want[j]) != 0 {
			return fmt.Errorf("exact: user %q holds %s, the max-min is %s", e.Names[j], total.RatString(), want[j].RatString())
		}
	}
	return nil
}

// CheckLinear returns an error unless x is feasible and maximises Σ value·x[j]
// subject to x[j] ≥ lower[j] (nil: no bounds) and, if asked, to envy-freeness.
func (e *Environment) CheckLinear(value, lower []*big.Rat, envyFree bool, x [][]*big.Rat) error {
	if err := e.Feasible(x); err != nil {
		return err
	}
	p, c := e.Region(0), map[int]*big.Rat{}
	got, totals := new(big.Rat), Totals(x)
	for j, v := range value {
		if lower != nil {
			p.AtLeast(e.Total(j), lower[j])
			if totals[j].Cmp(lower[j]) < 0 {
				return fmt.Errorf("exact: user %q holds %s, less than %s", e.Names[j], totals[j].RatString(), lower[j].RatString())
			}
		}
		for i := range value {
			if envyFree && i != j {
				p.AtLeast(e.noEnvy(j, i), zero)
				if e.Utility(j, i, x).Cmp(totals[j]) > 0 {
					return fmt.Errorf("exact: user %q envies user %q", e.Names[j], e.Names[i])
				}
			}
		}
		for col := range e.Total(j) {
			c[col] = v
		}
		got.Add(got, new(big.Rat).Mul(v, totals[j]))
	}
	best, _, err := p.Maximize(c)
	if err == nil && best.Cmp(got) != 0 {
		err = fmt.Errorf("exact: welfare %s, the optimum is %s", got.RatString(), best.RatString())
	}
	return err
}

// noEnvy returns the coefficients of x[j] − u[j](i's bundle).
func (e *Environment) noEnvy(j, i int) map[int]*big.Rat {
	row := e.Total(j)
	for s := range e.Capacity {
		if e.May[i][s] {
			row[e.column(i, s)] = new(big.Rat).Neg(e.Worth(j, i, s))
		}
	}
	return row
}

// CheckNash returns an error unless x is feasible and maximises Σ w·log x: there
// are prices at which every user spends its weight on its cheapest servers, and
// nothing that has a price is left (the conditions of Karush, Kuhn and Tucker,
// which suffice for a concave program).
func (e *Environment) CheckNash(x [][]*big.Rat) error {
	if err := e.Feasible(x); err != nil {
		return err
	}
	region, totals := e.Region(0), Totals(x)
	p := e.slackness(region, x)
	for j, total := range totals {
		if total.Sign() == 0 {
			return fmt.Errorf("exact: user %q holds nothing", e.Names[j])
		}
		gain := new(big.Rat).Quo(e.Weight[j], total)
		for s, v := range x[j] {
			price := map[int]*big.Rat{}
			for i, row := range region.rows {
				if a := row[e.column(j, s)]; a != nil {
					price[i] = a
				}
			}
			if v.Sign() > 0 {
				p.Equal(price, gain)
			} else {
				p.AtLeast(price, gain)
			}
		}
	}
	_, _, err := p.Maximize(nil)
	return err
}

// slackness returns the program of the prices of the rows of a region: one per
// row, 0 where x leaves something.
func (e *Environment) slackness(region *Program, x [][]*big.Rat) *Program {
	p := &Program{Columns: len(region.rows)}
	for i, row := range region.rows {
		used, t := new(big.Rat), new(big.Rat)
		for c, a := range row {
			if a != nil {
				used.Add(used, t.Mul(a, x[c/e.Servers()][c%e.Servers()]))
			}
		}
		if used.Cmp(region.bounds[i]) < 0 {
			p.AtMost(map[int]*big.Rat{i: one}, zero)
		}
	}
	return p
}

// Held returns the most tasks that user j with the needs of a true user (the
// only one of truth) can run with what j holds in x: the resources on each
// server, and the part of each link.
func (e *Environment) Held(j int, x [][]*big.Rat, truth *Environment) (*big.Rat, error) {
	own := *truth
	own.Capacity, own.Links = make([][]*big.Rat, e.Servers()), make([]*big.Rat, len(e.Links))
	for s := range own.Capacity {
		for _, d := range e.Demand[j][s] {
			own.Capacity[s] = append(own.Capacity[s], new(big.Rat).Mul(d, x[j][s]))
		}
	}
	for l := range own.Links {
		through := new(big.Rat)
		for s, reached := range e.Reach[l] {
			if reached {
				through.Add(through, x[j][s])
			}
		}
		own.Links[l] = through.Mul(through, e.Link[j][l])
	}
	most, _, err := own.Region(0).Maximize(own.Total(0))
	return most, err
}

// LeastHeld returns the fewest tasks that user j with the needs of a true user (the only
// one of truth) can run with what it holds, over all allocations in which the users have
// at least these totals: what it can run whatever servers the tasks are on. Links are
// left out.
func (e *Environment) LeastHeld(j int, totals []*big.Rat, truth *Environment) (*big.Rat, error) {
	p, worth := e.Region(0), map[int]*big.Rat{}
	for i, total := range totals {
		p.AtLeast(e.Total(i), total)
	}
	both := Environment{
		Capacity: e.Capacity, Demand: [][][]*big.Rat{e.Demand[j], truth.Demand[0]}, May: [][]bool{nil, truth.May[0]},
		Weight: []*big.Rat{one, one},
	}
	for s := range e.Capacity {
		worth[e.column(j, s)] = new(big.Rat).Neg(both.Worth(1, 0, s))
	}
	least, _, err := p.Maximize(worth)
	if err != nil {
		return nil, err
	}
	return least.Neg(least), nil
}

// Dominated returns the largest Σy over the feasible y ≥ x.
func (e *Environment) Dominated(totals []*big.Rat) (*big.Rat, [][]*big.Rat, error) {
	p, c := e.Region(0), map[int]*big.Rat{}
	for j, total := range totals {
		p.AtLeast(e.Total(j), total)
		for col := range e.Total(j) {
			c[col] = one
		}
	}
	best, y, err := p.Maximize(c)
	if err != nil {
		return nil, nil, err
	}
	return best, e.Unflatten(y), nil
}

// Nearest returns the rational number of smallest denominator within the
// relative tolerance of v: a convergent of its continued fraction.
func Nearest(v, tolerance float64) *big.Rat {
	target := new(big.Rat).SetFloat64(v)
	limit := new(big.Rat).Mul(target, new(big.Rat).SetFloat64(tolerance))
	p0, q0, p1, q1 := big.NewInt(0), big.NewInt(1), big.NewInt(1), big.NewInt(0)
	rest := new(big.Rat).Set(target)
	for {
		a := new(big.Int).Quo(rest.Num(), rest.Denom())
		p0, p1 = p1, new(big.Int).Add(new(big.Int).Mul(a, p1), p0)
		q0, q1 = q1, new(big.Int).Add(new(big.Int).Mul(a, q1), q0)
		found := new(big.Rat).SetFrac(p1, q1)
		off := new(big.Rat).Sub(found, target)
		if off.Abs(off).Cmp(limit) <= 0 {
			return found
		}
		rest.Sub(rest, new(big.Rat).SetInt(a))
		rest.Inv(rest)
	}
}
