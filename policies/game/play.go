package game

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Play is one course of a [Game]: who is where, and who would rather be
// elsewhere. The zero value is ready for [Play.Start]; a Play that is started
// again reuses its memory. It is not safe for concurrent use.
//
// Who of one server would rather be on another depends on these two alone, and a move
// changes two servers. What is known of all others stays: see settle and askByLoad.
type Play struct {
	At       []int // server of each user; -1 for one that no server can host
	Moves    int   // since the start
	From, To int   // the servers of the last move

	g     *Game
	mover int     // the user of the last move
	sum   []int64 // server-major: Σ d̄ of the users of a server, in steps of the grid
	load  []int64 // load of each server, in steps of the grid
	// entry is, where servers are alike, at least what anybody would pay who came: of one
	// resource it would need a whole unit.
	entry []int64
	tight []int32 // per server: the resource of which most is taken
	// cheap lists the servers by their entry and full by their load, where they are alike; see
	// arrange.
	cheap, full []int

	on       []uint64 // sets of users, a bit each, server-major: those of a server
	some     []uint64 // scratch: one set, and where in below its limits are
	rows     []int
	bounds   []float64 // scratch of eager
	nobody   []int64   // see askByLoad
	compared int       // moves when nobody was brought up to date
	wanting

	mark   []int // association at the last mark
	differ int   // number of users that are elsewhere now
	since  int   // moves since the mark
	span   int   // moves after which the mark is set anew
}

// never is a number of moves after which nothing was known yet.
const never = -2

// Start puts the users on their servers. at has a server for each user; a user
// that no server can host is put nowhere, whatever at says. Another server
// that is not open to its user panics.
func (p *Play) Start(g *Game, at []int) {
	g.sort()
	p.size(g)
	for j, s := range at {
		if !p.hosted(j) {
			s = -1
		} else if !g.Open(j, s) {
			panic(fmt.Sprintf("game: user %d starts on server %d, where it cannot run", j, s))
		}
		if p.At[j] = s; s >= 0 {
			p.shift(j, s, 1)
		}
	}
	for s := range g.Servers {
		p.touch(s)
	}
	p.setMark(1)
}

// size empties the play for a game.
func (p *Play) size(g *Game) {
	n, m, words := g.Users, g.Servers, g.words
	p.g, p.Moves, p.compared = g, 0, never
	p.At, p.mark = grow(p.At, n), grow(p.mark, n)
	p.load, p.entry, p.sum = grow(p.load, m), grow(p.entry, m), grow(p.sum, m*g.Resources)
	p.rows = grow(p.rows, g.Resources)
	p.some, p.on, p.tight = grow(p.some, words), grow(p.on, m*words), grow(p.tight, m)
	p.cheap, p.full = grow(p.cheap, m), grow(p.full, m)
	for s := range m {
		p.cheap[s], p.full[s] = s, s
	}
	clear(p.sum)
	clear(p.on)
	p.wanting.size(g)
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

// shift puts user j on server s, or with sign -1 takes it away.
func (p *Play) shift(j, s int, sign int64) {
	sum := p.sum[s*p.g.Resources : (s+1)*p.g.Resources]
	for r, d := range p.g.Need(j, s) {
		sum[r] += sign * d
	}
	p.on[s*p.g.words+j>>6] ^= 1 << (j & 63)
}

// touch finds the load of server s, which has changed.
func (p *Play) touch(s int) {
	sum := p.sum[s*p.g.Resources : (s+1)*p.g.Resources]
	most, least, tight := int64(0), sum[0], 0
	for r, x := range sum {
		if least = min(least, x); x > most {
			most, tight = x, r
		}
	}
	p.load[s], p.entry[s], p.tight[s] = most, max(most, least+int64(p.g.grid)), int32(tight)
}

// arrange puts servers in order of a key, the smallest first. A move changes the places of
// two.
func (p *Play) arrange(servers []int, key []int64) {
	if !p.g.alike {
		return
	}
	for k, s := range servers {
		i, x := k, key[s]
		for ; i > 0 && x < key[servers[i-1]]; i-- {
			servers[i] = servers[i-1]
		}
		servers[i] = s
	}
}

// priced returns load·price; +Inf where the price is, for a load of 0 too.
func priced(load, price float64) float64 {
	if math.IsInf(price, 1) {
		return price
	}
	return load * price
}

// own is what user j pays where it is; 0 if nowhere.
func (p *Play) own(j int) float64 {
	if s := p.At[j]; s >= 0 {
		return priced(float64(p.load[s]), p.g.Price(j, s))
	}
	return 0
}

// with is the load of server s if user j came.
func (p *Play) with(j, s int) int64 {
	need, most := p.g.Need(j, s), int64(0)
	for r, x := range p.sum[s*p.g.Resources : (s+1)*p.g.Resources] {
		most = max(most, x+need[r])
	}
	return most
}

// cost is what user j would pay on a server where it is not.
func (p *Play) cost(j, s int) float64 { return priced(float64(p.with(j, s)), p.g.Price(j, s)) }

// best returns the first server of the smallest cost for j, and that cost.
func (p *Play) best(j int) (server int, cost float64) {
	cost = math.Inf(1)
	for s := range p.g.Servers {
		c := 0.0
		switch {
		case s == p.At[j]:
			c = p.own(j)
		case p.g.alike && float64(p.sum[s*p.g.Resources+int(p.g.top[j])]+int64(p.g.grid)) >= cost:
			continue
		default:
			c = p.cost(j, s)
		}
		if c < cost {
			server, cost = s, c
		}
	}
	return server, cost
}

// Move takes user j to another server that is open to it.
func (p *Play) Move(j, to int) {
	from := p.At[j]
	p.shift(j, from, -1)
	p.shift(j, to, 1)
	p.touch(from)
	p.touch(to)
	p.At[j], p.mover = to, j
	p.Moves++
	p.From, p.To = from, to
	if p.mark[j] == from {
		p.differ++
	} else if p.mark[j] == to {
		p.differ--
	}
}

// Unhappy returns how many users would gain by moving; 0 at an equilibrium.
func (p *Play) Unhappy() int {
	p.settle(p.pairs)
	return len(p.unhappy)
}

// Share returns y[j] = 1/cost: the tasks of user j in units of what it runs
// when it has the best server for itself and the largest weight; 0 for a user
// that no server can host.
func (p *Play) Share(j int) float64 {
	if p.At[j] < 0 {
		return 0
	}
	return p.g.grid / p.own(j)
}

// Load returns the load of server s.
func (p *Play) Load(s int) float64 { return float64(p.load[s]) / p.g.grid }

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
