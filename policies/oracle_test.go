package policies_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Every rule is written here a second time, from its definition and with the
// slow solvers of package twin, and compared on random environments. An oracle
// returns the totals, and the welfare by which allocations are to be compared
// where totals are not unique.
type oracle func(env *cluster.Environment) (tasks []float64, welfare []float64, err error)

// oneUser returns the optimum of the one-user program, without the cap, on all
// servers or on the eligible ones.
func oneUser(env *cluster.Environment, eligible bool) ([]float64, error) {
	var out []float64
	for _, u := range env.Users {
		u.Tasks = cluster.Inf
		if !eligible {
			u.Eligible = nil
		}
		best, err := twin.Linear(env.With([]cluster.User{u}), []float64{1}, nil, false)
		if err != nil {
			return nil, err
		}
		out = append(out, best.Tasks[0])
	}
	return out, nil
}

func etaOf(env *cluster.Environment) ([]float64, error)         { return oneUser(env, false) }
func etaEligibleOf(env *cluster.Environment) ([]float64, error) { return oneUser(env, true) }

// dominantOf returns 1 over the largest part of a total that a task needs, of
// the resources that count and, if asked, of the links.
func dominantOf(counts func(resource string) bool, links bool) func(*cluster.Environment) ([]float64, error) {
	return func(env *cluster.Environment) ([]float64, error) {
		var out []float64
		for j, u := range env.Users {
			share := 0.0
			for r, name := range env.Resources {
				total := 0.0
				for _, s := range env.Servers {
					total += float64(s.Count) * s.Capacity[r]
				}
				if u.Demand[r] > 0 && counts(name) {
					share = math.Max(share, u.Demand[r]/total)
				}
			}
			for e := range env.Links {
				if d := env.LinkDemand(j, e); d > 0 && links {
					share = math.Max(share, d/env.Links[e].Capacity)
				}
			}
			out = append(out, 1/share)
		}
		return out, nil
	}
}

func all(string) bool { return true }

// sumOf is Σ_s c[s,r]/d[j,s,r] for one resource.
func sumOf(name string) func(*cluster.Environment) ([]float64, error) {
	return func(env *cluster.Environment) ([]float64, error) {
		r := slices.Index(env.Resources, name)
		out := make([]float64, len(env.Users))
		for j := range out {
			for s, server := range env.Servers {
				out[j] += float64(server.Count) * server.Capacity[r] / env.Demand(j, s)[r]
				if env.Demand(j, s)[r] == 0 {
					out[j] = math.Inf(1)
					break
				}
			}
		}
		return out, nil
	}
}

func ones(env *cluster.Environment) ([]float64, error) {
	out := make([]float64, len(env.Users))
	for j := range out {
		out[j] = 1
	}
	return out, nil
}

// maxMin is lexicographic max-min of x/(w·N) in a region made of env.
func maxMin(norm func(*cluster.Environment) ([]float64, error), region func(*cluster.Environment) *cluster.Environment) oracle {
	return func(env *cluster.Environment) ([]float64, []float64, error) {
		n, err := norm(env)
		if err != nil {
			return nil, nil, err
		}
		for j := range n {
			if !math.IsInf(n[j], 1) {
				n[j] *= env.Users[j].Weight
			}
		}
		tasks, err := twin.MaxMin(region(env), n)
		return tasks, nil, err
	}
}

func whole(env *cluster.Environment) *cluster.Environment { return env }

// pooled merges the servers; all links go to the pool.
func pooled(env *cluster.Environment) *cluster.Environment {
	pool := cluster.Server{Name: "pool", Count: 1, Capacity: make([]float64, len(env.Resources))}
	for _, s := range env.Servers {
		for r, c := range s.Capacity {
			pool.Capacity[r] += float64(s.Count) * c
		}
	}
	out := &cluster.Environment{Resources: env.Resources, Servers: []cluster.Server{pool}, Users: env.Users}
	for _, l := range env.Links {
		out.Links = append(out.Links, cluster.Link{Name: l.Name, Capacity: l.Capacity})
	}
	return out
}

// apart gives each server its own part of each link, in proportion to its
// capacity of a resource, or equally for "eq".
func apart(kind string) func(*cluster.Environment) *cluster.Environment {
	return func(env *cluster.Environment) *cluster.Environment {
		out := &cluster.Environment{Resources: env.Resources, Servers: env.Servers}
		part := func(s int) float64 {
			for r, name := range env.Resources {
				if name == kind {
					return env.Capacity(s, r)
				}
			}
			return float64(env.Servers[s].Count)
		}
		var from []int
		for e, l := range env.Links {
			total := 0.0
			for s := range env.Servers {
				if env.Reaches(e, s) {
					total += part(s)
				}
			}
			for s := range env.Servers {
				if env.Reaches(e, s) {
					out.Links = append(out.Links, cluster.Link{Capacity: l.Capacity * part(s) / total, Servers: cluster.NewSet(len(env.Servers), s)})
					from = append(from, e)
				}
			}
		}
		for j, u := range env.Users {
			u.LinkDemand = nil
			for _, e := range from {
				u.LinkDemand = append(u.LinkDemand, env.LinkDemand(j, e))
			}
			out.Users = append(out.Users, u)
		}
		return out
	}
}

