package run

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// The reasons for which a drawn job is not run.
const (
	NeedsNothing = "needs nothing that the cluster has"
	TooLarge     = "one task is larger than every server"
	NoPlace      = "no server that is large enough satisfies the placement constraints and has tolerated taints only"
	Refused      = "refused by the replay"
	BeyondClock  = "refused by the replay, as its completion would lie beyond the clock"
)

// Setup is jobs of a workload on a cluster: what the command simulate, and a scenario
// of a spec, describe beside the rule. What an instance draws depends on the names of
// its streams, the workload, the number of jobs and the number of the instance: all
// rules and all clusters face the same jobs.
type Setup struct {
	Population *Population // as it runs on the cluster, see [Population.On]
	Cluster    *cluster.Environment
	Bandwidth  traces.Bandwidth
	Ignore     []string
	Tenants    bool   // see [Case]
	Jobs       int    // that an instance draws; 0: all as they are
	Draws      string // name of the streams of random numbers
	Seed       uint64
	Want       []string    // what is measured, and is a row
	Tasks      *WholeTasks // nil in the fluid model
}

// Random returns the stream of random numbers of an instance by the name of its use.
func (s *Setup) Random(instance int, use string) *rand.Rand {
	return stream.New(s.Draws, s.Seed, s.Population.Label, s.Jobs, instance, use)
}

// Draw draws the jobs of an instance and their bandwidth, and counts by reason those
// that can not run: jobs that need nothing of the cluster's resources and links, and
// those of which one task is larger than every server, or than every server that may run
// it. The fluid model could run a part
// of such a task, no server can.
func (s *Setup) Draw(instance int) (c Case, left map[string]int, err error) {
	c = Case{Cluster: s.Cluster, Want: s.Want, Ignore: s.Ignore, Tenants: s.Tenants}
	held, left := s.Population.file == nil || s.Jobs != 0, map[string]int{}
	stream := &Stream{requested: map[string]bool{}}
	if s.Jobs > 0 {
		c.Jobs = make([]traces.Job, 0, s.Jobs)
	}
	for d, err := range s.drawn(instance) {
		switch {
		case err != nil:
			return c, nil, err
		case d.why != "":
			left[d.why]++
			continue
		case held:
			c.Jobs = append(c.Jobs, *d.Job)
			if d.mhz != nil {
				c.Bandwidth = append(c.Bandwidth, *d.mhz)
			}
			continue
		}
		stream.Jobs++
		for name, of := range requests {
			stream.requested[name] = stream.requested[name] || of(d.Job) > 0
		}
	}
	if held {
		return c, left, nil
	}
	stream.all = func(yield func(submission, error) bool) {
		for d, err := range s.drawn(instance) {
			if (err != nil || d.why == "") && !yield(d.submission, err) {
				return
			}
		}
	}
	c.Stream = stream
	return c, left, nil
}

// drawn is a job that an instance draws.
type drawn struct {
	submission
	why string // it can not run; "" for one that can
}

