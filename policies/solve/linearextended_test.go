package solve

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The linear program in extended precision attains the optimum in rational
// numbers, bounds, caps and rows against envy included.
func TestExtendedLinearAgreesWithRationals(t *testing.T) {
	for k, opt := range []twin.Options{
		{Users: 4, Servers: 2, Resources: 2, Links: 2, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true, Caps: true},
		{Users: 3, Servers: 3, Resources: 2, Links: 1, Weights: true, ZeroCapacities: true, ZeroDemands: true, DemandOn: true},
		{Users: 3, Servers: 2, Resources: 2, Links: 1, Weights: true, Decades: 6},
	} {
		for seed := range uint64(25) {
			env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+1300)), opt)
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			q := LinearProblem{Value: make([]float64, len(env.Users)), Lower: env.EqualShares(nil), EnvyFree: k == 2}
			for j, eta := range env.EtasEligible(nil) {
				if eta > 0 {
					q.Value[j] = env.Users[j].Weight / eta
				}
				q.Lower[j] *= 0.9
			}
			var s Linear
			s.env = env
			s.prog.load(env)
			a, err := s.extend(q, errPivots)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			got := 0.0
			for j, x := range a.Tasks {
				got += q.Value[j] * x
			}
			if want := rationalWelfare(t, env, q); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: welfare %.17g, want %.17g", what, got, want)
			}
			if err := a.Feasible(1e-12); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// rationalWelfare returns the optimum of q.
func rationalWelfare(t *testing.T, env *cluster.Environment, q LinearProblem) float64 {
	t.Helper()
	e := exact.New(env)
	p, c := e.Region(0), map[int]*big.Rat{}
	for j := range q.Value {
		p.AtLeast(e.Total(j), exact.Rational(q.Lower[j]))
		for col := range e.Total(j) {
			c[col] = exact.Rational(q.Value[j])
		}
		for i := range q.Value {
			if q.EnvyFree && i != j {
				row := e.Total(j)
				for s := range e.Capacity {
					if e.May[i][s] {
						row[i*len(e.Capacity)+s] = new(big.Rat).Neg(e.Worth(j, i, s))
					}
				}
				p.AtLeast(row, new(big.Rat))
			}
		}
	}
	best, _, err := p.Maximize(c)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := best.Float64()
	return f
}

// Two users, the link behind which one cannot run, and needs over 15 decades: a
// basic variable was let in again and again, its price being taken for dust.
func TestTwoUsersOverManyDecades(t *testing.T) {
	f, err := os.Open("../testdata/two-users-wide.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env, err := cluster.ReadEnvironment(f)
	if err != nil {
		t.Fatal(err)
	}
	var s MaxMin
	s.Load(env, []float64{1, 1})
	s.Add(0)
	s.Add(1)
	if err := s.start(); err == errPivots {
		t.Errorf("doubles: %v", err)
	}
	a, err := s.Solve()
	if err != nil {
		t.Fatal(err)
	}
	// Server s3 is shared, and s5 gives u6 5e-9: t·10000 + (t − 5e-9)·3e-7 = 1.
	want := (1 + 5e-9*3e-7) / (10000 + 3e-7)
	sameTotals(t, "max-min", a.Tasks, []float64{want, want}, 1e-9)
	factor, _, err := Domination(env, a.Tasks)
	if err != nil || factor > 1+1e-5 {
		t.Errorf("domination factor %g, %v", factor, err)
	}
}
