package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The prices of capacities and of rows against envy are a dual solution: with what a task of
// i on s costs at them, rows against envy included, at least what it is worth, and what the
// lower bounds cost taken off, they prove the optimum. So they do in extended precision.
func TestEnvyPricesProveTheOptimum(t *testing.T) {
	priced := [2]int{}
	for seed := range uint64(120) {
		env := twin.Random(rand.New(rand.NewPCG(seed, 1600)), []twin.Options{
			{Users: 5, Servers: 3, Resources: 2, Links: 1, Weights: true, Eligibility: true},
			{Users: 4, Servers: 2, Resources: 3, Links: 2, Weights: true, ZeroDemands: true},
			{Users: 4, Servers: 3, Resources: 2, DemandOn: true, Eligibility: true},
		}[seed%3])
		q := LinearProblem{Value: make([]float64, len(env.Users)), Lower: env.EqualShares(nil), EnvyFree: true}
		for j, eta := range env.Etas(nil) {
			if eta > 0 {
				q.Value[j] = env.Users[j].Weight / eta
			}
		}
		for k, how := range []string{"doubles", "extended precision"} {
			var s Linear
			s.env = env
			s.prog.load(env)
			a, err := s.solve(q)
			if k == 1 {
				a, err = s.extend(q, errPivots)
			}
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, how, err)
				continue
			}
			value := 0.0
			for j, x := range a.Tasks {
				value += q.Value[j] * x
			}
			proved, n := dualOf(t, env, q, a, fmt.Sprintf("seed %d, %s", seed, how))
			if math.Abs(proved-value) > 1e-8*value {
				t.Errorf("seed %d, %s: the prices prove %.12g, the welfare is %.12g", seed, how, proved, value)
			}
			priced[k] += n
		}
	}
	if t.Log(priced); priced[0] < 50 || priced[1] < 50 {
		t.Error("few prices of envy: ", priced)
	}
}

// dualOf returns the dual value of the prices of an allocation, and how many rows against
// envy have one.
func dualOf(t *testing.T, env *cluster.Environment, q LinearProblem, a *cluster.Allocation, what string) (value float64, priced int) {
	for row, price := range a.Prices {
		value += price * env.RowCapacity(row)
	}
	for _, e := range a.EnvyPrices {
		if e.Price < 0 {
			t.Errorf("%s: the price %g", what, e.Price)
		}
		if e.Price > 1e-9 {
			priced++
		}
	}
	for i := range env.Users {
		least := math.Inf(1)
		for s := range env.Servers {
			if !env.MayRun(i, s) || env.Psi(i, s) == 0 {
				continue
			}
			cost := 0.0
			for r, d := range env.Demand(i, s) {
				cost += d * a.Prices[env.Row(s, r)]
			}
			for e := range env.Links {
				if env.Reaches(e, s) {
					cost += a.Prices[env.LinkRow(e)] * env.LinkDemand(i, e)
				}
			}
			for _, e := range a.EnvyPrices {
				if e.Envied == i {
					cost += e.Price * twin.Worth(env, e.Envier, i, s)
				}
				if e.Envier == i {
					cost -= e.Price
				}
			}
			least = min(least, cost)
		}
		if math.IsInf(least, 1) {
			continue
		}
		if least < q.Value[i]*(1-1e-8) {
			t.Errorf("%s: a task of user %d costs %g, less than %g", what, i, least, q.Value[i])
		}
		value -= (least - q.Value[i]) * q.Lower[i]
	}
	return value, priced
}
