package tsfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

const second event.Time = 1_000_000 // µs

// direct runs settings on a workload without a spec. The fits need it, whose
// workloads no spec can name, and tests compare with it what the specs give.
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

// measure reads a metric of an outcome. It panics if that was not measured.
func measure(o *run.Outcome, metric string) float64 {
	for _, m := range o.Measures {
		if m.Metric == metric {
			return m.Value
		}
	}
	panic(fmt.Sprintf("tsfer: no %s was measured", metric))
}
