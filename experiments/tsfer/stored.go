package tsfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
)

// stored does what gather does, but keeps the outcomes of each setting in the
// plan's store, and takes from there what it holds.
func (r *runner) stored(stage string, settings []Setting, instances int, run func(Setting, int) ([]*experiments.Outcome, error), report func(int)) ([][]*experiments.Outcome, error) {
	of, err := r.identity(stage)
	if err != nil {
		return nil, err
	}
	var scenarios []experiments.Scenario
	for _, s := range settings {
		parameters := maps.Clone(of)
		parameters["setting"] = s.String()
		scenarios = append(scenarios, experiments.LocalScenario(Paper+" "+stage, parameters, r.Seed, instances, func(_ context.Context, i int) ([]plots.Row, error) {
			outcomes, err := run(s, i)
			return rowsOf(outcomes, i), err
		}))
	}
	rows, err := r.keep(scenarios, report)
	if err != nil {
		return nil, err
	}
	var flat [][]*experiments.Outcome
	for _, s := range scenarios {
		flat = append(flat, outcomesOf(rows.Of(s), instances)...)
	}
	return flat, nil
}

// keep runs scenarios through the store. Once started, one is finished even if
// the run is to end.
func (r *runner) keep(scenarios []experiments.Scenario, report func(int)) (experiments.Rows, error) {
	until, all := r.ctx, 0
	for _, s := range scenarios {
		all += s.Instances
	}
	r.ctx = context.WithoutCancel(until)
	defer func() { r.ctx = until }()
	return r.Store.Runner(r.workers, func(done, missing int) {
		if report != nil {
			report(all - missing + done)
		}
	})(until, scenarios)
}

// identity is what the outcomes of a stage depend on beside the setting, the
// number of instances and the seed.
func (r *runner) identity(stage string) (map[string]string, error) {
	bandwidth, err := json.Marshal(r.Bandwidth)
	if err != nil {
		return nil, err
	}
	jobs, err := json.Marshal(r.Workload.Population.Jobs)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(jobs)
	of := map[string]string{
		"workload": r.Workload.Label, "jobs": hex.EncodeToString(sum[:]), "bandwidth": string(bandwidth), "verify": fmt.Sprint(r.Verify),
	}
	if stage == cloudStage {
		of["days"], of["busiest"] = fmt.Sprint(r.Scale.Cloud.Days), fmt.Sprint(r.Workload.Busiest)
	}
	if stage == "figures" { // which share their runs
		var figures []string
		for _, item := range []string{"fig3", "fig4"} {
			if r.wants(item) {
				figures = append(figures, item)
			}
		}
		of["measured"] = strings.Join(figures, ",")
	}
	return of, nil
}

// The counts of an outcome that are kept beside its measures.
const (
	countJobs     = "count:jobs"
	countRefused  = "count:refused"
	countVerified = "count:verified"
)

// rowsOf writes the outcomes of an instance as rows, one outcome after the other,
// each beginning with its jobs.
func rowsOf(outcomes []*experiments.Outcome, instance int) []plots.Row {
	var rows []plots.Row
	for k, o := range outcomes {
		counts := []experiments.Measure{
			{Metric: countJobs, Value: float64(len(o.Jobs)), Unit: experiments.UnitCount},
			{Metric: countRefused, Value: float64(o.Refused), Unit: experiments.UnitCount},
			{Metric: countVerified, Value: float64(o.Verified), Unit: experiments.UnitCount},
		}
		for _, m := range append(counts, o.Measures...) {
			rows = append(rows, plots.Row{Policy: fmt.Sprint(k), Instance: int64(instance), Metric: m.Metric, Value: m.Value, Unit: m.Unit})
		}
	}
	return rows
}

