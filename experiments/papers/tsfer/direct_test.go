package tsfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// direct runs settings on a workload without a spec: tests compare with it what the
// specs give.
type direct struct {
	workload  *Workload
	bandwidth traces.Bandwidth
	seed      uint64
	workers   int
}

// draw draws the jobs of one instance and their bandwidth. It depends on the
// workload part of the scenario and the instance only, so that every rule and
// every cluster faces the same jobs.
func (d *direct) draw(n, instance int) ([]traces.Job, []float64, error) {
	parts := func(name string) []any {
		return []any{Paper, d.seed, d.workload.Label, n, instance, name}
	}
	jobs, err := traces.Sample(stream.New(parts("jobs")...), d.workload.Population.Jobs, n)
	if err != nil {
		return nil, nil, err
	}
	return jobs, d.bandwidth.Synthesize(stream.New(parts("bandwidth")...), jobs), nil
}

// replay runs a rule on one instance.
type replay func(ctx context.Context, s Setting, instance int, rule string) (*run.Outcome, error)

// fluid is a run in the fluid model.
func (d *direct) fluid(ctx context.Context, s Setting, instance int, rule string) (*run.Outcome, error) {
	jobs, mhz, err := d.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	return run.Case{Cluster: Cluster(s.Rho, s.Bandwidth), Jobs: jobs, Bandwidth: mhz, Policy: rule}.Run(ctx)
}

