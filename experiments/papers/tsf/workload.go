package tsf

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// Workload is what figures 8 to 11 run on.
type Workload struct {
	run.Population
	// Machines is the list that each simulation samples its cluster from; nil:
	// clusters are drawn from the published mix.
	Machines []traces.Machine
	// Made says that the jobs are the synthetic hour.
	Made bool
	// Constrained says that jobs have constraints of their own, so that none are
	// synthesised.
	Constrained bool
}

// LoadWorkload reads the jobs of a Parquet file, or returns the synthetic hour if
// the path is empty; and the machines of another, if that path is not empty. The
// label says if the jobs are real, hybrid (synthetic constraints or machines) or
// synthetic.
//
// Jobs that request what the machines are not asked for, GPUs, are refused unless
// ignore names it, and so are units that contradict; see [run.Population.On].
func LoadWorkload(trace, machines string, ignore []string) (*Workload, error) {
	w := &Workload{Made: trace == ""}
	p, err := population(trace)
	if err != nil {
		return nil, err
	}
	list, meta := "the synthetic machines", traces.Meta{Units: "cpu, mem: " + cluster.FractionOfLargest}
	if machines != "" {
		list = machines
		if w.Machines, meta, err = traces.ReadMachines(machines); err != nil {
			return nil, spec.OfInput(err)
		}
		if len(w.Machines) == 0 {
			return nil, spec.OfInput(fmt.Errorf("%s: no machines", machines))
		}
	}
	if p, err = p.On(servers(meta.Units), list, ignore); err != nil {
		return nil, err
	}
	w.Population = *p
	for i := range w.Jobs {
		w.Constrained = w.Constrained || w.Jobs[i].Constraints != ""
	}
	if w.Constrained && w.Machines == nil {
		return nil, spec.OfInput(fmt.Errorf("%s: its jobs have placement constraints, which need the machines of the same trace", trace))
	}
	if !w.Constrained {
		w.Relabel(constraints.Label(w.Label))
	}
	if w.Machines == nil && trace != "" {
		w.Relabel(w.Label + ", synthetic machines")
	}
	return w, nil
}

// servers are what jobs are asked to fit on, without any: cpu and memory.
func servers(units string) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}, Units: map[string]string{}}
	for _, name := range env.Resources {
		env.Units[name] = traces.UnitOf(units, name)
	}
	return env
}

func population(trace string) (*run.Population, error) {
	if trace != "" {
		return run.TraceWorkload(trace)
	}
	options := synthetic.DefaultHour()
	jobs, err := options.Generate(run.PopulationSeed)
	if err != nil {
		return nil, err
	}
	return run.NewPopulation(jobs, options.Meta(run.PopulationSeed)), nil
}

// world is one simulation's cluster and jobs.
type world struct {
	env  *cluster.Environment
	jobs []sim.Job
	// eligible holds the number of machines on which each job may run.
	eligible []int
}

// draw makes the world of one simulation: machines drawn without replacement from
// the list, a sample of the jobs if fewer than all are wanted, and constraints
// if the jobs have none of their own.
func (w *Workload) draw(setting Setting, runSeed uint64, instance int) (*world, error) {
	parts := func(name string) []any { return []any{Paper, runSeed, w.Label, setting.Machines, instance, name} }
	machines, err := w.machines(setting.Machines, parts("machines"))
	if err != nil {
		return nil, err
	}
	jobs := w.Jobs
	if setting.Jobs > 0 && setting.Jobs < len(jobs) {
		if jobs, err = traces.Sample(stream.New(parts("jobs")...), jobs, setting.Jobs); err != nil {
			return nil, err
		}
	}
	if !w.Constrained {
		machines, jobs = constraints.Synthesize(machines, jobs, parts("constraints")...)
	}
	return newWorld(setting.enlarged(machines), setting.timed(jobs, stream.New(parts("times")...)))
}

// enlarged returns the machines with their capacities multiplied.
func (s *Setting) enlarged(machines []traces.Machine) []traces.Machine {
	if s.Capacity == 1 {
		return machines
	}
	machines = slices.Clone(machines)
	for i := range machines {
		machines[i].CPU, machines[i].Mem = machines[i].CPU*s.Capacity, machines[i].Mem*s.Capacity
	}
	return machines
}

// machines draws a cluster.
func (w *Workload) machines(n int, parts []any) ([]traces.Machine, error) {
	rng := stream.New(parts...)
	if w.Machines == nil {
		return synthetic.GoogleMachines(rng, n), nil
	}
	if n > len(w.Machines) {
		return nil, spec.OfInput(fmt.Errorf("a cluster of %d machines from a list of %d", n, len(w.Machines)))
	}
	out := make([]traces.Machine, n)
	for i, k := range rng.Perm(len(w.Machines))[:n] {
		out[i] = w.Machines[k]
	}
	return out, nil
}

// newWorld turns machines and jobs into what is replayed.
func newWorld(machines []traces.Machine, jobs []traces.Job) (*world, error) {
	matcher, err := constraints.NewMatcher(machines)
	if err != nil {
		return nil, err
	}
	w := &world{env: &cluster.Environment{Resources: []string{"cpu", "mem"}}}
	for i := range machines {
		m := &machines[i]
		w.env.Servers = append(w.env.Servers, cluster.Server{Name: m.ID, Capacity: []float64{m.CPU, m.Mem}, Count: 1})
	}
	for i := range jobs {
		j := &jobs[i]
		user := cluster.NewUser(j.ID, []float64{j.CPU, j.Mem})
		if user.Eligible, err = matcher.Eligible(j.Constraints); err != nil {
			return nil, fmt.Errorf("job %s: %w", j.ID, err)
		}
		w.eligible = append(w.eligible, matcher.Count(user.Eligible))
		w.jobs = append(w.jobs, sim.Job{User: user, Arrival: event.Time(j.SubmitUS), Tasks: j.Tasks,
			Duration: event.Time(j.DurationUS)})
	}
	return w, nil
}

// Times says when jobs of time 0 arrive and how long tasks run. The paper says
// neither.
type Times string

// The readings.
const (
	// Traced is what the trace says: most jobs are there at time 0, and half of
	// them are services that run on for weeks.
	Traced Times = "trace"
	// Capped cuts durations at [Setting.Cap]: an hour, the interval whose
	// submissions are taken, unless it says otherwise.
	Capped Times = "hour"
	// Spread does that too, and spreads the arrivals of time 0 evenly over the
	// hour.
	Spread Times = "spread"
)

// timed returns the jobs at the times of the setting, in order of arrival.
func (s *Setting) timed(jobs []traces.Job, rng *rand.Rand) []traces.Job {
	if s.Times == Traced {
		return jobs
	}
	jobs = slices.Clone(jobs)
	for i := range jobs {
		j := &jobs[i]
		j.DurationUS = min(j.DurationUS, int64(s.Cap))
		if at := rng.Int64N(int64(hour)); s.Times == Spread && j.SubmitUS == 0 {
			j.SubmitUS = at
		}
	}
	slices.SortStableFunc(jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	return jobs
}
