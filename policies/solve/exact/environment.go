package exact

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Environment is an environment in rational numbers. Rows and columns are
// indexed as in package cluster.
type Environment struct {
	Capacity [][]*big.Rat   // per server class and resource, of the whole class
	Links    []*big.Rat     // capacity per link
	Reach    [][]bool       // per link and server class
	May      [][]bool       // per user and server class
	Demand   [][][]*big.Rat // per user, server class and resource
	Link     [][]*big.Rat   // per user and link
	Weight   []*big.Rat     // per user
	Tasks    []*big.Rat     // per user; nil: unbounded
	Names    []string       // of the users
}

// Rational returns the number that a double is written as.
func Rational(v float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("exact: %g is not a number", v))
	}
	return r
}

func rationals(values []float64, times int) []*big.Rat {
	all := make([]*big.Rat, len(values))
	for i, v := range values {
		all[i] = new(big.Rat).Mul(Rational(v), big.NewRat(int64(times), 1))
	}
	return all
}

// New returns the environment in rational numbers.
func New(env *cluster.Environment) *Environment {
	e := &Environment{}
	for _, s := range env.Servers {
		e.Capacity = append(e.Capacity, rationals(s.Capacity, s.Count))
	}
	for l, link := range env.Links {
		e.Links = append(e.Links, Rational(link.Capacity))
		reach := make([]bool, len(env.Servers))
		for s := range reach {
			reach[s] = env.Reaches(l, s)
		}
		e.Reach = append(e.Reach, reach)
	}
	for j := range env.Users {
		e.addUser(env, j)
	}
	return e
}

func (e *Environment) addUser(env *cluster.Environment, j int) {
	u := &env.Users[j]
	may, demand := make([]bool, len(env.Servers)), make([][]*big.Rat, len(env.Servers))
	for s := range may {
		may[s], demand[s] = env.MayRun(j, s), rationals(env.Demand(j, s), 1)
	}
	link := make([]*big.Rat, len(env.Links))
	for l := range link {
		link[l] = Rational(env.LinkDemand(j, l))
	}
	var tasks *big.Rat
	if !math.IsInf(u.Tasks, 1) {
		tasks = Rational(u.Tasks)
	}
	e.May, e.Demand, e.Link = append(e.May, may), append(e.Demand, demand), append(e.Link, link)
	e.Weight, e.Tasks, e.Names = append(e.Weight, Rational(u.Weight)), append(e.Tasks, tasks), append(e.Names, u.Name)
}

// Users returns the number of users.
func (e *Environment) Users() int { return len(e.Weight) }

// Servers returns the number of server classes.
func (e *Environment) Servers() int { return len(e.Capacity) }

// column is the index of x[j,s].
func (e *Environment) column(j, s int) int { return j*e.Servers() + s }

// Region returns the program of the feasible region χ, with extra more columns
// behind those of x[j,s], j-major.
func (e *Environment) Region(extra int) *Program {
	p := &Program{Columns: e.Users()*e.Servers() + extra}
	for s, capacity := range e.Capacity {
		for r, c := range capacity {
			row := map[int]*big.Rat{}
			for j := range e.Weight {
				row[e.column(j, s)] = e.Demand[j][s][r]
			}
			p.AtMost(row, c)
		}
	}
	for l, c := range e.Links {
		row := map[int]*big.Rat{}
		for j := range e.Weight {
			for s, reached := range e.Reach[l] {
				if reached {
					row[e.column(j, s)] = e.Link[j][l]
				}
			}
		}
		p.AtMost(row, c)
	}
	for j := range e.Weight {
		for s, may := range e.May[j] {
			if !may {
				p.AtMost(map[int]*big.Rat{e.column(j, s): one}, zero)
			}
		}
		if e.Tasks[j] != nil {
			p.AtMost(e.Total(j), e.Tasks[j])
		}
	}
	return p
}

var (
	zero = new(big.Rat)
	one  = big.NewRat(1, 1)
)

// Total returns the coefficients of x[j] = Σ_s x[j,s].
func (e *Environment) Total(j int) map[int]*big.Rat {
	row := map[int]*big.Rat{}
	for s := range e.Capacity {
		row[e.column(j, s)] = one
	}
	return row
}

// Totals sums an allocation over the servers.
func Totals(x [][]*big.Rat) []*big.Rat {
	totals := make([]*big.Rat, len(x))
	for j, on := range x {
		totals[j] = new(big.Rat)
		for _, v := range on {
			totals[j].Add(totals[j], v)
		}
	}
	return totals
}

// Only returns the environment of some of the users.
func (e *Environment) Only(users ...int) *Environment {
	o := &Environment{Capacity: e.Capacity, Links: e.Links, Reach: e.Reach}
	for _, j := range users {
		o.May, o.Demand, o.Link = append(o.May, e.May[j]), append(o.Demand, e.Demand[j]), append(o.Link, e.Link[j])
		o.Weight, o.Tasks, o.Names = append(o.Weight, e.Weight[j]), append(o.Tasks, e.Tasks[j]), append(o.Names, e.Names[j])
	}
	return o
}

// Alone returns η[j], or η'[j] where only eligible servers count.
func (e *Environment) Alone(j int, eligible bool) (*big.Rat, error) {
	o := e.Only(j)
	o.Tasks = []*big.Rat{nil}
	if !eligible {
		all := make([]bool, e.Servers())
		for s := range all {
			all[s] = true
		}
		o.May = [][]bool{all}
	}
	eta, _, err := o.Region(0).Maximize(o.Total(0))
	return eta, err
}

// Unflatten turns the columns of a program into x[j][s].
func (e *Environment) Unflatten(columns []*big.Rat) [][]*big.Rat {
	x := make([][]*big.Rat, e.Users())
	for j := range x {
		x[j] = columns[e.column(j, 0):e.column(j+1, 0)]
	}
	return x
}

// Feasible returns an error unless x is in χ.
func (e *Environment) Feasible(x [][]*big.Rat) error {
	p := e.Region(0)
	for j := range x {
		for s, v := range x[j] {
			if v.Sign() < 0 {
				return fmt.Errorf("exact: x[%d,%d] is %s", j, s, v)
			}
		}
	}
	for i, row := range p.rows {
		sum, t := new(big.Rat), new(big.Rat)
		for c, a := range row {
			if a != nil {
				sum.Add(sum, t.Mul(a, x[c/e.Servers()][c%e.Servers()]))
			}
		}
		if sum.Cmp(p.bounds[i]) > 0 {
			return fmt.Errorf("exact: row %d takes %s of %s", i, sum.RatString(), p.bounds[i].RatString())
		}
	}
	return nil
}
