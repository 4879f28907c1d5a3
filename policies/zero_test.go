package policies_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// normalizing are the rules of the egalitarian family that take links over part
// of the servers.
var normalizing = []string{"tsf-er", "tsf", "cdrf", "drfh", "drf-er", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq",
	"cmmf-cpu", "cmmf-mem", "egalitarian"}

// A link without capacity closes the servers behind it and takes nothing from a
// user that can run elsewhere.
func TestALinkOfCapacityZeroCanBeAvoided(t *testing.T) {
	env := stored(t, "zero-link.json")
	env.Resources[0] = "cpu"
	both := env.Clone()
	both.Resources = []string{"cpu", "mem"}
	for s := range both.Servers {
		both.Servers[s].Capacity = []float64{1, 1}
	}
	both.Users[0].Demand = []float64{1, 1}
	for _, name := range append(normalizing, "mnw", "utilitarian", "ru", "cru", "eq", "per-machine-drf") {
		a, err := policies.Allocate(rule(t, name), both)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !(a.Tasks[0] > 1-1e-12 && a.Tasks[0] < 1+1e-12) || len(a.Unservable) > 0 || a.X[1] != 0 {
			t.Errorf("%s: %v tasks, %v, unservable %v", name, a.Tasks, a.X, a.Unservable)
		}
	}
}

// Two users, of whom one needs the link: it has server a and its half of nothing.
// Its dominant share is that of cpu, of which there are 2 in all, as is the
// other's; the other also has b.
func TestAZeroLinkAmongTwo(t *testing.T) {
	env := world([]cluster.User{user("u", 1, 1), user("v", 0, 1)}, []float64{1}, []float64{1})
	env.Users[1].LinkDemand = []float64{0}
	env.Links = []cluster.Link{{Name: "l", Capacity: 0, Servers: cluster.NewSet(2, 1)}}
	for _, name := range []string{"drf-er", "drf-eq", "drf-cpu", "drfh", "cmmf-cpu", "egalitarian"} {
		allNear(t, name, allocate(t, name, env).Tasks, 1, 1)
	}
	env.Users[0].Demand = []float64{0.5} // its share of the pool is x/4
	for _, name := range []string{"drf-er", "drfh", "cmmf-cpu"} {
		allNear(t, name, allocate(t, name, env).Tasks, 2, 1)
	}
}

// A resource of which there is none at all is as good as not needed by a user
// whose demand on some server does without it.
func TestAResourceOfTotalZeroCanBeAvoided(t *testing.T) {
	env := world([]cluster.User{user("u", 0, 1, 1), user("v", 0, 1, 0), user("w", 0, 1, 1)}, []float64{4, 0}, []float64{2, 0})
	env.Users[0].DemandOn = map[int][]float64{1: {2, 0}}
	for _, name := range []string{"drf-er", "drfh", "drf-cpu", "drf-eq", "cmmf-cpu"} {
		a := allocate(t, name, env)
		if len(a.Unservable) != 1 || a.Unservable[0] != 2 || a.Tasks[2] != 0 {
			t.Errorf("%s: unservable %v, tasks %v", name, a.Unservable, a.Tasks)
		}
		if !(a.Tasks[0] > 0.5 && a.Tasks[1] >= 4) {
			t.Errorf("%s: %v", name, a.Tasks)
		}
	}
	// u takes 2 of 6 cpus a task (N = 3), v 1 of 6 (N = 6): u has server 1 to
	// itself (1 task, share 1/3), and v the other (4 tasks, share 2/3).
	allNear(t, "drf-er", allocate(t, "drf-er", env).Tasks, 1, 4, 0)
}

// A user for whom what it needs is nowhere holds nothing and is named.
func TestWhoNeedsWhatIsNowhereIsUnservable(t *testing.T) {
	env := world([]cluster.User{user("u", 1, 1), user("v", 0, 1)}, []float64{1}, []float64{1})
	env.Users[1].LinkDemand = []float64{0}
	env.Links = []cluster.Link{{Name: "l", Capacity: 0}}
	for _, name := range []string{"tsf-er", "drf-er", "drf-eq", "drf-cpu", "drfh", "cmmf-cpu", "egalitarian", "drf", "per-machine-drf", "mnw", "eq"} {
		a := allocate(t, name, env)
		if len(a.Unservable) != 1 || a.Unservable[0] != 0 || a.Tasks[0] != 0 {
			t.Errorf("%s: unservable %v, tasks %v", name, a.Unservable, a.Tasks)
		}
	}
}

// A weight times N that overflows is refused with the user; it was taken for an N of
// infinity, and the user filled before all others.
func TestAWeightBeyondTheRangeIsRefused(t *testing.T) {
	env := world([]cluster.User{user("u", 0, 1e-150), user("v", 0, 1)}, []float64{1e20})
	env.Users[0].Weight = 1e150
	_, err := policies.Allocate(rule(t, "tsf-er"), env)
	var refused *policies.UnsupportedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "users[0] (u): the weight 1e+150") {
		t.Errorf("%v", err)
	}
	env.Users[0].Weight = 1e100
	if _, err := policies.Allocate(rule(t, "tsf-er"), env); err != nil {
		t.Errorf("w·N = 1e270: %v", err)
	}
}
