package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// Case is one run: jobs that arrive at a cluster under one policy, with what
// is to be measured. It is a plain value; equal cases give equal outcomes.
type Case struct {
	// Cluster holds resources named cpu, mem or gpu, servers and links. Its
	// users are ignored.
	Cluster *cluster.Environment
	Jobs    []traces.Job
	// Stream, if it is not nil, takes the place of Jobs and Bandwidth, with whole tasks and
	// without Course, which has series of each job.
	Stream *Stream
	// Bandwidth is each job's demand per task on every link, in MHz; nil where
	// the cluster has no link.
	Bandwidth []float64
	// LinkDemand takes the place of Bandwidth where a job's demand differs
	// between links: one row a job, one number a link, in MHz.
	LinkDemand [][]float64
	// Ignore names what jobs may request though the cluster has none of it.
	Ignore []string
	// Tenants divides the weight of each user whom the trace states among its jobs, see
	// [sim.Tenants]; else each job is a user by itself.
	Tenants bool
	Policy  string // in its text form
	// Want names what is measured beside the JCT factor: registered [Measurement]s.
	Want []string
	// Observers are shown every interval after those of Want.
	Observers []sim.Observer
	// OnEvent, if it is not nil, is shown every event of whole tasks.
	OnEvent func(*whole.Event)
	// OnFairness, if it is not nil, is shown MIN-EF-SAT and MIN-SI-SAT of whole tasks for
	// every span of time in which nothing changes and a user is in the system. The task cap
	// of a user is there what it has not done.
	OnFairness func(from, to event.Time, ef, si float64) error
	// Course, if it is not nil, records what happens over time, in both task models.
	Course *Course
	// Placements, if it is not nil, records who runs where, in both task models.
	Placements *Placements
}

// Measure is one number of a run.
type Measure struct {
	Metric string
	User   string // that it is of: the tenant or the class of size, for a metric that says so; "" of all
	Value  float64
}

// Outcome is what became of a run.
type Outcome struct {
	sim.Result
	Measures []Measure // the JCT factor first, if any job was served

	kept fates // where Jobs are not held
}

// Run replays the case in the fluid model. It ends early, with the cause, when
// ctx does.
func (c Case) Run(ctx context.Context) (*Outcome, error) {
	if c.Stream != nil {
		return nil, errors.New("fluid tasks are replayed of jobs that are held")
	}
	policy, err := policies.New(c.Policy)
	if err != nil {
		return nil, err
	}
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	replay := sim.Fluid{Env: env, Jobs: c.simJobs(env), Policy: policy}
	watchers := c.watchers(env, replay.Jobs)
	tenants, err := c.followTenants()
	if err != nil {
		return nil, err
	}
	if tenants != nil {
		tenants.fluid(&c, env)
	}
	if c.Course != nil { // the first, as it limits what is kept
		replay.Observers = append(replay.Observers, c.Course)
	}
	if c.wants(Tenants) {
		watchers = append(watchers, tenants)
	} else if tenants != nil {
		replay.Observers = append(replay.Observers, tenants)
	}
	for _, w := range watchers {
		replay.Observers = append(replay.Observers, w)
	}
	replay.Observers = append(replay.Observers, c.Observers...)
	if c.Placements != nil {
		c.Placements.open(env)
		replay.Observers = append(replay.Observers, c.Placements)
	}
	result, err := replay.Run(ctx)
	if err == nil {
		err = c.Placements.close(result)
	}
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Policy, err)
	}
	out := &Outcome{Result: *result}
	out.begin()
	for _, w := range watchers {
		out.Measures = append(out.Measures, w.Measures()...)
	}
	return out, c.done(out)
}

// WhyRefused says why jobs were refused, and how many.
func (o *Outcome) WhyRefused() string {
	var why []string
	if n := o.Refused - o.BeyondClock; n > 0 {
		why = append(why, fmt.Sprintf("%d fit on no server that may run them", n))
	}
	if o.BeyondClock > 0 {
		why = append(why, fmt.Sprintf("%d would be done only beyond the clock (292,000 years)", o.BeyondClock))
	}
	return strings.Join(why, "; ")
}

