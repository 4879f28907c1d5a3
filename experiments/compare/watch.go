package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

// Watch looks at a replay: at every allocation whether it violates a property of [Kept],
// and at some moments at what else there is to see. It is made for one replay, which shows
// it what happens: by [Watch.Observe] with fluid tasks, by [Watch.Event] and
// [Watch.Fairness] with whole ones, and [Watch.Close] in both models.
type Watch struct {
	*Workload
	Times   []event.Time // moments, ascending
	Prices  bool         // of each moment
	Moments []Moment
	Passed  func() // if not nil, called after each of the times that the replay came by
	// Allocations that there were with a user present, and what was seen at them.
	Allocations int
	Seen        [len(Kept)]Seen

	next   int
	err    error
	fluid  fluidWatch
	ahead  []int32 // jobs by submission, of those that have not come
	here   map[int32]*tally
	room   *unfilled
	bad    event.Time // since when a waiting task fits without a break; -1: none does
	most   [2]*snapshot
	recent *Violation // of room, that of bad
}

// NewWatch prepares to look at a replay of the workload, at moments ascending.
func NewWatch(w *Workload, times []event.Time, prices bool) *Watch {
	return &Watch{Workload: w, Times: times, Prices: prices, ahead: w.order, here: map[int32]*tally{}, bad: -1}
}

// Close takes the moments after the last event, and returns the first error of all.
func (w *Watch) Close() error {
	w.until(event.Never)
	w.witnesses()
	return w.err
}

// fluidWatch is what looks at the allocations of divisible tasks.
type fluidWatch struct {
	env       *cluster.Environment // the region, without task caps
	judge     *fair.Judge
	dominator *solve.Dominator
	passed    int // allocations since one was looked at
}

// manyUsers is the number of users up to which every allocation of divisible tasks is looked
// at. With p times as many it is every p²-th, as looking takes as much longer.
const manyUsers = 500

// Observe implements [sim.Observer].
func (w *Watch) Observe(iv *sim.Interval) error {
	w.Allocations++
	if w.fluid.due(len(iv.Present)) {
		if err := w.properties(iv); err != nil {
			return fmt.Errorf("at %g s: %w", float64(iv.From)/1e6, err)
		}
	}
	for w.next < len(w.Times) && w.Times[w.next] < iv.To {
		at := w.Times[w.next]
		if at < iv.From {
			w.pass() // nobody was there
			continue
		}
		a := &cluster.Allocation{Region: w.users(iv.Allocation.Region, iv.Present)}
		for _, j := range iv.Present {
			a.Tasks, a.X = append(a.Tasks, iv.Allocation.Tasks[j]), append(a.X, iv.Allocation.On(j)...)
		}
		if err := w.look(at, iv.Present, a, false); err != nil {
			return err
		}
		w.pass()
	}
	return nil
}

// pass goes on to the next of the times.
func (w *Watch) pass() {
	if w.next++; w.Passed != nil {
		w.Passed()
	}
}

// due reports whether an allocation to so many users is looked at.
func (f *fluidWatch) due(users int) bool {
	f.passed++
	if p := float64(users) / manyUsers; float64(f.passed) < math.Ceil(p*p) {
		return false
	}
	f.passed = 0
	return true
}

// properties looks at an allocation of divisible tasks.
func (w *Watch) properties(iv *sim.Interval) error {
	f := &w.fluid
	if f.env == nil {
		f.env = iv.Allocation.Region.With(slices.Clone(iv.Allocation.Region.Users))
		for j := range f.env.Users {
			f.env.Users[j].Tasks = cluster.Inf
		}
		f.judge, f.dominator = fair.NewJudge(f.env), solve.NewDominator(f.env)
	}
	iv.Weigh(f.env)
	envy := f.judge.MinEFSat(iv.Allocation, iv.Present)
	if w.Seen[envyFree].saw(iv.From, iv.To, 1-envy.Sat) {
		w.Seen[envyFree].Worst = &Violation{iv.From, envy.Sat, f.env.Users[envy.User].Name, f.env.Users[envy.Of].Name, envy.String()}
	}
	share := f.judge.MinSISat(iv.Allocation, iv.Present)
	if w.Seen[sharing].saw(iv.From, iv.To, 1-share.Sat) {
		w.Seen[sharing].Worst = &Violation{iv.From, share.Sat, f.env.Users[share.User].Name, "", share.String()}
	}
	factor, err := f.dominator.Factor(iv.Here, iv.Allocation.Tasks)
	if err != nil || math.IsInf(factor, 1) {
		return err
	}
	if w.Seen[optimal].saw(iv.From, iv.To, factor-1) {
		w.Seen[optimal].Worst = &Violation{At: iv.From, Value: factor,
			Says: "the users could have " + percent(factor-1) + " more tasks in all, and nobody fewer"}
	}
	return nil
}