func etaApart(kind string) func(*cluster.Environment) ([]float64, error) {
	return func(env *cluster.Environment) ([]float64, error) { return etaOf(apart(kind)(env)) }
}

// eachServer runs DRF on one server after another.
func eachServer(env *cluster.Environment) ([]float64, []float64, error) {
	split := apart("eq")(env)
	tasks := make([]float64, len(env.Users))
	for s := range env.Servers {
		one := &cluster.Environment{Resources: env.Resources, Servers: env.Servers[s : s+1]}
		for _, l := range split.Links {
			if l.Servers.Has(s) {
				one.Links = append(one.Links, cluster.Link{Capacity: l.Capacity})
			}
		}
		var who []int
		for j, u := range env.Users {
			if !env.MayRun(j, s) {
				continue
			}
			v := cluster.User{Weight: u.Weight, Tasks: u.Tasks, Demand: env.Demand(j, s)}
			for e, l := range split.Links {
				if l.Servers.Has(s) {
					v.LinkDemand = append(v.LinkDemand, split.Users[j].LinkDemand[e])
				}
			}
			one.Users, who = append(one.Users, v), append(who, j)
		}
		part, _, err := maxMin(dominantOf(all, true), whole)(one)
		if err != nil {
			return nil, nil, err
		}
		for i, j := range who {
			tasks[j] += part[i]
		}
	}
	return tasks, nil, nil
}

// psiOf returns ψ = min(w/Σw·η', n).
func psiOf(env *cluster.Environment) ([]float64, error) {
	psi, err := etaEligibleOf(env)
	total := 0.0
	for _, u := range env.Users {
		total += u.Weight
	}
	for j, u := range env.Users[:len(psi)] {
		psi[j] = math.Min(psi[j]*u.Weight/total, u.Tasks)
	}
	return psi, err
}

func equalShares(env *cluster.Environment) ([]float64, []float64, error) {
	psi, err := psiOf(env)
	return psi, nil, err
}

func nashTwin(env *cluster.Environment) ([]float64, []float64, error) {
	best, err := twin.Nash(env)
	if err != nil {
		return nil, nil, err
	}
	return best.Tasks, nil, nil
}

// linear maximises Σ w·x or Σ w·x/η, for cru under its constraints.
func linear(relative, cautious bool) oracle {
	return func(env *cluster.Environment) ([]float64, []float64, error) {
		eta, err := etaOf(env)
		if err != nil {
			return nil, nil, err
		}
		value := make([]float64, len(eta))
		for j, u := range env.Users {
			if value[j] = u.Weight; relative && eta[j] > 0 {
				value[j] /= eta[j]
			}
		}
		var lower []float64
		if cautious {
			if lower, err = psiOf(env); err != nil {
				return nil, nil, err
			}
			for j := range lower {
				lower[j] *= 1 - 1e-12 // both are rounded
			}
		}
		best, err := twin.Linear(env, value, lower, cautious)
		if err != nil {
			return nil, nil, err
		}
		return best.Tasks, value, nil
	}
}

// upperBound maximises Σ w·x/η in the pool, with η of the servers.
func upperBound(env *cluster.Environment) ([]float64, []float64, error) {
	value, err := etaOf(env)
	if err != nil {
		return nil, nil, err
	}
	for j, eta := range value {
		if value[j] = 0; eta > 0 {
			value[j] = env.Users[j].Weight / eta
		}
	}
	best, err := twin.Linear(pooled(env), value, nil, false)
	if err != nil {
		return nil, nil, err
	}
	return best.Tasks, value, nil
}

