package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// A transformation makes an environment that must be answered alike. It
// returns it with the index, in the original, of each of its users.
type transformation struct {
	name  string
	apply func(rng *rand.Rand, env *cluster.Environment) (*cluster.Environment, []int)
}

var transformations = []transformation{
	{"units of 1e6 and 1e-6", rescaleUnits},
	{"users permuted", permuteUsers},
	{"classes split", splitClasses},
	{"a user as two of half the weight", cloneUser},
}

// metamorphicKinds are drawn a few times each.
var metamorphicKinds = []twin.Options{
	{Users: 8, Servers: 4, Resources: 2, Links: 1},
	{Users: 10, Servers: 4, Resources: 3, Links: 2, Weights: true},
	{Users: 9, Servers: 5, Resources: 2, Links: 1, Weights: true, Eligibility: true, Caps: true},
	{Users: 8, Servers: 4, Resources: 3, Links: 2, ZeroDemands: true, ZeroCapacities: true},
	{Users: 8, Servers: 4, Resources: 2, Links: 2, DemandOn: true, Caps: true, Eligibility: true, Weights: true, ZeroDemands: true},
}

func duplicate(env *cluster.Environment) *cluster.Environment {
	c := *env
	c.Servers, c.Links, c.Users = slices.Clone(env.Servers), slices.Clone(env.Links), slices.Clone(env.Users)
	for s := range c.Servers {
		c.Servers[s].Capacity = slices.Clone(c.Servers[s].Capacity)
	}
	for j := range c.Users {
		u := &c.Users[j]
		u.Demand, u.LinkDemand = slices.Clone(u.Demand), slices.Clone(u.LinkDemand)
		on := map[int][]float64{}
		for s, d := range u.DemandOn {
			on[s] = slices.Clone(d)
		}
		u.DemandOn = on
	}
	return &c
}

func everyone(env *cluster.Environment) []int {
	idx := make([]int, len(env.Users))
	for j := range idx {
		idx[j] = j
	}
	return idx
}

// rescaleUnits counts one resource in units a million times smaller, another
// in units a million times larger, and so with two links.
func rescaleUnits(_ *rand.Rand, env *cluster.Environment) (*cluster.Environment, []int) {
	c := duplicate(env)
	for i, f := range []float64{1e6, 1e-6} {
		for s := range c.Servers {
			c.Servers[s].Capacity[i] *= f
		}
		for j := range c.Users {
			c.Users[j].Demand[i] *= f
			for _, d := range c.Users[j].DemandOn {
				d[i] *= f
			}
		}
		if e := len(c.Links) - 1 - i; e >= 0 {
			c.Links[e].Capacity *= f
			for j := range c.Users {
				c.Users[j].LinkDemand[e] *= f
			}
		}
	}
	return c, everyone(env)
}

func permuteUsers(rng *rand.Rand, env *cluster.Environment) (*cluster.Environment, []int) {
	order := rng.Perm(len(env.Users))
	return env.Subset(order), order
}

// splitClasses lists the servers of each class one by one.
func splitClasses(_ *rand.Rand, env *cluster.Environment) (*cluster.Environment, []int) {
	c := duplicate(env)
	c.Servers = nil
	var class []int
	for s, server := range env.Servers {
		for range server.Count {
			one := server
			one.Count = 1
			c.Servers, class = append(c.Servers, one), append(class, s)
		}
	}
	spread := func(set cluster.Set) cluster.Set {
		if set == nil {
			return nil
		}
		out := cluster.NewSet(len(class))
		for v, s := range class {
			if set.Has(s) {
				out.Add(v)
			}
		}
		return out
	}
	for e := range c.Links {
		c.Links[e].Servers = spread(c.Links[e].Servers)
	}
	for j := range c.Users {
		u := &c.Users[j]
		u.Eligible, u.DemandOn = spread(u.Eligible), map[int][]float64{}
		for v, s := range class {
			if d, ok := env.Users[j].DemandOn[s]; ok {
				u.DemandOn[v] = d
			}
		}
	}
	return c, everyone(env)
}

