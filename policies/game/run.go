package game

import (
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
	out.Moves, out.Equilibrium = p.Moves, len(p.unhappy) == 0
	return out
}

// Step makes one move, and reports whether there was one to make.
func (p *Play) Step(rule Rule, rng *rand.Rand) bool {
	if len(p.unhappy) == 0 {
		return false
	}
	switch {
	case rule.Gain != "":
		p.Move(p.eager(rule.Gain))
	case rule.To == ToPair:
		p.Move(p.pair(rng))
	default:
		j := int(p.unhappy[rng.IntN(len(p.unhappy))])
		to := 0
		if rule.To == ToBest {
			to, _ = p.best(j)
		} else {
			to = p.preferred(j, rng.IntN(int(p.better[j])))
		}
		p.Move(j, to)
	}
	return true
}

// eager returns the user that gains most and its best server. Nobody pays less than
// the smallest load: users that would gain too little by that are not asked.
func (p *Play) eager(by Gain) (who, server int) {
	least, most := slices.Min(p.load[:p.g.Servers]), 0.0
	who = -1
	for _, i := range p.unhappy {
		j := int(i)
		if who >= 0 && p.gain(by, j, least) < most {
			continue
		}
		to, cost := p.best(j)
		if gain := p.gain(by, j, cost); who < 0 || gain > most || gain == most && j < who {
			most, who, server = gain, j, to
		}
	}
	return who, server
}

// gain is what user j gains by paying so much; it falls as the cost rises, rounded
// too.
func (p *Play) gain(by Gain, j int, cost float64) float64 {
	switch by {
	case ByRatio:
		return p.own[j] / cost
	case ByTasks:
		return p.g.worth[j] * (1/cost - 1/p.own[j])
	}
	return 1/cost - 1/p.own[j]
}

// prefers reports whether server s is better for j than its own.
func (p *Play) prefers(j, s int) bool {
	return p.cost[s*p.g.Users+j] < p.own[j]
}

// pair draws a user and a server that is better for it.
func (p *Play) pair(rng *rand.Rand) (user, server int) {
	pairs := 0
	for _, i := range p.unhappy {
		pairs += int(p.better[i])
	}
	k := rng.IntN(pairs)
	for _, i := range p.unhappy {
		if k < int(p.better[i]) {
			return int(i), p.preferred(int(i), k)
		}
		k -= int(p.better[i])
	}
	panic("game: counts that changed")
}

// preferred returns the k-th of the servers that are better for j than its own.
func (p *Play) preferred(j, k int) int {
	for s := range p.g.Servers {
		if p.prefers(j, s) {
			if k == 0 {
				return s
			}
			k--
		}
	}
	panic("game: fewer better servers than were counted")
}
