package fair

import (
	"math"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// allocate builds an allocation from x[j][s].
func allocate(env *cluster.Environment, x ...[]float64) *cluster.Allocation {
	a := &cluster.Allocation{Region: env, Share: make([]float64, len(x))}
	for _, row := range x {
		total := 0.0
		for _, v := range row {
			total += v
		}
		a.Tasks, a.X = append(a.Tasks, total), append(a.X, row...)
	}
	return a
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// The TSF paper's figure 3: three machines of 3 CPUs and seven users of 1 CPU a
// task; u2 may run anywhere, u1 on the first machine only, u3 and u4 on the
// second, the others on the third. Constrained CDRF gives everybody a third of
// what it could run alone.
func TestTSFFigure3(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}}
	for _, name := range []string{"m1", "m2", "m3"} {
		env.Servers = append(env.Servers, cluster.Server{Name: name, Capacity: []float64{3}, Count: 1})
	}
	for j, only := range []int{0, -1, 1, 1, 2, 2, 2} {
		u := cluster.NewUser("u"+string(rune('1'+j)), []float64{1})
		if only >= 0 {
			u.Eligible = cluster.NewSet(3, only)
		}
		env.Users = append(env.Users, u)
	}
	cdrf := allocate(env, []float64{1, 0, 0}, []float64{2, 1, 0}, []float64{0, 1, 0}, []float64{0, 1, 0},
		[]float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0, 1})
	if err := cdrf.Feasible(0); err != nil {
		t.Fatal(err)
	}
	g := NewJudge(env)
	near(t, "u1's utility of u2's bundle", g.Utility(0, 1, cdrf), 2)
	near(t, "u3's utility of u2's bundle", g.Utility(2, 1, cdrf), 1)
	near(t, "u5's utility of u2's bundle", g.Utility(4, 1, cdrf), 0)
	near(t, "u2's utility of u1's bundle", g.Utility(1, 0, cdrf), 1)
	worst := g.MinEFSat(cdrf, nil)
	near(t, "MIN-EF-SAT", worst.Sat, 0.5)
	const sentence = `user "u1" envies user "u2": it could run 2 tasks with that bundle, 1 with its own (EF-SAT 0.5)`
	if worst.User != 0 || worst.Of != 1 || worst.String() != sentence {
		t.Errorf("witness: %s", worst)
	}
	if pairs := g.Envies(cdrf, nil, 0); len(pairs) != 1 || pairs[0] != worst {
		t.Errorf("pairs with envy: %v", pairs)
	}
	// Without u2 the others do not envy one another.
	if e := g.MinEFSat(cdrf, []int{0, 2, 3, 4, 5, 6}); e.Sat != 1 || e.User != -1 {
		t.Errorf("among the others: %s", e)
	}
	// TSF equalises the tasks themselves, since all could run 9 on all machines.
	tsf := allocate(env, []float64{1.5, 0, 0}, []float64{1.5, 0, 0}, []float64{0, 1.5, 0}, []float64{0, 1.5, 0},
		[]float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0, 1})
	near(t, "MIN-EF-SAT under TSF", g.MinEFSat(tsf, nil).Sat, 1)
}

// appendix is the environment of the TSF-ER paper's appendices 9.1 and 9.2: A
// needs (6 cpu, 3 bw), B (2, 9); a third user has the needs that B pretends.
func appendix() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{10}, Count: 1}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 10}},
		Users: []cluster.User{
			cluster.NewUser("A", []float64{6}, 3), cluster.NewUser("B", []float64{2}, 9), cluster.NewUser("B lying", []float64{4}, 7),
		},
	}
}

