package fair_test

import (
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// chooser returns servers A (6 cpu, 3 mem) and B (2, 2), and users with demands
// (1,1), (2,1), (1,2): alone on A they run 3, 3, 1.5 tasks, on B 2, 1, 1.
func chooser() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "A", Capacity: []float64{6, 3}, Count: 1}, {Name: "B", Capacity: []float64{2, 2}, Count: 1}},
		Users: []cluster.User{cluster.NewUser("x", []float64{1, 1}), cluster.NewUser("y", []float64{2, 1}),
			cluster.NewUser("z", []float64{1, 2})},
	}
}

func close9(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// x and y share A, z has B. x runs 1 task and y 2: all of the memory, 5 of 6
// cpu.
func TestChoiceByHand(t *testing.T) {
	c := fair.NewChoice(chooser(), []int{0, 0, 1}, []float64{1, 2, 1})
	if err := c.Feasible(0); err != nil {
		t.Error(err)
	}
	e := c.LocalEnvy() // x could run 2 with what y has
	close9(t, "LEF", e.Sat, 0.5)
	if e.User != 0 || e.Of != 1 {
		t.Errorf("LEF: %v", e)
	}
	p := c.LocalSharing() // x: half of 3
	close9(t, "LSI", p.Ratio, 1/1.5)
	if p.User != 0 || p.Promised != 1.5 {
		t.Errorf("LSI: %v", p)
	}
	// x cuts A in two and leaves B whole: the smallest bundle is 1.5.
	// y: thirds of A, 1, 1, 1 (B whole is 1 as well). z: half of A is .75.
	p = c.MaximinShare()
	close9(t, "MMS", p.Ratio, 1/1.5)
	if !strings.Contains(p.String(), `user "x" holds 1 tasks, its maximin share is 1.5`) {
		t.Errorf("MMS: %v", p)
	}
	s := c.LocalSlack()
	close9(t, "LPO", 1+s.Relative, 1)
	// x envies y most of all: z's bundle (1 cpu, 2 mem) is worth 1 to x.
	if e := c.Envy(); e.User != 0 || e.Of != 1 {
		t.Errorf("EF: %v", e)
	}
}

// What is left over is found where it is: z could have more of B.
func TestLocalSlackByHand(t *testing.T) {
	c := fair.NewChoice(chooser(), []int{0, 0, 1}, []float64{1, 2, 0.75})
	s := c.LocalSlack()
	if s.User != 2 {
		t.Fatal(s)
	}
	close9(t, "slack", s.Tasks, 0.25)
	close9(t, "of the server", s.Relative, 0.25)
}

// Envy across servers: on B, x runs 2/3 of a task where z's bundle has room for
// 1 and y's for 3.
func TestEnvyAcrossServersByHand(t *testing.T) {
	c := fair.NewChoice(chooser(), []int{1, 0, 1}, []float64{2. / 3, 3, 2. / 3})
	e := c.Envy()
	if e.User != 0 || e.Of != 1 {
		t.Fatal(e)
	}
	close9(t, "EF-SAT", e.Sat, 2./9)
	if e := c.LocalEnvy(); e.Sat != 1 {
		t.Errorf("x and z have the same, %v", e)
	}
}

// Under equal division of what is chosen, x on B with z (1 task) would rather
// share A with y (1.5): the largest gain of all.
func TestBestDeviationByHand(t *testing.T) {
	alone := [][]float64{{3, 3, 1.5}, {2, 1, 1}}
	divide := func(s int, users []int) ([]float64, error) {
		var tasks []float64
		for _, j := range users {
			tasks = append(tasks, alone[s][j]/float64(len(users)))
		}
		return tasks, nil
	}
	d, err := fair.NewChoice(chooser(), []int{1, 0, 1}, []float64{1, 3, 0.5}).BestDeviation(divide)
	if err != nil || d.User != 0 || d.To != 0 {
		t.Fatal(d, err)
	}
	close9(t, "ratio", d.Ratio, 1.5)
	d, err = fair.NewChoice(chooser(), []int{0, 0, 1}, []float64{1.5, 1.5, 1}).BestDeviation(divide)
	if err != nil || d.Ratio > 1 {
		t.Errorf("an equilibrium, and yet %v, %v", d, err)
	}
}

// On m servers that are alike the maximin share is ψ/⌈n/m⌉.
func TestMaximinShareOnServersThatAreAlike(t *testing.T) {
	for m := 1; m <= 4; m++ {
		for n := 1; n <= 9; n++ {
			env := &cluster.Environment{Resources: []string{"cpu"}}
			var at []int
			var tasks []float64
			for s := range m {
				env.Servers = append(env.Servers, cluster.Server{Name: string(rune('A' + s)), Capacity: []float64{12}, Count: 1})
			}
			for j := range n {
				env.Users = append(env.Users, cluster.NewUser(string(rune('a'+j)), []float64{3}))
				at, tasks = append(at, j%m), append(tasks, 0.25)
			}
			close9(t, "MMS", fair.NewChoice(env, at, tasks).MaximinShare().Promised, 4/math.Ceil(float64(n)/float64(m)))
		}
	}
}

// A link to a server is one of its resources; a user of weight 3 is promised
// three quarters.
func TestChoiceWithLinkAndWeights(t *testing.T) {
	env := chooser()
	to := cluster.NewSet(2, 1)
	env.Links = []cluster.Link{{Name: "bw", Capacity: 1, Servers: to}}
	for j := range env.Users {
		env.Users[j].LinkDemand = []float64{2}
	}
	env.Users[2].Weight = 3
	c := fair.NewChoice(env, []int{1, 0, 1}, []float64{0.2, 3, 0.3})
	p := c.LocalSharing() // z: 3/4 of what the link lets it run alone, 0.5
	if p.User != 2 {
		t.Fatal(p)
	}
	close9(t, "promised", p.Promised, 0.375)
	if s := c.LocalSlack(); s.Relative > 1e-15 {
		t.Errorf("the link is used up, %v", s)
	}
}

func TestChoicesThatAreNone(t *testing.T) {
	for what, spoil := range map[string]func(env *cluster.Environment){
		"a class":                   func(env *cluster.Environment) { env.Servers[1].Count = 2 },
		"a link to several servers": func(env *cluster.Environment) { env.Links = []cluster.Link{{Name: "bw", Capacity: 1}} },
	} {
		env := chooser()
		spoil(env)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			fair.NewChoice(env, []int{0, 0, 1}, []float64{1, 1, 1})
		}()
	}
}
