package tsf

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Metrics of the TSF paper's figures that are distribution functions: the share
// of jobs or tasks with a value of at most x, which stands in the row's
// parameters ("x=0.5").
const (
	MetricEligible      = "cdf:eligible_machines"   // jobs; x: machines on which a job may run, as a share of all
	MetricSize          = "cdf:tasks"               // jobs; x: tasks of a job
	MetricJobDelay      = "cdf:job_queueing_delay"  // jobs; x: time from the submission to the start of the first task, in s
	MetricJobCompletion = "cdf:job_completion_time" // jobs; x: time from the submission to the end of the last task, in s
	MetricTaskDelay     = "cdf:task_queueing_delay" // tasks; x: time from the submission to the start, in s
	MetricTaskGain      = "cdf:task_speedup"        // tasks; x: by how much less a task waits under TSF, in s
)

// Metrics of figures 5 to 7 and 10.
const (
	MetricTaskShare    = "task_share"     // of a job, at a time: running tasks over those of all machines, constraints removed
	MetricCPUShare     = "cpu_share"      // of a job, at a time: cpu that it holds over all there is
	MetricMemShare     = "mem_share"      // of a job, at a time: memory that it holds over all there is
	MetricJobSpeedup   = "job_speedup"    // mean over a bin of jobs of (JCT − TSF's JCT)/JCT
	MetricJobSpeedupSD = "job_speedup_sd" // standard deviation of that within the bin
)

// panel is one distribution of a figure: its axis and whether that is
// logarithmic.
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

// distributions draws figure 8, 9 or 11 of the TSF paper from the rows of its
// item: distribution functions, the mean over the instances at every x. It is an
// error if the item has no rows or rows of two workloads.
//
// Reference: TSF paper, section VI-B.
// Deviations: logarithmic axes where times spread over decades.
func distributions(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "tsf-" + item, Width: w}
	for _, p := range distributionPanels[item] {
		lines, err := cdfLines(rows, p)
		if err != nil {
			return plots.Figure{}, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		f.Panels = append(f.Panels, &plots.Scaled{Lines: lines, Of: p.scale})
	}
	note, err := note(rows)
	if len(f.Panels) == 0 && err == nil {
		err = fmt.Errorf("%s shows no distributions", item)
	}
	f.Note = note
	return f, err
}

// cdfLines collects the curves of a panel, one a policy.
func cdfLines(rows []results.Row, p panel) (*plots.Lines, error) {
	type point struct {
		policy string
		x      float64
	}
	sum, n := map[point]float64{}, map[point]float64{}
	for i := range rows {
		r := &rows[i]
		if r.Metric != p.metric {
			continue
		}
		x, err := abscissa(r.Parameters)
		if err != nil {
			return nil, err
		}
		at := point{r.Policy, x}
		sum[at], n[at] = sum[at]+r.Value, n[at]+1
	}
	if len(n) == 0 {
		return nil, fmt.Errorf("%s: no rows", p.metric)
	}
	lines := &plots.Lines{XLabel: p.x, YLabel: "Share"}
	ascending := slices.SortedFunc(maps.Keys(n), func(a, b point) int { return cmp.Compare(a.x, b.x) })
	for _, policy := range results.PoliciesOf(rows) {
		for _, at := range ascending {
			if x := at.x; at.policy == policy {
				if p.scale != nil {
					x = p.scale(x)
				}
				lines.Add(policy, x, sum[at]/n[at])
			}
		}
	}
	return lines, nil
}

// abscissa reads the x of a row of a distribution.
func abscissa(parameters string) (float64, error) {
	text, ok := strings.CutPrefix(parameters, "x=")
	x, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("parameters %q: x=number is wanted", parameters)
	}
	return x, nil
}

// note says what the rows are of.
func note(rows []results.Row) (string, error) {
	if len(rows) == 0 {
		return "", fmt.Errorf("no rows")
	}
	instances := int64(0)
	for i := range rows {
		if rows[i].Workload != rows[0].Workload {
			return "", fmt.Errorf("rows of two workloads, %q and %q", rows[0].Workload, rows[i].Workload)
		}
		instances = max(instances, rows[i].Instance+1)
	}
	workload := "No trace is involved"
	if rows[0].Workload != "" {
		workload = "Workload: " + rows[0].Workload
	}
	return fmt.Sprintf("%s; %d simulations.", workload, instances), nil
}

