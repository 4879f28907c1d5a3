package game

import "math/rand/v2"

// Gain is how MAGIKS-BIM measures what a move is worth to a user.
type Gain string

// The gains. The paper says "the unhappy user who would benefit most"; the
// first keeps its scale invariance and is the default.
const (
	ByShare Gain = "share" // in units of what the user runs on its best server alone
	ByRatio Gain = "ratio" // new utility / old utility
	ByTasks Gain = "tasks" // in tasks, which depend on the unit of the user's demand
)

// Rule says who moves next, and where to.
type Rule struct {
	// Gain names the user that moves: the one that gains most (the first of
	// several), as in MAGIKS-BIM. With "" it is a random unhappy one, as in
	// MAGIKS-RIM.
	Gain Gain
	// Anywhere lets it move to a random server that is better for it, and not
	// to the best one.
	Anywhere bool
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
			if rule.Gain != "" && !rule.Anywhere {
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
	j := 0
	if rule.Gain == "" {
		j = int(p.unhappy[rng.IntN(len(p.unhappy))])
	} else {
		j = p.eager(rule.Gain)
	}
	to := p.best[j].server
	if rule.Anywhere {
		to = p.better(j, rng)
	}
	p.Move(j, to)
	return true
}

// eager returns the user that gains most.
func (p *Play) eager(by Gain) int {
	n, most, who := p.g.Users, 0.0, -1
	for _, i := range p.unhappy {
		j := int(i)
		now, then := p.cost[p.At[j]*n+j], p.best[j].cost
		gain := 0.0
		switch by {
		case ByRatio:
			gain = now / then
		case ByTasks:
			gain = p.g.worth[j] * (1/then - 1/now)
		default:
			gain = 1/then - 1/now
		}
		if who < 0 || gain > most || gain == most && j < who {
			most, who = gain, j
		}
	}
	return who
}

// better returns a random server that is better for j than its own.
func (p *Play) better(j int, rng *rand.Rand) int {
	n, now := p.g.Users, p.cost[p.At[j]*p.g.Users+j]
	return oneOf(rng, p.g.Servers, func(s int) bool { return p.cost[s*n+j] < now })
}
