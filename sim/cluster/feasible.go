package cluster

import (
	"fmt"
	"math"
	"slices"
)

// RowCapacity returns the capacity of a capacity row, see [Environment.Row].
func (env *Environment) RowCapacity(row int) float64 {
	if e := row - env.LinkRow(0); e >= 0 {
		return env.Links[e].Capacity
	}
	return env.Capacity(row/len(env.Resources), row%len(env.Resources))
}

// RowName names a capacity row for people.
func (env *Environment) RowName(row int) string {
	if e := row - env.LinkRow(0); e >= 0 {
		return fmt.Sprintf("link %q", env.Links[e].Name)
	}
	return fmt.Sprintf("%s of server %q", env.Resources[row%len(env.Resources)], env.Servers[row/len(env.Resources)].Name)
}

// Usage returns what the allocation takes of every capacity row of its region,
// in the order of [Environment.Row]: Σ_j x[j,s]·d[j,r] of resources and
// Σ_j Σ_{s∈S(e)} x[j,s]·d[j,e] of links. The result is in dst, which is grown
// if it is too short and may be nil.
func (a *Allocation) Usage(dst []float64) []float64 {
	env := a.Region
	dst = slices.Grow(dst[:0], env.Rows())[:env.Rows()]
	clear(dst)
	for j := range env.Users {
		demand, differs, total := env.Users[j].Demand, len(env.Users[j].DemandOn) > 0, 0.0
		for s, x := range a.On(j) {
			if x == 0 {
				continue
			}
			if differs {
				demand = env.Demand(j, s)
			}
			row := dst[s*len(demand):][:len(demand)]
			for r, d := range demand {
				row[r] += x * d
			}
			total += x
		}
		a.addLinkUsage(j, total, dst[env.LinkRow(0):])
	}
	return dst
}

// addLinkUsage adds what user j, who holds total in all, takes of the links.
func (a *Allocation) addLinkUsage(j int, total float64, dst []float64) {
	for e := range dst {
		d := a.Region.LinkDemand(j, e)
		if d == 0 {
			continue
		}
		through := total
		if a.Region.Links[e].Servers != nil {
			through = 0
			for s, x := range a.On(j) {
				if x != 0 && a.Region.Reaches(e, s) {
					through += x
				}
			}
		}
		dst[e] += through * d
	}
}

// Utilization returns used/total of every capacity row, as [Allocation.Usage];
// 0 where the capacity is 0.
func (a *Allocation) Utilization(dst []float64) []float64 {
	dst = a.Usage(dst)
	for row := range dst {
		if c := a.Region.RowCapacity(row); c > 0 {
			dst[row] /= c
		} else {
			dst[row] = 0
		}
	}
	return dst
}

// Violation is a constraint of χ and how far an allocation is from it.
type Violation struct {
	Constraint   string  // in words
	Value, Bound float64 // what is, and what may be at most (of x >= 0: at least)
	// Excess is the violation relative to the bound: 0 where there is none,
	// +Inf where the bound is 0 or a number is NaN.
	Excess float64
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s: %g against %g (relative violation %.3g)", v.Constraint, v.Value, v.Bound, v.Excess)
}

// Feasible reports whether the allocation is in χ of its region within a
// relative tolerance: nil, or the worst *[Violation]. The conditions are those
// of the sim package's documentation, and that Tasks is the sum of X.
func (a *Allocation) Feasible(tolerance float64) error {
	if worst := a.Worst(); worst.Excess > tolerance {
		return &worst
	}
	return nil
}

