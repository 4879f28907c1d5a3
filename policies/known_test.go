package policies_test

import (
	"math"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// The published examples: a system, then what each rule gives its users. The
// papers print a few digits; the fractions are what they are digits of.

// exact is the relative error allowed to an answer.
const exact = 1e-6

// world builds an environment of servers of the given capacities; the resources
// are cpu, mem, bw as far as needed.
func world(users []cluster.User, servers ...[]float64) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "bw"}[:len(servers[0])], Users: users}
	for s, c := range servers {
		env.Servers = append(env.Servers, cluster.Server{Name: string(rune('A' + s)), Capacity: c, Count: 1})
	}
	return env
}

// linked adds a link over all servers.
func linked(env *cluster.Environment, capacity float64) *cluster.Environment {
	env.Links = []cluster.Link{{Name: "link", Capacity: capacity}}
	return env
}

func user(name string, link float64, demand ...float64) cluster.User {
	u := cluster.NewUser(name, demand)
	if link > 0 {
		u.LinkDemand = []float64{link}
	}
	return u
}

// only restricts a user to some of n servers.
func only(u cluster.User, n int, servers ...int) cluster.User {
	u.Eligible = cluster.NewSet(n, servers...)
	return u
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= exact*math.Abs(want)) {
		t.Errorf("%s = %.9g, want %.9g", what, got, want)
	}
}

func allNear(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= exact*math.Abs(want[j])) {
			t.Errorf("%s = %.9g, want %.9g", what, got, want)
			return
		}
	}
}

