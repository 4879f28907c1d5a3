package policies

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// normalised is a random cluster with one user: awkward numbers of all sizes,
// links that nest and that overlap, demands and capacities of 0.
func normalised(rng *rand.Rand) *cluster.Environment {
	number := func() float64 {
		switch rng.IntN(6) {
		case 0:
			return 0
		case 1:
			return float64(1+rng.IntN(30)) / 10
		}
		return math.Pow(10, 6*rng.Float64()-3)
	}
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
	n := 1 + rng.IntN(12)
	for s := range n {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: []float64{number(), number(), number()}, Count: 1 + rng.IntN(9)})
	}
	u := cluster.NewUser("u", []float64{number(), number(), number()})
	for e := range rng.IntN(5) {
		link := cluster.Link{Name: fmt.Sprint("l", e), Capacity: 10 * number()}
		if rng.IntN(2) == 0 {
			link.Servers = cluster.NewSet(n, rng.IntN(n), rng.IntN(n), rng.IntN(n))
		}
		env.Links, u.LinkDemand = append(env.Links, link), append(u.LinkDemand, number())
	}
	if rng.IntN(3) == 0 {
		u.Eligible = cluster.NewSet(n, rng.IntN(n), rng.IntN(n))
	}
	if rng.IntN(4) == 0 {
		u.DemandOn = map[int][]float64{rng.IntN(n): {number(), number(), number()}}
	}
	env.Users = []cluster.User{u}
	return env
}

// What every rule returns as N is within its bound of the rational number.
func TestNormalisersAreWithinTheirBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	finite, overlap := 0, 0
	for k := range 600 {
		env := normalised(rng)
		for _, meta := range All() {
			p, err := New(meta.Name)
			if err != nil {
				t.Fatal(err)
			}
			rule, egalitarian := p.(Normalizer)
			if !egalitarian {
				continue
			}
			near, err := rule.Normalize(env)
			if err != nil {
				continue // the rule refuses the environment
			}
			r := RationalsOf(rule, env)
			n, err := r.Of(&env.Users[0], near[0])
			if err != nil {
				t.Fatalf("environment %d, %s: %v", k, meta.Name, err)
			}
			if n == nil || math.IsInf(near[0], 1) || near[0] == 0 || n.Sign() == 0 {
				if (n == nil) != math.IsInf(near[0], 1) || (n != nil && n.Sign() == 0) != (near[0] == 0) {
					t.Fatalf("environment %d, %s: N is %g in doubles and %v", k, meta.Name, near[0], n)
				}
				continue
			}
			bound := r.Error
			if math.IsInf(bound, 1) {
				overlap++
				bound = 1e-9 // nothing is claimed; it is the same number all the same
			}
			finite++
			off := new(big.Rat).SetFloat64(near[0])
			off.Quo(off.Sub(off, n), n)
			if off.Abs(off).Cmp(new(big.Rat).SetFloat64(bound)) > 0 {
				f, _ := off.Float64()
				t.Fatalf("environment %d, %s: N = %g is off by %g of it, the bound is %g", k, meta.Name, near[0], f, bound)
			}
		}
	}
	if finite < 4000 || overlap < 400 {
		t.Errorf("only %d finite N, %d with links that overlap", finite, overlap)
	}
}
