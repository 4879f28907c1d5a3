package run

import (
	"container/heap"
	"math"

	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// deserving sums what jobs deserve over time,
//
//	min( w[g]/W·c[j], n[j] ),
//
// by periods: g is the group of job j, w[g] the weight of each job of the group, W that of all
// jobs, c[j] a number of the job and n[j] the tasks that it has left. The integral of w[g]/W is
// kept for each group. A job's own is written down where n[j] changes, where it leaves, and
// where the other side of the minimum becomes the smaller one; heaps find the jobs for which it
// does. An event costs time in proportion to the groups, and to the logarithm of the jobs for
// each of those.
type deserving struct {
	series []metrics.Series // by job
	period event.Time
	now    event.Time
	total  twoSum // W
	groups []*shareGroup
	active []*shareGroup
	states []deserved
}

// shareGroup is some jobs of the same weight.
type shareGroup struct {
	weight    float64 // w[g]
	jobs      int
	place     int       // in active, if jobs > 0
	first     int64     // the period of past[0], by its begin
	past      []twoSum  // the integral over each period that has ended, µs
	sum       twoSum    // over the period that has not
	open, met deservers // jobs whose n[j] is not the smaller one, and those whose it is
}

// deserved is a job in the system.
type deserved struct {
	group    *shareGroup
	c, n     float64
	since    event.Time
	sum      twoSum  // of the group, then
	place    int     // in the heap
	capped   bool    // n is the smaller one
	priority float64 // n/c: what w[g]/W must be for both to be equal
}

func newDeserving(series []metrics.Series, from event.Time) *deserving {
	return &deserving{series: series, period: event.Time(series[0].Period), now: from, states: make([]deserved, len(series))}
}

// until has time pass, in which nothing changes.
func (d *deserving) until(at event.Time) {
	for len(d.active) > 0 && d.now < at {
		begin := event.Time(beginOf(d.now, d.period))
		end := at
		if at-begin >= d.period {
			end = begin + d.period
		}
		for _, g := range d.active {
			g.sum.add(d.rate(g) * float64(end-d.now))
			if end-begin == d.period {
				g.past, g.sum = append(g.past, g.sum), twoSum{}
			}
		}
		d.now = end
	}
	d.now = at
}

// rate is w[g]/W.
func (d *deserving) rate(g *shareGroup) float64 { return g.weight / d.total.value() }

// come enters a job; weigh is called before time passes.
func (d *deserving) come(j, group int, c, n float64) {
	for len(d.groups) <= group {
		g := &shareGroup{weight: 1}
		g.open, g.met = deservers{of: d, sign: 1}, deservers{of: d, sign: -1}
		d.groups = append(d.groups, g)
	}
	g := d.groups[group]
	if g.jobs++; g.jobs == 1 {
		g.place, g.first = len(d.active), beginOf(d.now, d.period)
		g.past, g.sum = nil, twoSum{}
		d.active = append(d.active, g)
	}
	d.states[j] = deserved{group: g, c: c, n: n, priority: equalAt(c, n), since: d.now, sum: g.sum}
	heap.Push(&g.open, j)
}

// leave takes a job out; weigh is called before time passes.
func (d *deserving) leave(j int) {
	d.write(j)
	g := d.states[j].group
	heap.Remove(d.heapOf(j), d.states[j].place)
	if g.jobs--; g.jobs > 0 {
		return
	}
	last := d.active[len(d.active)-1]
	d.active[g.place], last.place = last, g.place
	d.active = d.active[:len(d.active)-1]
}

// cap changes n of a job.
func (d *deserving) cap(j int, n float64) {
	d.write(j)
	s := &d.states[j]
	s.n, s.priority = n, equalAt(s.c, n)
	heap.Fix(d.heapOf(j), s.place)
	d.settle(s.group)
}

// weigh adds to W, and has all groups know it and their weights.
func (d *deserving) weigh(weight float64) {
	d.total.add(weight)
	if len(d.active) == 0 {
		d.total = twoSum{}
	}
	for _, g := range d.active {
		d.settle(g)
	}
}

// equalAt is n/c, +Inf for a job that deserves nothing at any rate.
func equalAt(c, n float64) float64 {
	if c == 0 {
		return math.Inf(1)
	}
	return n / c
}

// settle has every job of a group know which side of its minimum is the smaller one.
func (d *deserving) settle(g *shareGroup) {
	rate := d.rate(g)
	for g.open.Len() > 0 && rate > d.states[g.open.jobs[0]].priority {
		d.turn(g.open.jobs[0])
	}
	for g.met.Len() > 0 && rate <= d.states[g.met.jobs[0]].priority {
		d.turn(g.met.jobs[0])
	}
}

// turn moves a job to the other heap.
func (d *deserving) turn(j int) {
	d.write(j)
	s := &d.states[j]
	heap.Remove(d.heapOf(j), s.place)
	s.capped = !s.capped
	heap.Push(d.heapOf(j), j)
}

func (d *deserving) heapOf(j int) *deservers {
	if s := &d.states[j]; s.capped {
		return &s.group.met
	}
	return &d.states[j].group.open
}

// write writes down what a job has deserved up to now.
func (d *deserving) write(j int) {
	s := &d.states[j]
	if s.capped {
		d.series[j].Add(s.n, int64(s.since), int64(d.now))
		s.since = d.now
	}
	for s.since < d.now {
		k := (beginOf(s.since, d.period) - s.group.first) / int64(d.period)
		end, sum := d.now, s.group.sum
		if k < int64(len(s.group.past)) {
			end, sum = event.Time(s.group.first+(k+1)*int64(d.period)), s.group.past[k]
		}
		d.series[j].Add(s.c*(sum.less(s.sum)/float64(end-s.since)), int64(s.since), int64(end))
		s.since, s.sum = end, twoSum{}
	}
	s.sum = s.group.sum
}

// deservers are jobs as a heap: the first is the one with the least priority, times a sign.
type deservers struct {
	of   *deserving
	sign float64
	jobs []int
}

func (h *deservers) Len() int { return len(h.jobs) }
func (h *deservers) Less(a, b int) bool {
	return h.sign*h.of.states[h.jobs[a]].priority < h.sign*h.of.states[h.jobs[b]].priority
}
func (h *deservers) Swap(a, b int) {
	h.jobs[a], h.jobs[b] = h.jobs[b], h.jobs[a]
	h.of.states[h.jobs[a]].place, h.of.states[h.jobs[b]].place = a, b
}
func (h *deservers) Push(j any) {
	h.of.states[j.(int)].place = len(h.jobs)
	h.jobs = append(h.jobs, j.(int))
}
func (h *deservers) Pop() any {
	j := h.jobs[len(h.jobs)-1]
	h.jobs = h.jobs[:len(h.jobs)-1]
	return j
}