// whole is a run with whole tasks, under the default reading of what the paper
// leaves open.
func (d *direct) whole(ctx context.Context, s Setting, instance int, rule string) (*run.Outcome, error) {
	jobs, mhz, err := d.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	o, err := run.Whole{
		Case:   run.Case{Cluster: Cluster(s.Rho, s.Bandwidth), Jobs: jobs, Bandwidth: mhz, Policy: rule},
		Tasks:  run.WholeTasks{Slot: event.Time(s.SlotS) * second},
		Random: stream.New(Paper, d.seed, d.workload.Label, s.N, instance, "fill"),
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &o.Outcome, nil
}

// run runs every rule on every instance of every setting and returns a metric.
func (d *direct) run(ctx context.Context, replayed replay, settings []Setting, rules []string, instances int, metric string) (samples, error) {
	outcomes, err := run.Gather(ctx, len(settings)*instances, d.workers, func(k int) ([]float64, error) {
		s, i := settings[k/instances], k%instances
		var values []float64
		for _, rule := range rules {
			o, err := replayed(ctx, s, i, rule)
			if err == nil && o.Refused == len(o.Jobs) {
				err = errors.New("no job fits the cluster")
			}
			if err != nil {
				return nil, fmt.Errorf("instance %d, %s, %s: %w", i, s, rule, err)
			}
			values = append(values, measure(o, metric))
		}
		return values, nil
	}, nil)
	if err != nil {
		return nil, err
	}
	all := samples{}
	for k, values := range outcomes {
		for r, rule := range rules {
			at := cell{settings[k/instances], rule}
			all[at] = append(all[at], values[r])
		}
	}
	return all, nil
}

// wanting is a run in the fluid model that measures more.
func (d *direct) wanting(want ...string) replay {
	return func(ctx context.Context, s Setting, instance int, rule string) (*run.Outcome, error) {
		jobs, mhz, err := d.draw(s.N, instance)
		if err != nil {
			return nil, err
		}
		return run.Case{Cluster: Cluster(s.Rho, s.Bandwidth), Jobs: jobs, Bandwidth: mhz, Policy: rule, Want: want}.Run(ctx)
	}
}

// reading is a run with whole tasks of a rule by the name of its variant.
func (d *direct) reading(ctx context.Context, s Setting, instance int, name string) (*run.Outcome, error) {
	v, of := readings[0], name
	for _, rule := range rules3 {
		for _, r := range readings {
			if openName(rule, r) == name {
				v, of = r, rule
			}
		}
	}
	rounding, err := whole.ParseRounding(v.fill, v.split, v.caps, v.floor)
	if err != nil {
		return nil, err
	}
	jobs, mhz, err := d.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	o, err := run.Whole{
		Case: run.Case{Cluster: Cluster(s.Rho, s.Bandwidth), Jobs: jobs, Bandwidth: mhz, Policy: of},
		Tasks: run.WholeTasks{Slot: event.Time(s.SlotS) * second, Rounded: of != name, Rounding: rounding,
			SuspendedLast: v.suspended == "last"},
		Random: stream.New(Paper, d.seed, d.workload.Label, s.N, instance, "fill"),
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &o.Outcome, nil
}

// shares divides the cluster among all users of an instance at once.
func (d *direct) shares(_ context.Context, s Setting, instance int, rule string) (*run.Outcome, error) {
	jobs, mhz, err := d.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	var users []cluster.User
	for i, j := range jobs {
		if j.CPU > 0 || j.Mem > 0 {
			u := cluster.NewUser(j.ID, []float64{j.CPU, j.Mem})
			u.LinkDemand = mhz[i : i+1]
			users = append(users, u)
		}
	}
	env := Cluster(s.Rho, s.Bandwidth).With(users)
	policy, err := policies.New(rule)
	if err != nil {
		return nil, err
	}
	a, err := policy.Allocate(env)
	if err != nil {
		return nil, err
	}
	eta, sum := env.Etas(nil), 0.0
	for i := range users {
		sum += a.Tasks[i] / eta[i]
	}
	o := &run.Outcome{Measures: []run.Measure{{Metric: results.MetricShare, Value: sum / float64(len(users))}}}
	o.Jobs = make([]sim.JobResult, len(jobs))
	return o, nil
}

// What the specs give are, to the last bit, the numbers of runs that know nothing
// of specs.
func TestTheSpecsGiveWhatDirectRunsGive(t *testing.T) {
	ctx := context.Background()
	r := checked(t, papers.Request{Items: []string{itemTable3, itemFig3, itemFig4, itemTable4}, Seed: 3, Instances: 1})
	p := &plan{Request: r}
	if err := p.workloads(); err != nil {
		t.Fatal(err)
	}
	scenarios, err := p.scenarios()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := run.InMemory(2, nil)(ctx, scenarios)
	if err != nil {
		t.Fatal(err)
	}
	on := func(w *Workload) *direct {
		return &direct{workload: w, bandwidth: traces.DefaultBandwidth(), seed: r.Seed, workers: 2}
	}
	fluid, whole := on(p.workload), on(p.whole)
	for _, c := range []struct {
		block  string
		metric string
		run    replay
		cells  int
	}{
		{itemTable3, results.MetricJCTFactor, fluid.fluid, 8 * 3},
		{itemFig3, results.MetricMinTaskRatio, fluid.wanting(run.TaskRatio), 3 * 8},
		{itemFig3, results.MetricSIViolation, fluid.wanting(run.TaskRatio, run.Domination), 3 * 8},
		{itemFig4, results.MetricDomination, fluid.wanting(run.Domination), 3 * 8},
		{itemTable4, results.MetricJCTFactor, whole.whole, 9 * 3},
		{itemOptions, results.MetricJCTFactor, whole.reading, 77},
		{itemOptions, results.MetricSuspensions, whole.reading, 77},
		{itemPresent, results.MetricShare, whole.shares, 9},
	} {
		got := p.values(rows, c.block, c.metric)
		want := samples{}
		for at := range got {
			one, err := fluid.run(ctx, c.run, []Setting{at.Setting}, []string{at.rule}, 1, c.metric) // the run knows its workload
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(want, one)
		}
		if d := cmp.Diff(want, got); d != "" || len(want) != c.cells {
			t.Errorf("%s: %d cells (-direct +spec):\n%s", c.metric, len(want), d)
		}
	}
}
