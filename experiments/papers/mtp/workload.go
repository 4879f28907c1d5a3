package mtp

import (
	"fmt"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
)

// LinkMHz is the bandwidth of every access point.
const LinkMHz = 20

// table1 holds the servers (cpu, mem) of each access point, in units of the
// largest capacity of each resource.
var table1 = [][][]float64{
	{{0.25, 1}},
	{{0.25, 0.75}, {0.75, 0.25}},
	{{0.25, 1}, {1, 1}},
	{{1, 1}, {0.5, 0.75}},
	{{0.25, 1}, {0.75, 0.5}},
}

// Cluster returns the five access points of table 1, each a link of so many MHz
// with the servers behind it.
func Cluster(mhz float64) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"},
		Units: map[string]string{"cpu": cluster.FractionOfLargest, "mem": cluster.FractionOfLargest}}
	servers := 0
	for _, point := range table1 {
		servers += len(point)
	}
	for e, point := range table1 {
		link := cluster.Link{Name: fmt.Sprintf("ap%d", e+1), Capacity: mhz, Servers: cluster.NewSet(servers)}
		for k, capacity := range point {
			link.Servers.Add(len(env.Servers))
			env.Servers = append(env.Servers, cluster.Server{
				Name: fmt.Sprintf("ap%d-s%d", e+1, k+1), Capacity: capacity, Count: 1})
		}
		env.Links = append(env.Links, link)
		env.Units[link.Name] = "MHz"
	}
	return env
}

// What the paper takes from the trace: seven hours of jobs that complete in
// under two, of whose tasks it picks 10 percent.
const (
	paperHours    = 7
	paperLongestH = 2
	paperFraction = 0.1
)

// submissions is how many jobs the Google trace of 2011 has in its first seven
// hours.
const submissions = 5852

// embedded returns the workload for want of a trace: as many jobs as the Google
// trace has in seven hours, with its requests, task counts and durations.
func embedded() (*run.Population, error) {
	return run.SyntheticWorkload(synthetic.Options{Name: "seven-hours", Jobs: submissions, SpanS: paperHours * 3600}, run.PopulationSeed)
}

// population returns the jobs of a Parquet file, or the embedded ones for "".
func population(trace string) (*run.Population, error) {
	if trace == "" {
		return embedded()
	}
	return run.TraceWorkload(trace)
}

// cut says which jobs and tasks of a workload are run.
type cut struct {
	hours, longestH float64
	fraction        float64
}

// apply returns the jobs that are run, on a clock that begins with the first
// submission, and counts the others by reason. Each task of a job that is long
// enough is picked with the probability fraction, independently, and a job with
// no picked task is left out; one draw a task in the order of the jobs.
func (c cut) apply(rng *rand.Rand, jobs []traces.Job) (kept []traces.Job, leftOut map[string]int) {
	leftOut = map[string]int{}
	for _, j := range jobs {
		j.SubmitUS -= jobs[0].SubmitUS
		reason := c.reason(&j)
		if reason == "" {
			if j.Tasks = pick(rng, j.Tasks, c.fraction); j.Tasks == 0 {
				reason = "none of its tasks was picked"
			}
		}
		if reason != "" {
			leftOut[reason]++
			continue
		}
		kept = append(kept, j)
	}
	return kept, leftOut
}

// reason says why a job is not run; "" if it may be.
func (c cut) reason(j *traces.Job) string {
	switch {
	case float64(j.SubmitUS) >= c.hours*3600e6:
		return fmt.Sprintf("submitted after the first %g hours", c.hours)
	case j.Censored || float64(j.DurationUS) >= c.longestH*3600e6:
		return fmt.Sprintf("runs for %g hours or longer", c.longestH)
	case j.CPU == 0:
		return "requests no cpu, so that no bandwidth can be derived"
	}
	return ""
}

// pick counts successes in n draws.
func pick(rng *rand.Rand, n int64, p float64) int64 {
	picked := int64(0)
	for range n {
		if rng.Float64() < p {
			picked++
		}
	}
	return picked
}

// The range of a user's demand on a link, in units of its bit rate over the
// spectral efficiency: how good its channels are.
const (
	bestChannel  = 0.9
	worstChannel = 9
)

// channels draws what one task of each job needs of each link, in MHz:
// d[j,e] = U·ρ[j]/3.5, with the bit rate ρ[j] = d_cpu·f_cpu/X of the bandwidth
// model and U uniform in [0.9, 9], independently for each access point.
func channels(cycles, quality *rand.Rand, b traces.Bandwidth, jobs []traces.Job, links int) [][]float64 {
	mhz := b.Synthesize(cycles, jobs)
	demands := make([][]float64, len(jobs))
	for i := range jobs {
		demands[i] = make([]float64, links)
		for e := range demands[i] {
			demands[i][e] = mhz[i] * (bestChannel + (worstChannel-bestChannel)*quality.Float64())
		}
	}
	return demands
}

// random returns the random numbers of one instance by the name of their use.
// They do not depend on the rule.
func random(experimentSeed uint64, source string, instance int, name string) *rand.Rand {
	return stream.New(Name, experimentSeed, source, instance, name)
}
