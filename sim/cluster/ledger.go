package cluster

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Grid counts one resource (or one link) in whole units of 10^-k.
//
// A value is read as the shortest decimal that denotes it, which is what
// stands in the file it came from: 0.1 is one tenth, and ten tasks of 0.1 fill
// a capacity of 1. k is the largest integer for which everything there is of
// the resource is at most [GridLimit] units, so sums over all servers stay
// within an int64. Every decimal with at most k places after the point is
// exact. A demand with more is rounded up and a capacity down, so no schedule
// overcommits; both are reported.
type Grid struct{ k int }

// GridLimit is the largest number of units that a grid counts.
const GridLimit = 4_000_000_000_000_000_000

// NewGrid returns the grid for a resource of which there is total in all,
// finite and not negative.
func NewGrid(total float64) Grid {
	if !(total >= 0) || math.IsInf(total, 1) {
		panic(fmt.Sprintf("cluster: a grid for a total of %g", total))
	}
	if total == 0 {
		return Grid{}
	}
	k := 17 - int(math.Floor(math.Log10(total)))
	for scaled(total, k+1) <= GridLimit {
		k++
	}
	for scaled(total, k) > GridLimit {
		k--
	}
	return Grid{k}
}

// scaled returns v·10^k in floating point.
func scaled(v float64, k int) float64 { return v * math.Pow10(k) }

// Places returns k: one unit is 10^-k.
func (g Grid) Places() int { return g.k }

// Unit returns one unit, 10^-k.
func (g Grid) Unit() *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(g.k, -g.k))), nil)
	if g.k < 0 {
		return new(big.Rat).SetInt(power)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), power)
}

// Float returns the amount that units stand for, to floating point.
func (g Grid) Float(units int64) float64 { return float64(units) / math.Pow10(g.k) }

// Up returns the least number of units that is not less than v >= 0, and
// whether it is v exactly. A demand beyond what the grid counts, which no
// server can meet, becomes math.MaxInt64.
func (g Grid) Up(v float64) (units int64, exact bool) {
	units, rest := g.units(v)
	if rest && units < math.MaxInt64 {
		units++
	}
	return units, !rest
}

// Down returns the largest number of units that is not more than v >= 0, and
// whether it is v exactly.
func (g Grid) Down(v float64) (units int64, exact bool) {
	units, rest := g.units(v)
	return units, !rest
}

// units returns v·10^k without its fraction, and whether there was one.
func (g Grid) units(v float64) (units int64, rest bool) {
	if v == 0 {
		return 0, false
	}
	digits, exponent := decimal(v)
	for shift := exponent + g.k; shift != 0; {
		if shift > 0 {
			high, low := bits.Mul64(digits, 10)
			if high > 0 || low > math.MaxInt64 {
				return math.MaxInt64, true
			}
			digits, shift = low, shift-1
			continue
		}
		rest = rest || digits%10 != 0
		digits, shift = digits/10, shift+1
		if digits == 0 {
			return 0, true
		}
	}
	return int64(digits), rest
}

// decimal returns v > 0 as digits·10^exponent, its shortest decimal form.
func decimal(v float64) (digits uint64, exponent int) {
	if !(v > 0) || math.IsInf(v, 1) {
		panic(fmt.Sprintf("cluster: %g is no amount", v))
	}
	var buffer [32]byte
	text := strconv.AppendFloat(buffer[:0], v, 'e', -1, 64)
	at, places := 0, 0
	for ; text[at] != 'e'; at++ {
		if text[at] == '.' {
			continue
		}
		digits = 10*digits + uint64(text[at]-'0')
		places++
	}
	exponent, err := strconv.Atoi(string(text[at+1:]))
	if err != nil {
		panic(err) // the standard library wrote it
	}
	return digits, exponent - places + 1
}

// Ledger keeps account of what is free on every single server and on every
// link, in whole units: nothing drifts, and what was taken and given back
// leaves no trace.
//
// A class of Count servers is Count servers here, numbered class by class in
// the order of the environment.
type Ledger struct {
	env       *Environment
	resources []Grid  // per resource
	links     []Grid  // per link
	class     []int32 // per server
	free      []int64 // per server and resource, server-major
	capacity  []int64 // the same, of the empty server
	linkFree  []int64
	linkAll   []int64
	behind    [][]int32 // per class: the links that reach it
	Inexact   int       // capacities that were rounded down to the grid
}

// Need is what one task takes, in units. It is not to be copied.
type Need struct {
	usual   []int64   // per resource
	Link    []int64   // per link
	differs [][]int64 // per class, nil where it is the usual; nil if it is nowhere else
	// amounts are those of usual and Link, if they are not more, so that they lie with what
	// refers to them.
	amounts [8]int64
	// Inexact counts the demands that were rounded up to the grid.
	Inexact int
}

// On returns what one task takes on a server of a class, per resource. It is
// not to be changed.
func (n *Need) On(class int) []int64 {
	if n.differs != nil && n.differs[class] != nil {
		return n.differs[class]
	}
	return n.usual
}

// Uniform reports whether the demand is the same on all servers.
func (n *Need) Uniform() bool { return n.differs == nil }

// NewLedger returns the account of the empty cluster.
func NewLedger(env *Environment) *Ledger {
	l := &Ledger{env: env}
	for r := range env.Resources {
		l.resources = append(l.resources, NewGrid(env.TotalCapacity(r)))
	}
	for e := range env.Links {
		l.links = append(l.links, NewGrid(env.Links[e].Capacity))
		units := l.down(l.links[e], env.Links[e].Capacity)
		l.linkAll = append(l.linkAll, units)
	}
	for s := range env.Servers {
		l.addClass(s)
	}
	l.free, l.linkFree = append(l.free, l.capacity...), append(l.linkFree, l.linkAll...)
	return l
}