// begin writes the measures that every run has: the mean JCT factor, if any job
// was served, and what has to be known to read it.
func (o *Outcome) begin() {
	factor, served := o.MeanFactor()
	o.Measures = ratio(results.MetricJCTFactor, factor, served)
	if o.BeyondClock > 0 {
		o.Measures = append(o.Measures, Measure{Metric: results.MetricBeyondClock, Value: float64(o.BeyondClock)})
	}
	if o.Pooled > 0 {
		o.Measures = append(o.Measures, Measure{Metric: results.MetricPooled, Value: float64(o.Pooled)})
	}
}

// Environment returns the cluster with the jobs, which are held, as its users.
func (c Case) Environment() (*cluster.Environment, error) {
	maker, err := c.userMaker()
	if err != nil {
		return nil, err
	}
	users := make([]cluster.User, 0, c.Len())
	for s, err := range c.submissions() {
		if err == nil {
			err = c.checkRequest(s.Job)
		}
		if err != nil {
			return nil, err
		}
		users = append(users, maker.user(s))
	}
	return c.Cluster.With(users), nil
}

// linkDemands returns the demands of each job on the links.
func (c Case) linkDemands() func(job int) []float64 {
	links, jobs := len(c.Cluster.Links), len(c.Jobs)
	if c.LinkDemand != nil {
		if c.Bandwidth != nil || len(c.LinkDemand) != jobs {
			panic(fmt.Sprintf("experiments: %d rows of link demands and %d bandwidths for %d jobs", len(c.LinkDemand), len(c.Bandwidth), jobs))
		}
		return func(job int) []float64 { return c.LinkDemand[job] }
	}
	if (links > 0) != (c.Bandwidth != nil) || c.Bandwidth != nil && len(c.Bandwidth) != jobs {
		panic(fmt.Sprintf("experiments: %d bandwidths for %d jobs and %d links", len(c.Bandwidth), jobs, links))
	}
	if links == 0 {
		return func(int) []float64 { return nil }
	}
	return func(job int) []float64 { return slices.Repeat(c.Bandwidth[job:job+1], links) }
}

// column reads the request of a job for one resource.
type column func(*traces.Job) float64

// Requests are the resources that jobs of a trace request.
var Requests = []string{"cpu", "mem", "gpu"}

// requests are the same with where they stand in a job.
var requests = map[string]column{
	"cpu": func(j *traces.Job) float64 { return j.CPU },
	"mem": func(j *traces.Job) float64 { return j.Mem },
	"gpu": func(j *traces.Job) float64 { return j.GPU },
}

// columnsOf finds the requests for the resources of a cluster.
func columnsOf(resources []string) ([]column, error) {
	var columns []column
	var unknown []string
	for _, name := range resources {
		of, ok := requests[name]
		if !ok {
			unknown = append(unknown, name)
		}
		columns = append(columns, of)
	}
	if unknown != nil {
		return nil, fmt.Errorf("the jobs of a trace request cpu, mem and gpu, not %s", strings.Join(unknown, ", "))
	}
	return columns, nil
}

// CheckResources reports the resources of a cluster that no trace can fill.
func CheckResources(resources []string) error {
	_, err := columnsOf(resources)
	return err
}

// simJobs are the jobs as both task models take them, with the users of an
// environment.
func (c Case) simJobs(env *cluster.Environment) []sim.Job {
	out := make([]sim.Job, len(c.Jobs))
	for i := range c.Jobs {
		out[i] = c.simJob(submission{Job: &c.Jobs[i]}, env.Users[i])
	}
	return out
}

// Fit reports whether a job requests any of the cluster's resources, which
// must pass [CheckResources], and whether one of its tasks fits on one of the servers
// that may run it; nil: all.
func Fit(j *traces.Job, c *cluster.Environment, may cluster.Set) (needs, fits bool) {
	for _, name := range c.Resources {
		needs = needs || requests[name](j) > 0
	}
	for s := range c.Servers {
		fits = fits || may.Has(s) && holds(c, s, j)
	}
	return needs, fits
}

// holds reports whether a server of class s is large enough for one task of a job.
func holds(c *cluster.Environment, s int, j *traces.Job) bool {
	for r, name := range c.Resources {
		if requests[name](j) > c.Servers[s].Capacity[r] {
			return false
		}
	}
	return true
}
