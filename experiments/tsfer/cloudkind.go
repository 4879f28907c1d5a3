package tsfer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// CloudKind is the kind of figures 5–10, and the name of their spec. A scenario
// is the run of one rule with one slot. It has one instance: all submissions of
// its days are run, and the seed decides the rest.
const CloudKind = "tsf-er-cloud"

//go:embed specs/tsf-er-cloud.yaml
var cloudSpec []byte

// syntheticPAI names the synthetic workload of figures 5–10.
const syntheticPAI = "pai"

// The bounds of a slot, in h, and of the days.
const (
	hourS    = int64(hour / second)
	maxSlotH = 100_000
	maxDays  = 10_000
)

func init() {
	experiments.RegisterSpec(CloudKind, cloudSpec)
	experiments.RegisterKind(experiments.Kind{
		Name: CloudKind, Title: "one rule with one slot on the 20 servers of the TSF-ER paper's table 5, with whole tasks",
		Parameters: []experiments.Parameter{
			{Name: "workload", Doc: "Submissions: pai (synthetic, the marginals of Alibaba's PAI trace) or hybrid (those of its sample of GPU tasks, cpu and memory drawn).",
				Default: syntheticPAI, Canonical: experiments.OneOf(syntheticPAI, alibaba.HybridName)},
			{Name: "alibaba", Doc: "Folder of Alibaba files, for hybrid.", Canonical: func(text string) (string, error) { return text, nil }},
			{Name: "days", Unit: "days", Doc: "Jobs submitted in so many first days are run.", Default: "2", Canonical: experiments.WholeNumber(1, maxDays)},
			{Name: "slot", Unit: "s", Doc: "Time between reallocations, in whole hours.", Required: true, Canonical: wholeHours},
			{Name: "policy", Doc: "Allocation rule: tsf-er, mnw or cru.", Required: true, Canonical: experiments.OneOf(rules3...)},
			{Name: "series", Doc: "Whether figures 5 to 7 are written, a row an hour: no or yes.", Default: "no", Canonical: experiments.OneOf("no", "yes")},
			{Name: "verify", Doc: "Whether every invariant is checked after every event: no or yes.", Default: "no", Canonical: experiments.OneOf("no", "yes")},
		},
		Check: checkCloud,
		Open:  openCloud,
	})
}

// wholeHours is the check of a time in s that is a number of hours.
func wholeHours(text string) (string, error) {
	canonical, err := experiments.WholeNumber(hourS, maxSlotH*hourS)(text)
	if err != nil {
		return "", err
	}
	if s, err := strconv.ParseInt(canonical, 10, 64); err != nil || s%hourS != 0 {
		return "", fmt.Errorf("%s s are not whole hours", text)
	}
	return canonical, nil
}

// checkCloud returns what does not go together.
func checkCloud(s experiments.Scenario) error {
	switch hybrid := s.Text("workload") == alibaba.HybridName; {
	case s.Instances > 1:
		return errors.New("instances: a run has one")
	case hybrid && s.Text("alibaba") == "":
		return errors.New("alibaba: the workload hybrid needs it")
	case !hybrid && s.Text("alibaba") != "":
		return errors.New("alibaba: it is for the workload hybrid")
	}
	return nil
}

// cloudScenario is an open scenario of [CloudKind].
type cloudScenario struct {
	plan   *Plan
	run    cloudRun
	series bool
}

func openCloud(_ context.Context, s experiments.Scenario) (experiments.Instances, error) {
	w, err := CloudWorkload(s.Text("alibaba"))
	if err != nil {
		return nil, err
	}
	slotH := int(s.WholeNumber("slot") / hourS)
	return &cloudScenario{
		plan: &Plan{Items: cloudItems, Scale: Scale{Cloud: Cloud{Days: int(s.WholeNumber("days")), SlotsH: []int{slotH}}},
			Bandwidth: traces.DefaultBandwidth(), Seed: s.Seed, Workload: w, Verify: s.Text("verify") == "yes"},
		run: cloudRun{s.Text("policy"), slotH}, series: s.Text("series") == "yes",
	}, nil
}

// Instance implements [experiments.Instances].
func (c *cloudScenario) Instance(ctx context.Context, _ int) ([]plots.Row, error) {
	r := &runner{ctx: ctx, Plan: c.plan}
	jobs, mhz := r.cloudJobs()
	o, err := r.cloudRun(c.run, jobs, mhz)
	if err != nil {
		return nil, err
	}
	out := &Results{Rows: map[string][]plots.Row{}}
	if c.series {
		r.series(out, c.run.rule, o)
	}
	for _, f := range slotFigures {
		r.slotRow(out, f.item, f.metric, c.run, o)
	}
	r.idleRow(out, c.run, o)
	var rows []plots.Row
	for _, item := range cloudItems {
		rows = append(rows, out.Rows[item]...)
	}
	return rows, nil
}

// Source implements [experiments.Sourced].
func (c *cloudScenario) Source() experiments.Workload { return c.plan.Workload.Population.Workload }
