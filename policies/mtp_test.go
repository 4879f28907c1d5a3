package policies_test

import (
	"testing"

	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// airtime builds the multi-AP paper's access points without servers that
// matter: a link of capacity 1 each, needs[j][e] of it a task.
func airtime(needs ...[]float64) *cluster.Environment {
	points := len(needs[0])
	env := &cluster.Environment{Resources: []string{"cpu"}}
	for e := range points {
		name := string(rune('a' + e))
		env.Servers = append(env.Servers, cluster.Server{Name: name, Capacity: []float64{1}, Count: 1})
		env.Links = append(env.Links, cluster.Link{Name: "bw-" + name, Capacity: 1, Servers: cluster.NewSet(points, e)})
	}
	for j, d := range needs {
		env.Users = append(env.Users, cluster.NewUser(string(rune('i'+j)), []float64{0}, d...))
	}
	return env
}

// The paper's figure 2 as it draws it, with links. The prices under which
// mtp's allocation is optimal are 1 and 2: i pays 2/160 a task on b, j 3/10 on
// either, k 13/20 on a, and each has 1 to spend.
func TestMTPFigure2WithLinks(t *testing.T) {
	env := airtime([]float64{1, 1. / 160}, []float64{6. / 20, 3. / 20}, []float64{13. / 20, 7. / 20})
	allNear(t, "η", env.Etas(nil), 161, 10, 400./91)
	for _, rule := range []string{"tsf", "tsf-er"} {
		a := allocate(t, rule, env)
		allNear(t, rule, a.Tasks, 161*mtpShare, 10*mtpShare, 400./91*mtpShare)
		allNear(t, rule+", as printed", a.Tasks, 61.2386, 3.80364, 1.67193)
	}
	allNear(t, "mtp", allocate(t, "mtp", env).Tasks, 80, 10./3, 20./13)
	allNear(t, "eq", allocate(t, "eq", env).Tasks, 161./3, 10./3, 400./273)
	lying := allocate(t, "tsf", airtime([]float64{1, 0.5}, []float64{6. / 20, 3. / 20}, []float64{13. / 20, 7. / 20}))
	near(t, "what i reports to run, lying", lying.Tasks[0], 1.016129)
	if x := fair.Worth(lying, 0, env.Users[0]); x <= 1.01*161*mtpShare {
		t.Errorf("the lie brings i %g real tasks", x)
	}
}

// The enviousness of the rules there: 240/161 for what j has under tsf.
func TestMTPFigure2Enviousness(t *testing.T) {
	env := airtime([]float64{1, 1. / 160}, []float64{6. / 20, 3. / 20}, []float64{13. / 20, 7. / 20})
	points, err := fair.NewAccessPoints(env)
	if err != nil {
		t.Fatal(err)
	}
	worst := points.Max(allocate(t, "tsf", env), nil)
	near(t, "tsf", worst.Percent, 100*(240./161-1))
	if worst.User != 0 || worst.Of != 1 {
		t.Errorf("i should envy j: %s", worst)
	}
	for _, rule := range []string{"mtp", "eq", "cru"} {
		if e := points.Max(allocate(t, rule, env), nil); e.Percent > 1e-8 {
			t.Errorf("%s: %s", rule, e)
		}
	}
}

// Section 4.2: the max-min of dominant shares does not say who gets which of
// the two links. Our rules of that family compare what users could run, and
// give each user the link that it needs little of: 10 tasks each.
func TestMTPSection42(t *testing.T) {
	env := airtime([]float64{1, 0.1}, []float64{0.1, 1})
	for _, rule := range []string{"drf-er", "drfh", "tsf", "mtp", "cru"} {
		a := allocate(t, rule, env)
		allNear(t, rule, a.Tasks, 10, 10)
		if err := policytest.EnvyFree(a, 1e-9); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		if err := policytest.ParetoOptimal(a, 1e-6); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	factor, _, err := solve.Domination(env, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "domination factor of a to i, b to j", factor, 10)
}
