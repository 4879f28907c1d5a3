package audit

import (
	"math"
	"strconv"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// cost is how complicated a number is: 0 for 0, little for small integers, a
// lot for digits behind the point.
func cost(v float64) float64 {
	if v == 0 || math.IsInf(v, 1) {
		return 0
	}
	if v == math.Trunc(v) && v < 1e6 {
		return 1 + math.Log2(v)
	}
	return 12 + 4*float64(len(strconv.FormatFloat(v, 'g', -1, 64)))
}

// units measures each resource, and each link, in a unit in which its numbers
// are small integers, as nearly as the violation allows.
func (s *shrinking) units() bool {
	changed := false
	for r := range len(s.best.Case.Env.Resources) + len(s.best.Case.Env.Links) {
		if tied(s.best.Case.Env) && r >= len(s.best.Case.Env.Resources) {
			break
		}
		column := column(&s.best.Case, r)
		before := total(column)
		for _, unit := range candidates(column) {
			c := s.best.Case.clone()
			for _, v := range pointers(&c, r) {
				if *v > 0 {
					*v = max(1, math.Round(*v*unit))
				}
			}
			if total(values(pointers(&c, r))) < before && s.try(c) {
				changed = true
				break
			}
		}
	}
	return changed
}

// tied reports whether link demands are one number behind several links.
func tied(env *cluster.Environment) bool {
	for j := range env.Users {
		if linkCells(env, &env.Users[j]) {
			return true
		}
	}
	return false
}

// candidates are units in which some number of the column becomes a small
// integer, the smallest first.
func candidates(column []float64) []float64 {
	var units []float64
	for small := 1.0; small <= 12; small++ {
		for _, v := range column {
			if v > 0 {
				units = append(units, small/v)
			}
		}
	}
	return units
}

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += cost(v)
	}
	return sum
}

func values(all []*float64) []float64 {
	var v []float64
	for _, p := range all {
		v = append(v, *p)
	}
	return v
}

func column(c *Case, r int) []float64 { return values(pointers(c, r)) }

// pointers returns the numbers of resource r, or of link r−|R|: capacities and
// demands, reported ones too.
func pointers(c *Case, r int) []*float64 {
	var all []*float64
	users := c.users()
	if e := r - len(c.Env.Resources); e >= 0 {
		all = append(all, &c.Env.Links[e].Capacity)
		for _, u := range users {
			if u.LinkDemand != nil {
				all = append(all, &u.LinkDemand[e])
			}
		}
		return all
	}
	for v := range c.Env.Servers {
		all = append(all, &c.Env.Servers[v].Capacity[r])
	}
	for _, u := range users {
		all = append(all, &u.Demand[r])
		for s := range c.Env.Servers {
			if d := u.DemandOn[s]; d != nil {
				all = append(all, &d[r])
			}
		}
	}
	return all
}

// digits makes single numbers simpler: those that belong together first
// together, and then each number of what is reported on its own. (The list of
// numbers gets shorter when all weights become equal.)
func (s *shrinking) digits() bool {
	changed := false
	for i := 0; i < len(cells(&s.best.Case)); i++ {
		changed = s.simplify(func(c *Case) []*float64 { return cells(c)[i] }) || changed
	}
	if s.best.Case.Report == nil {
		return changed
	}
	for k := range numbers(s.best.Case.Report) {
		changed = s.simplify(func(c *Case) []*float64 { return numbers(c.Report)[k : k+1] }) || changed
	}
	return changed
}

// simplify tries simpler values for some numbers that are set alike.
func (s *shrinking) simplify(of func(c *Case) []*float64) bool {
	now := *of(&s.best.Case)[0]
	for _, v := range simpler(now) {
		c := s.best.Case.clone()
		cell := of(&c)
		before := total(values(cell))
		for _, p := range cell {
			*p = v
		}
		if total(values(cell)) < before && s.try(c) {
			return true
		}
	}
	return false
}

// simpler lists values to try in place of v, the simplest first: 0, the
// integers below it and next to it, v rounded to a few digits.
func simpler(v float64) []float64 {
	if v == 0 || math.IsInf(v, 1) {
		return nil
	}
	all := []float64{0}
	for i := 1.0; i <= 12; i++ {
		all = append(all, i)
	}
	all = append(all, math.Round(v), math.Ceil(v))
	for digits := 1; digits <= 4; digits++ {
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
		if err == nil {
			all = append(all, rounded)
		}
	}
	return all
}
