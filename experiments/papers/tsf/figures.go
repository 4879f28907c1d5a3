package tsf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// panel is one distribution of a figure: its axis, whose times are logarithmic where
// they spread over decades.
type panel struct {
	metric, x string
	scale     func(x float64) float64 // nil: as it is
}

// distributionPanels are the figures that show distributions.
var distributionPanels = map[string][]panel{
	"fig8": {{MetricEligible, "Share of the machines", nil}, {MetricSize, "Tasks of a job", math.Log10}},
	"fig9": {{MetricJobDelay, "Job queueing delay (s)", logSeconds}, {MetricJobCompletion, "Job completion time (s)", logSeconds}},
	"fig11": {{MetricTaskDelay, "Task queueing delay (s)", logSeconds},
		{MetricTaskGain, "Delay saved by TSF (s)", signedLog}},
}

// leastSeconds is where logarithmic axes of times begin; what is shorter, 0 too,
// stands there.
const leastSeconds = 0.1

func logSeconds(x float64) float64 { return math.Log10(max(x, leastSeconds)) }

// signedLog maps x to the sign of x times the decades by which it exceeds a
// tenth of a second.
func signedLog(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Copysign(max(0, math.Log10(math.Abs(x)/leastSeconds)), x)
}

// draw makes the figure of an item from its table. It is an error if there are no rows,
// or rows of two workloads.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	f := plots.Figure{Name: Paper + "-" + item}
	if err := plots.Same(rows, "workload"); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	of, _, _ := strings.Cut(item, "-")
	var err error
	switch of {
	case "fig5":
		f.Panels, err = shares(rows)
		f.Note = "No trace is involved; the first of the runs."
	case "fig6", "fig7":
		f.Panels, err = completionTimes(rows)
		f.Note = "No trace is involved. Bars: range over the runs."
	case "fig10":
		f.Panels, err = speedups(rows)
		f.Note = note(rows) + " Bars: one standard deviation."
	default:
		f.Panels, err = distributions(of, rows)
		f.Note = note(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return []plots.Figure{f}, nil
}

// note says what the rows are of.
func note(rows []results.Row) string {
	instances := int64(0)
	for i := range rows {
		instances = max(instances, rows[i].Instance+1)
	}
	workload := "No trace is involved"
	if rows[0].Workload != "" {
		workload = "Workload: " + rows[0].Workload
	}
	return fmt.Sprintf("%s; %d simulations.", workload, instances)
}

// distributions draws figure 8, 9 or 11: distribution functions, the mean over the
// instances at every x.
//
// Reference: TSF paper, section VI-B.
// Deviations: logarithmic axes where times spread over decades.
func distributions(figure string, rows []results.Row) ([]plots.Panel, error) {
	var panels []plots.Panel
	for _, p := range distributionPanels[figure] {
		lines, err := p.lines(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.metric, err)
		}
		panels = append(panels, &plots.Scaled{Lines: lines, Of: p.scale})
	}
	if len(panels) == 0 {
		return nil, errors.New("it shows no distributions")
	}
	return panels, nil
}

// lines collects the curves of a panel, one a policy.
func (p panel) lines(rows []results.Row) (*plots.Lines, error) {
	cells, err := results.Summarize(rowsOf(rows, p.metric))
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, errors.New("no rows")
	}
	order := plots.ByRank(results.PoliciesOf(rows)...)
	slices.SortFunc(cells, func(a, b results.Cell) int {
		return cmp.Or(order(a.Policy, b.Policy), a.Point.At("x").Compare(b.Point.At("x")))
	})
	lines := &plots.Lines{XLabel: p.x, YLabel: "Share"}
	for _, c := range cells {
		at, ok := c.Point.At("x").Number()
		if !ok {
			return nil, errors.New("a row without x")
		}
		if p.scale != nil {
			at = p.scale(at)
		}
		lines.Add(c.Policy, at, c.Mean)
	}
	return lines, nil
}

// rowsOf returns the rows of a metric.
func rowsOf(rows []results.Row, metric string) []results.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Metric != metric })
}

// shares draws figure 5: the shares of each job over time, a panel each for cpu, memory
// and tasks.
//
// Reference: TSF paper, section VI-A.
func shares(rows []results.Row) ([]plots.Panel, error) {
	var panels []plots.Panel
	for _, m := range []struct{ metric, label string }{{MetricCPUShare, "Share of cpu"}, {MetricMemShare, "Share of memory"}, {MetricTaskShare, "Task share"}} {
		lines := &plots.Lines{XLabel: "Time (s)", YLabel: m.label}
		for _, r := range rowsOf(rows, m.metric) {
			lines.Add(r.User, r.TimeS, r.Value)
		}
		if len(lines.Curves) == 0 {
			return nil, fmt.Errorf("%s: no rows", m.metric)
		}
		panels = append(panels, lines)
	}
	return panels, nil
}

// completionTimes draws figure 6 or 7: the mean completion time of each job in each of
// two runs, with the range over the instances.
//
// Reference: TSF paper, section VI-A.
func completionTimes(rows []results.Row) ([]plots.Panel, error) {
	type place struct{ run, job string }
	var places []place
	values := map[place][]float64{}
	for _, r := range rowsOf(rows, results.MetricCompletion) {
		run := r.Point.Text("run")
		if run == "" {
			continue
		}
		at := place{run, r.User}
		if values[at] == nil {
			places = append(places, at)
		}
		values[at] = append(values[at], r.Value)
	}
	p := &plots.Points{XLabel: "Job", YLabel: "Completion time (s)"}
	for _, at := range places {
		v := values[at]
		if err := p.Add(at.run, at.job, results.Summary{Mean: metrics.Mean(v).Value, Low: slices.Min(v), High: slices.Max(v), N: len(v)}); err != nil {
			return nil, err
		}
	}
	return []plots.Panel{p}, p.Full()
}

// speedups draws figure 10: the mean speedup of jobs under TSF over each other fair
// policy by their size, with one standard deviation to both sides, each the mean over
// the instances.
//
// Reference: TSF paper, section VI-B.
func speedups(rows []results.Row) ([]plots.Panel, error) {
	type place struct{ policy, bin string }
	var places []place
	values, deviations := map[place][]float64{}, map[place][]float64{}
	for _, r := range rows {
		bin := r.Point.Text("tasks")
		if bin == "" || bin == mediumAndBig.Name || r.Policy == run.FIFO {
			continue
		}
		switch at := (place{r.Policy, bin}); r.Metric {
		case MetricJobSpeedup:
			if values[at] == nil {
				places = append(places, at)
			}
			values[at] = append(values[at], r.Value)
		case MetricJobSpeedupSD:
			deviations[at] = append(deviations[at], r.Value)
		}
	}
	p := &plots.Points{XLabel: "Tasks of a job", YLabel: "Speedup over the policy"}
	for _, at := range places {
		m, d := metrics.Mean(values[at]).Value, metrics.Mean(deviations[at]).Value
		if err := p.Add(at.policy, at.bin, results.Summary{Mean: m, Low: m - d, High: m + d, N: len(values[at])}); err != nil {
			return nil, err
		}
	}
	if len(places) == 0 {
		return nil, errors.New("no rows")
	}
	return []plots.Panel{p}, nil
}
