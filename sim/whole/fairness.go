package whole

import (
	"slices"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"

	"github.com/leontief-sim/leontief/sim/whole/boxes"
)

// Caps says what the task cap n[j] of a user is in the fairness figures.
type Caps uint8

// The task caps.
const (
	CapSubmitted Caps = iota // all tasks that the job submitted
	CapLeft                  // those that are not done
)

// Fairness watches MIN-EF-SAT and MIN-SI-SAT over all users in the system, as
// package fair defines them, weighted by the time for which they hold. It is
// made for one replay.
//
// What changes with an event is one user's bundle; the figures are found again
// from there without looking at all pairs. Users that hold nothing decide most
// of it: their equal share is positive, so MIN-SI-SAT is 0, and MIN-EF-SAT is 0
// as soon as somebody holds some of all that they need where they may run. The
// others are looked at only where that leaves the answer open; [envy] says how
// for MIN-EF-SAT. For MIN-SI-SAT j's task ratio is
//
//	x[j]/ψ[j] = max( x[j]/n[j], (Σw)·x[j]/(w[j]·η'[j]) ),
//
// and a box around several users bounds it from below for all of them.
type Fairness struct {
	Caps       Caps
	SharesOnly bool             // leave MIN-EF-SAT out
	EF         metrics.Weighted // MIN-EF-SAT
	SI         metrics.Weighted // MIN-SI-SAT
	Violation  metrics.Below    // share of time with MIN-SI-SAT < 1 − 1e-6
	// OnInterval, if set, is shown what held for each span.
	OnInterval func(from, to event.Time, ef, si float64) error

	e       *run
	states  []fairState
	stale   []int32 // users that the trees do not know as they are
	weights []weightCount
	// ofTenant has the users of each tenant; they change together.
	ofTenant [][]int32
	idle     int // users without a running task
	ratios   *boxes.Tree[float64]
	envy     *envy   // nil with SharesOnly
	least    float64 // of the search under way
}

// fairState is what is known of a user.
type fairState struct {
	stale, present bool
	running        int64
	spec           *spec // nil with SharesOnly
	member         int32 // place in spec.members; -1: none
}

// weightCount counts users by exact weight, so that the sum carries no drift.
type weightCount struct {
	weight float64
	n      int
}

func (f *Fairness) open(e *run) {
	*f = Fairness{Caps: f.Caps, SharesOnly: f.SharesOnly, OnInterval: f.OnInterval, e: e}
	f.Violation.Threshold = 1 - sim.SITolerance
	f.ratios = boxes.New[float64](2, func(a, b int32) bool { return a < b })
	if !f.SharesOnly {
		f.envy = newEnvy(f)
	}
}

// came counts a new user. It holds nothing yet.
func (f *Fairness) came(at int32) {
	for int(at) >= len(f.states) {
		f.states = append(f.states, fairState{})
	}
	f.states[at] = fairState{stale: f.states[at].stale, present: true, member: -1}
	f.idle++
	f.weigh(at, 1)
	if f.envy != nil {
		f.envy.came(at)
	}
}

// left counts a user that holds nothing any more out.
func (f *Fairness) left(at int32) {
	f.idle--
	f.weigh(at, -1)
	if f.ratios.Has(at) {
		f.ratios.Drop(at)
	}
	if f.envy != nil {
		f.envy.left(at)
	}
	f.states[at].present = false
}

// moved counts tasks that a user starts (n > 0) or ends on a server.
func (f *Fairness) moved(at, server int32, n int64) {
	s := &f.states[at]
	if s.running == 0 {
		f.idle--
	}
	s.running += n
	if s.running == 0 {
		f.idle++
	}
	if f.envy != nil {
		f.envy.moved(at, server, n)
	}
	f.changed(at)
}

// changed notes that the trees do not know a user as it is.
func (f *Fairness) changed(at int32) {
	if !f.states[at].stale {
		f.states[at].stale = true
		f.stale = append(f.stale, at)
	}
}

// weigh counts the weight of a user that has come (+1) or is leaving (−1). That of a
// tenant counts as long as it has a job, and those of its other jobs change.
func (f *Fairness) weigh(at int32, n int) {
	weight := f.e.users[at].User.Weight
	if f.e.tenants != nil {
		tenant := f.e.users[at].tenant
		for len(f.ofTenant) <= int(tenant) {
			f.ofTenant = append(f.ofTenant, nil)
		}
		all := &f.ofTenant[tenant]
		if n > 0 {
			*all = append(*all, at)
		} else {
			*all = slices.DeleteFunc(*all, func(other int32) bool { return other == at })
		}
		for _, other := range *all {
			f.changed(other)
		}
		if len(*all) > max(n, 0) {
			return
		}
	}
	i := 0
	for i < len(f.weights) && f.weights[i].weight != weight {
		i++
	}
	if i == len(f.weights) {
		f.weights = append(f.weights, weightCount{weight: weight})
	}
	if f.weights[i].n += n; f.weights[i].n == 0 {
		f.weights = append(f.weights[:i], f.weights[i+1:]...)
	}
}

// elapse records what has held since the last instant.
func (f *Fairness) elapse(span event.Time) error {
	ef, si := 1.0, f.minSI()
	if !f.SharesOnly {
		ef = f.envy.min()
		f.EF.Add(ef, int64(span))
	}
	f.SI.Add(si, int64(span))
	f.Violation.Add(si, int64(span))
	if f.OnInterval == nil {
		return nil
	}
	return f.OnInterval(f.e.now, f.e.now+span, ef, si)
}

// flush tells the trees of all users that have changed.
func (f *Fairness) flush() {
	if len(f.stale) == 0 {
		return
	}
	for _, at := range f.stale {
		s, u := &f.states[at], &f.e.users[at]
		if s.stale = false; s.present && s.running > 0 {
			x := float64(u.running)
			f.ratios.Put(at, []float64{x / f.cap(u), x / (f.e.weight(u) * u.kind.eta)})
		} else if f.ratios.Has(at) {
			f.ratios.Drop(at)
		}
	}
	if f.envy != nil {
		f.envy.flush(f.stale)
	}
	f.stale = f.stale[:0]
}

// cap returns n[j].
func (f *Fairness) cap(u *user) float64 {
	if f.Caps == CapLeft {
		return float64(u.left)
	}
	return float64(u.Tasks)
}

// minSI returns MIN-SI-SAT.
func (f *Fairness) minSI() float64 {
	if f.idle > 0 {
		return 0
	}
	f.flush()
	total := 0.0
	for _, w := range f.weights {
		total += w.weight * float64(w.n)
	}
	f.least = 1
	if f.ratios.Len() > 0 {
		f.ratioBelow(1, total)
	}
	return f.least
}

func (f *Fairness) ratioBelow(node int, total float64) {
	b := f.ratios
	if b.Count[node] == 0 || taskRatio(b.Low(node), total) >= f.least {
		return
	}
	if node < b.Leaves {
		f.ratioBelow(2*node, total)
		f.ratioBelow(2*node+1, total)
		return
	}
	for _, at := range b.Slots(node) {
		if at >= 0 {
			f.least = min(f.least, taskRatio(b.Point(at), total))
		}
	}
}

// taskRatio is x/ψ from (x/n, x/(w·η')) and Σw.
func taskRatio(of []float64, total float64) float64 { return max(of[0], of[1]*total) }
