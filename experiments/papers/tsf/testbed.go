package tsf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/sim/whole"
)

// testbedKind runs the scenes of the paper's measurements on 50 nodes.
const testbedKind = "tsf-testbed"

// The scenes: table II and figure 5; figure 6; figure 7.
const (
	sceneShares = "shares"
	scenePools  = "pools"
	sceneMice   = "mice"
)

// parameterJob1 is the number of tasks of job 1, tasksOfJob1 that of table II.
const (
	parameterJob1 = "job1"
	tasksOfJob1   = 1000
)

func init() {
	spec.RegisterKind(spec.Kind{
		Name: testbedKind, Title: "The TSF paper's 50 nodes: shares over time, static pools, elephants and mice",
		Parameters: []spec.Parameter{
			{Name: "scene", Doc: "shares (figure 5), pools (figure 6) or mice (figure 7).", Required: true,
				Canonical: spec.OneOf(sceneShares, scenePools, sceneMice)},
			{Name: parameterJob1, Unit: "tasks", Doc: "Tasks of job 1 in the scene pools; the paper does not say how many.", Default: fmt.Sprint(tasksOfJob1),
				Canonical: spec.WholeNumber(1, 100_000)},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			return &testbed{scene: s.Text("scene"), seed: s.Seed, job1: s.WholeNumber(parameterJob1)}, nil
		},
	})
}

// testbed is a scenario of testbedKind.
type testbed struct {
	scene string
	seed  uint64
	job1  int64 // tasks of job 1 in the scene pools
}

// Instance implements [spec.Instances]. Instances differ in how long each
// task runs.
func (b *testbed) Instance(ctx context.Context, i int) ([]results.Row, error) {
	switch b.scene {
	case sceneShares:
		return b.shares(ctx, i)
	case scenePools:
		return b.pools(ctx, i)
	}
	return b.mice(ctx, i)
}

// nodes is the cluster of table II: nodes 1–25 with one core, nodes 26–50 with
// two, 1 GB each. Memory is in MB.
func nodes() *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for n := 1; n <= 50; n++ {
		cores := 1.0
		if n > 25 {
			cores = 2
		}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("node%d", n), Capacity: []float64{cores, 1024}, Count: 1})
	}
	return env
}

// span is a range of nodes, first and last of them, counted from 1.
type span struct{ first, last int }

// whitelist is the set of the nodes of some ranges.
func whitelist(spans ...span) cluster.Set {
	set := cluster.NewSet(50)
	for _, s := range spans {
		for n := s.first; n <= s.last; n++ {
			set.Add(n - 1)
		}
	}
	return set
}

// batch is a job of the testbed.
type batch struct {
	name         string
	start        float64 // s
	tasks        int64
	cores        float64
	meanS        float64 // of a task's run time
	nodes        cluster.Set
	weight       float64
	streamNumber int // of the stream of its run times
}

// memory is what every task needs, in MB.
const memory = 512

// tableII are the jobs of table II.
func tableII() []batch {
	return []batch{
		{"job 1", 0, tasksOfJob1, 1, 23.2, whitelist(span{1, 50}), 1, 1},
		{"job 2", 10, 150, 0.5, 18.3, whitelist(span{1, 25}), 1, 2},
		{"job 3", 150, 100, 0.5, 21.3, whitelist(span{1, 10}, span{26, 35}), 1, 3},
		{"job 4", 150, 100, 1, 55.6, whitelist(span{1, 10}, span{26, 35}), 1, 4},
	}
}

// user is the user of a batch.
func (b *batch) user() cluster.User {
	u := cluster.NewUser(b.name, []float64{b.cores, memory})
	u.Eligible, u.Weight = b.nodes, b.weight
	return u
}

// alone returns h: the whole tasks that the nodes of a set hold of the job at
// once, all nodes where the set is nil.
func (b *batch) alone(env *cluster.Environment, on cluster.Set) float64 {
	h := 0.0
	for n, s := range env.Servers {
		if on.Has(n) {
			h += min(math.Floor(s.Capacity[0]/b.cores), math.Floor(s.Capacity[1]/memory))
		}
	}
	return h
}

// jitter is how far run times spread around their mean, to both sides.
const jitter = 0.2

