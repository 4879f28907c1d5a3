package cluster

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// allocate builds an allocation from x[j][s].
func allocate(env *Environment, x ...[]float64) *Allocation {
	a := &Allocation{Region: env, Share: make([]float64, len(x))}
	for _, row := range x {
		total := 0.0
		for _, v := range row {
			total += v
		}
		a.Tasks, a.X = append(a.Tasks, total), append(a.X, row...)
	}
	return a
}

func TestUsageByHand(t *testing.T) {
	env := figure2()
	env.Servers[1].Count = 2
	env.Users[1].DemandOn = map[int][]float64{1: {0, 1}}
	env.Links = append(env.Links, Link{"second only", 4, NewSet(2, 1)}, Link{"dead", 0, nil})
	env.Users[0].LinkDemand = []float64{2.5, 1, 0}
	env.Users[1].LinkDemand = []float64{0.5, 0, 0}
	a := allocate(env, []float64{1, 2}, []float64{2, 3})
	want := []float64{2 + 2, 1 + 4, 4, 2 + 3, 2.5*3 + .5*5, 2, 0}
	capacity := []float64{5, 10, 20, 10, 15, 4, 0}
	used, part := a.Usage(nil), a.Utilization(make([]float64, 1))
	for row := range want {
		if used[row] != want[row] || env.RowCapacity(row) != capacity[row] {
			t.Errorf("%s: %v of %v, want %v of %v", env.RowName(row), used[row], env.RowCapacity(row), want[row], capacity[row])
		}
		if u := want[row] / math.Max(capacity[row], 1); part[row] != u {
			t.Errorf("%s: utilization %v, want %v", env.RowName(row), part[row], u)
		}
	}
	if len(used) != len(want) || len(part) != len(want) {
		t.Errorf("%d and %d rows, want %d", len(used), len(part), len(want))
	}
}

func TestAFeasibleAllocationHasNoViolation(t *testing.T) {
	a := allocate(figure2(), []float64{2.5, 2.5}, []float64{0, 1.25})
	if err := a.Feasible(0); err != nil {
		t.Error(err)
	}
	if w := a.Worst(); w != (Violation{}) {
		t.Errorf("%+v", w)
	}
}

func TestTheWorstViolationIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(env *Environment, a *Allocation)
		words  string
		excess float64
	}{
		"capacity":   {func(_ *Environment, a *Allocation) { a.X[0], a.Tasks[0] = 3, 5.5 }, `cpu of server "s1": 6 against 5`, 0.2},
		"link":       {func(env *Environment, _ *Allocation) { env.Links[0].Capacity = 10 }, `link "bw": 13.125 against 10`, 0.3125},
		"no link":    {func(env *Environment, _ *Allocation) { env.Links[0].Capacity = 0 }, `link "bw"`, Inf},
		"class":      {func(env *Environment, _ *Allocation) { env.Servers[1].Capacity[0] = 5 }, `cpu of server "s2": 6.25 against 5`, 0.25},
		"cap":        {func(env *Environment, _ *Allocation) { env.Users[0].Tasks = 4 }, `task cap of user "u1": 5 against 4`, 0.25},
		"cap of 0":   {func(env *Environment, _ *Allocation) { env.Users[0].Tasks = 0 }, `task cap of user "u1"`, Inf},
		"eligible":   {func(env *Environment, _ *Allocation) { env.Users[1].Eligible = NewSet(2, 0) }, `(not eligible) of user "u2" on server "s2"`, Inf},
		"negative":   {func(_ *Environment, a *Allocation) { a.X[2], a.Tasks[1] = -0.5, 0.75 }, `tasks of user "u2" on server "s1": -0.5 against 0`, 0.1},
		"total":      {func(_ *Environment, a *Allocation) { a.Tasks[1] = 1 }, `total of user "u2"`, 0.2},
		"NaN":        {func(_ *Environment, a *Allocation) { a.X[0] = math.NaN() }, `NaN`, Inf},
		"total only": {func(_ *Environment, a *Allocation) { a.Tasks[0] = math.NaN() }, `task cap of user "u1": NaN`, Inf},
	} {
		env := figure2()
		a := allocate(env, []float64{2.5, 2.5}, []float64{0, 1.25})
		c.change(env, a)
		var v *Violation
		if err := a.Feasible(1e-9); !errors.As(err, &v) || !strings.Contains(err.Error(), c.words) || !near(v.Excess, c.excess) {
			t.Errorf("%s: %v, want %q with excess %v", name, err, c.words, c.excess)
		} else if !math.IsInf(c.excess, 1) && a.Feasible(c.excess*1.001) != nil {
			t.Errorf("%s: not within a tolerance of %v", name, c.excess*1.001)
		}
	}
}

func TestAnAllocationOfAnotherShapePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	a := allocate(figure2(), []float64{1, 1})
	a.Worst()
}

// Fits is Feasible where nothing is negative.
func TestFitsIsFeasible(t *testing.T) {
	for name, change := range map[string]func(a *Allocation){
		"nothing":               func(*Allocation) {},
		"a capacity":            func(a *Allocation) { a.X[0] += 100; a.Tasks[0] += 100 },
		"a link":                func(a *Allocation) { a.Region.Links[0].Capacity = 1e-3 },
		"a total":               func(a *Allocation) { a.Tasks[0] += 1e-6 },
		"a cap":                 func(a *Allocation) { a.Region.Users[0].Tasks = 0.5 },
		"eligibility":           func(a *Allocation) { a.Region.Users[0].Eligible = NewSet(2) },
		"a sign":                func(a *Allocation) { a.X[0], a.Tasks[0] = -1, a.Tasks[0]-a.X[0]-1 },
		"NaN":                   func(a *Allocation) { a.X[0] = math.NaN() },
		"nothing of a capacity": func(a *Allocation) { a.Region.Servers[0].Capacity[0] = 0 },
	} {
		a := &Allocation{Region: figure2(), Tasks: []float64{1, 1}, X: []float64{1, 0, 0, 1}, Share: []float64{0, 0}}
		change(a)
		if fits, feasible := a.Fits(1e-9), a.Feasible(1e-9) == nil; fits != feasible || fits != (name == "nothing") {
			t.Errorf("%s: fits %v, feasible %v", name, fits, feasible)
		}
	}
}