// outcomesOf reads what rowsOf wrote. Of the jobs only their number is kept.
func outcomesOf(rows []plots.Row, instances int) [][]*experiments.Outcome {
	all := make([][]*experiments.Outcome, instances)
	for _, row := range rows {
		outcomes := &all[row.Instance]
		if row.Metric == countJobs {
			o := &experiments.Outcome{}
			o.Jobs = make([]sim.JobResult, int(row.Value))
			*outcomes = append(*outcomes, o)
			continue
		}
		switch o := (*outcomes)[len(*outcomes)-1]; row.Metric {
		case countRefused:
			o.Refused = int(row.Value)
		case countVerified:
			o.Verified = int(row.Value)
		default:
			o.Measures = append(o.Measures, experiments.Measure{Metric: row.Metric, Value: row.Value, Unit: row.Unit})
		}
	}
	return all
}

// cloudStage is the stage of figures 5–10.
const cloudStage = "cloud"

// storedCloud runs the large experiment through the plan's store.
func (r *runner) storedCloud(runs []cloudRun, one func(cloudRun) (*experiments.WholeOutcome, error), report func(int)) ([]*experiments.WholeOutcome, error) {
	of, err := r.identity(cloudStage)
	if err != nil {
		return nil, err
	}
	var scenarios []experiments.Scenario
	for _, run := range runs {
		parameters := maps.Clone(of)
		parameters["policy"], parameters["slot_h"] = run.rule, fmt.Sprint(run.slotH)
		scenarios = append(scenarios, experiments.LocalScenario(Paper+" "+cloudStage, parameters, r.Seed, 1, func(context.Context, int) ([]plots.Row, error) {
			o, err := one(run)
			if err != nil {
				return nil, err
			}
			return append(rowsOf([]*experiments.Outcome{&o.Outcome}, 0), sampleRows(o.Samples)...), nil
		}))
	}
	rows, err := r.keep(scenarios, report)
	if err != nil {
		return nil, err
	}
	var all []*experiments.WholeOutcome
	for _, s := range scenarios {
		all = append(all, wholeOf(rows.Of(s)))
	}
	return all, nil
}

// The parts of a sample, each a row. Times are in µs, below 2⁵³.
const (
	sampleMark        = "sample:"
	sampleAt          = sampleMark + "at"
	sampleUsed        = sampleMark + "used"
	sampleWaiting     = sampleMark + "waiting"
	sampleRunning     = sampleMark + "running"
	samplePresent     = sampleMark + "present"
	sampleMeanWaiting = sampleMark + "mean-waiting"
	sampleArrived     = sampleMark + "arrived"
)

// sampleRows writes samples as rows, each beginning with its time.
func sampleRows(samples []indivisible.Sample) []plots.Row {
	var rows []plots.Row
	add := func(metric string, value float64) {
		rows = append(rows, plots.Row{Policy: "0", Metric: metric, Value: value, Unit: experiments.UnitCount})
	}
	for _, s := range samples {
		add(sampleAt, float64(s.At))
		for _, used := range s.Used {
			add(sampleUsed, used)
		}
		add(sampleWaiting, float64(s.Waiting))
		add(sampleRunning, float64(s.Running))
		add(samplePresent, float64(s.Present))
		add(sampleMeanWaiting, s.MeanWaiting)
		add(sampleArrived, float64(s.Arrived))
	}
	return rows
}

// wholeOf reads an outcome and its samples.
func wholeOf(rows []plots.Row) *experiments.WholeOutcome {
	samples := slices.IndexFunc(rows, func(row plots.Row) bool { return strings.HasPrefix(row.Metric, sampleMark) })
	if samples < 0 {
		samples = len(rows)
	}
	o := &experiments.WholeOutcome{Outcome: *outcomesOf(rows[:samples], 1)[0][0]}
	for _, row := range rows[samples:] {
		if row.Metric == sampleAt {
			o.Samples = append(o.Samples, indivisible.Sample{At: event.Time(row.Value)})
			continue
		}
		switch s := &o.Samples[len(o.Samples)-1]; row.Metric {
		case sampleUsed:
			s.Used = append(s.Used, row.Value)
		case sampleWaiting:
			s.Waiting = int64(row.Value)
		case sampleRunning:
			s.Running = int(row.Value)
		case samplePresent:
			s.Present = int(row.Value)
		case sampleMeanWaiting:
			s.MeanWaiting = row.Value
		case sampleArrived:
			s.Arrived = int64(row.Value)
		}
	}
	return o
}
