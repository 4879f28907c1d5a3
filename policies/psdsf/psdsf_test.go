package psdsf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// literal is the server procedure as the paper prints it: the inner loop of
// Algorithm I with the largest β, from the given x. tolerance says which levels
// count as equal and which resources as saturated.
func literal(env *cluster.Environment, s int, elsewhere, x []float64, tolerance float64) bool {
	n, R := len(env.Users), len(env.Resources)
	key := func(j int) float64 { return env.Users[j].Weight * env.Gamma(j, s) }
	level := func(j int) float64 { return (elsewhere[j] + x[j]) / key(j) }
	left := map[int]bool{}
	for j := range n {
		left[j] = env.MayRun(j, s) && env.Gamma(j, s) > 0
	}
	unused := func(r int) float64 {
		f := env.Capacity(s, r)
		for j := range n {
			f -= x[j] * env.Demand(j, s)[r]
		}
		return f
	}
	for range 100_000 {
		lowest := math.Inf(1)
		for j := range n {
			if left[j] {
				lowest = math.Min(lowest, level(j))
			}
		}
		if math.IsInf(lowest, 1) {
			return true
		}
		low := func(j int) bool { return left[j] && level(j) <= lowest*(1+tolerance) }
		highest := map[int]int{} // per saturated resource that a lowest user needs
		done := -1
		for r := range R {
			needed := false
			for j := range n {
				needed = needed || low(j) && env.Demand(j, s)[r] > 0
			}
			if !needed || unused(r) > tolerance*env.Capacity(s, r) {
				continue
			}
			top := -1
			for j := range n {
				if left[j] && x[j]*env.Demand(j, s)[r] > tolerance*env.Capacity(s, r) && (top < 0 || level(j) > level(top)) {
					top = j
				}
			}
			if top < 0 || level(top) <= lowest*(1+2*tolerance) {
				done = r
				break
			}
			highest[r] = top
		}
		if done >= 0 {
			for j := range n {
				if env.Demand(j, s)[done] > 0 {
					left[j] = false
				}
			}
			continue
		}
		z := math.Inf(1)
		released := map[int]bool{}
		for _, j := range highest {
			released[j] = true
		}
		for r := range R {
			f, D := math.Max(unused(r), 0), 0.0
			for j := range n {
				if released[j] {
					f += x[j] * env.Demand(j, s)[r]
				}
				if low(j) {
					D += key(j) * env.Demand(j, s)[r]
				}
			}
			if D > 0 {
				z = math.Min(z, f/D)
			}
		}
		beta := 1.0
		for j := range released {
			beta = math.Min(beta, (level(j)-lowest)/(z+x[j]/key(j)))
		}
		var raised []int
		for j := range n {
			if low(j) {
				raised = append(raised, j)
			}
		}
		for j := range released {
			x[j] *= 1 - beta
		}
		for _, j := range raised {
			x[j] += beta * key(j) * z
		}
	}
	return false
}

// The printed server procedure ends where Fill jumps to.
func TestFillIsWhereTheServerProcedureEnds(t *testing.T) {
	ended := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2100))
		env := twin.Random(rng, twin.Options{Users: 2 + rng.IntN(4), Servers: 1, Resources: 1 + rng.IntN(3), Weights: true, ZeroDemands: seed%2 == 0})
		elsewhere, x := make([]float64, len(env.Users)), make([]float64, len(env.Users))
		v := NewServer(env, 0)
		v.Fill(elsewhere, x) // DRF
		for j := range elsewhere {
			if rng.IntN(2) == 0 {
				elsewhere[j] = 2 * rng.Float64() * env.Gamma(j, 0) / float64(len(env.Users))
			}
		}
		want := make([]float64, len(env.Users))
		v.Fill(elsewhere, want)
		if !literal(env, 0, elsewhere, x, 1e-9) {
			continue
		}
		ended++
		for j := range want {
			if math.Abs(x[j]-want[j]) > 1e-5*env.Gamma(j, 0) {
				t.Errorf("environment %d: user %d has %v, Fill gives %v", seed, j, x, want)
				break
			}
		}
	}
	if ended < 280 {
		t.Errorf("the printed procedure ended in %d of 300 environments only", ended)
	}
}

// rounds is Algorithm I, plain, but for Fill: the servers act in turn, among all
// their users, until nothing changes. It returns the totals and the number of
// rounds; false if there are more than most.
func rounds(env *cluster.Environment, most int) (tasks []float64, made int, ok bool) {
	servers, x := make([]*Server, len(env.Servers)), make([][]float64, len(env.Servers))
	tasks = make([]float64, len(env.Users))
	for s := range servers {
		servers[s] = NewServer(env, s)
		x[s] = make([]float64, len(servers[s].Users))
		servers[s].Fill(make([]float64, len(x[s])), x[s])
		for i, j := range servers[s].Users {
			tasks[j] += x[s][i]
		}
	}
	for ; made < most; made++ {
		change := 0.0
		for s, v := range servers {
			elsewhere, now := make([]float64, len(x[s])), make([]float64, len(x[s]))
			for i, j := range v.Users {
				elsewhere[i] = math.Max(tasks[j]-x[s][i], 0)
			}
			v.Fill(elsewhere, now)
			for i, j := range v.Users {
				tasks[j] = elsewhere[i] + now[i]
				if now[i] != x[s][i] {
					change = math.Max(change, math.Abs(now[i]-x[s][i])/tasks[j])
				}
			}
			x[s] = now
		}
		if change <= settled {
			return tasks, made, true
		}
	}
	return tasks, made, false
}

