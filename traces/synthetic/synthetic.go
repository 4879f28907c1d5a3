// Package synthetic generates workloads from published statistics of the
// Google cluster trace of 2011, for use where the trace itself is not at
// hand. Whatever is made from them is labelled synthetic.
//
// Three workloads have names:
//
//   - [Fitted], the default workload of the TSF-ER experiments: requests and
//     task counts as the first 1,000 real jobs have them, the 11.7% that
//     request no cpu included; arrivals uniform over 48 hours, task durations
//     lognormal with σ = 3 and a median that is the workload's only fitted
//     parameter.
//   - [Google]: arrivals and durations like the real ones as well.
//   - [TwoParameter]: task counts lognormal too, for the experiments with
//     whole tasks.
//
// Requests are drawn from a table of 48 weighted (cpu, mem) pairs, so that
// the dependence of memory on cpu is the trace's. The table has a weight for
// jobs with one task and one for jobs with several, as the two request
// differently; durations of [Google] are kept apart in the same way. Apart
// from that, arrivals, requests, task counts and durations are independent.
//
// [PAI] is another family: workloads of any size like Alibaba's PAI trace of
// 2020, made one job at a time.
package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// Generate makes the jobs of a workload, in order of submission.
//
// The seed and the options decide every byte. Arrivals, requests, task counts
// and durations come from four random streams, named by the seed alone: two
// workloads that differ in the median of the durations, say, have the same
// arrivals, requests and task counts, and durations in proportion (up to the
// limits), which makes fitting a smooth problem.
func Generate(o Options, seedNumber int64) ([]traces.Job, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	stream := func(name string) *rand.Rand { return stream.New("traces/synthetic", seedNumber, name) }
	submits := o.submissions(stream("arrivals"))
	requests, tasks, durations := stream("requests"), stream("tasks"), stream("durations")
	jobs := make([]traces.Job, o.Jobs)
	for i := range jobs {
		n := o.drawTasks(tasks)
		c := o.drawCell(requests, n)
		jobs[i] = traces.Job{
			ID: fmt.Sprintf("synthetic-%06d", i+1), SubmitUS: submits[i], Tasks: n,
			DurationUS: o.drawDurationUS(durations, n), CPU: c.cpu, Mem: c.mem,
		}
	}
	return jobs, nil
}

// Meta returns the metadata of the jobs that [Generate] makes.
func Meta(o Options, seedNumber int64) traces.Meta {
	return googleMeta(o.Label(), struct {
		Options
		Seed int64 `json:"seed"`
	}{o, seedNumber})
}

// googleMeta returns the metadata of jobs like those of the Google trace.
func googleMeta(label string, options any) traces.Meta {
	return traces.Meta{
		Source:  "leontief generator, calibrated to aggregate statistics of the Google cluster-usage traces 2011",
		Options: traces.OptionsText(options), Label: label, Units: "cpu, mem: fraction of the largest machine",
	}
}

// submissions draws the submission times, in µs, sorted.
func (o Options) submissions(rng *rand.Rand) []int64 {
	times := make([]int64, o.Jobs)
	for i := range times {
		u := rng.Float64()
		if o.SpanS > 0 {
			times[i] = int64(u * o.SpanS * 1e6)
		} else {
			times[i] = int64(linear(submissions, u) * 1e6)
		}
	}
	slices.Sort(times)
	return times
}

// drawTasks draws a task count.
func (o Options) drawTasks(rng *rand.Rand) int64 {
	if o.Tasks != nil {
		return int64(math.Round(o.Tasks.draw(rng)))
	}
	u := rng.Float64()
	if u < singleTaskShare {
		return 1
	}
	return int64(math.Round(geometric(multiTasks, (u-singleTaskShare)/(1-singleTaskShare))))
}

// drawCell draws the requests of a job of n tasks. Where the task counts are
// not the trace's, neither is their connection with the requests: then all
// jobs draw from the same mix.
func (o Options) drawCell(rng *rand.Rand, n int64) cell {
	if o.Tasks != nil {
		return drawFrom(cells, rng, func(c *cell) int { return c.single + c.multi })
	}
	return drawFrom(cells, rng, ofSize(n))
}

// drawFrom draws from a table by weight.
func drawFrom(table []cell, rng *rand.Rand, weight func(c *cell) int) cell {
	total := 0
	for i := range table {
		total += weight(&table[i])
	}
	// A draw from 0 … 1 rather than from 0 … total: the same number of draws
	// whatever the weights.
	k := int(rng.Float64() * float64(total))
	for i := range table {
		if k -= weight(&table[i]); k < 0 {
			return table[i]
		}
	}
	panic("synthetic: a draw beyond the weights")
}

// drawDurationUS draws the duration of one task of a job of n tasks, in µs.
func (o Options) drawDurationUS(rng *rand.Rand, n int64) int64 {
	var s float64
	switch {
	case o.Durations != nil:
		s = o.Durations.draw(rng)
	case n == 1:
		s = geometric(singleDurations, rng.Float64())
	default:
		s = geometric(multiDurations, rng.Float64())
	}
	return max(1, int64(math.Round(s*1e6)))
}

// linear evaluates a quantile function, linear between its knots.
func linear(table []knot, u float64) float64 {
	a, b, f := between(table, u)
	return a + f*(b-a)
}

// geometric evaluates a quantile function of positive values, linear between
// its knots in the logarithm.
func geometric(table []knot, u float64) float64 {
	a, b, f := between(table, u)
	return a * math.Pow(b/a, f)
}

// between returns the values of the knots on both sides of u, 0 <= u <= 1,
// and how far u is on the way from one to the other.
func between(table []knot, u float64) (a, b, f float64) {
	i := 1
	for i < len(table)-1 && u > table[i].p {
		i++
	}
	left, right := table[i-1], table[i]
	return left.value, right.value, (u - left.p) / (right.p - left.p)
}
