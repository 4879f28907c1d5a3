package game

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Play is one course of a [Game]: who is where, and who would rather be
// elsewhere. The zero value is ready for [Play.Start]; a Play that is started
// again reuses its memory. It is not safe for concurrent use.
type Play struct {
	At       []int // server of each user; -1 for one that no server can host
	Moves    int   // since the start
	From, To int   // the servers of the last move

	g    *Game
	sum  []int64   // server-major: Σ d̄ of the users of a server, in steps of the grid
	load []float64 // load of each server, in steps of the grid
	cost []float64 // server-major: load·p of each user on a server, if it stays or comes
	own  []float64 // of each user where it is; 0 if nowhere
	// better counts, for each user, the servers on which it would pay less; unhappy
	// lists the users that have any, place is where a user stands in it, -1 if nowhere.
	better, unhappy, place []int32

	costFrom, costTo []float64 // scratch of Move

	mark   []int // association at the last mark
	differ int   // number of users that are elsewhere now
	since  int   // moves since the mark
	span   int   // moves after which the mark is set anew
}

// Start puts the users on their servers. at has a server for each user; a user
// that no server can host is put nowhere, whatever at says. Another server
// that is not open to its user panics.
func (p *Play) Start(g *Game, at []int) {
	n, m := g.Users, g.Servers
	p.g, p.Moves = g, 0
	p.At, p.load, p.sum = grow(p.At, n), grow(p.load, m), grow(p.sum, m*g.Resources)
	p.cost, p.own, p.better = grow(p.cost, n*m), grow(p.own, n), grow(p.better, n)
	p.costFrom, p.costTo = grow(p.costFrom, n), grow(p.costTo, n)
	p.unhappy, p.place = grow(p.unhappy, n)[:0], grow(p.place, n)
	clear(p.sum)
	for j, s := range at {
		if !p.hosted(j) {
			s = -1
		} else if !g.Open(j, s) {
			panic(fmt.Sprintf("game: user %d starts on server %d, where it cannot run", j, s))
		}
		p.At[j], p.own[j], p.place[j] = s, 0, -1
		if s >= 0 {
			p.shift(j, s, 1)
		}
	}
	for s := range m {
		p.quote(s, p.cost[s*n:(s+1)*n])
	}
	for j := range n {
		p.stay(j)
		p.judge(j)
	}
	p.mark = grow(p.mark, n)
	p.setMark(1)
}

// hosted reports whether any server is open to user j.
func (p *Play) hosted(j int) bool {
	for s := range p.g.Servers {
		if p.g.Open(j, s) {
			return true
		}
	}
	return false
}

// Random fills at with a random server for each user, among those open to it:
// the start of the paper. It needs as many draws as there are users that have a
// choice.
func (g *Game) Random(rng *rand.Rand, at []int) {
	for j := range at {
		if g.alike {
			at[j] = rng.IntN(g.Servers)
			continue
		}
		at[j] = oneOf(rng, g.Servers, func(s int) bool { return g.Open(j, s) })
	}
}

// oneOf draws one of the numbers below n that meet a condition; -1, without a
// draw, if none does.
func oneOf(rng *rand.Rand, n int, meets func(s int) bool) int {
	count := 0
	for s := range n {
		if meets(s) {
			count++
		}
	}
	if count == 0 {
		return -1
	}
	k := rng.IntN(count)
	for s := range n {
		if meets(s) {
			if k == 0 {
				return s
			}
			k--
		}
	}
	panic("game: a condition that changes")
}

// shift adds sign times the need of j to server s.
func (p *Play) shift(j, s int, sign int64) {
	sum := p.sum[s*p.g.Resources : (s+1)*p.g.Resources]
	for r, d := range p.g.Need(j, s) {
		sum[r] += sign * d
	}
}

// quote finds the load of server s, and fills in what each user would pay if it came.
func (p *Play) quote(s int, cost []float64) {
	g, most := p.g, int64(0)
	sum := p.sum[s*g.Resources : (s+1)*g.Resources]
	for _, x := range sum {
		most = max(most, x)
	}
	p.load[s] = float64(most)
	first, step := 0, g.Resources
	if !g.alike {
		first, step = s*g.Resources, g.Servers*g.Resources
	}
	for j := range cost {
		need := g.need[first : first+len(sum)]
		most := int64(0)
		for r, x := range sum {
			most = max(most, x+need[r])
		}
		cost[j] = float64(most)
		first += step
	}
	if !g.alike {
		for j := range cost {
			cost[j] = priced(cost[j], g.price[j*g.Servers+s])
		}
	}
}