// Solve comes to rest by whole steps where plain rounds end, there only, and at
// the same allocation. After many rounds it may jump, which may leave the pattern
// of a few and so end beside where they end.
func TestSolveLeadsWherePlainRoundsLead(t *testing.T) {
	compared := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 2200))
		env := twin.Random(rng, twin.Options{Users: 2 + rng.IntN(9), Servers: 2 + rng.IntN(5), Resources: 1 + rng.IntN(3),
			Weights: rng.IntN(2) == 0, Eligibility: rng.IntN(2) == 0, ZeroDemands: rng.IntN(4) == 0, DemandOn: rng.IntN(4) == 0})
		want, made, ok := rounds(env, 20_000)
		r, err := Solve(env)
		if err != nil || ok != (r.Step == 1) {
			t.Errorf("environment %d: %d plain rounds (%t), but %v", seed, made, ok, err)
			continue
		}
		if !ok {
			continue
		}
		compared++
		tolerance := 1e-9
		if made > 500 {
			tolerance = 1e-6
		}
		for j, x := range want {
			if math.Abs(x-r.Allocation.Tasks[j]) > tolerance*x {
				t.Errorf("environment %d: user %d has %.12g, %.12g after %d plain rounds", seed, j, r.Allocation.Tasks[j], x, made)
			}
		}
	}
	if compared < 2980 {
		t.Errorf("plain rounds ended in %d of 3000 environments only", compared)
	}
}

// Where nobody is constrained, users who need the same resource most everywhere
// trade places at constant speed for hundreds of rounds. Leaps follow them.
func TestSolveLeadsWherePlainRoundsLeadWithoutConstraints(t *testing.T) {
	long := 0
	for seed := range uint64(60) {
		env := benchmark(20+int(seed), 4+int(seed)%7, seed)
		want, made, ok := rounds(env, 20_000)
		r, err := Solve(env)
		if !ok || err != nil || r.Step != 1 {
			t.Errorf("environment %d: %d rounds (%t), %v", seed, made, ok, err)
			continue
		}
		if made > 2*r.Sweeps {
			long++
		}
		for j, x := range want {
			if math.Abs(x-r.Allocation.Tasks[j]) > 1e-10*x {
				t.Errorf("environment %d: user %d has %.12g, %.12g after %d plain rounds", seed, j, r.Allocation.Tasks[j], x, made)
			}
		}
	}
	if long < 20 {
		t.Errorf("only %d of 60 environments were leapt over", long)
	}
}

// benchmark is [twin.Benchmark] without its link, which PS-DSF does not have.
func benchmark(users, servers int, seed uint64) *cluster.Environment {
	env := twin.Benchmark(users, servers, seed)
	env.Links = nil
	for j := range env.Users {
		env.Users[j].LinkDemand = nil
	}
	return env
}

// cycling is an environment in which Algorithm I goes round for ever.
func cycling() *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
	for s, c := range [][]float64{{2, 2, 4}, {1, 6, 4}, {1, 2, 1}} {
		env.Servers = append(env.Servers, cluster.Server{Name: string(rune('A' + s)), Capacity: c, Count: 1})
	}
	for j, d := range [][]float64{{1, 0, 3}, {0, 3, 2}, {3, 3, 0}} {
		env.Users = append(env.Users, cluster.NewUser(string(rune('a'+j)), d))
	}
	return env
}

func TestAlgorithmIGoesRound(t *testing.T) {
	st := newState(cycling(), usual)
	seen := map[[3]float64]int{}
	period := 0
	for k := range 10_000 {
		if change, _ := st.sweep(1); change <= settled {
			t.Fatalf("it comes to rest after %d rounds", k)
		}
		st.sum()
		at := [3]float64{}
		for j, x := range st.tasks {
			at[j] = math.Round(x * 1e9)
		}
		if k > 9_000 {
			if before, again := seen[at]; again && period == 0 {
				period = k - before
			}
			seen[at] = k
		}
	}
	if period < 2 {
		t.Errorf("period %d", period)
	}
	r, err := Solve(cycling())
	if err != nil {
		t.Fatal(err)
	}
	if r.Step == 1 {
		t.Error("Solve needs no smaller steps")
	}
}

// Two rounds of bookkeeping: what a server says it stopped by is what it needs
// and has used up.
func TestFrozenNamesASaturatedResource(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2300))
		env := twin.Random(rng, twin.Options{Users: 6, Servers: 1, Resources: 3, ZeroDemands: true, ZeroCapacities: true, Weights: true})
		v := NewServer(env, 0)
		elsewhere, x := make([]float64, len(v.Users)), make([]float64, len(v.Users))
		for i, j := range v.Users {
			elsewhere[i] = rng.Float64() * env.Gamma(j, 0) / 3
		}
		v.Fill(elsewhere, x)
		for i := range v.Users {
			r := v.Frozen[i]
			used := 0.0
			for k := range v.Users {
				used += x[k] * v.needs(k)[r]
			}
			if v.needs(i)[r] == 0 || math.Abs(used-1) > 1e-12 {
				t.Fatalf("environment %d: user %d is stopped by %d, of which %g is used", seed, i, r, used)
			}
		}
	}
}