var oracles = map[string]oracle{
	"tsf-er":          maxMin(etaOf, whole),
	"tsf":             maxMin(etaOf, whole),
	"cdrf":            maxMin(etaEligibleOf, whole),
	"drfh":            maxMin(dominantOf(all, false), whole),
	"drf-er":          maxMin(dominantOf(all, true), whole),
	"drf":             maxMin(dominantOf(all, true), pooled),
	"drf-cpu":         maxMin(dominantOf(all, true), apart("cpu")),
	"drf-mem":         maxMin(dominantOf(all, true), apart("mem")),
	"drf-eq":          maxMin(dominantOf(all, true), apart("eq")),
	"tsf-cpu":         maxMin(etaApart("cpu"), apart("cpu")),
	"tsf-mem":         maxMin(etaApart("mem"), apart("mem")),
	"tsf-eq":          maxMin(etaApart("eq"), apart("eq")),
	"cmmf-cpu":        maxMin(sumOf("cpu"), whole),
	"cmmf-mem":        maxMin(sumOf("mem"), whole),
	"egalitarian":     maxMin(ones, whole),
	"mnw":             nashTwin,
	"mtp":             nashTwin,
	"utilitarian":     linear(false, false),
	"ru":              linear(true, false),
	"cru":             linear(true, true),
	"ubound":          upperBound,
	"eq":              equalShares,
	"per-machine-drf": eachServer,
	"ps-dsf":          algorithmI,
}

// oracleKinds are the environments of the comparison.
var oracleKinds = []twin.Options{
	{Users: 5, Servers: 3, Resources: 2, Links: 1},
	{Users: 7, Servers: 3, Resources: 3, Links: 1, Weights: true},
	{Users: 6, Servers: 4, Resources: 2, Links: 3, Weights: true},
	{Users: 6, Servers: 3, Resources: 2, Links: 1, Caps: true, Weights: true},
	{Users: 6, Servers: 4, Resources: 2, Eligibility: true, Weights: true},
	{Users: 6, Servers: 3, Resources: 2, Weights: true, ZeroDemands: true},
	{Users: 6, Servers: 3, Resources: 2, Links: 2, ZeroDemands: true},
	{Users: 6, Servers: 3, Resources: 3, Links: 1, DemandOn: true, Eligibility: true},
	{Users: 6, Servers: 1, Resources: 3, Links: 2, Weights: true, ZeroDemands: true},
}

// disagreement compares a rule with an oracle; nil if they agree. It counts
// the environments that were compared.
func disagreement(p policies.Policy, twinOf oracle, tolerance float64) (compared int, err error) {
	for k, opt := range oracleKinds {
		for seed := range uint64(4) {
			env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+7000)), opt)
			got, err := p.Allocate(env)
			var refused *policies.UnsupportedError
			if errors.As(err, &refused) {
				continue
			}
			if err != nil {
				return compared, fmt.Errorf("kind %d seed %d: %w", k, seed, err)
			}
			want, welfare, err := twinOf(env)
			if err != nil {
				return compared, fmt.Errorf("kind %d seed %d: the oracle: %w", k, seed, err)
			}
			compared++
			if err := differ(got.Tasks, want, welfare, tolerance); err != nil {
				return compared, fmt.Errorf("kind %d seed %d: %w", k, seed, err)
			}
		}
	}
	return compared, nil
}

func differ(got, want, welfare []float64, tolerance float64) error {
	if welfare != nil {
		a, b := 0.0, 0.0
		for j, v := range welfare {
			a, b = a+v*got[j], b+v*want[j]
		}
		if math.Abs(a-b) > tolerance*b {
			return fmt.Errorf("welfare %.12g, want %.12g", a, b)
		}
		return nil
	}
	most := 0.0
	for _, x := range want {
		most = math.Max(most, x)
	}
	for j, x := range want {
		if math.Abs(got[j]-x) > tolerance*x+1e-12*most {
			return fmt.Errorf("user %d has %.12g tasks, want %.12g", j, got[j], x)
		}
	}
	return nil
}

// agreement is how well a rule must agree with its oracle.
func agreement(name string) float64 {
	switch name {
	case "mnw", "mtp":
		return 1e-5 // the root of what its welfare is certified to, about
	case "utilitarian", "ru", "cru", "ubound":
		return 1e-8
	}
	return 1e-7
}

func TestEveryRuleAgreesWithItsDefinition(t *testing.T) {
	for _, name := range policies.Names() {
		if slices.Contains(chooserRules(), name) {
			continue // see TestEveryAssociationIsWhatItsRuleSays
		}
		t.Run(name, func(t *testing.T) {
			twinOf, ok := oracles[name]
			if !ok {
				t.Fatal("the rule has no oracle")
			}
			compared, err := disagreement(rule(t, name), twinOf, agreement(name))
			if err != nil {
				t.Error(err)
			}
			if compared < 8 {
				t.Errorf("compared on %d environments only", compared)
			}
		})
	}
}

// In the place of any rule FIFO disagrees with the oracle.
func TestFIFODisagreesWithEveryDefinition(t *testing.T) {
	for _, name := range policies.Names() {
		if slices.Contains(chooserRules(), name) {
			continue // see TestFIFOIsNoLocalRule
		}
		if _, err := disagreement(policytest.FIFO, oracles[name], agreement(name)); err == nil {
			t.Errorf("FIFO passes for %s", name)
		}
	}
}