func TestTSFERAppendix91(t *testing.T) {
	g := NewJudge(appendix())
	// CRU with truthful demands uses up both resources: 35/24 and 5/8 tasks.
	truth := allocate(g.env, []float64{35. / 24}, []float64{5. / 8}, []float64{0})
	if err := truth.Feasible(1e-15); err != nil {
		t.Fatal(err)
	}
	present := []int{0, 1}
	near(t, "A's utility of B's bundle", g.Utility(0, 1, truth), 5./24)
	near(t, "B's utility of A's bundle", g.Utility(1, 0, truth), 35./72)
	near(t, "MIN-EF-SAT", g.MinEFSat(truth, present).Sat, 1)
	a, b := g.SISat(0, truth, present), g.SISat(1, truth, present)
	near(t, "A's equal share", a.EqualShare, 5./6)
	near(t, "A's task ratio", a.Ratio, 1.75)
	near(t, "B's equal share", b.EqualShare, 5./9)
	near(t, "B's task ratio", b.Ratio, 1.125)
	near(t, "MIN-SI-SAT", g.MinSISat(truth, present).Sat, 1)
	// B lies and is given 1 task of what it pretends to need: worth 7/9.
	lie := allocate(g.env, []float64{1}, []float64{0}, []float64{1})
	if err := lie.Feasible(0); err != nil {
		t.Fatal(err)
	}
	near(t, "B's true tasks when lying", g.Utility(1, 2, lie), 7./9)
	// The paper prints 0.832 tasks and 0.647 for them.
	lie = allocate(g.env, []float64{1}, []float64{0}, []float64{0.832})
	if got := g.Utility(1, 2, lie); math.Abs(got-0.647) > 5e-4 {
		t.Errorf("0.832 tasks are worth %v", got)
	}
}

// TSF-ER figure 2: MNW gives 5 tasks each, which nobody envies although the
// task ratios differ.
func TestTSFERFigure2(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s1", Capacity: []float64{5, 10}, Count: 1}, {Name: "s2", Capacity: []float64{10, 5}, Count: 1}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 15}},
		Users:     []cluster.User{cluster.NewUser("u1", []float64{2, 1}, 2.5), cluster.NewUser("u2", []float64{1, 2}, 0.5)},
	}
	g := NewJudge(env)
	mnw := allocate(env, []float64{0, 5}, []float64{5, 0})
	if err := mnw.Feasible(0); err != nil {
		t.Fatal(err)
	}
	near(t, "u1's utility of u2's bundle", g.Utility(0, 1, mnw), 1)
	near(t, "u2's utility of u1's bundle", g.Utility(1, 0, mnw), 2.5)
	near(t, "u1's task ratio", g.SISat(0, mnw, nil).Ratio, 5./3)
	near(t, "u2's task ratio", g.SISat(1, mnw, nil).Ratio, 4./3)
	unfair := allocate(env, []float64{0, 2}, []float64{5, 0.5})
	worst := g.MinSISat(unfair, nil)
	const sentence = `user "u1" holds 2 tasks, its equal share is 3 (task ratio 0.666666667, SI-SAT 0.666666667)`
	if worst.String() != sentence {
		t.Errorf("witness: %s", worst)
	}
	near(t, "factor", dominates(t, unfair, allocate(env, []float64{0, 2.5}, []float64{5, 1})), 8.5/7.5)
}

// dominates checks that y is feasible and nobody has less in it than in x, and returns
// the factor by which all tasks grow.
func dominates(t *testing.T, x, y *cluster.Allocation) float64 {
	t.Helper()
	if err := y.Feasible(1e-9); err != nil {
		t.Error(err)
	}
	before, after := 0.0, 0.0
	for j := range x.Tasks {
		if before, after = before+x.Tasks[j], after+y.Tasks[j]; y.Tasks[j] < x.Tasks[j] {
			t.Errorf("user %d loses: %g instead of %g", j, y.Tasks[j], x.Tasks[j])
		}
	}
	return after / before
}

