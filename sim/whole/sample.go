package whole

import "github.com/leontief-sim/leontief/sim/event"

// Sample is the state of the system at one instant and over the period before
// it, which is [Replay.SampleEvery] long.
type Sample struct {
	At event.Time
	// Used is used/total of every resource on all servers, then of every link,
	// averaged over the instants of the period with at least one user in the
	// system, as [cluster.MeanUtilization] is over all time; 0 where there is
	// none of it. It is empty if nobody was in the system, and valid during the
	// call only.
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
	e             *run
	next          event.Time
	before, areas []area // see usage.pooled, at the last sample and now
	total         []int64
	busy          event.Time // with a user, up to the last sample
	waiting       float64    // tasks·µs
	arrived       int64
	sample        Sample
}

func (s *sampler) open(e *run) {
	s.e, s.next = e, event.Never
	if e.SampleEvery == 0 || !e.coming.Left() {
		return
	}
	s.before = e.usage.pooled(nil)
	s.total = make([]int64, len(s.before))
	width := len(e.Env.Resources)
	for row := range e.Env.Rows() {
		k := row % width
		if link := row - e.Env.LinkRow(0); link >= 0 {
			k = width + link
		}
		s.total[k] += e.usage.total[row]
	}
	first := e.now
	s.next = first / e.SampleEvery * e.SampleEvery
	if s.next < first {
		s.advance()
	}
}

// advance moves on to the next sample; there is none beyond the clock.
func (s *sampler) advance() {
	if s.next > s.e.horizon-s.e.SampleEvery {
		s.next = event.Never
		return
	}
	s.next += s.e.SampleEvery
}

func (s *sampler) elapse(span event.Time) {
	if s.next != event.Never {
		s.waiting += float64(s.e.queued) * float64(span)
	}
}

// take takes the sample that is due now, if there is one.
func (s *sampler) take() error {
	if s.e.now != s.next {
		return nil
	}
	out := &s.sample
	*out = Sample{
		At: s.e.now, Used: s.used(out.Used[:0]), Waiting: s.e.queued, Running: s.e.running, Present: s.e.present,
		MeanWaiting: s.waiting / float64(s.e.SampleEvery), Arrived: s.arrived,
	}
	s.waiting, s.arrived = 0, 0
	s.advance()
	if s.e.OnSample == nil {
		return nil
	}
	return s.e.OnSample(out)
}

// used appends the utilization since the last sample.
func (s *sampler) used(to []float64) []float64 {
	span := s.e.usage.busy - s.busy
	s.busy = s.e.usage.busy
	if span == 0 {
		return to
	}
	s.areas = s.e.usage.pooled(s.areas)
	for i, a := range s.areas {
		to = append(to, a.sub(s.before[i]).over(s.total[i], span))
	}
	s.before, s.areas = s.areas, s.before
	return to
}
