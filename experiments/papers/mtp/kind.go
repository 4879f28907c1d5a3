package mtp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/traces"
)

// kindName is the name of the kind of scenario that figures 3 to 5 are made of.
const kindName = "access-points"

// ghzName is the parameter f_CPU.
const ghzName = "cpu_ghz"

func init() {
	spec.RegisterKind(spec.Kind{
		Name:  kindName,
		Title: "fluid jobs at the five access points of the multi-AP paper, each with demands of its own on the links",
		Parameters: []spec.Parameter{
			{Name: "policy", Doc: "Allocation rule.", Required: true, Canonical: spec.Text(policies.Canonical)},
			{Name: "trace", Doc: "Parquet file of jobs; empty: the embedded synthetic seven hours.", File: spec.AnyPath, Canonical: spec.FileOrNone},
			{Name: "hours", Unit: "h", Doc: "Jobs submitted in so many first hours are run.", Default: fmt.Sprint(paperHours), Canonical: spec.Number(0.01, 1e4)},
			{Name: "longest", Unit: "h", Doc: "Jobs whose tasks run for so long are left out.", Default: fmt.Sprint(paperLongestH), Canonical: spec.Number(0.001, 1e4)},
			{Name: "fraction", Unit: "1", Doc: "Part of the tasks that is picked.", Default: fmt.Sprint(paperFraction), Canonical: spec.Number(1e-6, 1)},
			{Name: "bandwidth", Unit: "MHz", Doc: "Bandwidth of each access point.", Default: fmt.Sprint(LinkMHz), Canonical: spec.Number(1e-3, 1e9)},
			{Name: ghzName, Unit: "GHz", Doc: "Cycles of one unit of cpu, for the bandwidth that a task needs. The paper has no number; the default is that of its authors' others.",
				Default: fmt.Sprint(traces.DefaultBandwidth().CPUHz / 1e9), Canonical: spec.Number(1e-3, 1e6)},
			{Name: "gamma", Doc: "How the second parameter of the cycles per bit is read: scale or rate.", Default: string(traces.GammaScale),
				Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
			run.IgnoreParameter(),
		},
		Open: open,
	})
}

// instances runs the instances of one scenario.
type instances struct {
	spec.Scenario
	*run.Population
	cut
	bandwidth traces.Bandwidth
}

func open(_ context.Context, s spec.Scenario) (spec.Instances, error) {
	path, _, err := s.File("trace")
	if err != nil {
		return nil, err
	}
	p, err := population(path)
	if err == nil {
		err = s.Unchanged("trace")
	}
	if err != nil {
		return nil, err
	}
	if p, err = p.On(Cluster(s.Number("bandwidth")), clusterText, ignored(s)); err != nil {
		return nil, err
	}
	b := traces.DefaultBandwidth()
	b.CPUHz = s.Number(ghzName) * 1e9
	b.Parameter = traces.GammaParameter(s.Text("gamma"))
	return &instances{s, p, cut{s.Number("hours"), s.Number("longest"), s.Number("fraction")}, b}, nil
}

// clusterText is what the cluster is called in errors.
const clusterText = "the access points of the multi-AP paper"

func ignored(s spec.Scenario) []string {
	return run.Ignored(s.Text(run.IgnoreName))
}

// Source implements [run.Sourced].
func (in *instances) Source() run.Workload { return in.Workload }

// source names the workload in the names of random streams: by what it holds.
func (in *instances) source() string {
	if in.Checksum != "" {
		return in.Checksum
	}
	return in.Label
}

// Instance implements [spec.Instances].
func (in *instances) Instance(ctx context.Context, i int) ([]results.Row, error) {
	env := Cluster(in.Number("bandwidth"))
	rng := func(name string) *rand.Rand { return random(in.Seed, in.source(), i, name) }
	jobs, _ := in.apply(rng("tasks"), in.Jobs)
	if len(jobs) == 0 {
		return nil, spec.OfInput(fmt.Errorf("%s: no job of the workload is left to run", in.Label))
	}
	c := run.Case{
		Cluster: env, Jobs: jobs, Policy: in.Text("policy"), Want: []string{run.TaskRatio}, Ignore: ignored(in.Scenario),
		LinkDemand: channels(rng("cycles"), rng("channels"), in.bandwidth, jobs, len(env.Links)),
	}
	w, err := newWatcher(c, in.hours)
	if err != nil {
		return nil, err
	}
	c.Observers = []sim.Observer{w}
	out, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	base := results.Row{Experiment: Name, Item: kindName, Workload: in.Mark(),
		Point: results.NewPoint(map[string]results.Value{"n": results.OfInt(int64(len(jobs)))})}
	return w.rows(base, jobs, out, i == 0), nil
}
