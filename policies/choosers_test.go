package policies_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// chooserRules are the rules under which every user picks one server.
func chooserRules() []string {
	var names []string
	for _, name := range policies.Names() {
		if p, err := policies.New(name); err == nil {
			if _, ok := p.(policies.Chooser); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

func TestChoosersAreRegistered(t *testing.T) {
	want := []string{"beq", "bks", "bnbs", "magiks-bim", "magiks-rim"}
	if got := chooserRules(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// onlyOn returns server s of env alone, with some of the users.
func onlyOn(env *cluster.Environment, s int, users []int) *cluster.Environment {
	in := env.Subset(users)
	in.Servers = env.Servers[s : s+1]
	in.Links = nil
	var reach []int
	for e, link := range env.Links {
		if env.Reaches(e, s) {
			link.Servers = nil
			in.Links = append(in.Links, link)
			reach = append(reach, e)
		}
	}
	for i, j := range users {
		u := &in.Users[i]
		u.Demand, u.DemandOn, u.Eligible, u.LinkDemand = env.Demand(j, s), nil, nil, nil
		if !env.MayRun(j, s) {
			u.Eligible = cluster.NewSet(1)
		}
		for _, e := range reach {
			u.LinkDemand = append(u.LinkDemand, env.LinkDemand(j, e))
		}
	}
	return in
}

// local divides one server by the slow twins: max-min of x/ψ, maximum Nash
// welfare, or equal parts.
func local(name string, env *cluster.Environment) fair.Local {
	return func(s int, users []int) ([]float64, error) {
		one := onlyOn(env, s, users)
		switch psi := one.EtasEligible(nil); {
		case strings.HasPrefix(name, "bnbs"):
			r, err := twin.Nash(one)
			if err != nil {
				return nil, err
			}
			return r.Tasks, nil
		case strings.HasPrefix(name, "beq"):
			return one.EqualShares(nil), nil
		default:
			return kalai(one, psi)
		}
	}
}

// kalai finds the KS solution by bisection on the common part g.
func kalai(one *cluster.Environment, psi []float64) ([]float64, error) {
	tasks := make([]float64, len(psi))
	fits := func(g float64) bool {
		for j, u := range one.Users {
			tasks[j] = g * u.Weight * psi[j]
		}
		a := &cluster.Allocation{Region: one, Tasks: tasks, X: tasks}
		return a.Feasible(0) == nil
	}
	low, high := 0.0, 1e6
	for range 200 {
		if g := (low + high) / 2; fits(g) {
			low = g
		} else {
			high = g
		}
	}
	fits(low)
	return tasks, nil
}

// chooserKinds are environments for the game: servers that are alike, one by
// one or in classes, and servers that are not.
func chooserKinds() map[string]*cluster.Environment {
	all := map[string]*cluster.Environment{"the example": section4C()}
	add := func(name string, seed uint64, opt twin.Options, change func(env *cluster.Environment)) {
		for i := range uint64(6) {
			env := twin.Random(rand.New(rand.NewPCG(seed, i)), opt)
			if change != nil {
				change(env)
			}
			all[name+" "+string(rune('0'+i))] = env
		}
	}
	alike := func(env *cluster.Environment) {
		for s := range env.Servers {
			env.Servers[s].Capacity = env.Servers[0].Capacity
		}
	}
	add("alike", 1, twin.Options{Users: 8, Servers: 3, Resources: 3}, alike)
	add("alike, weights", 2, twin.Options{Users: 8, Servers: 3, Resources: 3, Weights: true}, alike)
	add("alike, eligibility", 3, twin.Options{Users: 8, Servers: 3, Resources: 2, Eligibility: true}, alike)
	add("alike, zero demands", 4, twin.Options{Users: 8, Servers: 3, Resources: 3, ZeroDemands: true}, alike)
	add("different", 5, twin.Options{Users: 7, Servers: 3, Resources: 2}, nil)
	add("everything but links", 6, twin.Options{Users: 7, Servers: 4, Resources: 3, Weights: true, Eligibility: true,
		ZeroDemands: true, ZeroCapacities: true, DemandOn: true}, nil)
	add("access points", 7, twin.Options{Users: 7, Servers: 3, Resources: 2, Links: 3, Weights: true}, func(env *cluster.Environment) {
		for s := range env.Servers {
			env.Servers[s].Count = 1
			env.Links[s].Servers = cluster.NewSet(3, s)
		}
	})
	return all
}

// On every server the division is the local rule's by the slow twin; under
// MAGIKS no move pays; and the properties hold where they are claimed.
func TestEveryAssociationIsWhatItsRuleSays(t *testing.T) {
	envs := chooserKinds()
	for _, name := range chooserRules() {
		checked := 0
		for kind, env := range envs {
			if a := judgedChoice(t, name, kind, env); a != nil {
				checked++
			}
		}
		if checked < 20 {
			t.Errorf("%s was checked on %d environments only", name, checked)
		}
	}
}

// judgedChoice checks one association; nil if the rule refuses env.
func judgedChoice(t *testing.T, name, kind string, env *cluster.Environment) *policies.Association {
	t.Helper()
	a, err := rule(t, name).(policies.Chooser).Choose(env)
	var refused *policies.UnsupportedError
	if errors.As(err, &refused) {
		return nil
	}
	if err != nil {
		t.Errorf("%s, %s: %v", name, kind, err)
		return nil
	}
	c, divide := a.Choice(), local(name, a.Env)
	if err := c.Feasible(1e-9); err != nil {
		t.Errorf("%s, %s: %v", name, kind, err)
	}
	for s := range a.Env.Servers {
		var users []int
		for j, at := range a.Server {
			if at == s {
				users = append(users, j)
			}
		}
		if users == nil {
			continue
		}
		want, err := divide(s, users)
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range users {
			if math.Abs(a.Tasks[j]-want[i]) > 1e-5*want[i] || name != "bnbs" && math.Abs(a.Tasks[j]-want[i]) > 1e-9*want[i] {
				t.Errorf("%s, %s: user %d has %.12g, want %.12g", name, kind, j, a.Tasks[j], want[i])
			}
		}
	}
	properties(t, name, kind, env, c, divide)
	return a
}

// properties checks what is claimed of a rule in an environment.
func properties(t *testing.T, name, kind string, env *cluster.Environment, c *fair.Choice, divide fair.Local) {
	t.Helper()
	const tolerance = 1e-7
	game := strings.HasPrefix(name, "magiks")
	if d, err := c.BestDeviation(divide); game && (err != nil || d.Ratio > 1+1e-9) {
		t.Errorf("%s, %s: %v %v", name, kind, d, err)
	}
	if p := c.LocalSharing(); p.Ratio < 1-tolerance {
		t.Errorf("%s, %s: LSI: %v", name, kind, p)
	}
	f := cluster.Features(env)
	if s := c.LocalSlack(); s.Relative > tolerance && (name == "bnbs" || name != "beq" && f&cluster.ZeroDemands == 0) {
		t.Errorf("%s, %s: LPO: %v", name, kind, s)
	}
	if e := c.LocalEnvy(); e.Sat < 1-tolerance && f&cluster.ZeroDemands == 0 {
		t.Errorf("%s, %s: LEF: %v", name, kind, e)
	}
	if !strings.HasPrefix(kind, "alike") || f&(cluster.Weights|cluster.Eligibility|cluster.ZeroDemands) != 0 {
		return
	}
	if p := c.MaximinShare(); p.Ratio < 1-tolerance {
		t.Errorf("%s, %s: MMS: %v", name, kind, p)
	}
	if e := c.Envy(); game && e.Sat < 0.5-tolerance {
		t.Errorf("%s, %s: 2EF: %v", name, kind, e)
	}
}
