package magiks

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
)

// tolerance is the relative difference below which a property counts as kept:
// the shares of the Nash rule are exact to about 1e-7, all others to rounding.
const tolerance = 1e-6

// The properties that are checked at every realisation, in the order of their
// counts.
const (
	propertyNE = iota
	propertyLEF
	propertyLSI
	propertyLPO
	property2EF
	propertyMMS
	properties
)

// leastNUSF names that BEQ has the smallest NUSF of all rules: a rule lacks it in a
// realisation where its own is smaller.
const leastNUSF = "NUSF"

var propertyNames = [properties]string{"NE", "LEF", "LSI", "LPO", "2EF", "MMS"}

// outcome is an association with its normalised shares y[j] = x[j]/ψ[j], and
// what is found in it. It is written from the definitions, with the loads summed
// anew, but for identical servers and without allocating.
type outcome struct {
	n, m, l int
	need    []float64 // d̄, user-major
	at      []int
	y       []float64

	sum   []float64 // scratch: per server and resource
	users []int     // per server
	order []int     // users by y
}

// gather sums up d̄ weighted by y (or by 1) on each server.
func (o *outcome) gather(weighted bool) {
	o.sum = resize(o.sum, o.m*o.l)
	o.users = resize(o.users, o.m)
	clear(o.sum)
	clear(o.users)
	for j, s := range o.at {
		o.users[s]++
		f := 1.0
		if weighted {
			f = o.y[j]
		}
		for r := range o.l {
			o.sum[s*o.l+r] += f * o.need[j*o.l+r]
		}
	}
}

// nusf returns the normalised utilitarian social function, Σ_j y[j]/m.
func (o *outcome) nusf() float64 {
	sum := 0.0
	for _, y := range o.y {
		sum += y
	}
	return sum / float64(o.m)
}

// worth returns min_r d̄[j,r]/d̄[i,r], at most 1: both have a largest of 1.
func (o *outcome) worth(i, j int) float64 {
	least := math.Inf(1)
	mine, theirs := o.need[i*o.l:(i+1)*o.l], o.need[j*o.l:(j+1)*o.l]
	for r, d := range mine {
		least = min(least, theirs[r]/d)
	}
	return least
}

// envy returns the largest e[i,j] = (y[j]/y[i])·min_r d̄[j,r]/d̄[i,r] of two
// users (equation 4 of the paper). Since that minimum is at most 1, pairs
// whose y[j]/y[i] is no larger than the largest so far need not be looked at.
func (o *outcome) envy() float64 {
	o.order = resize(o.order, o.n)
	for j := range o.order {
		o.order[j] = j
	}
	slices.SortFunc(o.order, func(a, b int) int {
		switch {
		case o.y[a] < o.y[b]:
			return -1
		case o.y[a] > o.y[b]:
			return 1
		}
		return a - b
	})
	most := 0.0
	for _, i := range o.order {
		for k := o.n - 1; k >= 0; k-- {
			j := o.order[k]
			ratio := o.y[j] / o.y[i]
			if ratio <= most {
				if k == o.n-1 {
					return most
				}
				break
			}
			if i != j {
				most = max(most, ratio*o.worth(i, j))
			}
		}
	}
	return most
}

// violations notes which properties the outcome lacks. worst is its envy.
func (o *outcome) violations(worst float64, lacks *[properties]bool) {
	*lacks = [properties]bool{}
	lacks[property2EF] = worst > 2*(1+tolerance)
	o.gather(true)
	for s := range o.m {
		used := slices.Max(o.sum[s*o.l : (s+1)*o.l])
		lacks[propertyLPO] = lacks[propertyLPO] || o.users[s] > 0 && used < 1-tolerance
		if used > 1+tolerance {
			panic("magiks: a server is overcommitted")
		}
	}
	maximin := 1 / math.Ceil(float64(o.n)/float64(o.m))
	for j, s := range o.at {
		lacks[propertyLSI] = lacks[propertyLSI] || o.y[j]*float64(o.users[s]) < 1-tolerance
		lacks[propertyMMS] = lacks[propertyMMS] || o.y[j] < maximin*(1-tolerance)
	}
	lacks[propertyLEF] = o.localEnvy()
	lacks[propertyNE] = o.moves()
}

