package fair

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Domination is the proof that one allocation dominates another.
type Domination struct {
	env *cluster.Environment
	// User gains most in proportion to what it has.
	User          int
	Before, After float64 // its tasks in the dominated and in the other one
	// Factor is Σy/Σx. The domination factor of x is the largest there is.
	Factor float64
}

// String says who gains what.
func (d Domination) String() string {
	return fmt.Sprintf("nobody loses and user %q gains: %.9g tasks instead of %.9g (all tasks: factor %.9g)",
		d.env.Users[d.User].Name, d.After, d.Before, d.Factor)
}

// LossError says why an allocation does not dominate another.
type LossError struct {
	// User is somebody who has less than before, the one who loses most in
	// proportion; -1 if nobody does, and nobody has more either.
	User          int
	Name          string
	Before, After float64
}

func (e *LossError) Error() string {
	if e.User < 0 {
		return "nobody gains"
	}
	return fmt.Sprintf("user %q loses: %.9g tasks instead of %.9g", e.Name, e.After, e.Before)
}

// Dominates checks that allocation y is feasible in env and dominates x: nobody
// has less than in x, somebody has more. Differences within the relative
// tolerance count as equal, for feasibility too. If y is not feasible the error
// is a [*cluster.Violation], if it does not dominate a [*LossError].
//
// It judges a given y; the search for the best one is solve.Domination.
func Dominates(env *cluster.Environment, x, y *cluster.Allocation, tolerance float64) (Domination, error) {
	there := *y
	there.Region = env
	if err := there.Feasible(tolerance); err != nil {
		return Domination{}, err
	}
	gain, loss := Domination{env: env, User: -1}, LossError{User: -1}
	var most, least, before, after float64
	for j := range env.Users {
		old, now := x.Tasks[j], y.Tasks[j]
		before, after = before+old, after+now
		switch change := relative(old, now); {
		case change > tolerance && change > most:
			most, gain.User, gain.Before, gain.After = change, j, old, now
		case change < -tolerance && change < least:
			least, loss = change, LossError{j, env.Users[j].Name, old, now}
		}
	}
	if loss.User >= 0 || gain.User < 0 {
		return Domination{}, &loss
	}
	gain.Factor = after / before
	return gain, nil
}

// relative returns the change from old to now relative to old; ±Inf from 0.
func relative(old, now float64) float64 {
	if old == now {
		return 0
	}
	return (now - old) / old
}
