package solve

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// norms returns w[j]·(tasks that the largest server alone can hold): any
// positive normaliser serves to compare solvers.
func norms(env *cluster.Environment) []float64 {
	var p program
	p.load(env)
	norm := make([]float64, len(env.Users))
	for j := range norm {
		norm[j] = env.Users[j].Weight * p.gamma(j)
	}
	return norm
}

func solveMaxMin(env *cluster.Environment, norm []float64) (*cluster.Allocation, error) {
	var s MaxMin
	s.Load(env, norm)
	for j := range env.Users {
		s.Add(j)
	}
	return s.Solve()
}

func sameTotals(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for j := range want {
		if math.Abs(got[j]-want[j]) > tol*math.Max(1e-9, math.Abs(want[j])) {
			t.Fatalf("%s: user %d has %.12g tasks, want %.12g", what, j, got[j], want[j])
		}
	}
}

// wantLowest compares the smallest share of an allocation with the optimum of
// the first round in rational arithmetic.
func wantLowest(t *testing.T, what string, env *cluster.Environment, got, norm []float64) {
	t.Helper()
	e := exact.New(env)
	p := e.Region(1)
	lowest, g := math.Inf(1), p.Columns-1
	for j := range norm {
		lowest = math.Min(lowest, got[j]/norm[j])
		row := e.Total(j)
		row[g] = new(big.Rat).Neg(exact.Rational(norm[j]))
		p.AtLeast(row, new(big.Rat))
	}
	best, _, err := p.Maximize(map[int]*big.Rat{g: big.NewRat(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := best.Float64(); math.Abs(lowest-want) > 1e-9*want {
		t.Errorf("%s: lowest share %.12g, want %.12g", what, lowest, want)
	}
}

// kinds are the environments that every solver is tried on.
var kinds = []twin.Options{
	{Users: 1, Servers: 1, Resources: 1},
	{Users: 5, Servers: 3, Resources: 2, Links: 1},
	{Users: 12, Servers: 4, Resources: 3, Links: 1, Weights: true},
	{Users: 8, Servers: 4, Resources: 2, Eligibility: true, Weights: true},
	{Users: 8, Servers: 5, Resources: 2, Links: 3, ZeroDemands: true},
	{Users: 9, Servers: 4, Resources: 2, Links: 1, Caps: true, Weights: true},
	{Users: 7, Servers: 4, Resources: 3, Links: 2, ZeroDemands: true, ZeroCapacities: true, Eligibility: true},
	{Users: 8, Servers: 3, Resources: 2, Links: 2, DemandOn: true, Caps: true, Eligibility: true, Weights: true, ZeroDemands: true},
	{Users: 6, Servers: 3, Resources: 2, Links: 1, Decades: 12},
}

func TestMaxMinAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		for seed := range longOr(60, 25) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			env := twin.Random(rng, opt)
			norm := norms(env)
			got, err := solveMaxMin(env, norm)
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if opt.Decades > 0 {
				// Later rounds are not determined in double precision: one
				// part in 1e16 of a demand is more than all of another. The
				// first round is, and the certificate covers the others. The
				// twin's dense tableau is off by up to 1e-6 here.
				wantLowest(t, what, env, got.Tasks, norm)
				continue
			}
			want, err := twin.MaxMin(env, norm)
			if err != nil {
				t.Fatal(err)
			}
			sameTotals(t, what, got.Tasks, want, 1e-7)
		}
	}
}

// longOr is how many random environments of a kind are looked at: many in make test-long,
// fewer in make test.
func longOr(many, few uint64) uint64 {
	if os.Getenv("LEONTIEF_LONG") != "" {
		return many
	}
	return few
}

