package run

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// deservedTwin is the definition: at every event, for every job.
type deservedTwin struct {
	series []metrics.Series
	now    event.Time
	jobs   map[int]twinJob
	weight map[int]float64 // of each job of a group
}

type twinJob struct {
	group int
	c, n  float64
}

func (d *deservedTwin) until(at event.Time) {
	total := 0.0
	for _, j := range d.jobs {
		total += d.weight[j.group]
	}
	for j, of := range d.jobs {
		d.series[j].Add(min(d.weight[of.group]/total*of.c, of.n), int64(d.now), int64(at))
	}
	d.now = at
}

func (d *deservedTwin) total() (sum float64) {
	for _, j := range d.jobs {
		sum += d.weight[j.group]
	}
	return sum
}

// What jobs of three groups deserve is, period by period, what the definition says, over
// stretches from a microsecond to many periods.
func TestWhatJobsDeserveIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	capped, open := 0, 0
	for range 100 {
		const n = 60
		c, from := Course{Period: event.Time(1 + rng.Int64N(1e6))}, event.Time(rng.Int64N(1e6)-5e5)
		slow := &deservedTwin{series: c.series(n, from), now: from, jobs: map[int]twinJob{}, weight: map[int]float64{}}
		fast := newDeserving(c.series(n, from), from)
		next := 0
		for next < n || len(slow.jobs) > 0 {
			at := slow.now + event.Time(rng.Int64N([]int64{1, 2, 1e5, 3e6}[rng.IntN(4)]))
			slow.until(at)
			fast.until(at)
			before := slow.total()
			switch j := someJob(slow.jobs, rng); {
			case next < n && (j < 0 || rng.IntN(3) == 0):
				of := twinJob{group: rng.IntN(3), c: []float64{0, 1, 40 * rng.Float64()}[rng.IntN(3)], n: float64(1 + rng.IntN(5))}
				slow.jobs[next] = of
				slow.weight[of.group] = 0.5 + rng.Float64()
				fast.come(next, of.group, of.c, of.n)
				fast.groups[of.group].weight = slow.weight[of.group]
				fast.weigh(slow.total() - before)
				next++
			case j >= 0 && slow.jobs[j].n > 0 && rng.IntN(2) == 0:
				of := slow.jobs[j]
				of.n--
				slow.jobs[j] = of
				fast.cap(j, of.n)
			case j >= 0:
				delete(slow.jobs, j)
				fast.leave(j)
				fast.weigh(slow.total() - before)
			}
			for _, g := range fast.active {
				capped, open = capped+g.met.Len(), open+g.open.Len()
			}
		}
		for j := range n {
			got, want := &fast.series[j], &slow.series[j]
			if got.Periods() != want.Periods() {
				t.Fatalf("job %d: %d periods, want %d", j, got.Periods(), want.Periods())
			}
			for k := range got.Periods() {
				a, b := got.At(k), want.At(k)
				if a.Span() != b.Span() || math.Abs(a.Integral()-b.Integral()) > 1e-12*max(1, b.Integral()) {
					t.Fatalf("job %d, period %d: %v over %d µs, want %v over %d µs", j, k, a.Integral(), a.Span(), b.Integral(), b.Span())
				}
			}
		}
	}
	if capped < 10_000 || open < 10_000 {
		t.Errorf("only %d times a job deserves what it has left, %d times its share", capped, open)
	}
}

// someJob is a job in the system, -1 if there is none.
func someJob(jobs map[int]twinJob, rng *rand.Rand) int {
	if len(jobs) == 0 {
		return -1
	}
	return slices.Sorted(maps.Keys(jobs))[rng.IntN(len(jobs))]
}
