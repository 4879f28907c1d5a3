package tsf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Paper is the paper's name in ledgers and tables.
const Paper = "tsf"

// simulationKind runs the six policies on one cluster with placement
// constraints.
const simulationKind = "tsf-cluster"

// Setting is a scenario of the simulations.
type Setting struct {
	Machines int // of a cluster
	Jobs     int // sampled from the workload's; 0: all
	Times    Times
	Cap      event.Time // of run times, where Times has one
	Capacity float64    // factor on the capacities of the machines
	Raw      bool       // rows of every job and task, see [measurement.raw]
}

// The parameters of the kinds.
const (
	parameterTrace    = "trace"
	parameterMachines = "machines"
	parameterCluster  = "cluster"
	parameterJobs     = "jobs"
	parameterTimes    = "times"
	parameterCap      = "cap"
	parameterCapacity = "capacity"
	parameterRows     = "rows"
)

// rowsRaw asks for raw rows in place of the metrics of the figures.
const rowsRaw = "raw"

// orNone makes a check that takes "" for none, which a table then has no column of.
func orNone(check spec.Check) spec.Check {
	return func(text string) (results.Value, error) {
		if text == "" {
			return results.Value{}, nil
		}
		return check(text)
	}
}

// numberOf returns a parameter, or what it is where there is none.
func numberOf(s spec.Scenario, name string, otherwise float64) float64 {
	if s.Text(name) == "" {
		return otherwise
	}
	return s.Number(name)
}

// workloadParameters are the parameters that say where jobs and machines come
// from.
var workloadParameters = []spec.Parameter{
	{Name: parameterTrace, Doc: "Parquet file of jobs; without one they are synthetic.", File: spec.AnyPath, Canonical: spec.FileOrNone},
	{Name: parameterMachines, Doc: "Parquet file of machines, from which clusters are sampled; without one they are synthetic.",
		File: spec.AnyPath, Canonical: spec.FileOrNone},
	run.IgnoreParameter(),
}

// workloadOptions are the same as options of the command, which hold the paths.
func workloadOptions() []spec.Parameter {
	options := slices.Clone(workloadParameters)
	for i := range options {
		if options[i].File != nil {
			options[i].File, options[i].Canonical = nil, spec.AnyText
		}
	}
	return options
}

func init() {
	spec.RegisterKind(spec.Kind{
		Name: simulationKind, Title: "TSF and its rivals, whole tasks without slots, on machines with placement constraints",
		Parameters: append(workloadParameters[:len(workloadParameters):len(workloadParameters)],
			spec.Parameter{Name: parameterCluster, Unit: "machines", Doc: "Number of machines.", Default: "1000", Canonical: spec.WholeNumber(1, 1_000_000)},
			spec.Parameter{Name: parameterJobs, Unit: "jobs", Doc: "Jobs sampled from the workload; 0: all.", Default: "0", Canonical: spec.WholeNumber(0, math.MaxInt32)},
			spec.Parameter{Name: parameterTimes, Doc: "Arrivals and run times: as in the trace; run times of an hour at most; or these and the arrivals of time 0 spread over the hour.",
				Default: string(Traced), Canonical: spec.OneOf(string(Traced), string(Capped), string(Spread))},
			spec.Parameter{Name: parameterCap, Unit: "s", Doc: "Run times at most, where times is not trace; without one an hour.", Canonical: orNone(spec.WholeNumber(1, math.MaxInt32))},
			spec.Parameter{Name: parameterCapacity, Doc: "Factor on the capacities of all machines, the load axis; without one 1.", Canonical: orNone(spec.Number(0.01, 100))},
			spec.Parameter{Name: parameterRows, Doc: "raw: when the tasks of every job start and the job completes, for other programs; without it the metrics of the figures.",
				Canonical: orNone(spec.OneOf(rowsRaw))},
		),
		Open: openSimulation,
	})
}

// simulation is a scenario of simulationKind.
type simulation struct {
	*Workload
	Setting
	seed uint64
}

func openSimulation(_ context.Context, s spec.Scenario) (spec.Instances, error) {
	trace, _, err := s.File(parameterTrace)
	if err != nil {
		return nil, err
	}
	machines, _, err := s.File(parameterMachines)
	if err != nil {
		return nil, err
	}
	w, err := LoadWorkload(trace, machines, run.Ignored(s.Text(run.IgnoreName)))
	if err == nil {
		err = s.Unchanged(parameterTrace, parameterMachines)
	}
	if err != nil {
		return nil, err
	}
	return &simulation{Workload: w, seed: s.Seed, Setting: Setting{
		Machines: int(s.WholeNumber(parameterCluster)), Jobs: int(s.WholeNumber(parameterJobs)),
		Times: Times(s.Text(parameterTimes)), Cap: event.Time(numberOf(s, parameterCap, seconds(hour))) * second,
		Capacity: numberOf(s, parameterCapacity, 1), Raw: s.Text(parameterRows) == rowsRaw,
	}}, nil
}

// Source implements [run.Sourced].
func (s *simulation) Source() run.Workload { return s.Workload.Workload }

// Instance implements [spec.Instances].
func (s *simulation) Instance(ctx context.Context, i int) ([]results.Row, error) {
	w, err := s.draw(s.Setting, s.seed, i)
	if err != nil {
		return nil, err
	}
	outcomes := map[string][]job{}
	for _, policy := range Rules {
		if outcomes[policy], err = replayed(ctx, w.env, w.jobs, policy, nil); err != nil {
			return nil, err
		}
	}
	m := &measurement{world: w, outcomes: outcomes}
	m.row = results.Row{Experiment: Paper, Workload: s.Mark(),
		Point: results.NewPoint(map[string]results.Value{"n": results.OfInt(int64(len(w.jobs)))})}
	if s.Raw {
		return m.raw(), nil
	}
	return m.rows(), nil
}

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
				if j.starts == nil {
					j.starts = make([]event.Time, 0, jobs[e.Job].Tasks)
				}
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
