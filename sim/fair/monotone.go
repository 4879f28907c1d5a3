package fair

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Setback is a user who runs less after a change that should hurt nobody: the
// departure of another user (population monotonicity) or a larger capacity
// (resource monotonicity).
type Setback struct {
	User          string // "" if nobody is present before and after
	Before, After float64
	// Size is 1 − After/Before: negative if everybody gains.
	Size float64
}

// String says who loses what.
func (s Setback) String() string {
	if s.User == "" {
		return "nobody is present both before and after"
	}
	return fmt.Sprintf("user %q runs %.6g tasks instead of %.6g", s.User, s.After, s.Before)
}

// WorstSetback compares the tasks of the users that two environments share, by
// name, and returns the one who loses most in proportion to what it had.
func WorstSetback(before *cluster.Environment, had []float64, after *cluster.Environment, has []float64) Setback {
	worst := Setback{Size: -cluster.Inf}
	for j := range before.Users {
		i := j
		if i >= len(after.Users) || after.Users[i].Name != before.Users[j].Name {
			i = named(after, before.Users[j].Name)
		}
		if i < 0 || had[j] == 0 {
			continue
		}
		if size := -relative(had[j], has[i]); size > worst.Size {
			worst = Setback{before.Users[j].Name, had[j], has[i], size}
		}
	}
	return worst
}

// relative returns the change from old to now relative to old; ±Inf from 0.
func relative(old, now float64) float64 {
	if old == now {
		return 0
	}
	return (now - old) / old
}

// named returns the index of the user of that name, -1 if there is none.
func named(env *cluster.Environment, name string) int {
	for j := range env.Users {
		if env.Users[j].Name == name {
			return j
		}
	}
	return -1
}

// Dedicated returns k[j], the tasks that each user runs in a pool of servers of
// its own, before they are shared: owner[s] is the user who has server class s
// to itself, −1 for nobody. Sharing incentive with dedicated pools asks that
// with the weights that belong to k (k[j]/h[j] in the TSF paper) every user runs
// at least k[j].
//
// Reference: TSF, Definition 1 and Theorem 1. There are no links there, and
// links are left out here.
func Dedicated(env *cluster.Environment, owner []int) []float64 {
	k := make([]float64, len(env.Users))
	for s, j := range owner {
		if j >= 0 && env.MayRun(j, s) {
			k[j] += env.Gamma(j, s)
		}
	}
	for j := range k {
		k[j] = min(k[j], env.Users[j].Tasks)
	}
	return k
}

// Shortfall is the user who falls short most of what it could run in its own
// pool.
type Shortfall struct {
	User        string
	Tasks, Pool float64
	Size        float64 // Pool/Tasks − 1: negative if all run more
}

// String says who runs less than in its own pool.
func (s Shortfall) String() string {
	return fmt.Sprintf("user %q runs %.6g tasks, and %.6g in the pool of its own", s.User, s.Tasks, s.Pool)
}

// WorstShortfall compares the tasks with those in dedicated pools.
func WorstShortfall(env *cluster.Environment, tasks, k []float64) Shortfall {
	worst := Shortfall{Size: -cluster.Inf}
	for j, pool := range k {
		if pool == 0 {
			continue
		}
		if size := pool/tasks[j] - 1; size > worst.Size {
			worst = Shortfall{env.Users[j].Name, tasks[j], pool, size}
		}
	}
	return worst
}
