package policies

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
)

func init() {
	Register(Meta{
		Name:       "magiks-rim",
		Label:      "MAGIKS-RIM",
		Look:       Look{"black", "solid", "●"},
		Title:      "MAGIKS: every user picks one server (KS shares there); random unhappy users move until nobody gains",
		Paper:      "MAGIKS, section V",
		Claims:     claimsMAGIKS,
		Outside:    outsideMAGIKS,
		Unbounded:  true,
		Family:     FamilyServerChoice,
		Definition: "On a server every user has the same part of what it could run there alone. A random user that another server would give more moves to a random such server, until there is none: a Nash equilibrium.",
		Refuses:    refusedByMAGIKS,
		Parameters: []Parameter{{Name: "to", Values: []string{string(game.ToBetter), string(game.ToBest), string(game.ToPair)}, Default: string(game.ToBetter), Doc: "Where an unhappy user moves: to a random server that is better for it, to its best one, or as a random one of all pairs of a user and a better server."}, seedParameter},
		New: func(params Params) (Policy, error) {
			p := magiks{}
			to, err := params.among("to", string(game.ToBetter), string(game.ToBest), string(game.ToPair))
			p.rule.To = game.To(to)
			return p.with(params, err, "to")
		},
	})
	Register(Meta{
		Name:       "magiks-bim",
		Label:      "MAGIKS-BIM",
		Look:       Look{"blue", "dashed", "○"},
		Title:      "MAGIKS: as magiks-rim, but the user moves that gains most",
		Paper:      "MAGIKS, section V-D",
		Claims:     claimsMAGIKS,
		Outside:    outsideMAGIKS,
		Unbounded:  true,
		Family:     FamilyServerChoice,
		Definition: "As magiks-rim, but of all users that another server would give more the one moves that gains most.",
		Refuses:    refusedByMAGIKS,
		Parameters: []Parameter{{Name: "gain", Values: []string{string(game.ByShare), string(game.ByRatio), string(game.ByTasks)}, Default: string(game.ByShare), Doc: "What a gain is measured in: parts of what the user runs alone on its best server, the factor, or tasks."}, seedParameter},
		New: func(params Params) (Policy, error) {
			p := magiks{}
			gain, err := params.among("gain", string(game.ByShare), string(game.ByRatio), string(game.ByTasks))
			p.rule.Gain = game.Gain(gain)
			return p.with(params, err, "gain")
		},
	})
}

var claimsMAGIKS = []Claim{{LEF, true}, {LSI, true}, {LPO, true}, {TwoE, true}, {MMS, true}, {SP, false}}

const refusedByMAGIKS = "links over several servers, users that need nothing on some server, users with task caps"

// outsideMAGIKS are the assumptions of the MAGIKS paper: identical servers,
// positive demands, no weights and no constraints.
var outsideMAGIKS = func() map[Property]cluster.Feature {
	const beyond = cluster.Unlike | cluster.ZeroDemands | cluster.DemandOn | cluster.Weights | cluster.Eligibility | cluster.Links
	out := map[Property]cluster.Feature{}
	for _, p := range []Property{LEF, LSI, LPO, TwoE, MMS, SP} {
		out[p] = beyond
	}
	return out
}()

// magiks lets every user pick one server. Server s gives the users A that
// picked it the Kalai-Smorodinsky solution, the same part of what each could
// run there alone:
//
//	x[j] = w[j]·ψ[j,s]/load(A),  load(A) = max_r Σ_{i∈A} w[i]·ψ[i,s]·d[i,r]/c[s,r].
//
// It starts at a random association and moves one unhappy user at a time, a
// user that another server would give more, until there is none: a Nash
// equilibrium. Its share is x/η, which adds up to the paper's NUSF.
//
// Parameters: seed (default 1) decides the start and the random moves. With
// magiks-rim a random unhappy user moves, to=better (default) to a random server
// that is better for it, to=best to its best one; to=pair draws user and server
// together from all pairs that improve. With magiks-bim the one moves that
// gains most: gain=share (default) in units of what it runs on its best server
// alone, gain=ratio by the factor, gain=tasks in tasks.
//
// Guarantees: on servers that are alike and with positive demands it always ends
// (theorem 1, with weights and eligible sets too), and LEF, LSI, LPO, 2EF and
// MMS hold among equal weights without constraints (theorems 3 to 5; 2EF and MMS
// need that everybody may run everywhere). With weights LEF, LSI and LPO hold; 2EF
// and MMS fail: a user of weight 4 envies one of weight 1, each alone on a server,
// by 4. A report that is scaled changes nothing (scale invariance).
//
// Errors: [*NoEquilibriumError] where it goes round in a cycle or reaches
// [game.Rule.Limit] moves, which can happen where servers differ or a demand is
// 0 only; an [*UnsupportedError] for links over several servers, task caps and
// users that need nothing on some server.
//
// Deviations from the paper, which has servers that are alike, positive
// demands and no weights: a server that differs has its own ψ[j,s] and its own
// capacities; a class of servers is so many servers to choose from; a link to
// one server is one of its resources. "Some server that gives it better utility"
// is read as a random one, and "benefit most" is left open by the paper.
type magiks struct {
	seed uint64
	rule game.Rule
}

// with reads the seed and refuses other parameters than it and one more.
func (p magiks) with(params Params, err error, other string) (Policy, error) {
	var seedErr error
	p.seed, seedErr = seedOf(params)
	if err := errors.Join(params.only(other, "seed"), err, seedErr); err != nil {
		return nil, err
	}
	return p, nil
}

// NoEquilibriumError says that a play of the server-choice game ended without
// one.
type NoEquilibriumError struct{ game.Outcome }

func (e *NoEquilibriumError) Error() string {
	if e.Cycle > 0 {
		return fmt.Sprintf("no equilibrium after %d moves: an association was reached a second time, %d moves after the first", e.Moves, e.Cycle)
	}
	return fmt.Sprintf("no equilibrium after %d moves", e.Moves)
}

// Allocate implements [Policy].
func (p magiks) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	a, err := p.Choose(env)
	if err != nil {
		return nil, err
	}
	return a.allocation(env), nil
}

// limit is the number of moves after which a play that need not end is given
// up: far more than any play seen to end has needed.
func limit(users, servers int) int { return 10000 + 100*users*servers }

// Choose implements [Chooser].
func (p magiks) Choose(env *cluster.Environment) (*Association, error) {
	a := &Association{}
	a.Env, _ = env.Individually()
	g, err := game.Of(a.Env)
	if err != nil {
		return nil, &UnsupportedError{err.Error()}
	}
	at := make([]int, g.Users)
	g.Random(stream.New("policies/magiks", p.seed, "start"), at)
	rule := p.rule
	if !g.Sure {
		rule.Limit = limit(g.Users, g.Servers)
	}
	var play game.Play
	play.Start(g, at)
	a.Outcome = play.Run(rule, stream.New("policies/magiks", p.seed, "moves"))
	if !a.Outcome.Equilibrium {
		return nil, &NoEquilibriumError{a.Outcome}
	}
	a.Server = play.At
	return a, a.divide(game.KS(a.Env))
}
