package tsf

import (
	"context"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
)

const (
	second event.Time = 1_000_000 // µs
	hour   event.Time = 3600 * second
)

// Rules are the policies that the paper compares, TSF first.
var Rules = []string{"tsf", run.FIFO, "drf", "cdrf", "cmmf-cpu", "cmmf-mem"}

// ruleOf returns the online form of a policy.
func ruleOf(policy string) (whole.Rule, error) {
	if policy == run.FIFO {
		return whole.FIFO(), nil
	}
	p, err := policies.New(policy)
	if err != nil {
		return nil, err
	}
	return whole.ShareOrdered(p)
}

// job is what became of one job.
type job struct {
	refused             bool
	arrival, completion event.Time
	starts              []event.Time // of its tasks, by number
}

// delay returns how long a task waited before it started.
func (j *job) delay(task int) event.Time { return j.starts[task] - j.arrival }

// jct returns the completion time, counted from the arrival.
func (j *job) jct() event.Time { return j.completion - j.arrival }

// replayed replays the jobs, which are in order of arrival, under a policy. observe,
// if not nil, is shown every start and end of a task.
func replayed(ctx context.Context, env *cluster.Environment, jobs []sim.Job, policy string, observe func(*whole.Event)) ([]job, error) {
	rule, err := ruleOf(policy)
	if err != nil {
		return nil, err
	}
	out := make([]job, len(jobs))
	replay := whole.Replay{
		Env: env, Rule: rule, Jobs: jobs,
		OnEvent: func(e *whole.Event) {
			if e.Kind == whole.JobDone || e.Kind == whole.JobRefused {
				return
			}
			if e.Kind == whole.TaskStart {
				j := &out[e.Job]
				j.starts = append(j.starts, e.At) // without suspensions by number
			}
			if observe != nil {
				observe(e)
			}
		},
	}
	result, err := replay.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", policy, err)
	}
	for i, r := range result.Jobs {
		out[i].refused, out[i].arrival, out[i].completion = r.Refused, r.Arrival, r.Completion
	}
	return out, nil
}