func allocate(t *testing.T, name string, env *cluster.Environment) *cluster.Allocation {
	t.Helper()
	a, err := rule(t, name).Allocate(env)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

func drfPaper() *cluster.Environment {
	return world([]cluster.User{user("A", 0, 1, 4), user("B", 0, 3, 1)}, []float64{9, 18})
}

func tsferFigure2() *cluster.Environment {
	return linked(world([]cluster.User{user("u1", 2.5, 2, 1), user("u2", 0.5, 1, 2)}, []float64{5, 10}, []float64{10, 5}), 15)
}

// tsferAppendix is the environment of appendices 9.1 and 9.2 in which B
// reports the given needs.
func tsferAppendix(cpu, link float64) *cluster.Environment {
	return linked(world([]cluster.User{user("A", 3, 6), user("B", link, cpu)}, []float64{10}), 10)
}

func psdsfFigure1() *cluster.Environment {
	return world([]cluster.User{user("u1", 0, 1, 2, 10), user("u2", 0, 1, 2, 0)}, []float64{9, 12, 100}, []float64{12, 12, 0})
}

func psdsfFigure2() *cluster.Environment {
	return world([]cluster.User{user("u1", 0, 1.5, 1, 10), user("u2", 0, 1, 2, 10), user("u3", 0, .5, 1, 0), user("u4", 0, 1, .5, 0)},
		[]float64{9, 12, 100}, []float64{12, 12, 0})
}

// psdsfFigure4 has three channels; a task is 1 Mb/s, and takes 1/rate of a
// channel. The rates agree with the figure's answer.
func psdsfFigure4() *cluster.Environment {
	u1, u2 := only(user("u1", 0, 1), 3, 0, 1), only(user("u2", 0, 1), 3, 1, 2)
	u1.DemandOn = map[int][]float64{0: {1 / .75}, 1: {1 / 1.5}}
	u2.DemandOn = map[int][]float64{1: {1}, 2: {1 / .5}}
	return world([]cluster.User{u1, u2}, []float64{1}, []float64{1}, []float64{1})
}

func psdsfTable4() *cluster.Environment {
	users := []cluster.User{user("u1", 0, .1, .1), user("u2", 0, .1, .2),
		only(user("u3", 0, .2, .1), 4, 2, 3), only(user("u4", 0, .2, .3), 4, 2, 3)}
	users[0].Weight, users[1].Weight = 2, 2
	env := world(users, []float64{1, 1}, []float64{.5, .5}, []float64{.5, .25}, []float64{.5, .75})
	for s, count := range []int{8, 68, 33, 11} {
		env.Servers[s].Count = count
	}
	return env
}

func tsfFigure2() *cluster.Environment {
	return world([]cluster.User{user("u1", 0, 1, 2), only(user("u2", 0, 1, 3), 2, 1)}, []float64{18, 18}, []float64{18, 18})
}

func tsfFigure2Lie() *cluster.Environment {
	env := tsfFigure2()
	env.Users[1].Eligible = nil
	return env
}

func tsfFigure3() *cluster.Environment {
	var users []cluster.User
	for j, m := range []int{0, -1, 1, 1, 2, 2, 2} {
		u := user("u"+string(rune('1'+j)), 0, 1)
		if m >= 0 {
			u = only(u, 3, m)
		}
		users = append(users, u)
	}
	return world(users, []float64{3}, []float64{3}, []float64{3})
}

func tsfFigure4() *cluster.Environment {
	return world([]cluster.User{only(user("u1", 0, 1, 2), 3, 0, 1), only(user("u2", 0, 3, 1), 3, 1), user("u3", 0, 1, 4)},
		[]float64{9, 12}, []float64{3, 4}, []float64{9, 12})
}

// mtpFigure2 has two access points with bandwidth only; user i needs so much
// of it per task on a and b.
func mtpFigure2(a, b float64) *cluster.Environment {
	var users []cluster.User
	for k, d := range [][]float64{{a, b}, {6. / 20, 3. / 20}, {13. / 20, 7. / 20}} {
		u := user("ijk"[k:k+1], 0, d[0])
		u.DemandOn = map[int][]float64{1: d[1:]}
		users = append(users, u)
	}
	return world(users, []float64{1}, []float64{1})
}

var known = []struct {
	name   string
	env    func() *cluster.Environment
	totals map[string][]float64
}{
	{"DRF paper, section 4.1", drfPaper, map[string][]float64{
		"drf": {3, 2}, "drf-er": {3, 2}, "drfh": {3, 2}, "per-machine-drf": {3, 2}, "tsf": {3, 2}, "tsf-er": {3, 2}, "cdrf": {3, 2},
	}},
	{"TSF-ER, figure 2", tsferFigure2, map[string][]float64{
		"tsf-er": {30. / 7, 37.5 / 7}, "tsf": {30. / 7, 37.5 / 7}, "drf-er": {30. / 7, 37.5 / 7},
		"mnw": {5, 5}, "mtp": {5, 5}, "cru": {5, 5}, "ru": {5, 5}, "utilitarian": {5, 5}, "egalitarian": {5, 5},
		"drf-eq": {140. / 39, 175. / 39}, "tsf-eq": {385. / 111, 175. / 37},
		"drf-cpu": {160. / 39, 200. / 39}, "tsf-cpu": {160. / 39, 200. / 39},
		"drf-mem": {40. / 13, 50. / 13}, "tsf-mem": {30. / 11, 50. / 11},
		"eq": {3, 3.75},
	}},
	{"TSF-ER, appendices 9.1 and 9.2, the truth", func() *cluster.Environment { return tsferAppendix(2, 9) }, map[string][]float64{
		"cru": {35. / 24, 5. / 8}, "mnw": {35. / 24, 5. / 8}, "mtp": {35. / 24, 5. / 8},
		"tsf-er": {10. / 9, 20. / 27},
	}},
	{"TSF-ER, appendices 9.1 and 9.2, B lies", func() *cluster.Environment { return tsferAppendix(4, 7) }, map[string][]float64{
		"cru": {1, 1}, "mnw": {1, 1}, "mtp": {1, 1}, "tsf-er": {35. / 33, 10. / 11},
	}},
	{"PS-DSF, figure 1", psdsfFigure1, map[string][]float64{
		"drfh": {60. / 11, 72. / 11}, "tsf": {4, 8}, "cdrf": {4, 8},
	}},
	{"PS-DSF, figures 2 and 3", psdsfFigure2, map[string][]float64{"ps-dsf": {3.6, 3.6, 8, 8}}},
	{"PS-DSF, figure 4", psdsfFigure4, map[string][]float64{"ps-dsf": {1.5, 1}}},
	{"PS-DSF, tables III and IV", psdsfTable4, map[string][]float64{"ps-dsf": {210, 105, 82.5, 27.5}}},
	{"TSF, figure 2, the truth", tsfFigure2, map[string][]float64{"cdrf": {12, 4}, "tsf": {9, 6}}},
	{"TSF, figure 2, u2 lies", tsfFigure2Lie, map[string][]float64{"cdrf": {9, 6}, "tsf": {9, 6}}},
	{"TSF, figure 3", tsfFigure3, map[string][]float64{"cdrf": {1, 3, 1, 1, 1, 1, 1}, "tsf": {1.5, 1.5, 1.5, 1.5, 1, 1, 1}}},
	{"TSF, figure 4", tsfFigure4, map[string][]float64{"tsf": {6, 1, 3}}},
	{"MTP, figure 2", func() *cluster.Environment { return mtpFigure2(1, 1./160) }, map[string][]float64{
		"tsf": {161 * mtpShare, 10 * mtpShare, 400. / 91 * mtpShare},
	}},
}

// mtpShare is the task share of MTP's figure 2: i and j use b only, k all of a
// and the rest of b.
const mtpShare = (20. / 13) / (161./160 + 3./2 + 20./13)

func TestPublishedExamples(t *testing.T) {
	for _, c := range known {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range policies.Names() {
				if want := c.totals[name]; want != nil {
					allNear(t, name, allocate(t, name, c.env()).Tasks, want...)
				}
			}
		})
	}
}