// priced returns load·price; +Inf where the price is, for a load of 0 too.
func priced(load, price float64) float64 {
	if math.IsInf(price, 1) {
		return price
	}
	return load * price
}

// stay enters what j pays where it is, and counts the servers that are better.
func (p *Play) stay(j int) {
	n := p.g.Users
	own, better := 0.0, int32(0)
	if s := p.At[j]; s >= 0 {
		own = priced(p.load[s], p.g.Price(j, s))
		p.cost[s*n+j] = own
		for k := j; k < len(p.cost); k += n {
			better += under(p.cost[k], own)
		}
	}
	p.own[j], p.better[j] = own, better
}

// best returns the first server of the smallest cost for j, and that cost.
func (p *Play) best(j int) (server int, cost float64) {
	n := p.g.Users
	server, cost = 0, p.cost[j]
	for s := 1; s < p.g.Servers; s++ {
		if c := p.cost[s*n+j]; c < cost {
			server, cost = s, c
		}
	}
	return server, cost
}

// judge enters j into the list of the unhappy or takes it off.
func (p *Play) judge(j int) {
	switch k := p.place[j]; {
	case p.better[j] > 0 && k < 0:
		p.place[j] = int32(len(p.unhappy))
		p.unhappy = append(p.unhappy, int32(j))
	case p.better[j] == 0 && k >= 0:
		last := p.unhappy[len(p.unhappy)-1]
		p.unhappy[k], p.place[last] = last, k
		p.unhappy, p.place[j] = p.unhappy[:len(p.unhappy)-1], -1
	}
}

// Move takes user j to another server that is open to it. Only the two servers are
// looked at again, O(users·resources), and all servers by their users.
func (p *Play) Move(j, to int) {
	from := p.At[j]
	p.shift(j, from, -1)
	p.shift(j, to, 1)
	p.At[j] = to
	p.Moves++
	p.From, p.To = from, to
	if p.mark[j] == from {
		p.differ++
	} else if p.mark[j] == to {
		p.differ--
	}
	p.quote(from, p.costFrom)
	p.quote(to, p.costTo)
	n := p.g.Users
	from0, to0 := p.cost[from*n:(from+1)*n], p.cost[to*n:(to+1)*n]
	for i, own := range p.own[:n] {
		p.better[i] += under(p.costFrom[i], own) + under(p.costTo[i], own) - under(from0[i], own) - under(to0[i], own)
	}
	copy(from0, p.costFrom)
	copy(to0, p.costTo)
	for i, s := range p.At {
		if s == from || s == to {
			p.stay(i)
		}
		if (p.better[i] > 0) != (p.place[i] >= 0) {
			p.judge(i)
		}
	}
}

// under is 1 where a cost is below another, else 0.
func under(cost, other float64) int32 {
	if cost < other {
		return 1
	}
	return 0
}

// Unhappy returns how many users would gain by moving; 0 at an equilibrium.
func (p *Play) Unhappy() int { return len(p.unhappy) }

// Share returns y[j] = 1/cost: the tasks of user j in units of what it runs
// when it has the best server for itself and the largest weight; 0 for a user
// that no server can host.
func (p *Play) Share(j int) float64 {
	if p.At[j] < 0 {
		return 0
	}
	return p.g.grid / p.own[j]
}

// Load returns the load of server s.
func (p *Play) Load(s int) float64 { return p.load[s] / p.g.grid }

// setMark remembers the association, until span moves have passed.
func (p *Play) setMark(span int) {
	copy(p.mark, p.At)
	p.differ, p.since, p.span = 0, 0, span
}

// Balanced fills at with a random balanced association, ⌊n/m⌋ or ⌈n/m⌉ of
// the n users on each of m servers, all such associations being equally likely.
func Balanced(rng *rand.Rand, at []int, servers int) {
	few, left, k := len(at)/servers, len(at)%servers, 0
	for s := range servers {
		users := few
		if rng.IntN(servers-s) < left {
			users++
			left--
		}
		for range users {
			at[k] = s
			k++
		}
	}
	rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
}
