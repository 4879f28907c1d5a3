package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// HourName is the name of the workload that [Hour.Generate] makes.
const HourName = "hour"

// Hour describes a synthetic workload like the jobs of the Google trace of 2011
// that are submitted before 3,600 s: those of time 0, which were submitted at an
// unknown time before the trace began, and those of the first 50 minutes after
// its start at 600 s.
type Hour struct {
	Jobs int `json:"jobs"` // >= 1
}

// DefaultHour has as many jobs as the trace, with the 100 that request no cpu.
func DefaultHour() Hour { return Hour{Jobs: hourJobs} }

// Validate returns what is wrong with the options, or nil.
func (o Hour) Validate() error {
	if o.Jobs < 1 || o.Jobs > maxJobs {
		return fmt.Errorf("synthetic workload %s: %d jobs, not 1 to %d", HourName, o.Jobs, maxJobs)
	}
	return nil
}

// Meta returns the metadata of the jobs that [Hour.Generate] makes.
func (o Hour) Meta(seedNumber int64) traces.Meta {
	return googleMeta(HourName+" (synthetic)", struct {
		Hour
		Seed int64 `json:"seed"`
	}{o, seedNumber})
}

// Generate makes the jobs, in order of submission. 87% of them are there at time
// 0; more than half of these run on at the end of the trace and are censored.
// The others are like those of [Google], their submissions being uniform.
// Requests, task counts and durations depend on each other only in that jobs
// with one task differ from those with several. The seed and the options decide
// every byte, and each quantity has a random stream of its own.
func (o Hour) Generate(seedNumber int64) ([]traces.Job, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	stream := func(name string) *rand.Rand { return stream.New("traces/synthetic/hour", seedNumber, name) }
	submits := o.submissions(stream("arrivals"))
	requests, tasks, durations := stream("requests"), stream("tasks"), stream("durations")
	jobs := make([]traces.Job, o.Jobs)
	for i := range jobs {
		j := traces.Job{ID: fmt.Sprintf("hour-%06d", i+1), SubmitUS: submits[i]}
		var c cell
		if submits[i] > 0 {
			j.Tasks = Options{}.drawTasks(tasks)
			c = drawFrom(cells, requests, ofSize(j.Tasks))
			j.DurationUS = Options{}.drawDurationUS(durations, j.Tasks)
		} else {
			j.Tasks = drawEarlyTasks(tasks)
			c = drawFrom(hourCells, requests, ofSize(j.Tasks))
			j.DurationUS, j.Censored = drawEarlyDurationUS(durations, j.Tasks)
		}
		j.CPU, j.Mem = c.cpu, c.mem
		jobs[i] = j
	}
	return jobs, nil
}

// submissions draws the submission times, in µs, sorted.
func (o Hour) submissions(rng *rand.Rand) []int64 {
	times := make([]int64, o.Jobs)
	for i := range times {
		u := rng.Float64()
		if u >= hourEarly {
			times[i] = 600e6 + int64((u-hourEarly)/(1-hourEarly)*3000e6)
		}
	}
	slices.Sort(times)
	return times
}

// drawEarlyTasks draws the task count of a job of time 0.
func drawEarlyTasks(rng *rand.Rand) int64 {
	u := rng.Float64()
	if u < hourEarlySingle {
		return 1
	}
	return int64(math.Round(geometric(hourTasks, (u-hourEarlySingle)/(1-hourEarlySingle))))
}

// drawEarlyDurationUS draws the duration, in µs, of a job of n tasks that is
// there at time 0, and whether it runs on at the end of the trace.
func drawEarlyDurationUS(rng *rand.Rand, n int64) (us int64, censored bool) {
	table, open := hourSingleDurations, hourSingleOpen
	if n > 1 {
		table, open = hourMultiDurations, hourMultiOpen
	}
	u := rng.Float64()
	if u < open {
		return traceEndUS, true
	}
	return int64(math.Round(geometric(table, (u-open)/(1-open)) * 1e6)), false
}

// ofSize is how many of a cell's jobs have one task, for a job of one, and how
// many have several, for others.
func ofSize(n int64) func(c *cell) int {
	return func(c *cell) int {
		if n == 1 {
			return c.single
		}
		return c.multi
	}
}

// GoogleMachines makes n machines with the capacities of the published list of
// the Google cluster's machine configurations, drawn by their frequencies.
//
// Reference: C. Reiss, A. Tumanov, G. Ganger, R. Katz, M. Kozuch, Heterogeneity
// and dynamicity of clouds at scale, SoCC 2012, table 1.
func GoogleMachines(rng *rand.Rand, n int) []traces.Machine {
	total := 0
	for _, m := range googleMachines {
		total += m.count
	}
	machines := make([]traces.Machine, n)
	for i := range machines {
		k := rng.IntN(total)
		for _, m := range googleMachines {
			if k -= m.count; k < 0 {
				machines[i] = traces.Machine{ID: fmt.Sprintf("machine-%05d", i+1), CPU: m.cpu, Mem: m.mem,
					Class: fmt.Sprintf("cpu%v-mem%v", m.cpu, m.mem)}
				break
			}
		}
	}
	return machines
}
