package magiks

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// identical returns m servers of capacity 1 and users with these demands.
func identical(m int, demands ...[]float64) *cluster.Environment {
	env := &cluster.Environment{}
	var ones []float64
	for r := range demands[0] {
		env.Resources, ones = append(env.Resources, fmt.Sprint("r", r+1)), append(ones, 1)
	}
	for s := range m {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("server ", s+1), Capacity: ones, Count: 1})
	}
	for j, d := range demands {
		env.Users = append(env.Users, cluster.NewUser(fmt.Sprint("user ", j+1), d))
	}
	return env
}

// workedExamples are those of sections IV-C and V-C.
func workedExamples() ([]ledger.Entry, error) {
	env := identical(2, []float64{1, .1, .1}, []float64{.1, 1, .1}, []float64{.5, .1, 1}, []float64{1, .2, .3})
	entry := func(id, claim string) ledger.Entry {
		return ledger.Entry{Paper: Paper, Item: examples, ID: examples + "/" + id, Claim: claim}
	}
	nash, ks := game.NewTable(4, 2, game.Nash(env, nil)), game.NewTable(4, 2, game.KS(env))
	without, err := nash.Equilibria(ties)
	if err != nil {
		return nil, err
	}
	_, smallest, err := nash.Calm(1)
	if err != nil {
		return nil, err
	}
	with, err := ks.Equilibria(ties)
	if err != nil {
		return nil, err
	}
	all := []ledger.Entry{
		entry("nash-equilibria", "section IV-C: equilibria under the Nash local rule, of 16 associations").Value(0, ledger.Computed(float64(len(without)), 0)),
		entry("nash-least-gain"+ours, "section IV-C: the least by which some user gains, as a factor, over all associations").
			Words(ledger.Computed(smallest, 1e-6), ledger.AtLeast(1+1e-6)),
		entry("ks-equilibria"+ours, "the same environment: equilibria under the KS local rule, up to the servers' names").
			Value(2, ledger.Computed(float64(len(game.UpToNaming(with))), 0)),
	}
	const delta = 0.01
	for _, c := range []struct {
		id, name string
		rule     func(*cluster.Environment) fair.Local
		accuracy float64
	}{{"ks", "KS", game.KS, 1e-9}, {"nbs", "NBS", func(env *cluster.Environment) fair.Local { return game.Nash(env, nil) }, 1e-6}} {
		for _, l := range []int{4, 2, 8} {
			envy, err := naive(c.rule, l, delta)
			if err != nil {
				return nil, err
			}
			e := entry(fmt.Sprintf("naive-%s/l=%d", c.id, l), fmt.Sprintf("section IV-C: envy of naive balanced %s, (l+1)/(1+δ(l-1)) at δ = 0.01", c.name))
			if l != usualResources {
				e.ID += ours // one formula, which l is ours
			}
			all = append(all, e.Value(float64(l+1)/(1+delta*float64(l-1)), ledger.Computed(envy, c.accuracy)))
		}
	}
	envy, err := alikeUsers(4)
	if err != nil {
		return nil, err
	}
	return append(all, entry("two-is-tight", "theorem 4: envy at every equilibrium of m+1 users that are alike, m = 4").Value(2, ledger.Computed(envy, 1e-9))), nil
}

// usualResources is the paper's default of l.
const usualResources = 4

// naive returns the largest envy under a local rule where l+1 users Δ¹ share one
// server and Δ¹, …, Δˡ the other.
func naive(rule func(*cluster.Environment) fair.Local, l int, delta float64) (float64, error) {
	var demands [][]float64
	var at []int
	user := func(k, server int) {
		d := make([]float64, l)
		for r := range d {
			d[r] = delta
		}
		d[k] = 1
		demands, at = append(demands, d), append(at, server)
	}
	for range l + 1 {
		user(0, 0)
	}
	for k := range l {
		user(k, 1)
	}
	env := identical(2, demands...)
	return envyOf(env, rule(env), at)
}

// alikeUsers returns the least envy at an equilibrium of m+1 users that are
// alike on m servers.
func alikeUsers(m int) (float64, error) {
	var demands [][]float64
	for range m + 1 {
		demands = append(demands, []float64{1, 1})
	}
	env := identical(m, demands...)
	all, err := game.NewTable(m+1, m, game.KS(env)).Equilibria(ties)
	if err != nil {
		return 0, err
	}
	smallest := 0.0
	for _, at := range all {
		envy, err := envyOf(env, game.KS(env), at)
		if err != nil {
			return 0, err
		}
		if smallest == 0 || envy < smallest {
			smallest = envy
		}
	}
	return smallest, nil
}

// envyOf returns the largest envy under a local rule; 1 if there is none.
func envyOf(env *cluster.Environment, rule fair.Local, at []int) (float64, error) {
	tasks := make([]float64, len(at))
	for s := range env.Servers {
		var users []int
		for j, on := range at {
			if on == s {
				users = append(users, j)
			}
		}
		if users == nil {
			continue
		}
		got, err := rule(s, users)
		if err != nil {
			return 0, err
		}
		for i, j := range users {
			tasks[j] = got[i]
		}
	}
	return 1 / fair.NewChoice(env, at, tasks).Envy().Sat, nil
}

// restless is an environment with unlike servers and without an equilibrium:
// five users, three servers, three resources. An annealing search of
// [SearchName]'s sort found it; its numbers were then rounded.
func restless() []ledger.Entry {
	env := identical(3, []float64{1, 116, 10}, []float64{1, 55, 1}, []float64{3, 5, 1}, []float64{160, 9, 81}, []float64{1, 13, 21})
	for s, capacity := range [][]float64{{40, 4, 7}, {1, 8, 1}, {2, 6, 4}} {
		env.Servers[s].Capacity = capacity
	}
	t := game.NewTable(5, 3, game.KS(env))
	all, err := t.Equilibria(ties)
	if err != nil {
		panic(err) // the KS rule is a formula
	}
	_, least, err := t.Calm(1)
	if err != nil {
		panic(err)
	}
	entry := func(id, claim string) ledger.Entry {
		return ledger.Entry{Paper: Paper, Item: heterogeneous, ID: heterogeneous + "/" + id + openQuestion, Claim: claim}
	}
	return []ledger.Entry{
		entry("counterexample", "section VII's open question, answered no: equilibria of five users on three unlike servers, of 243 associations").
			Words(ledger.Computed(float64(len(all)), 0), ledger.AtMost(0)),
		entry("counterexample-gain", "the least, over those associations, by which some user gains, as a factor").
			Words(ledger.Computed(least, 1e-12), ledger.AtLeast(1+ties)),
	}
}