// drawn draws the jobs of an instance, the same ones each time.
func (s *Setup) drawn(instance int) iter.Seq2[drawn, error] {
	return func(yield func(drawn, error) bool) {
		jobs := s.Population.All()
		if s.Jobs != 0 {
			jobs = s.Population.sample(s.Random(instance, "jobs"), s.Jobs)
		}
		random, places := s.Random(instance, "bandwidth"), newEligibility(s.Cluster)
		for j, err := range jobs {
			if err != nil {
				yield(drawn{}, err)
				return
			}
			d := drawn{submission: submission{Job: j}}
			if links := len(s.Cluster.Links); links > 0 {
				mhz := s.Bandwidth.Draw(random, j)
				d.mhz, d.links = &mhz, slices.Repeat([]float64{mhz}, links)
			}
			may := places.of(j)
			switch needs, fits := Fit(j, s.Cluster, may); {
			case !needs && !(d.mhz != nil && *d.mhz > 0):
				d.why = NeedsNothing
			case !fits:
				d.why = whyNot(j, s.Cluster, may)
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// sample draws n of the jobs, as [traces.Sample] does.
func (p *Population) sample(random *rand.Rand, n int) iter.Seq2[*traces.Job, error] {
	return func(yield func(*traces.Job, error) bool) {
		if p.file == nil {
			jobs, err := traces.Sample(random, p.Jobs, n)
			if err != nil {
				yield(nil, err)
			}
			for i := range jobs {
				if !yield(&jobs[i], nil) {
					return
				}
			}
			return
		}
		if err := traces.CanDraw(n, p.Len()); err != nil {
			yield(nil, err)
			return
		}
		// They stand in order of submission.
		places, k := slices.Sorted(slices.Values(traces.SampleOf(random, p.Len(), n))), 0
		for j, err := range p.All() {
			if len(places) == 0 {
				return
			}
			if err != nil || k == places[0] {
				if !yield(j, err) {
					return
				}
				places = places[1:]
			}
			k++
		}
	}
}

// whyNot is the reason for which a job fits on none of the servers that may run it.
func whyNot(j *traces.Job, c *cluster.Environment, may cluster.Set) string {
	if may != nil {
		if _, fits := Fit(j, c, nil); fits {
			return NoPlace
		}
	}
	return TooLarge
}

// Replay replays a case and adds the number of refused jobs to its measures, those
// among left with them.
func (s *Setup) Replay(ctx context.Context, c Case, left map[string]int, instance int) (*Outcome, error) {
	var out *Outcome
	if s.Tasks == nil {
		o, err := c.Run(ctx)
		if err != nil {
			return nil, err
		}
		out = o
	} else {
		o, err := Whole{Case: c, Tasks: *s.Tasks, Random: s.Random(instance, "fill")}.Run(ctx)
		if err != nil {
			return nil, err
		}
		out = &o.Outcome
	}
	out.refuse(left)
	return out, nil
}

// refuse adds the number of jobs that were refused.
func (o *Outcome) refuse(left map[string]int) {
	o.Measures = append(o.Measures, Measure{Metric: results.MetricRefused, Value: float64(o.Refused + left[TooLarge] + left[NoPlace])})
}

// Divide divides the cluster once among all jobs of a case: the mean of what a user
// gets over what it could run alone.
func (s *Setup) Divide(c Case, left map[string]int) (*Outcome, error) {
	policy, err := policies.New(c.Policy)
	if err != nil {
		return nil, err
	}
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	if err := c.divideWeights(env); err != nil {
		return nil, err
	}
	a, err := policies.Allocate(policy, env)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Policy, err)
	}
	eta, sum := env.Etas(nil), 0.0
	for j := range env.Users {
		sum += a.Tasks[j] / eta[j]
	}
	out := &Outcome{Measures: []Measure{{Metric: results.MetricShare, Value: sum / float64(len(env.Users))}}}
	out.refuse(left)
	return out, nil
}

// divideWeights gives the users of env, which are the jobs of the case, the weights that
// they have when all are present.
func (c *Case) divideWeights(env *cluster.Environment) error {
	tenants, err := sim.NewTenants(c.simJobs(env))
	if err != nil {
		return spec.OfInput(err)
	}
	if tenants == nil {
		return nil
	}
	for j := range env.Users {
		tenants.Come(tenants.Of[j])
	}
	for j := range env.Users {
		env.Users[j].Weight = tenants.JobWeight(tenants.Of[j])
	}
	return nil
}

// Rows are the measures of an outcome as rows, each with the jobs drawn, the capacity
// of the link, if there is one, and the workload: those of what is wanted.
func (s *Setup) Rows(o *Outcome) []results.Row {
	like := s.Row()
	var rows []results.Row
	for _, m := range o.Measures {
		if slices.Contains(s.Want, MeasurementOf(m.Metric)) {
			like.Metric, like.User, like.Value = m.Metric, m.User, m.Value
			rows = append(rows, like)
		}
	}
	return rows
}

// Row is what all rows of a setup have in common.
func (s *Setup) Row() results.Row {
	drawn := s.Jobs
	if drawn == 0 {
		drawn = s.Population.Len()
	}
	at := map[string]results.Value{"n": results.OfInt(int64(drawn))}
	if len(s.Cluster.Links) == 1 {
		at["bandwidth_mhz"] = results.OfFloat(s.Cluster.Links[0].Capacity)
	}
	return results.Row{Point: results.NewPoint(at), Workload: s.Population.Mark()}
}
