package policies

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Chooser is implemented by the rules under which every user is on one server.
type Chooser interface {
	Policy
	// Choose returns who is where and what it runs there. Its errors are those
	// of Allocate.
	Choose(env *cluster.Environment) (*Association, error)
}

// Association is an outcome of a [Chooser].
type Association struct {
	// Env is the environment with every class split into its servers, in order.
	Env *cluster.Environment
	// Server is the server of Env that each user is on; -1 for one that none
	// can host.
	Server []int
	Tasks  []float64
	// Outcome says how the play went, for a rule that plays a game.
	Outcome game.Outcome
	// Certificate is the largest of the servers', for a rule that solves
	// programs.
	Certificate cluster.Certificate
}

// Choice returns the association as the subject of the properties of package
// fair.
func (a *Association) Choice() *fair.Choice { return fair.NewChoice(a.Env, a.Server, a.Tasks) }

// allocation adds up the servers of each class of env.
func (a *Association) allocation(env *cluster.Environment) *cluster.Allocation {
	n, width := len(env.Users), len(env.Servers)
	out := &cluster.Allocation{
		Region: env, Tasks: a.Tasks, X: make([]float64, n*width), Share: make([]float64, n), Certificate: a.Certificate,
	}
	_, class := env.Individually()
	for j, s := range a.Server {
		if s < 0 {
			out.Unservable = append(out.Unservable, j)
			continue
		}
		out.On(j)[class[s]] = a.Tasks[j]
	}
	taskShares(out, env.Etas(nil))
	return out
}

// divide gives every server to those who are on it, by a local rule.
func (a *Association) divide(rule fair.Local) error {
	a.Tasks = make([]float64, len(a.Server))
	users := make([][]int, len(a.Env.Servers))
	for j, s := range a.Server {
		if s >= 0 {
			users[s] = append(users[s], j)
		}
	}
	for s, on := range users {
		if len(on) == 0 {
			continue
		}
		tasks, err := rule(s, on)
		if err != nil {
			return fmt.Errorf("server %s: %w", a.Env.Servers[s].Name, err)
		}
		for i, j := range on {
			a.Tasks[j] = tasks[i]
		}
	}
	return nil
}

// seedOf takes the seed out of the parameters; 1 where none is given.
func seedOf(params Params) (uint64, error) {
	text, given := params["seed"]
	if !given {
		return 1, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("seed: %q is not a whole number >= 0", text)
	}
	return seed, nil
}

// among takes a parameter that is one of a few texts, the default first.
func (p Params) among(name string, known ...string) (string, error) {
	text, given := p[name]
	if !given {
		return known[0], nil
	}
	for _, k := range known {
		if text == k {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, spelling.Check("", text, known))
}

// only refuses parameters of other names.
func (p Params) only(known ...string) error {
	rest := Params{}
	for k, v := range p {
		rest[k] = v
	}
	for _, k := range known {
		delete(rest, k)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		return &spelling.UnknownError{Kind: "parameter", Name: name, Known: known}
	}
	return nil
}
