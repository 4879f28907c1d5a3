package game_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// identical returns m servers of capacity 1 and users with these demands.
func identical(m int, demands ...[]float64) *cluster.Environment {
	env := &cluster.Environment{}
	var capacity []float64
	for r := range demands[0] {
		env.Resources = append(env.Resources, string(rune('a'+r)))
		capacity = append(capacity, 1)
	}
	for s := range m {
		env.Servers = append(env.Servers, cluster.Server{Name: string(rune('A' + s)), Capacity: capacity, Count: 1})
	}
	for j, d := range demands {
		env.Users = append(env.Users, cluster.NewUser(string(rune('1'+j)), d))
	}
	return env
}

// section4C is the example of section IV-C of the paper.
func section4C() *cluster.Environment {
	return identical(2, []float64{1, .1, .1}, []float64{.1, 1, .1}, []float64{.5, .1, 1}, []float64{1, .2, .3})
}

func equilibria(t *testing.T, env *cluster.Environment, rule fair.Local) [][]int {
	t.Helper()
	all, err := game.NewTable(len(env.Users), len(env.Servers), rule).Equilibria(1e-9)
	if err != nil {
		t.Fatal(err)
	}
	return game.UpToNaming(all)
}

// Section IV-C: under KS {1,2}{3,4} and {1,3}{2,4} and no other.
func TestTwoEquilibriaUnderKS(t *testing.T) {
	env := section4C()
	got := equilibria(t, env, game.KS(env))
	if want := [][]int{{0, 0, 1, 1}, {0, 1, 0, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("equilibria %v, want %v", got, want)
	}
}

// Section IV-C: under the Nash local rule somebody gains in each of the 16
// associations; in the best of them by 4.8%.
func TestNoEquilibriumUnderNash(t *testing.T) {
	env := section4C()
	var certificate cluster.Certificate
	table := game.NewTable(4, 2, game.Nash(env, &certificate))
	if got, err := table.Equilibria(1e-6); err != nil || len(got) > 0 {
		t.Errorf("equilibria %v, %v", got, err)
	}
	_, least, err := table.Calm(1)
	if err != nil || least < 1.001 {
		t.Errorf("somewhere nobody gains more than a factor of %g (%v)", least, err)
	}
	if certificate.Gap > 1e-8 || certificate.Primal > 1e-9 {
		t.Errorf("certified to %+v only", certificate)
	}
}

// The paper's reasons for that, one by one.
func TestWhoMovesUnderNash(t *testing.T) {
	env := section4C()
	table := game.NewTable(4, 2, game.Nash(env, nil))
	gains := func(at []int, wanted ...int) {
		t.Helper()
		c := make([]float64, 4)
		for s := range 2 {
			var users []int
			for j, on := range at {
				if on == s {
					users = append(users, j)
				}
			}
			tasks, err := game.Nash(env, nil)(s, users)
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range users {
				c[j] = tasks[i]
			}
		}
		for _, j := range wanted {
			moved := append([]int(nil), at...)
			moved[j] = 1 - at[j]
			var company []int
			for i, on := range moved {
				if on == moved[j] && i != j {
					company = append(company, i)
				}
			}
			tasks, err := game.Nash(env, nil)(moved[j], append(company, j))
			if err != nil {
				t.Fatal(err)
			}
			if tasks[len(company)] <= c[j] {
				t.Errorf("in %v user %d has %g and would have %g", at, j+1, c[j], tasks[len(company)])
			}
		}
		if f, _, _, err := table.Gain(at); err != nil || f <= 1 {
			t.Errorf("%v: factor %g, %v", at, f, err)
		}
	}
	gains([]int{0, 1, 1, 0}, 3) // 2, 3 | 1, 4: user 4 moves
	gains([]int{0, 0, 0, 1}, 0) // 1, 2, 3 | 4: user 1 moves
	gains([]int{0, 1, 0, 1}, 1) // user 2 with 4
	gains([]int{0, 0, 1, 1}, 2) // user 3 with 4
}

// Equal division is at an equilibrium exactly where the numbers of users differ
// by at most one.
func TestBalancedIsAnEquilibriumOfEqualDivision(t *testing.T) {
	env := section4C()
	if got := equilibria(t, env, game.Equal(env)); len(got) != 3 {
		t.Errorf("equilibria %v, want the three ways to pair four users", got)
	}
}

// The KS rule on the first server of the example: users 1 and 2 load it with
// 1.1 of each of their resources.
func TestKSByHand(t *testing.T) {
	env := section4C()
	got, err := game.KS(env)(0, []int{0, 1})
	if err != nil || math.Abs(got[0]-1/1.1) > 1e-15 || math.Abs(got[1]-1/1.1) > 1e-15 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = game.KS(env)(0, []int{2, 3, 0})
	if err != nil || math.Abs(got[0]-1/2.5) > 1e-15 {
		t.Errorf("%v, %v", got, err)
	}
}

// Section IV-C: l+1 users Δ¹ on one server, Δ¹, …, Δˡ on the other.
func TestEnvyOfNaiveBalancedKS(t *testing.T) {
	const delta = 0.01
	for l := 2; l <= 8; l++ {
		vector := func(k int) []float64 {
			d := make([]float64, l)
			for r := range d {
				d[r] = delta
			}
			d[k] = 1
			return d
		}
		var demands [][]float64
		var at []int
		for range l + 1 {
			demands, at = append(demands, vector(0)), append(at, 0)
		}
		for k := range l {
			demands, at = append(demands, vector(k)), append(at, 1)
		}
		env := identical(2, demands...)
		worst := 1 / outcome(t, env, at, game.KS(env)).Envy().Sat
		if want := float64(l+1) / (1 + delta*float64(l-1)); math.Abs(worst-want) > 1e-12*want {
			t.Errorf("l=%d: envy %.15g, want %.15g", l, worst, want)
		}
	}
}

// outcome divides every server among those who chose it.
func outcome(t *testing.T, env *cluster.Environment, at []int, rule fair.Local) *fair.Choice {
	t.Helper()
	tasks := make([]float64, len(at))
	for s := range env.Servers {
		var users []int
		for j, on := range at {
			if on == s {
				users = append(users, j)
			}
		}
		if users == nil {
			continue
		}
		got, err := rule(s, users)
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range users {
			tasks[j] = got[i]
		}
	}
	return fair.NewChoice(env, at, tasks)
}

// The paper's example is played to one of its two equilibria from every start,
// under either rule.
func TestPlaysOfTheExampleEndAtItsEquilibria(t *testing.T) {
	g, err := game.Of(section4C())
	if err != nil || !g.Sure {
		t.Fatalf("%v, sure %v", err, g.Sure)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var p game.Play
	ends := map[string]bool{}
	for start := range 16 {
		at := []int{start & 1, start >> 1 & 1, start >> 2 & 1, start >> 3}
		for _, rule := range []game.Rule{{}, {Gain: game.ByShare}, {Gain: game.ByRatio}, {Gain: game.ByTasks}, {To: game.ToBest}, {To: game.ToPair}} {
			p.Start(g, at)
			out := p.Run(rule, rng)
			end := game.UpToNaming([][]int{p.At})[0]
			if !out.Equilibrium || out.Cycle > 0 || (!reflect.DeepEqual(end, []int{0, 0, 1, 1}) && !reflect.DeepEqual(end, []int{0, 1, 0, 1})) {
				t.Errorf("from %v under %+v: %+v at %v", at, rule, out, p.At)
			}
			ends[string(rune('0'+end[1]))] = true
		}
	}
	if len(ends) != 2 {
		t.Errorf("only one of the two equilibria is ever reached")
	}
}