// jobs draws the run times: uniform in ±20% around the mean. Scenes of one
// instance draw the same for the same job.
func (b *testbed) jobs(batches []batch, instance int) []sim.Job {
	jobs := make([]sim.Job, len(batches))
	for i := range batches {
		of := &batches[i]
		rng := stream.New(Paper, b.seed, "testbed", b.scene, instance, of.streamNumber)
		j := sim.Job{User: of.user(), Arrival: micros(of.start), Tasks: of.tasks, Duration: micros(of.meanS)}
		for range of.tasks {
			j.Each = append(j.Each, micros(of.meanS*(1+jitter*(2*rng.Float64()-1))))
		}
		jobs[i] = j
	}
	return jobs
}

func micros(s float64) event.Time { return event.Time(math.Round(s * float64(second))) }

// row starts a row of the scene.
func (b *testbed) row(user, metric string, value float64) results.Row {
	return results.Row{Experiment: Paper, Policy: "tsf", User: user, Metric: metric, Value: value}
}

// shares runs table II under TSF.
func (b *testbed) shares(ctx context.Context, instance int) ([]results.Row, error) {
	env, batches := nodes(), tableII()
	history := make([]steps, len(batches))
	outcome, err := replayed(ctx, env, b.jobs(batches, instance), "tsf", func(e *whole.Event) {
		history[e.Job].add(e)
	})
	if err != nil {
		return nil, err
	}
	var rows []results.Row
	for _, p := range phases(outcome) {
		for _, k := range p.jobs {
			share := history[k].mean(p.from, p.to) / batches[k].alone(env, nil)
			r := b.row(batches[k].name, metricPlateau, share)
			r.Point = r.Point.With("phase", results.OfText(p.name))
			rows = append(rows, r)
		}
	}
	if instance == 0 {
		rows = append(rows, b.series(env, batches, history)...)
	}
	return rows, nil
}

// phase is a time in which shares are stable.
type phase struct {
	name     string
	from, to event.Time
	jobs     []int
}

// phases finds them: after the arrival of a job every task that ran before it
// must have ended, since nothing is preempted, and while they last all jobs have
// waiting tasks.
func phases(o []job) []phase {
	longest := micros(23.2 * (1 + jitter)) // job 1's tasks
	last := func(k int) event.Time { return slices.Max(o[k].starts) }
	all := []phase{
		{"job 1 alone", 0, o[1].arrival, []int{0}},
		{"jobs 1 and 2", o[1].arrival + longest, last(1), []int{0, 1}},
		{"job 1 after job 2", o[1].completion, o[2].arrival, []int{0}},
		{"jobs 1, 3 and 4", o[2].arrival + longest, min(last(0), last(2), last(3)), []int{0, 2, 3}},
	}
	return slices.DeleteFunc(all, func(p phase) bool { return p.from >= p.to })
}

// series samples the shares of all jobs every second.
func (b *testbed) series(env *cluster.Environment, batches []batch, history []steps) []results.Row {
	var rows []results.Row
	for k := range batches {
		of, h := &batches[k], batches[k].alone(env, nil)
		end := history[k].at[len(history[k].at)-1]
		for t := event.Time(0); t <= end+second; t += second {
			running := history[k].value(t)
			for _, v := range []struct {
				metric string
				value  float64
			}{
				{MetricTaskShare, running / h},
				{MetricCPUShare, running * of.cores / env.TotalCapacity(0)},
				{MetricMemShare, running * memory / env.TotalCapacity(1)},
			} {
				r := b.row(of.name, v.metric, v.value)
				r.At(seconds(t))
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// steps is the number of running tasks of a job over time.
type steps struct {
	at      []event.Time
	running []float64
}

func (s *steps) add(e *whole.Event) {
	change := 1.0
	if e.Kind != whole.TaskStart {
		change = -1
	}
	before := 0.0
	if n := len(s.at); n > 0 {
		before = s.running[n-1]
		if s.at[n-1] == e.At {
			s.running[n-1] = before + change
			return
		}
	}
	s.at, s.running = append(s.at, e.At), append(s.running, before+change)
}

// value is the number at a time, after all events of it.
func (s *steps) value(t event.Time) float64 {
	k, found := slices.BinarySearch(s.at, t)
	if found {
		return s.running[k]
	}
	if k == 0 {
		return 0
	}
	return s.running[k-1]
}

// mean is the mean number over a time.
func (s *steps) mean(from, to event.Time) float64 {
	area, now, value := 0.0, from, s.value(from)
	for k, t := range s.at {
		if t > from && t < to {
			area += value * float64(t-now)
			now, value = t, s.running[k]
		}
	}
	return (area + value*float64(to-now)) / float64(to-from)
}