func (l *Ledger) addClass(s int) {
	var behind []int32
	for e := range l.env.Links {
		if l.env.Reaches(e, s) {
			behind = append(behind, int32(e))
		}
	}
	l.behind = append(l.behind, behind)
	var units []int64
	for r, c := range l.env.Servers[s].Capacity {
		units = append(units, l.down(l.resources[r], c))
	}
	for range l.env.Servers[s].Count {
		l.class = append(l.class, int32(s))
		l.capacity = append(l.capacity, units...)
	}
}

func (l *Ledger) down(g Grid, v float64) int64 {
	units, exact := g.Down(v)
	if !exact {
		l.Inexact++
	}
	return units
}

// Need counts a user's demand in units.
func (l *Ledger) Need(u *User) *Need {
	n := &Need{}
	l.Count(u, n)
	return n
}

// Count does the same in place of what n was.
func (l *Ledger) Count(u *User, n *Need) {
	*n = Need{}
	amounts := n.amounts[:]
	if len(u.Demand)+len(l.links) > len(amounts) {
		amounts = make([]int64, len(u.Demand)+len(l.links))
	}
	n.usual, n.Link = amounts[:len(u.Demand):len(u.Demand)], amounts[len(u.Demand):][:len(l.links):len(l.links)]
	l.up(n, n.usual, u.Demand)
	if len(u.DemandOn) > 0 {
		n.differs = make([][]int64, len(l.env.Servers))
	}
	for s := range n.differs {
		if d, differs := u.DemandOn[s]; differs {
			n.differs[s] = make([]int64, len(d))
			l.up(n, n.differs[s], d)
		}
	}
	for e := range u.LinkDemand {
		units, exact := l.links[e].Up(u.LinkDemand[e])
		n.Link[e] = units
		if !exact {
			n.Inexact++
		}
	}
}

// up counts a demand of resources.
func (l *Ledger) up(n *Need, units []int64, demand []float64) {
	for r, d := range demand {
		var exact bool
		if units[r], exact = l.resources[r].Up(d); !exact {
			n.Inexact++
		}
	}
}

// Servers returns the number of single servers.
func (l *Ledger) Servers() int { return len(l.class) }

// Class returns the class of a server.
func (l *Ledger) Class(server int) int { return int(l.class[server]) }

// Behind returns the links that reach a class, ascending. It is not to be
// changed.
func (l *Ledger) Behind(class int) []int32 { return l.behind[class] }

// Free returns what is free on a server, per resource. It is not to be changed
// and follows what is taken and given back.
func (l *Ledger) Free(server int) []int64 {
	width := len(l.resources)
	return l.free[server*width : (server+1)*width : (server+1)*width]
}

// Capacity returns what the empty server offers, per resource.
func (l *Ledger) Capacity(server int) []int64 {
	width := len(l.resources)
	return l.capacity[server*width : (server+1)*width : (server+1)*width]
}

// LinkFree returns what is free on every link. It is not to be changed and
// follows what is taken and given back.
func (l *Ledger) LinkFree() []int64 { return l.linkFree }

// LinkCapacity returns what there is of every link.
func (l *Ledger) LinkCapacity() []int64 { return l.linkAll }

// Grid returns the grid of resource r.
func (l *Ledger) Grid(r int) Grid { return l.resources[r] }

// LinkGrid returns the grid of link e.
func (l *Ledger) LinkGrid(e int) Grid { return l.links[e] }

// Fits reports whether one more task fits on a server. A demand of 0 always
// fits. Eligibility is not looked at.
func (l *Ledger) Fits(n *Need, server int) bool {
	free := l.Free(server)
	class := l.class[server]
	for r, d := range n.On(int(class)) {
		if d > free[r] {
			return false
		}
	}
	for _, e := range l.behind[class] {
		if n.Link[e] > l.linkFree[e] {
			return false
		}
	}
	return true
}

// Take books one task on a server. It panics if the task does not fit.
func (l *Ledger) Take(n *Need, server int) {
	if !l.Fits(n, server) {
		panic(fmt.Sprintf("cluster: a task of %v does not fit on server %d with %v free", n.On(l.Class(server)), server, l.Free(server)))
	}
	l.book(n, server, -1)
}

// TakeSome books up to most tasks on a server, as many as fit, and returns their number.
func (l *Ledger) TakeSome(n *Need, server int, most int64) int64 {
	free := l.Free(server)
	class := l.class[server]
	for r, d := range n.On(int(class)) {
		if d > 0 {
			most = min(most, free[r]/d)
		}
	}
	for _, e := range l.behind[class] {
		if d := n.Link[e]; d > 0 {
			most = min(most, l.linkFree[e]/d)
		}
	}
	if most <= 0 {
		return 0
	}
	l.book(n, server, -most)
	return most
}

// Give returns what one task had taken from a server. It panics if more is
// free then than there is.
func (l *Ledger) Give(n *Need, server int) { l.GiveSome(n, server, 1) }

// GiveSome returns what some tasks of one kind had taken from a server. It panics if more is
// free then than there is.
func (l *Ledger) GiveSome(n *Need, server int, tasks int64) {
	l.book(n, server, tasks)
	free, all := l.Free(server), l.Capacity(server)
	for r := range free {
		if free[r] > all[r] {
			panic(fmt.Sprintf("cluster: more is free on server %d than it has", server))
		}
	}
}

// book returns what some tasks had taken, or takes it for −tasks.
func (l *Ledger) book(n *Need, server int, tasks int64) {
	free := l.Free(server)
	class := l.class[server]
	for r, d := range n.On(int(class)) {
		free[r] += tasks * d
	}
	for _, e := range l.behind[class] {
		l.linkFree[e] += tasks * n.Link[e]
	}
}
