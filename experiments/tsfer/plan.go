package tsfer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/seed"
)

// Paper is the paper's name in ledgers and tables.
const Paper = "tsf-er"

// Items are what can be reproduced, in the paper's order.
var Items = append([]string{"examples", "table3", "fig3", "fig4", "table4"}, cloudItems...)

// Scale is the size of a reproduction in instances.
type Scale struct {
	Name    string `json:"name"`
	Table3  int    `json:"table3_instances"`  // a setting of table 3
	Figures int    `json:"figures_instances"` // a value of ρ in figures 3 and 4
	Table4  int    `json:"table4_instances"`  // a setting of table 4
	Cloud   Cloud  `json:"cloud"`             // of figures 5–10
}

// Scales are the named sizes, the default first. The paper ran "over 10K"
// instances; the seven settings of its table 3 make 10,500 of them here.
var Scales = []Scale{
	{"quick", 500, 50, 40, Cloud{Days: 2, SlotsH: []int{1, 24, 336}}},
	{"paper", 1500, 200, 1000, Cloud{Days: 14, SlotsH: []int{1, 6, 24, 72, 168, 336}}},
}

// ScaleNamed returns the scale of a name.
func ScaleNamed(name string) (Scale, error) {
	var known []string
	for _, s := range Scales {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Scale{}, fmt.Errorf("unknown scale %q (known: %s)", name, strings.Join(known, ", "))
}

// Plan says what to reproduce. Results depend on nothing else.
type Plan struct {
	Items     []string         `json:"items"`
	Scale     Scale            `json:"scale"`
	Bandwidth traces.Bandwidth `json:"bandwidth"`
	Seed      uint64           `json:"-"`
	Workload  *Workload        `json:"-"` // of the fluid model
	Whole     *Workload        `json:"-"` // of table 4
	Cloud     *Workload        `json:"-"` // of figures 5–10
	Verify    bool             `json:"-"` // re-check every invariant of whole tasks after every event
	// Store keeps what was run, so that a plan that was ended goes on where it
	// was. May be nil.
	Store *experiments.Store `json:"-"`
}

// Progress is told how far a stage of a reproduction is. It is called on one
// goroutine at a time.
type Progress func(stage string, done, total int)

// Results are what a reproduction found.
type Results struct {
	Entries []experiments.Entry
	// Rows are the result tables by the name of their file, without extension.
	Rows map[string][]plots.Row
	// Drawn counts the jobs of all instances of the sampled items, and Refused
	// those of them that a replay refused: they are in no mean.
	Drawn, Refused int
	// Verified counts the instants, over all runs with whole tasks, after which
	// every invariant was checked; 0 without [Plan.Verify].
	Verified int
}

// CheckSize returns what is wrong with the plan's items and scale, or nil. It
// needs no workload.
func (p *Plan) CheckSize() error {
	for _, item := range p.Items {
		if !slices.Contains(Items, item) {
			return fmt.Errorf("unknown item %q (known: %s)", item, strings.Join(Items, ", "))
		}
	}
	if len(p.Items) == 0 {
		return fmt.Errorf("no item (known: %s)", strings.Join(Items, ", "))
	}
	if min(p.Scale.Table3, p.Scale.Figures, p.Scale.Table4) < 1 {
		return fmt.Errorf("scale %s: at least one instance is needed", p.Scale.Name)
	}
	if p.Scale.Cloud.Days < 1 || len(p.Scale.Cloud.SlotsH) == 0 || slices.Min(p.Scale.Cloud.SlotsH) < 1 {
		return fmt.Errorf("scale %s: figures 5 to 10 need a day and a slot of an hour at least", p.Scale.Name)
	}
	return nil
}

// Check returns what is wrong with the plan, or nil.
func (p *Plan) Check() error {
	if err := p.CheckSize(); err != nil {
		return err
	}
	if err := p.Bandwidth.Validate(); err != nil {
		return err
	}
	if p.wants(cloudItems...) && len(p.Cloud.Population.Jobs) == 0 {
		return fmt.Errorf("the workload of figures 5 to 10 has no jobs")
	}
	for _, n := range []struct {
		users int
		of    *Workload
		items []string
	}{
		{figureUsers, p.Workload, []string{"fig3", "fig4"}},
		{dropAt.N, p.Workload, []string{"table3"}},
		{dropAt.N, p.Whole, []string{"table4"}},
	} {
		if p.wants(n.items...) && len(n.of.Population.Jobs) < n.users {
			return fmt.Errorf("the workload has %d jobs, and %s draws %d an instance", len(n.of.Population.Jobs), strings.Join(n.items, ", "), n.users)
		}
	}
	return nil
}

// Labels returns the labels of the workloads of the plan's items.
func (p *Plan) Labels() []string {
	var labels []string
	if p.wants("table3", "fig3", "fig4") || !p.wants("table4") && !p.wants(cloudItems...) {
		labels = append(labels, p.Workload.Label)
	}
	if p.wants("table4") && !slices.Contains(labels, p.Whole.Label) {
		labels = append(labels, p.Whole.Label)
	}
	if p.wants(cloudItems...) && !slices.Contains(labels, p.Cloud.Label) {
		labels = append(labels, p.Cloud.Label)
	}
	return labels
}

// wants reports whether one of the items is to be reproduced.
func (p *Plan) wants(items ...string) bool {
	return slices.ContainsFunc(items, func(i string) bool { return slices.Contains(p.Items, i) })
}

// Reproduce runs the plan, which must pass [Plan.Check], on the given number
// of workers. The results are the same for any number of workers.
func Reproduce(ctx context.Context, p *Plan, workers int, progress Progress) (*Results, error) {
	out := &Results{Rows: map[string][]plots.Row{}}
	r := &runner{ctx: ctx, Plan: p, workers: workers, progress: progress, results: out}
	for _, item := range []struct {
		wanted bool
		run    func(*Results) error
	}{
		{p.wants("examples"), r.examples},
		{p.wants("table3"), r.table3},
		{p.wants("fig3", "fig4"), r.figures},
		{p.wants("table4"), r.table4},
		{p.wants(cloudItems...), r.cloud},
	} {
		if !item.wanted {
			continue
		}
		if err := item.run(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Fitted reports whether any value of the ledger is one that its workload was
// fitted to. The fits were made with the default bandwidth.
func (p *Plan) Fitted() bool {
	return p.fitted(p.Workload, func(w *Workload) bool { return w.FittedTo }) && p.wants("table3") ||
		p.fitted(p.Whole, func(w *Workload) bool { return w.FittedTo4 }) && p.wants("table4")
}

// fitted reports whether a workload has been fitted under the plan's
// bandwidth.
func (p *Plan) fitted(w *Workload, to func(*Workload) bool) bool {
	return w != nil && to(w) && p.Bandwidth == traces.DefaultBandwidth()
}

// runner is a reproduction under way.
type runner struct {
	*Plan
	ctx      context.Context
	workers  int
	progress Progress
	results  *Results // where drawn and refused jobs are counted; may be nil
}

func (r *runner) examples(out *Results) error {
	entries, err := Examples()
	out.Entries = append(out.Entries, entries...)
	return err
}

// draw draws the jobs of one instance and their bandwidth. It depends on the
// workload part of the scenario and the instance only, so that every rule and
// every cluster faces the same jobs.
func (r *runner) draw(n, instance int) ([]traces.Job, []float64, error) {
	stream := func(name string) []any {
		return []any{Paper, r.Seed, r.Workload.Label, n, instance, name}
	}
	jobs, err := traces.Sample(seed.Stream(stream("jobs")...), r.Workload.Population.Jobs, n)
	if err != nil {
		return nil, nil, err
	}
	return jobs, r.Bandwidth.Synthesize(seed.Stream(stream("bandwidth")...), jobs), nil
}

// sweep runs every rule on every instance of every setting. The result is
// indexed by setting, instance and rule in turn.
func (r *runner) sweep(stage string, settings []Setting, instances int, rules []string, want experiments.Want) ([][][]*experiments.Outcome, error) {
	return r.every(stage, settings, instances, func(s Setting, instance int) ([]*experiments.Outcome, error) {
		return r.instance(s, instance, rules, want)
	})
}

// every runs every instance of every setting. The result is indexed by setting
// and instance.
func (r *runner) every(stage string, settings []Setting, instances int, run func(Setting, int) ([]*experiments.Outcome, error)) ([][][]*experiments.Outcome, error) {
	var report func(int)
	total := len(settings) * instances
	if r.progress != nil {
		report = func(done int) { r.progress(stage, done, total) }
	}
	gather := r.gather
	if r.Store != nil {
		gather = r.stored
	}
	flat, err := gather(stage, settings, instances, run, report)
	if err != nil {
		return nil, err
	}
	if r.results != nil {
		for _, instance := range flat {
			r.results.Drawn += len(instance[0].Jobs)
			r.results.Refused += instance[0].Refused
			for _, o := range instance {
				r.results.Verified += o.Verified
			}
		}
	}
	var bySetting [][][]*experiments.Outcome
	for s := range settings {
		bySetting = append(bySetting, flat[s*instances:(s+1)*instances])
	}
	return bySetting, nil
}

// gather runs every instance of every setting and keeps nothing. The result has
// the instances of one setting after those of the other.
func (r *runner) gather(_ string, settings []Setting, instances int, run func(Setting, int) ([]*experiments.Outcome, error), report func(int)) ([][]*experiments.Outcome, error) {
	return experiments.Gather(r.ctx, len(settings)*instances, r.workers, func(i int) ([]*experiments.Outcome, error) {
		return run(settings[i/instances], i%instances)
	}, report)
}

// instance runs every rule on one instance.
func (r *runner) instance(s Setting, instance int, rules []string, want experiments.Want) ([]*experiments.Outcome, error) {
	jobs, mhz, err := r.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	var outcomes []*experiments.Outcome
	for _, rule := range rules {
		c := experiments.Case{Cluster: Cluster(s.Rho, s.Bandwidth), Jobs: jobs, Bandwidth: mhz, Policy: rule, Want: want}
		o, err := c.Run(r.ctx)
		if err == nil && o.Refused == len(jobs) {
			err = fmt.Errorf("policy %s: no job fits the cluster", rule)
		}
		if err != nil {
			return nil, fmt.Errorf("instance %d, n=%d, rho=%g, bandwidth=%g MHz: %w", instance, s.N, s.Rho, s.Bandwidth, err)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// row starts the table row of one run.
func (r *runner) row(item string, s Setting, instance int, rule string) plots.Row {
	return plots.Row{
		Experiment: Paper, Item: item, Policy: rule, N: int64(s.N), Rho: s.Rho, BandwidthMHz: s.Bandwidth, SlotS: float64(s.SlotS),
		Instance: int64(instance), Workload: r.Workload.Label,
	}
}

// entry starts the ledger entry of a number that the workload decides.
func (r *runner) entry(item, id, claim string) experiments.Entry {
	return experiments.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim, Workload: r.Workload.Label}
}
