package solve

import (
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// Against all pairs of users, one by one: the first row is that of the most envy of all, no
// user has more rows than it may have, and there are none only where nobody envies anybody.
func TestTheWorstEnvyIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	none := 0
	for n := range 400 {
		opt := twin.Options{Users: 1 + rng.IntN(100), Servers: 1 + rng.IntN(3), Resources: 1 + rng.IntN(3), Links: rng.IntN(2), Weights: true,
			ZeroDemands: n%3 == 0, DemandOn: n%4 == 0, Eligibility: n%5 == 0}
		env := twin.Random(rng, opt)
		var p program
		p.load(env)
		var b basis
		b.reset(&p)
		x := make([]float64, p.users*p.servers)
		for j := range p.users {
			b.here[j] = p.servable(j)
			spread := 1.0
			if n%2 == 0 {
				spread = 1 + rng.Float64() // else equal shares, but for rounding
			}
			for s := range p.servers {
				if p.open(j, s) {
					x[j*p.servers+s] = env.Users[j].Weight * spread / p.need(j, s)
				}
			}
		}
		var f envyFinder
		f.load(env, &p, nil)
		rows := f.worst(&b, x)
		worst := mostEnvy(&f, &b, x)
		if len(rows) == 0 {
			none++
			if worst.worth > 1+tolEnvy {
				t.Fatalf("%d: no rows, but %d envies %d by %g", n, worst.j, worst.i, worst.worth)
			}
			continue
		}
		if rows[0].envier != worst.j || rows[0].source != worst.i {
			t.Fatalf("%d: the first row is of %d against %d, the most envy is %+v", n, rows[0].envier, rows[0].source, worst)
		}
		enviers, sources := map[int]int{}, map[int]int{}
		for _, row := range rows {
			if enviers[row.envier]++; enviers[row.envier] > envyRowsEach {
				t.Errorf("%d: %d rows of one user", n, enviers[row.envier])
			}
			if sources[row.source]++; sources[row.source] > 1 {
				t.Errorf("%d: %d rows against one user", n, sources[row.source])
			}
		}
	}
	if none < 10 || none > 300 {
		t.Errorf("%d environments without envy", none)
	}
}

// mostEnvy is the slow twin of worst.
func mostEnvy(f *envyFinder, b *basis, x []float64) (worst envy) {
	totals := f.totals(x)
	for j := range totals {
		for i := range totals {
			if i == j || !b.here[j] || totals[i] == 0 || totals[j] == 0 {
				continue
			}
			value := 0.0
			for s := range f.p.servers {
				value += x[i*f.p.servers+s] * f.on(j, i, s)
			}
			if v := value / totals[j]; v > worst.worth*(1+1e-13) {
				worst = envy{j, i, v}
			}
		}
	}
	return worst
}
