package policies

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/stream"
)

func init() {
	for _, b := range []struct {
		name, label string
		look        Look
		title       string
		definition  string
		rule        localRule
		optimal     bool
	}{
		{"bks", "BKS", Look{"green", "dotted", "▲"}, "Balanced KS: a random balanced association, Kalai-Smorodinsky shares on each server",
			"Users are put on the servers at random, their numbers as equal as can be; every user of a server has the same part of what it could run there alone.",
			func(env *cluster.Environment, _ *cluster.Certificate) fair.Local { return game.KS(env) }, true},
		{"bnbs", "BNBS", Look{"vermillion", "dash-dot", "□"}, "Balanced Nash bargaining: a random balanced association, max Σ w·log x on each server",
			"Users are put on the servers at random, their numbers as equal as can be; each server maximises Σ w·log x over its users.", game.Nash, true},
		{"beq", "BEQ", Look{"orange", "short dashes", "▽"}, "Balanced equal division: a random balanced association, each server divided equally",
			"Users are put on the servers at random, their numbers as equal as can be; the users of a server have parts of it in proportion to their weights.",
			func(env *cluster.Environment, _ *cluster.Certificate) fair.Local { return game.Equal(env) }, false},
	} {
		Register(Meta{
			Name: b.name, Label: b.label, Look: b.look, Title: b.title, Paper: "MAGIKS, section VI", Unbounded: true,
			Claims: []Claim{{LEF, true}, {LSI, true}, {LPO, b.optimal}, {MMS, true}}, Outside: outsideMAGIKS,
			Family:     FamilyServerChoice,
			Definition: b.definition,
			Refuses:    "links over several servers, users that may not run everywhere, users with task caps",
			Parameters: []Parameter{seedParameter},
			New: func(params Params) (Policy, error) {
				n, err := seedOf(params)
				if only := params.only("seed"); only != nil {
					err = only
				}
				if err != nil {
					return nil, err
				}
				return balanced{n, b.rule}, nil
			},
		})
	}
	Register(Meta{
		Name:       "ubound",
		Label:      "UBOUND",
		Look:       Look{"grey", "long dashes", "◆"},
		Title:      "Upper bound of the normalised utilitarian welfare: max Σ w·x/η with all servers pooled into one",
		Paper:      "MAGIKS, section VI",
		Family:     FamilyUtilitarian,
		Definition: "max Σ w·x/η, all servers and links pooled into one; η[j]: the tasks of j when it has everything. A bound, no division of the real servers.",
		Refuses:    "links to some servers only, users that tell servers apart",
		New:        fixed(upperBound{}),
	})
}

// localRule makes the rule of the servers of an environment, which may note how
// exact it was.
type localRule func(env *cluster.Environment, worst *cluster.Certificate) fair.Local

// balanced puts ⌊n/m⌋ or ⌈n/m⌉ of the n users on each of the m servers, at
// random, and divides every server by a local rule. Its share is x/η.
//
// Parameters: seed (default 1); the rules of a seed have the same association.
//
// Guarantees: LSI for all three; LPO for bks (with positive demands) and bnbs;
// LEF for all three among equal weights; MMS on servers that are alike. It need
// not be an equilibrium, but under beq on servers that are alike it is one.
//
// Errors: an [*UnsupportedError] as for magiks, and where somebody cannot run on
// some server: a balanced association does not ask.
//
// Reference: MAGIKS paper, section VI. Deviations: those of magiks.
type balanced struct {
	seed uint64
	rule localRule
}

// Allocate implements [Policy].
func (p balanced) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	a, err := p.Choose(env)
	if err != nil {
		return nil, err
	}
	return a.allocation(env), nil
}

// Choose implements [Chooser].
func (p balanced) Choose(env *cluster.Environment) (*Association, error) {
	a := &Association{Server: make([]int, len(env.Users))}
	a.Env, _ = env.Individually()
	g, err := game.Of(a.Env)
	if err != nil {
		return nil, &UnsupportedError{err.Error()}
	}
	var hosted []int
	for j := range a.Server {
		a.Server[j] = -1
		closed, open := -1, 0
		for s := range g.Servers {
			if g.Open(j, s) {
				open++
			} else {
				closed = s
			}
		}
		if open == 0 {
			continue
		}
		if closed >= 0 {
			return nil, &UnsupportedError{fmt.Sprintf("users are put on any server, and users[%d] (%s) cannot run on %s",
				j, env.Users[j].Name, a.Env.Servers[closed].Name)}
		}
		hosted = append(hosted, j)
	}
	at := make([]int, len(hosted))
	game.Balanced(stream.New("policies/balanced", p.seed), at, g.Servers)
	for i, j := range hosted {
		a.Server[j] = at[i]
	}
	return a, a.divide(p.rule(a.Env, &a.Certificate))
}

// upperBound maximises Σ_j w[j]·x[j]/η[j] over the region in which all servers
// are pooled into one, as drf does: no allocation on the servers themselves,
// and so none of one server a user, has more. On m servers that are alike the
// welfare is the paper's normalised utilitarian social function, Σ x[j]/(m·ψ[j]).
// The welfare is unique, the allocation need not be. Its share is x/η, and its
// region is the pool.
//
// Errors: those of drf, where a user or a link tells servers apart.
//
// Reference: MAGIKS paper, section VI. Deviations: weights.
type upperBound struct{}

// Allocate implements [Policy].
func (upperBound) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	in, err := pool(env)
	if err != nil {
		return nil, err
	}
	etas := env.Etas(nil)
	q := solve.LinearProblem{Value: make([]float64, len(etas))}
	for j, eta := range etas {
		if eta > 0 {
			q.Value[j] = env.Users[j].Weight / eta
		}
	}
	return maximize(in.env, q, etas, nil)
}