// cloneUser adds a second user like a random one; both have half its weight
// and half its cap.
func cloneUser(rng *rand.Rand, env *cluster.Environment) (*cluster.Environment, []int) {
	c, j := duplicate(env), rng.IntN(len(env.Users))
	c.Users[j].Weight /= 2
	c.Users[j].Tasks /= 2
	c.Users = append(c.Users, c.Users[j])
	return c, append(everyone(env), j)
}

// eachTransformation calls back with an environment, its image and the index.
func eachTransformation(t *testing.T, seeds int, compare func(what string, env, image *cluster.Environment, of []int)) {
	for k, opt := range metamorphicKinds {
		for seed := range uint64(seeds) {
			for i, tr := range transformations {
				rng := rand.New(rand.NewPCG(seed, uint64(k)+1000))
				env := twin.Random(rng, opt)
				image, of := tr.apply(rand.New(rand.NewPCG(seed, uint64(i))), env)
				compare(fmt.Sprintf("%s, kind %d seed %d", tr.name, k, seed), env, image, of)
				if t.Failed() {
					return
				}
			}
		}
	}
}

// gather sums the totals of an image by the users that they belong to.
func gather(tasks []float64, of []int, n int) []float64 {
	sums := make([]float64, n)
	for i, x := range tasks {
		sums[of[i]] += x
	}
	return sums
}

// wantTotals compares totals relatively; what is below 1e-13 of what the user
// could run alone is rounding.
func wantTotals(t *testing.T, what string, env *cluster.Environment, got, want []float64, tol float64) {
	t.Helper()
	for j, x := range want {
		if math.Abs(got[j]-x) > tol*x+1e-13*env.Eta(j) {
			t.Errorf("%s: user %d has %.12g tasks, want %.12g", what, j, got[j], x)
		}
	}
}

func TestMaxMinMetamorphic(t *testing.T) {
	eachTransformation(t, 12, func(what string, env, image *cluster.Environment, of []int) {
		norm := norms(env)
		imageNorm := make([]float64, len(of))
		for i, j := range of {
			imageNorm[i] = norm[j] * image.Users[i].Weight / env.Users[j].Weight
		}
		want, err := solveMaxMin(env, norm)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := solveMaxMin(image, imageNorm)
		if err != nil {
			t.Fatalf("%s: image: %v", what, err)
		}
		wantTotals(t, what, env, gather(got.Tasks, of, len(norm)), want.Tasks, 1e-8)
	})
}

func TestNashMetamorphic(t *testing.T) {
	eachTransformation(t, 8, func(what string, env, image *cluster.Environment, of []int) {
		var a, b Nash
		want, err := a.Solve(env)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := b.Solve(image)
		if err != nil {
			t.Fatalf("%s: image: %v", what, err)
		}
		wantTotals(t, what, env, gather(got.Tasks, of, len(env.Users)), want.Tasks, 1e-8)
		difference, weights := 0.0, 0.0
		for j, x := range gather(got.Tasks, of, len(env.Users)) {
			if want.Tasks[j] > 0 {
				difference += env.Users[j].Weight * math.Log(x/want.Tasks[j])
				weights += env.Users[j].Weight
			}
		}
		if math.Abs(difference) > 2*Accuracy*weights {
			t.Errorf("%s: welfare differs by %.3g of Σw", what, difference/weights)
		}
	})
}