// Weights scale the bundle, caps and eligibility bound its use; 0/0 is 1.
func TestUtilityByHand(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers: []cluster.Server{{Name: "a", Capacity: []float64{9, 9}, Count: 1}, {Name: "b", Capacity: []float64{9, 9}, Count: 1},
			{Name: "c", Capacity: []float64{9, 9}, Count: 2}},
		Links: []cluster.Link{{Name: "l", Capacity: 9, Servers: cluster.NewSet(3, 0, 1)}},
	}
	holder := cluster.NewUser("holder", []float64{2, 4}, 6)
	double := cluster.NewUser("double", []float64{1, 1}, 4) // l: 1.5 tasks for one of the holder's
	double.Weight = 2
	capped := cluster.NewUser("capped", []float64{1, 0}) // 2 for 1, no link, at most 3
	capped.Tasks = 3
	confined := cluster.NewUser("confined", []float64{0, 1}, 2) // l: 3 for 1; on c: 4 for 1
	confined.Eligible = cluster.NewSet(3, 1, 2)
	differing := cluster.NewUser("differing", []float64{2, 2}, 1) // a: 1 for 1; b: needs (1, 8); c: cpu only
	differing.DemandOn = map[int][]float64{1: {1, 8}, 2: {4, 0}}
	linked := cluster.NewUser("linked", []float64{0.5, 0}, 0) // 4 for 1
	env.Users = []cluster.User{holder, double, capped, confined, differing, linked}
	a := allocate(env, []float64{0.25, 0.5, 1}, []float64{0, 0, 0}, []float64{5, 0, 0}, []float64{0, 0, 0}, []float64{0, 0, 0}, []float64{0, 0, 0})
	g := NewJudge(env)
	near(t, "double", g.Utility(1, 0, a), 2*(0.25*1.5+0.5*1.5+1*2))
	near(t, "capped", g.Utility(2, 0, a), 3)
	near(t, "capped, of its own", g.Utility(2, 2, a), 3)
	near(t, "confined", g.Utility(3, 0, a), 0.5*3+1*4)
	near(t, "differing", g.Utility(4, 0, a), 0.25*1+0.5*0.5+1*0.5)
	near(t, "linked", g.Utility(5, 0, a), 1.75*4)
	near(t, "the holder, of the double's", g.Utility(0, 1, a), 0)
	near(t, "the holder, of the capped one's", g.Utility(0, 2, a), 0) // no memory in it
	near(t, "EF-SAT of the holder", g.EFSat(0, a, nil).Sat, 1)
	near(t, "EF-SAT of the empty-handed", g.EFSat(5, a, nil).Sat, 0)
	near(t, "EF-SAT among the empty-handed", g.EFSat(5, a, []int{1, 3, 5}).Sat, 1)
}

func TestNobodyPresent(t *testing.T) {
	g := NewJudge(appendix())
	a := allocate(g.env, []float64{1}, []float64{0}, []float64{0})
	if e, s := g.MinEFSat(a, []int{}), g.MinSISat(a, []int{}); e.Sat != 1 || s.Sat != 1 || e.User != -1 || s.User != -1 {
		t.Errorf("%s; %s", e, s)
	}
	alone := g.MinSISat(a, []int{0})
	near(t, "the task ratio of one user alone", alone.Ratio, 0.6)
}

func TestEqualSharesAmongThePresentFollowWeightsAndCaps(t *testing.T) {
	env := appendix() // η = 5/3, 10/9, 10/7
	env.Users[0].Weight, env.Users[1].Tasks = 3, 0.25
	env.Users[2].Eligible = cluster.NewSet(1)
	g := NewJudge(env)
	a := allocate(env, []float64{1}, []float64{0.1}, []float64{0})
	near(t, "A of A, B", g.SISat(0, a, []int{0, 1}).EqualShare, 5./4)
	near(t, "A of all", g.SISat(0, a, nil).EqualShare, 1)
	near(t, "B, capped", g.SISat(1, a, nil).Ratio, 0.1/(2./9))
	near(t, "B, capped, of two", g.SISat(1, a, []int{0, 1}).Ratio, 0.4)
	near(t, "who can run nowhere", g.SISat(2, a, nil).Ratio, 1)
	if w := g.MinSISat(a, []int{0, 1}); w.User != 1 {
		t.Errorf("witness: %s", w)
	}
}
