package game

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Gain is how MAGIKS-BIM measures what a move is worth to a user.
type Gain string

// The gains. The paper says "the unhappy user who would benefit most"; the
// first keeps its scale invariance and is the default.
const (
	ByShare Gain = "share" // in units of what the user runs on its best server alone
	ByRatio Gain = "ratio" // new utility / old utility
	ByTasks Gain = "tasks" // in tasks, which depend on the unit of the user's demand
)

// To is where the user of MAGIKS-RIM moves.
type To string

// Where to. The paper says "one randomly chosen unhappy user changes its server
// association to some server s that gives it better utility" (section V-A): the
// first. The others are readings of that sentence.
const (
	ToBetter To = "better" // a random server that is better for it; "" is the same
	ToBest   To = "best"   // its best server, the first of several
	// ToPair draws the user together with the server, all pairs in which the
	// server is better for the user being equally likely.
	ToPair To = "pair"
)

// Rule says who moves next, and where to. The zero value is MAGIKS-RIM.
type Rule struct {
	// Gain names the user that moves: the one that gains most (the first of
	// several) goes to its best server, as in MAGIKS-BIM. With "" it is a random
	// unhappy one, as in MAGIKS-RIM, and To says where it goes.
	Gain Gain
	To   To
	// Limit is the number of moves after which to give up; 0: none, for games
	// that surely end.
	Limit int
}

// Outcome says how a play ended.
type Outcome struct {
	Moves       int
	Equilibrium bool
	// Cycle is the number of moves after which the association was the same
	// again; 0 if that was not seen. Where the rule draws nothing, the play
	// would go round for ever and has ended there; else it went on to an
	// equilibrium or to the limit.
	Cycle int
}

// Run plays until nobody gains by moving, until the rule goes round in a
// cycle, or up to the limit. A rule with neither random choices nor a limit
// ends in every game. rng may be nil where the rule draws nothing.
func (p *Play) Run(rule Rule, rng *rand.Rand) Outcome {
	out := Outcome{}
	for p.Step(rule, rng) {
		if p.since++; p.differ == 0 {
			out.Cycle = p.since
			if rule.Gain != "" {
				break
			}
		}
		if p.since == p.span { // Brent: marks at the powers of two
			p.setMark(2 * p.span)
		}
		if p.Moves == rule.Limit {
			break
		}
	}
	out.Moves, out.Equilibrium = p.Moves, p.Unhappy() == 0
	return out
}

// Step makes one move, and reports whether there was one to make.
func (p *Play) Step(rule Rule, rng *rand.Rand) bool {
	if rule.Gain != "" {
		j, to := p.eager(rule.Gain)
		if j >= 0 {
			p.Move(j, to)
		}
		return j >= 0
	}
	p.settle(rule.To == ToPair || p.g.Servers <= fewServers)
	if len(p.unhappy) == 0 {
		return false
	}
	if rule.To == ToPair {
		p.Move(p.anyPair(rng))
		return true
	}
	j := int(p.unhappy[rng.IntN(len(p.unhappy))])
	if rule.To == ToBest {
		to, _ := p.best(j)
		p.Move(j, to)
		return true
	}
	servers := p.liked(j)
	p.Move(j, servers[rng.IntN(len(servers))])
	return true
}

// eager returns the user that gains most, the first of several, and its best server; -1
// where nobody gains.
func (p *Play) eager(by Gain) (who, server int) {
	e := eagerest{by: by, who: -1}
	switch {
	case !p.g.alike:
		p.settle(false)
		for _, j := range p.unhappy {
			e.ask(p, int(j))
		}
	case by == ByTasks:
		p.askByWorth(&e)
	default:
		p.askByLoad(&e)
	}
	return e.who, e.server
}

// askByLoad goes through the servers from that of the largest load, and from each to
// those that are cheapest to enter. What its users may pay to gain as much as any before
// falls with their load: once that is not above the entry of any server, nobody is left.
//
// nobody is a limit for each pair of servers that was looked at since one of them changed:
// no user of the first would pay less than it on the second.
func (p *Play) askByLoad(e *eagerest) {
	p.arrange(p.cheap, p.entry)
	p.arrange(p.full, p.load)
	p.forget()
	for _, from := range slices.Backward(p.full) {
		if p.entry[p.cheap[0]] >= e.limit(p.load[from]) {
			return
		}
		limit := e.limit(p.load[from])
		for _, to := range p.cheap {
			if p.entry[to] >= limit {
				break
			}
			none := &p.nobody[from*p.g.Servers+to]
			if to == from || *none >= limit {
				continue
			}
			if *none = limit; p.whom(p.on[from*p.g.words:], to, limit) {
				*none = e.take(p, to)
				limit = e.limit(p.load[from])
			}
		}
	}
}