// Values go with the users, not with their weights, so a user and its clones
// are worth the same.
func TestLinearMetamorphic(t *testing.T) {
	eachTransformation(t, 12, func(what string, env, image *cluster.Environment, of []int) {
		problem := func(env *cluster.Environment, of []int, clones []int) LinearProblem {
			q := LinearProblem{Value: make([]float64, len(of)), Lower: make([]float64, len(of))}
			for i, eta := range env.EtasEligible(nil) {
				if eta > 0 {
					q.Value[i] = float64(1+of[i]%3) / eta
				}
				q.Lower[i] = min(0.9*eta/float64(len(clones)*clones[of[i]]), env.Users[i].Tasks)
			}
			return q
		}
		count := make([]int, len(env.Users))
		single := slices.Repeat([]int{1}, len(env.Users))
		for _, j := range of {
			count[j]++
		}
		q, r := problem(env, everyone(env), single), problem(image, of, count)
		var a, b Linear
		first, err := a.Solve(env, q)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		second, err := b.Solve(image, r)
		if err != nil {
			t.Fatalf("%s: image: %v", what, err)
		}
		x, y := worthOf(q.Value, first.Tasks), worthOf(r.Value, second.Tasks)
		if math.Abs(x-y) > 2*Accuracy*x {
			t.Errorf("%s: welfare %.12g, image %.12g", what, x, y)
		}
	})
}

func worthOf(value, tasks []float64) float64 {
	sum := 0.0
	for j, x := range tasks {
		sum += value[j] * x
	}
	return sum
}

// solvers runs all three on an environment; names and answers in order.
func solvers(env *cluster.Environment) (names []string, answers []*cluster.Allocation, errs []error) {
	add := func(name string, a *cluster.Allocation, err error) {
		names, answers, errs = append(names, name), append(answers, a), append(errs, err)
	}
	a, err := solveMaxMin(env, norms(env))
	add("max-min", a, err)
	a, err = new(Nash).Solve(env)
	add("Nash", a, err)
	value := make([]float64, len(env.Users))
	for j, eta := range env.EtasEligible(nil) {
		if eta > 0 {
			value[j] = 1 / eta
		}
	}
	a, err = new(Linear).Solve(env, LinearProblem{Value: value})
	add("linear", a, err)
	return names, answers, errs
}

// wantCertified checks an answer without trusting its certificate.
func wantCertified(t *testing.T, what string, a *cluster.Allocation, err error) bool {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return false
	}
	if err := a.Feasible(Feasibility); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if c := a.Certificate; !(c.Gap <= Accuracy && c.Primal <= Feasibility) {
		t.Errorf("%s: certified to %g, %g", what, c.Primal, c.Gap)
	}
	return true
}

func TestAThousandUsersAreCertified(t *testing.T) {
	opt := twin.Options{Users: 1000, Servers: 100, Resources: 2, Links: 3, Weights: true, Eligibility: true}
	env := twin.Random(rand.New(rand.NewPCG(1, 2)), opt)
	names, answers, errs := solvers(env)
	for i, name := range names {
		wantCertified(t, name, answers[i], errs[i])
	}
}

// Demands over twelve decades: only the certificates and the constraints are
// determined in double precision.
func TestTwelveDecadesAreCertified(t *testing.T) {
	for seed := range uint64(20) {
		opt := twin.Options{Users: 10, Servers: 4, Resources: 3, Links: 1, Weights: true, Decades: 12}
		names, answers, errs := solvers(twin.Random(rand.New(rand.NewPCG(seed, 12)), opt))
		for i, name := range names {
			wantCertified(t, fmt.Sprintf("%s, seed %d", name, seed), answers[i], errs[i])
		}
	}
}

// One user holds η', or its cap, whatever is maximised.
func TestOneUserHoldsAllItCan(t *testing.T) {
	for seed := range uint64(50) {
		opt := twin.Options{Users: 1, Servers: 4, Resources: 2, Links: 2, Weights: true, Eligibility: true, ZeroDemands: true, DemandOn: true, Caps: seed%2 == 0}
		env := twin.Random(rand.New(rand.NewPCG(seed, 13)), opt)
		want := min(env.EtaEligible(0), env.Users[0].Tasks)
		names, answers, errs := solvers(env)
		for i, name := range names {
			if what := fmt.Sprintf("%s, seed %d", name, seed); wantCertified(t, what, answers[i], errs[i]) {
				wantTotals(t, what, env, answers[i].Tasks, []float64{want}, 1e-8)
			}
		}
	}
}