// shares draws figure 5 of the TSF paper from the rows of its item: the shares
// of each job over time, a panel each for tasks, cpu and memory.
//
// Reference: TSF paper, section VI-A.
func shares(rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "tsf-fig5", Width: w}
	for _, m := range []struct{ metric, label string }{{MetricCPUShare, "Share of cpu"}, {MetricMemShare, "Share of memory"}, {MetricTaskShare, "Task share"}} {
		lines := &plots.Lines{XLabel: "Time (s)", YLabel: m.label}
		for i := range rows {
			if r := &rows[i]; r.Metric == m.metric {
				lines.Add(r.User, r.TimeS, r.Value)
			}
		}
		if len(lines.Curves) == 0 {
			return plots.Figure{}, fmt.Errorf("figure %s: %s: no rows", f.Name, m.metric)
		}
		f.Panels = append(f.Panels, lines)
	}
	f.Note = "No trace is involved; the first of the runs."
	return f, nil
}

// completionTimes draws figure 6 or 7 of the TSF paper from the rows of its item:
// the mean completion time of each job in each of two runs, with the range over
// the instances.
//
// Reference: TSF paper, section VI-A.
func completionTimes(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	p := &plots.Points{XLabel: "Job", YLabel: "Completion time (s)"}
	values := map[[2]string][]float64{}
	for i := range rows {
		r := &rows[i]
		run, ok := strings.CutPrefix(r.Parameters, "run=")
		if !ok || r.Metric != results.MetricCompletion {
			continue
		}
		if !slices.Contains(p.Groups, r.User) {
			p.Groups = append(p.Groups, r.User)
		}
		if !slices.ContainsFunc(p.Series, func(s plots.Series) bool { return s.Policy == run }) {
			p.Series = append(p.Series, plots.Series{Policy: run})
		}
		at := [2]string{r.User, run}
		values[at] = append(values[at], r.Value)
	}
	if len(p.Series) == 0 {
		return plots.Figure{}, fmt.Errorf("figure tsf-%s: no rows", item)
	}
	for k := range p.Series {
		for _, g := range p.Groups {
			v := values[[2]string{g, p.Series[k].Policy}]
			p.Series[k].Points = append(p.Series[k].Points, results.Summary{Mean: metrics.Mean(v).Value, Low: slices.Min(v), High: slices.Max(v), N: len(v)})
		}
	}
	return plots.Figure{Name: "tsf-" + item, Width: w, Panels: []plots.Panel{p}, Note: "No trace is involved. Bars: range over the runs."}, nil
}

// speedups draws figure 10 of the TSF paper from the rows of its item: the
// mean speedup of jobs under TSF over each other fair policy by their size, with
// one standard deviation to both sides, each the mean over the instances.
//
// Reference: TSF paper, section VI-B.
func speedups(rows []results.Row, w plots.Width) (plots.Figure, error) {
	p := &plots.Points{XLabel: "Tasks of a job", YLabel: "Speedup over the policy"}
	values := map[[3]string][]float64{}
	for i := range rows {
		r := &rows[i]
		bin, ok := strings.CutPrefix(r.Parameters, "tasks=")
		if !ok || r.Policy == "fifo" || r.Metric != MetricJobSpeedup && r.Metric != MetricJobSpeedupSD {
			continue
		}
		if !slices.Contains(p.Groups, bin) {
			p.Groups = append(p.Groups, bin)
		}
		if !slices.ContainsFunc(p.Series, func(s plots.Series) bool { return s.Policy == r.Policy }) {
			p.Series = append(p.Series, plots.Series{Policy: r.Policy})
		}
		at := [3]string{r.Policy, bin, r.Metric}
		values[at] = append(values[at], r.Value)
	}
	if len(p.Series) == 0 {
		return plots.Figure{}, fmt.Errorf("figure tsf-fig10: no rows")
	}
	for k := range p.Series {
		for _, g := range p.Groups {
			name := p.Series[k].Policy
			v, sd := values[[3]string{name, g, MetricJobSpeedup}], values[[3]string{name, g, MetricJobSpeedupSD}]
			one := results.Summary{}
			if len(v) > 0 {
				m, d := metrics.Mean(v).Value, metrics.Mean(sd).Value
				one = results.Summary{Mean: m, Low: m - d, High: m + d, N: len(v)}
			}
			p.Series[k].Points = append(p.Series[k].Points, one)
		}
	}
	note, err := note(rows)
	return plots.Figure{Name: "tsf-fig10", Width: w, Panels: []plots.Panel{p}, Note: note + " Bars: one standard deviation."}, err
}