// Fits reports whether the allocation is in χ of its region within a relative
// tolerance, with nothing negative at all. It is [Allocation.Feasible] in one pass,
// without saying what is violated. It panics as [Allocation.Worst] does.
func (a *Allocation) Fits(tolerance float64) bool {
	env, width := a.Region, len(a.Region.Servers)
	var few [64]float64 // most environments have fewer rows
	used := few[:]
	if rows := env.Rows(); rows <= len(few) {
		used = used[:rows]
	} else {
		used = make([]float64, rows)
	}
	for j := range env.Users {
		u, total := &env.Users[j], 0.0
		demand := u.Demand
		for s, x := range a.X[j*width:][:width] {
			if x == 0 {
				continue
			}
			if !(x > 0) || u.Eligible != nil && !u.Eligible.Has(s) {
				return false
			}
			if len(u.DemandOn) > 0 {
				demand = env.Demand(j, s)
			}
			row := used[s*len(demand):][:len(demand)]
			for r, d := range demand {
				row[r] += x * d
			}
			total += x
		}
		if t := a.Tasks[j]; !(math.Abs(total-t) <= tolerance*total) || !(t <= u.Tasks*(1+tolerance)) {
			return false
		}
		if u.LinkDemand != nil {
			a.addLinkUsage(j, total, used[env.LinkRow(0):])
		}
	}
	for row, v := range used {
		if c := env.RowCapacity(row); !(v <= c*(1+tolerance)) {
			return false
		}
	}
	return true
}

// Worst returns the constraint that is violated most, relative to its bound:
// a capacity row to its capacity, a task cap to the cap. A negative x[j,s] is
// measured by what it takes of the row that it touches most. Eligibility holds
// exactly or not at all. With nothing violated Excess is 0. It panics if the
// allocation does not have the shape of its region.
func (a *Allocation) Worst() Violation {
	env := a.Region
	if len(a.Tasks) != len(env.Users) || len(a.X) != len(env.Users)*len(env.Servers) {
		panic(fmt.Sprintf("cluster: an allocation of %d totals and %d entries for %d users and %d servers",
			len(a.Tasks), len(a.X), len(env.Users), len(env.Servers)))
	}
	var worst Violation
	for row, used := range a.Usage(nil) {
		if c := env.RowCapacity(row); !(used <= c) {
			worst.take(relative(used-c, c), used, c, func() string { return env.RowName(row) })
		}
	}
	for j := range env.Users {
		a.worstOf(j, &worst)
	}
	return worst
}

// worstOf looks at the constraints of user j.
func (a *Allocation) worstOf(j int, worst *Violation) {
	env, u := a.Region, &a.Region.Users[j]
	sum := 0.0
	for s, x := range a.On(j) {
		if x == 0 {
			continue
		}
		sum += x
		on := func(what string) string {
			return fmt.Sprintf("%s of user %q on server %q", what, u.Name, env.Servers[s].Name)
		}
		if !env.MayRun(j, s) {
			worst.take(Inf, x, 0, func() string { return on("tasks (not eligible)") })
		} else if !(x >= 0) {
			worst.take(env.negative(j, s, x), x, 0, func() string { return on("tasks") })
		}
	}
	if !(a.Tasks[j] <= u.Tasks) {
		worst.take(relative(a.Tasks[j]-u.Tasks, u.Tasks), a.Tasks[j], u.Tasks, func() string { return fmt.Sprintf("task cap of user %q", u.Name) })
	}
	if off := math.Abs(a.Tasks[j] - sum); off != 0 {
		worst.take(relative(off, max(a.Tasks[j], sum)), a.Tasks[j], sum, func() string { return fmt.Sprintf("total of user %q and the sum over its servers", u.Name) })
	}
}

// negative returns the largest part of a capacity row that -x tasks would
// take, for x < 0; +Inf where there is no such capacity, or x is NaN.
func (env *Environment) negative(j, s int, x float64) float64 {
	return relative(-x, env.Psi(j, s))
}

// relative returns excess/bound, and +Inf where the bound is not positive or
// a number is NaN.
func relative(excess, bound float64) float64 {
	if ratio := excess / bound; bound > 0 && !math.IsNaN(ratio) {
		return ratio
	}
	return Inf
}

func (v *Violation) take(excess, value, bound float64, constraint func() string) {
	if excess > v.Excess {
		*v = Violation{Constraint: constraint(), Value: value, Bound: bound, Excess: excess}
	}
}