func TestPublishedExamplesTellFIFOApart(t *testing.T) {
	for _, c := range known {
		a, err := policytest.FIFO.Allocate(c.env())
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.totals {
			differs := false
			for j, x := range a.Tasks {
				differs = differs || math.Abs(x-want[j]) > exact*want[j]
			}
			if !differs {
				t.Errorf("%s: FIFO gives what %s is to give, %v", c.name, name, want)
			}
		}
	}
}

func TestTasksAlone(t *testing.T) {
	allNear(t, "η, TSF-ER figure 2", tsferFigure2().Etas(nil), 6, 7.5)
	allNear(t, "h, TSF figure 4", tsfFigure4().Etas(nil), 14, 7, 7)
	allNear(t, "η, MTP figure 2", mtpFigure2(1, 1./160).Etas(nil), 161, 10, 400./91)
	near(t, "η of k as printed", 400./91, 4.395604)
	near(t, "the share as printed", mtpShare, 0.380364)
	for _, name := range []string{"tsf", "tsf-er"} {
		norm, err := rule(t, name).(policies.Normalizer).Normalize(tsferFigure2())
		if err != nil {
			t.Fatal(err)
		}
		allNear(t, name+" normalises by", norm, 6, 7.5)
	}
}

// The figure prints what user 1 holds on server 2: 51.8, 25.9 and 64.8 percent
// of all CPU, memory and link.
func TestTSFERFigure2c(t *testing.T) {
	for _, name := range []string{"tsf-cpu", "drf-cpu"} {
		x := allocate(t, name, tsferFigure2()).On(0)[1]
		for what, pair := range map[string][2]float64{"CPU": {x * 2 / 15, 0.5185}, "memory": {x * 1 / 15, 0.2593}, "link": {x * 2.5 / 15, 0.6481}} {
			if math.Abs(pair[0]-pair[1]) > 0.00005 {
				t.Errorf("%s: %s %.6f, want %g", name, what, pair[0], pair[1])
			}
		}
	}
}