// localEnvy reports whether anybody envies a user of its own server.
func (o *outcome) localEnvy() bool {
	o.order = resize(o.order, o.n)
	for s := range o.m {
		here := o.order[:0]
		for j, at := range o.at {
			if at == s {
				here = append(here, j)
			}
		}
		for _, i := range here {
			enough := o.y[i] * (1 + tolerance)
			for _, j := range here {
				if o.y[j] > enough && o.y[j]*o.worth(i, j) > enough {
					return true
				}
			}
		}
	}
	return false
}

// moves reports whether anybody would gain elsewhere under the KS rule.
func (o *outcome) moves() bool {
	o.gather(false)
	for j, at := range o.at {
		for s := range o.m {
			if s == at {
				continue
			}
			load := 0.0
			for r := range o.l {
				load = max(load, o.sum[s*o.l+r]+o.need[j*o.l+r])
			}
			if 1/load > o.y[j]*(1+tolerance) {
				return true
			}
		}
	}
	return false
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// tally is what a block of realisations adds up to.
type tally struct {
	realisations int
	slower       int // in which BIM needed more moves than RIM
	names        []string
	counts       map[string]*count
}

// count is the part of one rule.
type count struct {
	moves         []int // how many realisations took so many
	welfare, envy float64
	worst         float64 // largest envy of all
	lacks         [properties]int
	checked       [checks]bool // what was checked of its plays
	broken        [checks]int
	below         int     // realisations in which its NUSF was below that of BEQ
	total         float64 // of moves
}

// of returns the part of a rule.
func (t *tally) of(name string) *count {
	c, ok := t.counts[name]
	if !ok {
		if t.counts == nil {
			t.counts = map[string]*count{}
		}
		c = &count{}
		t.counts[name] = c
		t.names = append(t.names, name)
	}
	return c
}

func (c *count) moved(moves int) {
	for len(c.moves) <= moves {
		c.moves = append(c.moves, 0)
	}
	c.moves[moves]++
	c.total += float64(moves)
}

// check notes what was checked of a play, and what of it is broken.
func (c *count) check(checked, broken [checks]bool) {
	c.checked = checked
	for k, b := range broken {
		if b {
			c.broken[k]++
		}
	}
}

// rows writes the tally; to has what all rows have in common.
func (t *tally) rows(to results.Row) []results.Row {
	var rows []results.Row
	add := func(policy, metric string, value float64) {
		to.Policy = policy
		rows = append(rows, to.Measure(metric, value))
	}
	each := float64(t.realisations)
	for _, name := range t.names {
		c := t.counts[name]
		if c.moves != nil {
			add(name, MetricMoves, c.total/each)
			for k, found := range c.moves {
				if found > 0 {
					r := to.Measure(MetricMovesHistogram, float64(found))
					r.Point = r.Point.With("moves", results.OfInt(int64(k)))
					rows = append(rows, r)
				}
			}
		}
		for k, checked := range c.checked {
			if checked {
				add(name, MetricViolations+":"+checkNames[k], float64(c.broken[k]))
			}
		}
		if c.welfare > 0 {
			add(name, MetricNUSF, c.welfare/each)
			add(name, MetricViolations+":"+leastNUSF, float64(c.below))
		}
		if c.worst > 0 {
			add(name, MetricMaxEnvy, c.worst)
			add(name, MetricMeanEnvy, c.envy/each)
			for p, found := range c.lacks {
				if p == propertyNE && (name == beq || name == bnbs) {
					continue // it is checked under the KS rule, which is not theirs
				}
				add(name, MetricViolations+":"+propertyNames[p], float64(found))
			}
		}
	}
	add(bim, MetricSlower, float64(t.slower)/each)
	return rows
}
