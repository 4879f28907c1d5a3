package tsfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// CloudKind is the kind of figures 5–10, and the name of their spec. A scenario
// is the run of one rule with one slot. It has one instance: all submissions of
// its days are run, and the seed decides the rest.
const CloudKind = "tsf-er-cloud"

// syntheticPAI names the synthetic workload of figures 5–10.
const syntheticPAI = "pai"

// The bounds of a slot, in h, and of the days.
const (
	hourS    = int64(hour / second)
	maxSlotH = 100_000
	maxDays  = 10_000
)

func init() {
	yes := func(name, doc string) spec.Parameter {
		return spec.Parameter{Name: name, NoColumn: true, Doc: doc, Default: "no", Canonical: spec.OneOf("no", "yes")}
	}
	spec.RegisterKind(spec.Kind{
		Name: CloudKind, Title: "one rule with one slot on the 20 servers of the TSF-ER paper's table 5, with whole tasks",
		Parameters: append([]spec.Parameter{
			{Name: "workload", As: "source", Doc: "Submissions: pai (synthetic, the marginals of Alibaba's PAI trace), hybrid (those of its sample of GPU tasks, cpu and memory drawn), or a Parquet file of jobs.",
				Default: syntheticPAI, File: spec.PathLike, Canonical: spec.NameOrFile(syntheticPAI, alibaba.HybridName)},
			{Name: "alibaba", Doc: "Folder of Alibaba files, for hybrid.", File: spec.AnyPath, Canonical: spec.FolderOrNone(cloudSample...)},
			{Name: "days", Unit: "days", Doc: "Jobs submitted in so many first days are run; of a file, in the days with the most submissions.", Default: "2", Canonical: spec.WholeNumber(1, maxDays)},
			{Name: "slot", Unit: "s", Doc: "Time between reallocations, in whole hours.", Required: true, Canonical: wholeHours},
			{Name: "policy", Doc: "Allocation rule: tsf-er, mnw or cru.", Required: true, Canonical: spec.OneOf(rules3...)},
			{Name: "gamma", Doc: "How the second parameter of the cycles per bit is read: scale or rate.", Default: string(traces.GammaScale),
				Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
			yes("series", "Whether figures 5 to 7 are written, a row an hour: no or yes."),
			yes("verify", "Whether every invariant is checked after every event: no or yes."),
		}, run.RoundingParameters()...),
		Check: checkCloud,
		Open:  openCloud,
	})
}

// wholeHours is the check of a time in s that is a number of hours.
func wholeHours(text string) (results.Value, error) {
	v, err := spec.WholeNumber(hourS, maxSlotH*hourS)(text)
	if s, _ := v.Number(); err == nil && math.Mod(s, float64(hourS)) != 0 {
		err = fmt.Errorf("%s s are not whole hours", text)
	}
	return v, err
}

// checkCloud returns what does not go together.
func checkCloud(s spec.Scenario) error {
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

// cloudWorkloads are the workloads that were read, by what the scenarios say of
// them: many share one.
var cloudWorkloads = struct {
	sync.Mutex
	known map[[2]string]*Workload
}{known: map[[2]string]*Workload{}}

// cloudWorkload reads the workload of a scenario.
func cloudWorkload(s spec.Scenario) (*Workload, error) {
	cloudWorkloads.Lock()
	defer cloudWorkloads.Unlock()
	key := [2]string{s.Text("workload"), s.Text("alibaba")}
	if w, ok := cloudWorkloads.known[key]; ok {
		return w, nil
	}
	trace, isFile, err := s.File("workload")
	if err != nil {
		return nil, err
	}
	folder, _, err := s.File("alibaba")
	if err != nil {
		return nil, err
	}
	var w *Workload
	if isFile {
		w, err = CloudTrace(trace)
	} else {
		w, err = CloudWorkload(folder)
	}
	if err == nil {
		err = s.Unchanged("workload", "alibaba")
	}
	if err != nil {
		return nil, err
	}
	if w.Population, err = w.onCloud(); err != nil {
		return nil, err
	}
	w.File = "" // known by its checksum alone
	cloudWorkloads.known[key] = w
	return w, nil
}

// cloudScenario is an open scenario of [CloudKind].
type cloudScenario struct {
	cloud
	of     cloudRun
	series bool
}

func openCloud(_ context.Context, s spec.Scenario) (spec.Instances, error) {
	w, err := cloudWorkload(s)
	if err != nil {
		return nil, err
	}
	bandwidth := traces.DefaultBandwidth()
	bandwidth.Parameter = traces.GammaParameter(s.Text("gamma"))
	return &cloudScenario{
		cloud:  cloud{workload: w, bandwidth: bandwidth, seed: s.Seed, days: int(s.WholeNumber("days")), verify: s.Text("verify") == "yes", rounding: run.RoundingOf(s)},
		of:     runOf(s),
		series: s.Text("series") == "yes",
	}, nil
}

// runOf says which run a scenario is.
func runOf(s spec.Scenario) cloudRun {
	return cloudRun{s.Text("policy"), int(s.WholeNumber("slot") / hourS)}
}

// Instance implements [spec.Instances].
func (c *cloudScenario) Instance(ctx context.Context, _ int) ([]results.Row, error) {
	h := &hours{end: c.end()}
	if c.series {
		like := c.row("")
		h.like = &like
	}
	o, err := c.run(ctx, c.of, h)
	if err != nil {
		return nil, err
	}
	return c.rows(o, h), nil
}

// Source implements [run.Sourced].
func (c *cloudScenario) Source() run.Workload { return c.workload.Population.Workload }

// The metrics of figures 5 to 10 that no figure shows.
const (
	MetricDone        = "tasks_done"
	MetricQueueGrowth = "queue_growth"
	MetricIdleEnd     = "idle_after_submissions"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: MetricDone, Unit: results.UnitTasks, Better: results.Higher,
			Definition: "Tasks that are done when submissions end."},
		results.Metric{Name: MetricQueueGrowth, Unit: results.UnitRatio, Low: math.Inf(-1), High: math.Inf(1), Better: results.Lower,
			Definition: "Waiting tasks a day in the second half of the submissions, by least squares, over the tasks that arrive a day."},
		results.Metric{Name: MetricIdleEnd, Unit: results.UnitRatio, High: 1, Better: results.Lower,
			Definition: "Share of the hours after the submissions, of those with jobs in the system, at which nothing runs."},
	)
}

// rows are the rows of a run, each with its figure: those over time, if they are
// wanted, then its single numbers.
func (c *cloudScenario) rows(o *run.WholeOutcome, h *hours) []results.Row {
	rows := h.rows
	add := func(item, metric string, value float64) {
		row := c.row(item)
		row.Metric, row.Value = metric, value
		rows = append(rows, row)
	}
	add("fig6", MetricDone, h.done())
	add("fig7", MetricQueueGrowth, h.growth())
	for _, f := range slotFigures {
		add(f.item, f.metric, measure(&o.Outcome, f.metric))
	}
	add("fig9", MetricIdleEnd, h.idleEnd())
	if c.verify {
		add("", results.MetricVerified, float64(o.Verified))
	}
	return rows
}

// row starts a row.
func (c *cloudScenario) row(item string) results.Row {
	return results.Row{Experiment: Paper, Item: item, Policy: c.of.rule, Workload: c.workload.Label,
		Point: results.NewPoint(map[string]results.Value{
			"n":             results.OfInt(int64(c.workload.Population.Workload.Jobs)),
			"bandwidth_mhz": results.OfFloat(alibaba.PaperCluster().Links[0].Capacity),
		})}
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