// A session must end where a fresh start does, whatever came before.
func TestMaxMinRestartsAgreeWithFreshStarts(t *testing.T) {
	many := []twin.Options{ // servers enough to measure users before they are looked at
		{Users: 10, Servers: 12, Resources: 2, Links: 1, Weights: true},
		{Users: 10, Servers: 9, Resources: 2, Links: 1, Eligibility: true, DemandOn: true},
		{Users: 10, Servers: 10, Resources: 2},
	}
	for k, opt := range append(many, kinds...) {
		opt.Users *= 3
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+100))
			env := twin.Random(rng, opt)
			norm := norms(env)
			var s MaxMin
			s.Load(env, norm)
			here := map[int]bool{}
			for event := range 40 {
				j := rng.IntN(len(env.Users))
				if here[j] {
					s.Remove(j)
				} else {
					s.Add(j)
				}
				here[j] = !here[j]
				got, err := s.Solve()
				if err != nil {
					t.Fatalf("kind %d seed %d event %d: %v", k, seed, event, err)
				}
				var idx []int
				var sub []float64
				for j := range env.Users {
					if here[j] {
						idx = append(idx, j)
						sub = append(sub, norm[j])
					} else if got.Tasks[j] != 0 {
						t.Fatalf("user %d is absent and has %g tasks", j, got.Tasks[j])
					}
				}
				want, err := solveMaxMin(env.Subset(idx), sub)
				if err != nil {
					t.Fatal(err)
				}
				for i, j := range idx {
					if math.Abs(got.Tasks[j]-want.Tasks[i]) > 1e-8*math.Max(1e-9, want.Tasks[i]) {
						t.Fatalf("kind %d seed %d event %d: user %d: %.12g after restarts, %.12g afresh", k, seed, event, j, got.Tasks[j], want.Tasks[i])
					}
				}
			}
		}
	}
}

// What a dual ratio test takes for the fastest that a user offers is at least what
// each of its servers does, whichever variable leaves.
func TestNoVariableIsFasterThanMeasured(t *testing.T) {
	env := twin.Random(rand.New(rand.NewPCG(3, 4)), twin.Options{Users: 40, Servers: 12, Resources: 2})
	var s MaxMin
	s.Load(env, norms(env))
	for j := range env.Users {
		s.Add(j)
	}
	if _, err := s.Solve(); err != nil {
		t.Fatal(err)
	}
	b, positive := &s.basis, 0
	for i := range b.in {
		b.row = b.rowAt(b.row, i)
		row := make([]float64, b.m)
		for at, k := range b.tight {
			row[k] = b.row[at]
		}
		b.rays.set(b.program, row)
		for _, falling := range []bool{false, true} {
			test := dualTest{b: b, row: row, falling: falling}
			if first := test.measure(); first >= 0 && b.speeds[first] < slices.Max(b.speeds) {
				t.Errorf("position %d: user %d is not the fastest", i, first)
			}
			for j := range env.Users {
				for v := range env.Servers {
					a := b.rays.on(j, v) - b.rays.on(j, b.key[j])
					if falling || a < 0 {
						a = -a
					}
					if a > b.speeds[j]+1e-12*math.Abs(a) {
						t.Errorf("position %d: user %d offers %g on server %d, measured %g", i, j, a, v, b.speeds[j])
					}
					if a > 0 {
						positive++
					}
				}
			}
		}
	}
	if positive < 1000 {
		t.Errorf("only %d entries are positive", positive)
	}
}

func TestMaxMinLarge(t *testing.T) {
	for _, size := range [][2]int{{20, 3}, {100, 20}, {100, 100}, {1000, 20}, {1000, 100}} {
		env := twin.Benchmark(size[0], size[1], 1)
		a, err := solveMaxMin(env, norms(env))
		var u *UncertifiedError
		if errors.As(err, &u) || err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		t.Logf("%v: %+v", size, a.Certificate)
	}
}

// Users whose demands a rule does not see are filled first.
func TestMaxMinInfiniteNormsAgreeWithTwin(t *testing.T) {
	for k, opt := range kinds {
		if opt.Decades > 0 {
			continue
		}
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+600))
			env := twin.Random(rng, opt)
			norm := norms(env)
			for j := range norm {
				if norm[j] > 0 && rng.IntN(3) == 0 {
					norm[j] = math.Inf(1)
				}
			}
			want, err := twin.MaxMin(env, norm)
			if err != nil {
				t.Fatal(err)
			}
			got, err := solveMaxMin(env, norm)
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			for j, x := range want {
				// Where the first users leave nothing, the twin's rounding shows.
				if math.Abs(got.Tasks[j]-x) > 1e-7*x+1e-10*env.Eta(j) {
					t.Errorf("%s: user %d has %.12g tasks, want %.12g", what, j, got.Tasks[j], x)
				}
			}
		}
	}
}