// Reporting (4|7) instead of (2|9) gives B more under CRU and MNW and less
// under TSF-ER.
func TestTSFERAppendixLies(t *testing.T) {
	truth := tsferAppendix(2, 9)
	for _, c := range []struct {
		rule          string
		honest, lying float64
	}{{"cru", 0.625, 0.777778}, {"mnw", 0.625, 0.777778}, {"mtp", 0.625, 0.777778}, {"tsf-er", 0.740741, 0.707071}} {
		honest := allocate(t, c.rule, truth)
		near(t, c.rule+", B", honest.Tasks[1], c.honest)
		near(t, c.rule+", B with the truth", fair.Worth(honest, 1, truth.Users[1]), c.honest)
		near(t, c.rule+", B with the lie", fair.Worth(allocate(t, c.rule, tsferAppendix(4, 7)), 1, truth.Users[1]), c.lying)
	}
}

func TestPSDSFTable3(t *testing.T) {
	env := psdsfTable4()
	for j, want := range [][]float64{{80, 340, 82.5, 55}, {40, 170, 41.25, 41.25}, {0, 0, 82.5, 27.5}, {0, 0, 27.5, 27.5}} {
		for s, gamma := range want {
			if got := env.Gamma(j, s); env.MayRun(j, s) != (gamma > 0) || gamma > 0 && math.Abs(got-gamma) > exact*gamma {
				t.Errorf("γ[%d,%d] = %g, want %g", j, s, got, gamma)
			}
		}
	}
}

// The totals of table IV are printed to a thousandth (a ten-thousandth).
func TestPSDSFTable4(t *testing.T) {
	for _, c := range []struct {
		rule string
		want []float64
	}{
		{"tsf", []float64{204.945, 107.527, 58.3425, 35.5525}},
		{"drfh", []float64{210.924, 105.462, 57.689, 35.154}},
		{"cdrf", []float64{254.795, 133.682, 25.137, 12.568}},
	} {
		for j, x := range allocate(t, c.rule, psdsfTable4()).Tasks {
			if math.Abs(x-c.want[j]) > 0.0005001 {
				t.Errorf("%s: user %d has %.6f, want %g", c.rule, j+1, x, c.want[j])
			}
		}
	}
}

// u2 gains under CDRF by claiming that it can run on m1, and u1 envies u2 in
// figure 3.
func TestTSFAboutCDRF(t *testing.T) {
	env := tsfFigure3()
	envy := fair.NewJudge(env).MinEFSat(allocate(t, "cdrf", env), nil)
	if envy.User != 0 || envy.Of != 1 {
		t.Errorf("in figure 3, %s", envy)
	}
	near(t, "u1's own tasks", envy.Own, 1)
	near(t, "u1's tasks with u2's bundle", envy.Other, 2)
	if err := policytest.EnvyFree(allocate(t, "tsf", env), 1e-9); err != nil {
		t.Errorf("tsf in figure 3: %v", err)
	}
}

// i envies j, and lies with success: it reports (1, 1/2).
func TestMTPFigure2(t *testing.T) {
	truth, reported := mtpFigure2(1, 1./160), mtpFigure2(1, 0.5)
	honest, lying := allocate(t, "tsf", truth), allocate(t, "tsf", reported)
	for j, share := range honest.Share {
		near(t, "share of "+truth.Users[j].Name, share, mtpShare)
	}
	if e := fair.NewJudge(truth).EFSat(0, honest, nil); e.Of != 1 || e.Sat > 0.99 {
		t.Errorf("i should envy j: %s", e)
	}
	near(t, "i's reported tasks", lying.Tasks[0], 1.016129)
	near(t, "i's true tasks, honest", fair.Worth(honest, 0, truth.Users[0]), 61.2386)
	if x := fair.Worth(lying, 0, truth.Users[0]); x <= 1.01*honest.Tasks[0] {
		t.Errorf("the lie brings i %g tasks, the truth %g", x, honest.Tasks[0])
	}
	if err := policytest.EnvyFree(allocate(t, "mtp", truth), 1e-6); err != nil {
		t.Errorf("mtp: %v", err)
	}
}