// edgeCase has two servers and three users that need something of everything.
func edgeCase(change func(env *cluster.Environment)) *cluster.Environment {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "a", Capacity: []float64{5, 10}, Count: 1}, {Name: "b", Capacity: []float64{10, 5}, Count: 2}},
		Links:     []cluster.Link{{Name: "l", Capacity: 15}},
		Users:     []cluster.User{cluster.NewUser("u", []float64{2, 1}, 2.5), cluster.NewUser("v", []float64{1, 2}, 0.5), cluster.NewUser("w", []float64{1, 1}, 1)},
	}
	change(env)
	return env
}

func TestNobodyServed(t *testing.T) {
	for what, change := range map[string]func(env *cluster.Environment){
		"nobody may run anywhere": func(env *cluster.Environment) {
			for j := range env.Users {
				env.Users[j].Eligible = cluster.NewSet(2)
			}
		},
		"no server has anything": func(env *cluster.Environment) {
			for s := range env.Servers {
				env.Servers[s].Capacity = []float64{0, 0}
			}
		},
		"no server has any cpu": func(env *cluster.Environment) {
			for s := range env.Servers {
				env.Servers[s].Capacity = []float64{0, 5}
			}
		},
		"the link has no capacity": func(env *cluster.Environment) { env.Links[0].Capacity = 0 },
	} {
		names, answers, errs := solvers(edgeCase(change))
		for i, name := range names {
			if !wantCertified(t, name+", "+what, answers[i], errs[i]) {
				continue
			}
			for j, x := range answers[i].Tasks {
				if x != 0 {
					t.Errorf("%s, %s: user %d has %g tasks", name, what, j, x)
				}
			}
			if !slices.Equal(answers[i].Unservable, []int{0, 1, 2}) {
				t.Errorf("%s, %s: unservable %v", name, what, answers[i].Unservable)
			}
		}
	}
}

func TestNoUsers(t *testing.T) {
	names, answers, errs := solvers(edgeCase(func(env *cluster.Environment) { env.Users = nil }))
	for i, name := range names {
		if wantCertified(t, name, answers[i], errs[i]) && len(answers[i].Tasks) != 0 {
			t.Errorf("%s: tasks %v", name, answers[i].Tasks)
		}
	}
}

// A user with cap 0 holds nothing, is not unservable, and changes nothing for
// the others.
func TestCapsOfZero(t *testing.T) {
	with := edgeCase(func(env *cluster.Environment) { env.Users[1].Tasks = 0 })
	names, answers, errs := solvers(with)
	_, others, otherErrs := solvers(with.Subset([]int{0, 2}))
	for i, name := range names {
		if !wantCertified(t, name, answers[i], errs[i]) || !wantCertified(t, name, others[i], otherErrs[i]) {
			continue
		}
		x := answers[i].Tasks
		if x[1] != 0 || len(answers[i].Unservable) > 0 {
			t.Errorf("%s: the user with cap 0 has %g tasks; unservable %v", name, x[1], answers[i].Unservable)
		}
		if name != "linear" { // whose optimum need not be unique
			wantTotals(t, name, with.Subset([]int{0, 2}), []float64{x[0], x[2]}, others[i].Tasks, 1e-6)
		}
	}
	all := edgeCase(func(env *cluster.Environment) {
		for j := range env.Users {
			env.Users[j].Tasks = 0
		}
	})
	names, answers, errs = solvers(all)
	for i, name := range names {
		if wantCertified(t, name+", all", answers[i], errs[i]) && !slices.Equal(answers[i].Tasks, []float64{0, 0, 0}) {
			t.Errorf("%s: tasks %v", name, answers[i].Tasks)
		}
	}
}
