package fair

import (
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// B of TSF-ER's appendix 9.1 is given one task of what it pretends to need,
// (4|7), and needs (2|9): 7/9 of a task.
func TestWorthOfALie(t *testing.T) {
	env := appendix()
	lie := allocate(env, []float64{1}, []float64{0}, []float64{1})
	near(t, "B's true tasks", Worth(lie, 2, env.Users[1]), 7./9)
	l := Lie{Truth: env.Users[1], Report: env.Users[2], Honest: 5. / 8, Lying: 7. / 9}
	near(t, "the gain", l.Gain(), 56./45-1)
	const sentence = `by reporting demand [4] and link demand [7] instead of [2] and [9], user "B" runs 0.777778 tasks instead of 0.625`
	if l.String() != sentence {
		t.Error(l)
	}
	if l.Lying = 0.5; l.Gain() >= 0 {
		t.Errorf("a lie that costs gains %g", l.Gain())
	}
	nothing := Lie{Honest: 0, Lying: 0}
	near(t, "nothing from nothing", nothing.Gain(), 0)
}

// A link can be used on any server; resources stay on theirs; ineligible
// servers are of no use; the number of tasks bounds all.
func TestWorthByHand(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "a", Capacity: []float64{9}, Count: 1}, {Name: "b", Capacity: []float64{9}, Count: 2}},
		Links:     []cluster.Link{{Name: "l", Capacity: 9}},
	}
	told := cluster.NewUser("u", []float64{2}, 1)
	env.Users = []cluster.User{told}
	a := allocate(env, []float64{1, 3})
	truth := cluster.NewUser("u", []float64{1}, 0.5)
	near(t, "bounded by cpu", Worth(a, 0, truth), 8)
	truth.LinkDemand = []float64{2}
	near(t, "bounded by the link", Worth(a, 0, truth), 2)
	truth.LinkDemand = []float64{0.5}
	truth.Eligible = cluster.NewSet(2, 0)
	near(t, "on a alone", Worth(a, 0, truth), 2)
	truth.Tasks = 1.5
	near(t, "capped", Worth(a, 0, truth), 1.5)
	truth = cluster.NewUser("u", []float64{1}, 0)
	truth.DemandOn = map[int][]float64{1: {3}}
	near(t, "differing demands", Worth(a, 0, truth), 2+2)
	// Two links that overlap take the general way.
	env.Links = []cluster.Link{{Name: "l", Capacity: 9}, {Name: "m", Capacity: 9, Servers: cluster.NewSet(2, 1)}}
	env.Users[0].LinkDemand = []float64{1, 1}
	truth = cluster.NewUser("u", []float64{1}, 0.5, 1)
	near(t, "behind two links", Worth(a, 0, truth), 2+3)
}

func memoryBound() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem", "bw"},
		Servers:   []cluster.Server{{Name: "1", Capacity: []float64{9, 12, 100}, Count: 1}, {Name: "2", Capacity: []float64{12, 12, 0}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("u1", []float64{1, 2, 10}), cluster.NewUser("u2", []float64{1, 2, 0})},
	}
}

// PS-DSF's figure 1: memory is the dominant resource of both on every server
// that can run them, and 6 tasks each are max-min fair of it. TSF gives 4 and 8.
func TestBottleneckFairnessOfPSDSFFigure1(t *testing.T) {
	env := memoryBound()
	if r, ok := DominantResource(env); !ok || env.Resources[r] != "mem" {
		t.Fatalf("%d, %v", r, ok)
	}
	ref, ok := BottleneckFairness(env)
	if !ok || ref.Norm[0] != 0.5 || ref.Norm[1] != 0.5 {
		t.Fatalf("%+v, %v", ref, ok)
	}
	d := ref.Compare(env, []float64{4, 8}, []float64{6, 6})
	near(t, "the departure", d.Size, 1./3)
	if want := `gives user "u1" 6 tasks, and it runs 4`; !strings.Contains(d.String(), want) {
		t.Errorf("%s, want %q", d, want)
	}
	if d := ref.Compare(env, []float64{6, 6}, []float64{6, 6}); d.Size != 0 || d.User != -1 {
		t.Errorf("%+v", d)
	}
	env.Users[1].Demand[0] = 3 // cpu now
	if _, ok := BottleneckFairness(env); ok {
		t.Error("users with different dominant resources have a bottleneck")
	}
}

func TestSpecialCasesAreToldApart(t *testing.T) {
	env := memoryBound()
	if _, ok := SingleMachineFairness(env); ok {
		t.Error("two servers are one machine")
	}
	if _, ok := SingleResourceFairness(env); ok {
		t.Error("three resources are one")
	}
	one := appendix() // a server with cpu and a link
	ref, ok := SingleMachineFairness(one)
	if !ok {
		t.Fatal("one server is not one machine")
	}
	near(t, "N of A", ref.Norm[0], 5./3) // 10/6 of cpu, 10/3 of the link
	near(t, "N of B", ref.Norm[1], 10./9)
	if _, ok := SingleResourceFairness(one); ok {
		t.Error("a link is a second resource")
	}
	one.Servers[0].Count = 2
	if _, ok := SingleMachineFairness(one); ok {
		t.Error("a class of two is one machine")
	}
	one.Links = nil
	for j := range one.Users {
		one.Users[j].LinkDemand = nil
	}
	if ref, ok := SingleResourceFairness(one); !ok || ref.Norm[1] != 0.5 {
		t.Errorf("%+v, %v", ref, ok)
	}
}

func TestSetbacksAreFoundByName(t *testing.T) {
	env := appendix()
	after := env.Subset([]int{2, 0})
	s := WorstSetback(env, []float64{1, 2, 4}, after, []float64{5, 0.25})
	if s.User != "A" {
		t.Fatalf("%+v", s)
	}
	near(t, "A's loss", s.Size, 0.75)
	if s := WorstSetback(env, []float64{1, 2, 4}, after, []float64{4, 1}); s.Size != 0 {
		t.Errorf("nobody loses, and %+v", s)
	}
	if s := WorstSetback(env, []float64{1, 2, 4}, after, []float64{8, 2}); s.Size != -1 {
		t.Errorf("all double, and %+v", s)
	}
	if s := WorstSetback(env, []float64{0, 2, 0}, after, []float64{0, 0}); s.User != "" {
		t.Errorf("somebody loses nothing: %+v", s)
	}
}

func TestDedicatedPools(t *testing.T) {
	env := memoryBound()
	k := Dedicated(env, []int{1, 0})
	near(t, "u1 on server 2, which has no bandwidth", k[0], 0)
	near(t, "u2 on server 1", k[1], 6)
	k = Dedicated(env, []int{0, 1})
	near(t, "u1 on server 1", k[0], 6)
	worst := WorstShortfall(env, []float64{4, 8}, k)
	if worst.User != "u1" || math.Abs(worst.Size-0.5) > 1e-12 {
		t.Errorf("%+v", worst)
	}
	env.Users[0].Tasks = 3
	near(t, "u1, capped", Dedicated(env, []int{0, 1})[0], 3)
	near(t, "nobody's server", Dedicated(env, []int{-1, 1})[0], 0)
}
