package indivisible

import (
	"math"

	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
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
// as soon as somebody holds some of all that they need. The others are kept in
// boxes. With A[j] = x[j]·d[j]/w[j], user j's regard for i's bundle is
//
//	u[j](own)/u[j](i) = max( x[j]/n[j], max over d[j,r] > 0 of A[j,r]/A[i,r] ),
//
// so a pair of boxes bounds all pairs of users in them; and j's task ratio is
//
//	x[j]/ψ[j] = max( x[j]/n[j], (Σw)·x[j]/(w[j]·η'[j]) ).
//
// MIN-EF-SAT takes users that are worth the same everywhere: where a user has
// constraints or differing demands, or a link does not reach all servers, the
// replay ends with an error, unless SharesOnly is set.
type Fairness struct {
	Caps       Caps
	SharesOnly bool             // leave MIN-EF-SAT out
	EF         metrics.Weighted // MIN-EF-SAT
	SI         metrics.Weighted // MIN-SI-SAT
	Violation  metrics.Below    // share of time with MIN-SI-SAT < 1 − 1e-6
	// OnInterval, if set, is shown what held for each span.
	OnInterval func(from, to event.Time, ef, si float64) error

	e       *engine
	states  []fairState
	pending []int32
	weights []weightCount
	idle    []supportCount // users without a running task
	holders []supportCount // users with one
	ratios  *boxes[float64]
	bundles *boxes[float64]
	least   float64 // of the search under way
	pair    [2]int32
	scratch []float64
}

// siTolerance is how far below 1 MIN-SI-SAT counts as a violation; see
// sim.SITolerance.
const siTolerance = 1e-6

// fairState is what of a user has been counted.
type fairState struct {
	pending, present, holds bool
	weight                  float64
	support                 string
}

// weightCount and supportCount count users by exact value, so that sums carry
// no drift.
type weightCount struct {
	weight float64
	n      int
}

type supportCount struct {
	support string
	n       int
}

func (f *Fairness) open(e *engine) error {
	byIndex := func(a, b int32) bool { return a < b }
	*f = Fairness{Caps: f.Caps, SharesOnly: f.SharesOnly, OnInterval: f.OnInterval, e: e, pair: [2]int32{-1, -1}}
	f.Violation.Threshold = 1 - siTolerance
	f.ratios = newBoxes[float64](2, byIndex)
	f.bundles = newBoxes[float64](1+len(e.Env.Resources)+len(e.Env.Links), byIndex)
	if !f.SharesOnly && len(e.pool.global) < len(e.Env.Links) {
		return errNotPlain
	}
	return nil
}

type fairnessError string

func (e fairnessError) Error() string { return string(e) }

const errNotPlain = fairnessError("MIN-EF-SAT is kept up to date only where every user is worth the same on all servers: " +
	"no constraints, no differing demands, and every link reaches all servers")

func (f *Fairness) came(at int32) { f.changed(at) }
func (f *Fairness) left(at int32) { f.changed(at) }
func (f *Fairness) changed(at int32) {
	for int(at) >= len(f.states) {
		f.states = append(f.states, fairState{})
	}
	if !f.states[at].pending {
		f.states[at].pending = true
		f.pending = append(f.pending, at)
	}
}

// elapse records what has held since the last instant.
func (f *Fairness) elapse(span event.Time) error {
	for _, at := range f.pending {
		f.states[at].pending = false
		if err := f.settle(at); err != nil {
			return err
		}
	}
	f.pending = f.pending[:0]
	ef, si := 1.0, f.minSI()
	if !f.SharesOnly {
		ef = f.minEF()
		f.EF.Add(ef, int64(span))
	}
	f.SI.Add(si, int64(span))
	f.Violation.Add(si, int64(span))
	if f.OnInterval == nil {
		return nil
	}
	return f.OnInterval(f.e.now, f.e.now+span, ef, si)
}

// settle counts a user as it is now.
func (f *Fairness) settle(at int32) error {
	s, u := &f.states[at], &f.e.users[at]
	if s.present {
		f.count(s, -1)
	}
	*s = fairState{present: u.left > 0, holds: u.running > 0, weight: u.weight, support: u.kind.support}
	if s.present {
		f.count(s, 1)
	}
	if !s.present || !s.holds {
		if f.ratios.has(at) {
			f.ratios.drop(at)
		}
		if f.bundles.has(at) {
			f.bundles.drop(at)
		}
		return nil
	}
	if !f.SharesOnly && (u.kind.may != nil || len(u.kind.user.DemandOn) > 0) {
		return errNotPlain
	}
	f.enter(at, u)
	return nil
}

func (f *Fairness) count(s *fairState, n int) {
	i := 0
	for i < len(f.weights) && f.weights[i].weight != s.weight {
		i++
	}
	if i == len(f.weights) {
		f.weights = append(f.weights, weightCount{weight: s.weight})
	}
	if f.weights[i].n += n; f.weights[i].n == 0 {
		f.weights = append(f.weights[:i], f.weights[i+1:]...)
	}
	if s.holds {
		countSupport(&f.holders, s.support, n)
	} else {
		countSupport(&f.idle, s.support, n)
	}
}

func countSupport(counts *[]supportCount, support string, n int) {
	for i := range *counts {
		if (*counts)[i].support == support {
			(*counts)[i].n += n
			return
		}
	}
	*counts = append(*counts, supportCount{support, n})
}

// enter puts a user that holds something into the boxes.
func (f *Fairness) enter(at int32, u *user) {
	x := float64(u.running)
	n := float64(u.Tasks)
	if f.Caps == CapLeft {
		n = float64(u.left)
	}
	f.ratios.put(at, append(f.scratch[:0], x/n, x/(u.weight*u.kind.eta)))
	if f.SharesOnly {
		return
	}
	f.scratch = append(f.scratch[:0], x/n)
	for _, d := range u.kind.demand {
		f.scratch = append(f.scratch, x*d/u.weight)
	}
	f.bundles.put(at, f.scratch)
}

// minSI returns MIN-SI-SAT.
func (f *Fairness) minSI() float64 {
	for _, c := range f.idle {
		if c.n > 0 {
			return 0
		}
	}
	total := 0.0
	for _, w := range f.weights {
		total += w.weight * float64(w.n)
	}
	f.least = 1
	if f.ratios.len() > 0 {
		f.ratioBelow(1, total)
	}
	return f.least
}

func (f *Fairness) ratioBelow(node int, total float64) {
	b := f.ratios
	if b.count[node] == 0 || taskRatio(b.low(node), total) >= f.least {
		return
	}
	if node < b.leaves {
		f.ratioBelow(2*node, total)
		f.ratioBelow(2*node+1, total)
		return
	}
	for _, at := range b.slots(node) {
		if at >= 0 {
			f.least = min(f.least, taskRatio(b.point(at), total))
		}
	}
}

// taskRatio is x/ψ from (x/n, x/(w·η')) and Σw.
func taskRatio(of []float64, total float64) float64 { return max(of[0], of[1]*total) }

// minEF returns MIN-EF-SAT.
func (f *Fairness) minEF() float64 {
	for _, poor := range f.idle {
		for _, rich := range f.holders {
			if poor.n > 0 && rich.n > 0 && within(poor.support, rich.support) {
				return 0
			}
		}
	}
	f.least = 1
	if f.bundles.len() == 0 {
		return 1
	}
	// The worst pair of the last time is often the worst still.
	if j, i := f.pair[0], f.pair[1]; j >= 0 && f.bundles.has(j) && f.bundles.has(i) {
		f.least = min(1, regard(f.bundles.point(j), f.bundles.point(i)))
	}
	f.envyBelow(1, 1)
	return f.least
}

// within reports whether everything that a needs is among what b needs.
func within(a, b string) bool {
	for r := range len(a) {
		if a[r] > b[r] {
			return false
		}
	}
	return true
}

// regard returns max(x[j]/n[j], max A[j,r]/A[i,r]) for points of bundles, and a
// lower bound of it for the low corner of a box of j and the high corner of one
// of i.
func regard(j, i []float64) float64 {
	most := j[0]
	for r := 1; r < len(j); r++ {
		if j[r] > 0 {
			if i[r] <= 0 {
				return math.Inf(1)
			}
			most = max(most, j[r]/i[r])
		}
	}
	return most
}

// envyBelow searches the pairs of a user j below one node and i below another.
func (f *Fairness) envyBelow(j, i int) {
	b := f.bundles
	if b.count[j] == 0 || b.count[i] == 0 || regard(b.low(j), b.high(i)) >= f.least {
		return
	}
	switch {
	case j >= b.leaves && i >= b.leaves:
		f.envyLeaves(b.slots(j), b.slots(i))
	case j < b.leaves && j <= i || i >= b.leaves:
		first, second := 2*j, 2*j+1
		if b.count[first] == 0 || b.count[second] > 0 && regard(b.low(second), b.high(i)) < regard(b.low(first), b.high(i)) {
			first, second = second, first
		}
		f.envyBelow(first, i)
		f.envyBelow(second, i)
	default:
		first, second := 2*i, 2*i+1
		if b.count[first] == 0 || b.count[second] > 0 && regard(b.low(j), b.high(second)) < regard(b.low(j), b.high(first)) {
			first, second = second, first
		}
		f.envyBelow(j, first)
		f.envyBelow(j, second)
	}
}

func (f *Fairness) envyLeaves(envious, envied []int32) {
	for _, j := range envious {
		if j < 0 {
			continue
		}
		for _, i := range envied {
			if i < 0 || i == j {
				continue
			}
			if v := regard(f.bundles.point(j), f.bundles.point(i)); v < f.least {
				f.least, f.pair = v, [2]int32{j, i}
			}
		}
	}
}
