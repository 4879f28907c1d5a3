package indivisible

import "github.com/leontief-sim/leontief/sim/event"

// Sample is the state of the system at one instant and over the period before
// it, which is [Replay.SampleEvery] long.
type Sample struct {
	At event.Time
	// Used is used/total of every resource, then of every link, averaged over
	// the period; 0 where there is none. It is valid during the call only.
	Used []float64
	// Waiting, Running and Present are the tasks that wait, the tasks that run
	// and the users in the system now; MeanWaiting is the average of the
	// waiting tasks over the period.
	Waiting     int64
	Running     int
	Present     int
	MeanWaiting float64
	// Arrived counts the tasks that arrived in the period, in (At−period, At].
	Arrived int64
}

// sampler takes the samples of a replay.
type sampler struct {
	e       *engine
	next    event.Time
	used    []int64   // per resource, on all servers, in units
	total   []int64   // the same, of the empty cluster
	area    []float64 // per resource, then link: used·µs in the period
	waiting float64   // tasks·µs
	arrived int64
	sample  Sample
}

func (s *sampler) open(e *engine) {
	s.e, s.next = e, never
	width := len(e.Env.Resources)
	s.used, s.total = make([]int64, width), make([]int64, width)
	for server := range e.pool.Servers() {
		for r, c := range e.pool.Capacity(server) {
			s.total[r] += c
		}
	}
	s.area = make([]float64, width+len(e.Env.Links))
	if e.SampleEvery == 0 || !e.more {
		return
	}
	e.now = min(e.now, e.head.Arrival)
	s.next = e.head.Arrival / e.SampleEvery * e.SampleEvery
	if s.next < e.head.Arrival {
		s.next += e.SampleEvery
	}
}

// hold books a task that starts (+1) or leaves (−1).
func (s *sampler) hold(u *user, server int32, sign int64) {
	for r, d := range u.kind.need.On(s.e.pool.Class(int(server))) {
		s.used[r] += sign * d
	}
}

// at returns when the next sample is due, given the next event.
func (s *sampler) at(next event.Time) event.Time {
	if next == never {
		return never
	}
	return s.next
}

func (s *sampler) elapse(span event.Time) {
	if s.next == never {
		return
	}
	t := float64(span)
	for r, used := range s.used {
		s.area[r] += float64(used) * t
	}
	free, all := s.e.pool.LinkFree(), s.e.pool.LinkCapacity()
	for e := range free {
		s.area[len(s.used)+e] += float64(all[e]-free[e]) * t
	}
	s.waiting += float64(s.e.queued) * t
}

// take takes the sample that is due now, if there is one.
func (s *sampler) take() error {
	if s.e.now != s.next {
		return nil
	}
	period := float64(s.e.SampleEvery)
	out := &s.sample
	*out = Sample{
		At: s.e.now, Used: out.Used[:0], Waiting: s.e.queued, Running: s.e.running, Present: s.e.present,
		MeanWaiting: s.waiting / period, Arrived: s.arrived,
	}
	for i, area := range s.area {
		all := int64(0)
		if i < len(s.total) {
			all = s.total[i]
		} else {
			all = s.e.pool.LinkCapacity()[i-len(s.total)]
		}
		out.Used = append(out.Used, area/period/float64(max(all, 1)))
	}
	clear(s.area)
	s.waiting, s.arrived = 0, 0
	s.next += s.e.SampleEvery
	if s.e.OnSample == nil {
		return nil
	}
	return s.e.OnSample(out)
}
