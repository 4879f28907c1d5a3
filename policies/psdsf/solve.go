package psdsf

import (
	"errors"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

const (
	// Accuracy is the shortfall of Theorem 1 within which an allocation is
	// accepted.
	Accuracy = 1e-8
	// feasibility is how far an allocation may exceed a capacity, relative.
	feasibility = 1e-9

	// patience is the number of rounds before any are jumped over by
	// extrapolation.
	patience = 500
	// The number of rounds that are tried, in each way.
	leapSweeps   = 2000
	plainSweeps  = 4000
	dampedSweeps = 20000
)

// ErrUnsettled is returned where no fixed point is found.
var ErrUnsettled = errors.New("psdsf: the servers do not come to rest")

// NotBottleneckedError is returned where the servers come to rest and Theorem 1
// does not hold within [Accuracy].
type NotBottleneckedError struct{ Witness fair.Bottleneck }

func (e *NotBottleneckedError) Error() string {
	return fmt.Sprintf("psdsf: no bottleneck within %.0e: %s", Accuracy, e.Witness)
}

// Result is a fixed point.
type Result struct {
	Allocation *cluster.Allocation
	// Sweeps counts how often every server acted, but for what was leapt over. Step is the part of the way
	// that a server went at a time: 1 where Algorithm I came to rest by itself.
	Sweeps int
	Step   float64
}

// tries are the ways in which Solve lets servers act, in this order.
var tries = []struct {
	step   float64
	leaps  bool
	sweeps int
}{{1, true, leapSweeps}, {1, false, plainSweeps}, {0.5, false, dampedSweeps}, {0.1, false, dampedSweeps}}

// Solve returns a PS-DSF allocation of env: the one to which the paper's
// Algorithm I leads. DRF on each server is the start; then the servers act in
// turn, in the order of env, until none changes anything. Servers that are alike
// (same capacities, same users, same demands) act as one and are divided evenly,
// so that a class and its servers written out have one answer.
//
// While round after round the same users are stopped by the same resources, a
// round is a linear map of the levels of the servers; such rounds are leapt over,
// to the last one of its kind. Where many users take part, the rounds in between
// look only at those for whom that may change. Where the servers do not come to rest in that way,
// they start again without leaps, at last going only half of the way at each
// step, then a tenth: the fixed points are the same.
// The answer is accepted if Theorem 1 holds for every user and server within
// [Accuracy], which is the Gap of its certificate; else the error is a
// [*NotBottleneckedError], or [ErrUnsettled]. Links are ignored.
//
// References: Khamse-Ashari et al., "Per-Server Dominant-Share Fairness",
// section III-C. Deviations: each server jumps to where its inner loop ends;
// rounds are leapt over, and after the first few hundred, after a leap of the
// greatest length, or where they change next to nothing, they are jumped over by
// extrapolation; servers that are alike act as one; the smaller steps.
func Solve(env *cluster.Environment) (*Result, error) {
	result := &Result{}
	for _, try := range tries {
		w := newWalk(newState(env, usual), try.step)
		w.leaps = w.leaps && try.leaps
		ok := w.settle(try.sweeps)
		result.Sweeps += w.sweeps + w.stretches.total
		if !ok {
			continue
		}
		result.Step = try.step
		a, err := w.allocation(env)
		a.Certificate.Rounds = result.Sweeps
		result.Allocation = a
		return result, err
	}
	return nil, fmt.Errorf("%w in %d rounds", ErrUnsettled, result.Sweeps)
}

// allocation writes the state out and certifies it.
func (st *state) allocation(env *cluster.Environment) (*cluster.Allocation, error) {
	n, width := len(env.Users), len(env.Servers)
	a := &cluster.Allocation{Region: env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n)}
	servable := make([]bool, n)
	for _, g := range st.groups {
		for i, j := range g.Users {
			servable[j] = true
			if g.x[i] <= dust*math.Min(st.tasks[j], g.Key[i]/env.Users[j].Weight) {
				continue
			}
			for c, s := range g.classes {
				a.X[j*width+s] = g.x[i] * g.part[c]
			}
		}
	}
	for j := range env.Users {
		for _, x := range a.On(j) {
			a.Tasks[j] += x
		}
		if !servable[j] {
			a.Unservable = append(a.Unservable, j)
		}
	}
	return a, certify(a)
}

// certify writes down how far an allocation is from fitting and from Theorem 1; it
// is an error if that is too far.
func certify(a *cluster.Allocation) error {
	for row, used := range a.Usage(nil) {
		if c := a.Region.RowCapacity(row); c > 0 {
			a.Certificate.Primal = math.Max(a.Certificate.Primal, used/c-1)
		}
	}
	worst := fair.Bottlenecks(a)
	a.Certificate.Gap = worst.Shortfall
	if worst.Shortfall > Accuracy || a.Certificate.Primal > feasibility {
		return &NotBottleneckedError{worst}
	}
	return nil
}
