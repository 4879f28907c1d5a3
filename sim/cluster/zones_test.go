package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func randomProgram(rng *rand.Rand, laminar bool) *Environment {
	servers, links := 1+rng.IntN(4), 1+rng.IntN(3)
	env := &Environment{Resources: []string{"cpu", "mem"}}
	for s := range servers {
		env.Servers = append(env.Servers, Server{Name: fmt.Sprint("s", s), Capacity: []float64{rng.Float64(), float64(rng.IntN(2))}, Count: 1 + rng.IntN(2)})
	}
	u := NewUser("u", []float64{rng.Float64() * float64(rng.IntN(3)), rng.Float64()})
	for e := range links {
		set := NewSet(servers)
		low, high := rng.IntN(servers), rng.IntN(servers+1)
		for s := range servers {
			// Suffixes are nested in one another.
			if laminar && s >= low || !laminar && (s == high || rng.IntN(2) == 0) {
				set.Add(s)
			}
		}
		env.Links = append(env.Links, Link{fmt.Sprint("l", e), math.Round(4*rng.Float64()) / 2, set})
		u.LinkDemand = append(u.LinkDemand, rng.Float64()*float64(rng.IntN(3)))
	}
	if rng.IntN(2) == 0 {
		u.DemandOn = map[int][]float64{rng.IntN(servers): {rng.Float64(), 1}}
	}
	if rng.IntN(2) == 0 {
		u.Eligible = NewSet(servers, rng.IntN(servers), rng.IntN(servers))
	}
	env.Users = []User{u}
	return env
}

// vertices is the obvious twin of the one-user program: it tries every choice
// of as many constraints as there are servers, and keeps the best point that
// satisfies all of them.
func vertices(env *Environment, j int, may Set) float64 {
	n := len(env.Servers)
	var rows [][]float64 // coefficients, then the right-hand side: row·x <= rhs
	for s := range n {
		low, high := make([]float64, n+1), make([]float64, n+1)
		low[s], high[s] = -1, 1
		if may.Has(s) {
			high[n] = env.Gamma(j, s)
		}
		rows = append(rows, low)
		if !math.IsInf(high[n], 1) {
			rows = append(rows, high)
		}
	}
	for e := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 {
			row := make([]float64, n+1)
			for s := range n {
				if env.Reaches(e, s) {
					row[s] = 1
				}
			}
			row[n] = env.Links[e].Capacity / d
			rows = append(rows, row)
		}
	}
	best := 0.0
	var choose func(from int, tight [][]float64)
	choose = func(from int, tight [][]float64) {
		if len(tight) == n {
			if x := meet(tight); x != nil && satisfies(rows, x) {
				total := 0.0
				for _, v := range x {
					total += v
				}
				best = math.Max(best, total)
			}
			return
		}
		for i := from; i < len(rows); i++ {
			choose(i+1, append(tight[:len(tight):len(tight)], rows[i]))
		}
	}
	choose(0, nil)
	return best
}

func satisfies(rows [][]float64, x []float64) bool {
	for _, row := range rows {
		lhs := 0.0
		for s, v := range x {
			lhs += row[s] * v
		}
		if lhs > row[len(x)]+1e-9 {
			return false
		}
	}
	return true
}

// meet solves the equations by elimination; nil if they are dependent.
func meet(equations [][]float64) []float64 {
	n := len(equations)
	m := make([][]float64, n)
	for i := range m {
		m[i] = append([]float64(nil), equations[i]...)
	}
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(m[i][k]) > math.Abs(m[p][k]) {
				p = i
			}
		}
		if math.Abs(m[p][k]) < 1e-9 {
			return nil
		}
		m[k], m[p] = m[p], m[k]
		for i := range n {
			if i != k {
				f := m[i][k] / m[k][k]
				for l := k; l <= n; l++ {
					m[i][l] -= f * m[k][l]
				}
			}
		}
	}
	x := make([]float64, n)
	for k := range n {
		x[k] = m[k][n] / m[k][k]
	}
	return x
}

func TestEtaEqualsTheBestVertex(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	simplex, positive := 0, 0
	for i := range 5000 {
		env := randomProgram(rng, i%3 == 0)
		if newAlone(env).zones != nil {
			simplex++
		}
		for name, pair := range map[string][2]float64{
			"η":  {env.Eta(0), vertices(env, 0, nil)},
			"η'": {env.EtaEligible(0), vertices(env, 0, env.Users[0].Eligible)},
		} {
			if pair[1] > 0 {
				positive++
			}
			if math.Abs(pair[0]-pair[1]) > 1e-9*math.Max(1, pair[1]) {
				t.Fatalf("program %d: %s = %v, best vertex %v\n%+v", i, name, pair[0], pair[1], env)
			}
		}
	}
	if simplex < 300 || positive < 3000 {
		t.Errorf("only %d programs took the simplex and %d optima were positive", simplex, positive)
	}
}

// Where the links are nested both methods apply and have to agree, at sizes
// that vertex enumeration does not reach.
func TestSimplexAgreesWithTheForestOnNestedLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		env := &Environment{Resources: []string{"cpu"}}
		servers := 5 + rng.IntN(60)
		for s := range servers {
			env.Servers = append(env.Servers, Server{Name: fmt.Sprint("s", s), Capacity: []float64{math.Exp(20 * (rng.Float64() - .5))}, Count: 1})
		}
		u := NewUser("u", []float64{1})
		for e := range 8 {
			set := NewSet(servers)
			for s := range servers {
				if s >= servers*e/10 && (e < 6 || s%2 == 0) {
					set.Add(s)
				}
			}
			env.Links = append(env.Links, Link{fmt.Sprint("l", e), math.Exp(20 * (rng.Float64() - .5)), set})
			u.LinkDemand = append(u.LinkDemand, rng.Float64()*float64(rng.IntN(4)))
		}
		env.Users = []User{u}
		a := newAlone(env)
		forest, simplex := a.tasks(0, false), newZones(env).tasks(a, 0, nil)
		if a.zones != nil {
			t.Fatal("nested links were not recognised")
		}
		if math.Abs(forest-simplex) > 1e-11*forest {
			t.Fatalf("forest %v, simplex %v", forest, simplex)
		}
	}
}

// Four servers behind links that overlap: a alone, both, none, a alone.
func TestZones(t *testing.T) {
	env := &Environment{
		Servers: make([]Server, 4),
		Links:   []Link{{Name: "a", Servers: NewSet(4, 0, 1, 3)}, {Name: "b", Servers: NewSet(4, 1)}},
	}
	of, links := env.Zones()
	if d := cmp.Diff([]int{0, 1, 2, 0}, of) + cmp.Diff([][]int{{0}, {0, 1}, {}}, links); d != "" {
		t.Error(d)
	}
}
