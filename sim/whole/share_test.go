package whole

import (
	"errors"
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// defined returns N of a user from the definition of the rule, in rational
// numbers; nil for +Inf. η is the optimum of the linear program.
func defined(t *testing.T, rule string, env *cluster.Environment, u *cluster.User) *big.Rat {
	t.Helper()
	switch {
	case rule == "egalitarian":
		return big.NewRat(1, 1)
	case strings.HasPrefix(rule, "cmmf"):
		r := slices.Index(env.Resources, rule[len("cmmf-"):])
		return definedSingle(env.With([]cluster.User{*u}), r)
	case strings.HasPrefix(rule, "drf"):
		return definedDominant(env, u, rule != "drfh")
	}
	n, err := exact.New(env.With([]cluster.User{*u})).Alone(0, rule == "cdrf")
	if errors.Is(err, exact.ErrUnbounded) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func definedSingle(env *cluster.Environment, r int) *big.Rat {
	sum := new(big.Rat)
	for s, server := range env.Servers {
		if env.Demand(0, s)[r] == 0 {
			return nil
		}
		n := new(big.Rat).Quo(exact.Rational(server.Capacity[r]), exact.Rational(env.Demand(0, s)[r]))
		sum.Add(sum, n.Mul(n, big.NewRat(int64(server.Count), 1)))
	}
	return sum
}

func definedDominant(env *cluster.Environment, u *cluster.User, links bool) *big.Rat {
	var least *big.Rat
	take := func(all *big.Rat, need float64) {
		if need > 0 {
			if n := new(big.Rat).Quo(all, exact.Rational(need)); least == nil || n.Cmp(least) < 0 {
				least = n
			}
		}
	}
	for r, d := range u.Demand {
		all := new(big.Rat)
		for _, server := range env.Servers {
			all.Add(all, new(big.Rat).Mul(exact.Rational(server.Capacity[r]), big.NewRat(int64(server.Count), 1)))
		}
		take(all, d)
	}
	for e, d := range u.LinkDemand {
		if links {
			take(exact.Rational(env.Links[e].Capacity), d)
		}
	}
	return least
}

// Shares of few values, with weights to match, so that most of them are equal to
// others as rational numbers: whoever compares doubles, or exact values of
// doubles, serves the wrong user.
func TestEqualSharesAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	names := []string{"tsf-er", "tsf", "cdrf", "drfh", "drf-er", "drf", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq", "cmmf-cpu", "cmmf-mem", "egalitarian"}
	tenths := func(n int) float64 { return float64(n) / 10 }
	var c comparison
	for k := range 1200 {
		name := names[k%len(names)]
		env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
		for s := range 1 + rng.IntN(3) {
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Count: 1 + rng.IntN(2),
				Capacity: []float64{tenths(5 + rng.IntN(30)), tenths(5 + rng.IntN(30))}})
		}
		if !strings.Contains(name, "-") || strings.HasSuffix(name, "er") {
			env.Links = []cluster.Link{{Name: "l", Capacity: tenths(10 + rng.IntN(50))}}
		}
		var jobs []sim.Job
		for j := range 3 + rng.IntN(5) {
			d := tenths(1 + rng.IntN(7))
			u := cluster.NewUser(fmt.Sprint("u", j), []float64{d, d})
			if len(env.Links) > 0 {
				u.LinkDemand = []float64{d}
			}
			u.Weight = tenths(1 + rng.IntN(12))
			jobs = append(jobs, sim.Job{User: u, Tasks: 1 + rng.Int64N(9), Duration: event.Time(1+rng.IntN(4)) * 1e6})
		}
		c.run(t, fmt.Sprint("workload ", k), env, jobs, name, []event.Time{0, 3e6}[k%2], false)
	}
	if c.starts < 20000 {
		t.Errorf("only %d starts", c.starts)
	}
}