// forget brings nobody up to date.
func (p *Play) forget() {
	m := p.g.Servers
	if p.compared == p.Moves-1 {
		for s := range m {
			p.nobody[s*m+p.From], p.nobody[s*m+p.To] = 0, 0
			p.nobody[p.From*m+s], p.nobody[p.To*m+s] = 0, 0
		}
	} else if p.compared != p.Moves {
		p.nobody = grow(p.nobody, m*m)
		clear(p.nobody)
	}
	p.compared = p.Moves
}

// askByWorth asks the user first who could gain most by [Play.bound], and then those
// who could gain as much as the ones before.
func (p *Play) askByWorth(e *eagerest) {
	p.bound(e.by)
	first, most := 0, math.Inf(-1)
	for j := range p.At {
		if b := p.most(j); b > most {
			first, most = j, b
		}
	}
	e.ask(p, first)
	for j := range p.At {
		if j != first && p.most(j) >= e.most && p.reaches(e, j) {
			e.ask(p, j)
		}
	}
}

// reaches reports whether user j may gain as much as any before: whether some server costs
// it little enough, with a little more for the rounding of gains.
func (p *Play) reaches(e *eagerest, j int) bool {
	const more = 1 + 1e-9
	if e.who < 0 {
		return true
	}
	own := p.load[p.At[j]]
	limit := min(own, int64(math.Ceil(more/(e.most/p.g.worth[j]+1/float64(own)))))
	room := limit - int64(p.g.grid)
	for s, top := 0, int(p.g.top[j]); s < p.g.Servers; s++ {
		if p.sum[s*p.g.Resources+top] < room && p.fits(j, s, limit) {
			return true
		}
	}
	return false
}

// bound fills in bounds: at most what a user gains who is on a server and needs most of
// a resource, if its worth is 1. On another server it pays at least the load there, and
// of that resource it takes a unit. As gains fall with the cost, rounded too, no user
// gains more.
func (p *Play) bound(by Gain) {
	l := p.g.Resources
	p.bounds = grow(p.bounds, len(p.load)*l)
	for r := range l {
		least := int64(math.MaxInt64)
		for s, load := range p.load {
			least = min(least, max(load, p.sum[s*l+r]+int64(p.g.grid)))
		}
		for s, load := range p.load {
			p.bounds[s*l+r] = gain(by, float64(load), float64(least))
		}
	}
}

// most is at most what user j gains in tasks.
func (p *Play) most(j int) float64 {
	return p.bounds[p.At[j]*p.g.Resources+int(p.g.top[j])] * p.g.worth[j]
}

// eagerest is the user that gains most of those asked so far, with its best server among
// those asked about and what it pays there.
type eagerest struct {
	by          Gain
	who, server int
	cost, most  float64
}

// limit is what a user of a server with a load must pay less than to gain as much, or
// more, and a little above that for the rounding of gains.
func (e *eagerest) limit(load int64) int64 {
	const more = 1 + 1e-9
	own, cost := float64(load), 0.0
	switch {
	case e.who < 0:
		return load
	case e.by == ByRatio:
		cost = own / e.most
	default:
		cost = 1 / (e.most + 1/own)
	}
	return min(load, int64(math.Ceil(cost*more)))
}

// ask asks a user about all servers.
func (e *eagerest) ask(p *Play, j int) {
	if to, cost := p.best(j); cost < p.own(j) {
		e.offer(p, j, to, cost)
	}
}

// take asks those in some about one server, and returns the least that one of them would
// pay there.
func (e *eagerest) take(p *Play, to int) int64 {
	least := int64(math.MaxInt64)
	for w, some := range p.some {
		for ; some != 0; some &= some - 1 {
			j := w<<6 + bits.TrailingZeros64(some)
			cost := p.with(j, to)
			if least = min(least, cost); cost < e.limit(p.load[p.At[j]]) {
				e.offer(p, j, to, float64(cost))
			}
		}
	}
	return least
}

// offer says that user j would pay cost, less than now, on a server.
func (e *eagerest) offer(p *Play, j, to int, cost float64) {
	gain := p.gain(e.by, j, cost)
	switch {
	case e.who < 0 || gain > e.most || gain == e.most && j < e.who:
	case j == e.who && (cost < e.cost || cost == e.cost && to < e.server):
	default:
		return
	}
	e.who, e.server, e.cost, e.most = j, to, cost, gain
}

// gain is what user j gains by paying so much.
func (p *Play) gain(by Gain, j int, cost float64) float64 {
	g := gain(by, p.own(j), cost)
	if by == ByTasks {
		g *= p.g.worth[j]
	}
	return g
}

// gain is what a user of worth 1 gains by paying cost and not own; it falls as the cost
// rises, rounded too.
func gain(by Gain, own, cost float64) float64 {
	if by == ByRatio {
		return own / cost
	}
	return 1/cost - 1/own
}

// anyPair draws a user and a server that is better for it.
func (p *Play) anyPair(rng *rand.Rand) (user, server int) {
	k := rng.IntN(p.count())
	for _, i := range p.unhappy {
		if liked := p.counted(int(i)); k >= liked {
			k -= liked
			continue
		}
		return int(i), p.liked(int(i))[k]
	}
	panic("game: counts that changed")
}