// Numbers of many digits, of all sizes, and such that shares are almost equal.
func TestAlmostEqualSharesAreNot(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	names := []string{"tsf-er", "tsf", "cdrf", "drfh", "drf-er", "cmmf-cpu", "egalitarian"}
	var c comparison
	for k := range 600 {
		size := math.Pow(10, float64([]int{0, 3, -7, 140, -140}[rng.IntN(5)]))
		env := &cluster.Environment{Resources: []string{"cpu"}}
		for s := range 1 + rng.IntN(3) {
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Count: 1, Capacity: []float64{size * (1 + rng.Float64())}})
		}
		var jobs []sim.Job
		d := size * (0.05 + 0.2*rng.Float64())
		for j := range 3 + rng.IntN(4) {
			u := cluster.NewUser(fmt.Sprint("u", j), []float64{d * float64(1+rng.IntN(3))})
			u.Demand[0] = math.Nextafter(u.Demand[0], []float64{0, size}[rng.IntN(2)])
			u.Weight = math.Pow(10, float64([]int{0, 145, -145}[rng.IntN(3)]*(k%2))) * float64(1+rng.IntN(3))
			jobs = append(jobs, sim.Job{User: u, Tasks: 1 + rng.Int64N(9), Duration: event.Time(1+rng.IntN(4)) * 1e6})
		}
		c.run(t, fmt.Sprint("workload ", k), env, jobs, names[k%len(names)], 0, false)
	}
	if c.starts < 8000 {
		t.Errorf("only %d starts", c.starts)
	}
}

// Servers with the same amounts in another order fit equally well, whatever the
// order of the sum of squares; with many of them the index has to see it too.
func TestEqualFitsAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 76))
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	var c comparison
	for k := range 300 {
		env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
		amounts := []float64{float64(2+rng.IntN(7)) / 10, float64(2+rng.IntN(7)) / 10, float64(2+rng.IntN(7)) / 10}
		for s, order := range orders {
			capacity := []float64{amounts[order[0]], amounts[order[1]], amounts[order[2]]}
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1 + rng.IntN(2)})
		}
		rng.Shuffle(len(env.Servers), func(i, j int) { env.Servers[i], env.Servers[j] = env.Servers[j], env.Servers[i] })
		var jobs []sim.Job
		for j := range 4 {
			d := 0.1
			if rng.IntN(3) == 0 {
				d = 0.05
			}
			jobs = append(jobs, sim.Job{User: cluster.NewUser(fmt.Sprint("u", j), []float64{d, d, d}), Arrival: event.Time(j/2) * 1e6, Tasks: 1 + rng.Int64N(9), Duration: event.Time(1+rng.IntN(4)) * 1e6})
		}
		c.run(t, fmt.Sprint("workload ", k), env, jobs, "tsf", 0, false)
	}
	if c.starts < 5000 {
		t.Errorf("only %d starts", c.starts)
	}
}

// Servers that differ in the last digit fit differently, if doubles tell it or
// not, on whatever side of the index they are.
func TestAlmostEqualFitsAreNot(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 78))
	var c comparison
	for k := range 40 {
		env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
		for s := range 30 {
			capacity := []float64{0.7, 0.9}
			for range rng.IntN(3) {
				r := rng.IntN(2)
				capacity[r] = math.Nextafter(capacity[r], float64(2*rng.IntN(2)))
			}
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1})
		}
		var jobs []sim.Job
		for j := range 3 {
			u := cluster.NewUser(fmt.Sprint("u", j), []float64{0.1 + 0.4*rng.Float64(), 0.1 + 0.4*rng.Float64()})
			jobs = append(jobs, sim.Job{User: u, Tasks: 1 + rng.Int64N(15), Duration: 1e6})
		}
		c.run(t, fmt.Sprint("workload ", k), env, jobs, "tsf", 0, false)
	}
	if c.starts < 800 {
		t.Errorf("only %d starts", c.starts)
	}
}
