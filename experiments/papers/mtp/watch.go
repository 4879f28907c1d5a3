package mtp

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces"
)

// periodUS is the length of a point of the time series.
const periodUS = 300_000_000

// seriesHours is how long the time series are at most, in hours of submission. With the
// second parameter of the cycles per bit as a rate the last jobs leave after years.
const seriesHours = 100

// pools are what utilization is measured of: a resource on all servers
// together, and the links together.
var pools = []string{"cpu", "mem", "bandwidth"}

// MetricSubmissionUtilization is what figure 3's claims are about. It is not
// mean_utilization, which leaves instants without a user out.
const MetricSubmissionUtilization = "submission_utilization"

func init() {
	results.RegisterMetrics(results.Metric{Name: MetricSubmissionUtilization, Unit: results.UnitRatio, High: 1, Better: results.Higher, Formula: "used / total",
		Definition: "Utilization of what stands behind the colon, mean over the hours of submission; time without a user counts as idle."})
}

// watcher observes utilization and enviousness.
type watcher struct {
	windowUS  int64            // while jobs are submitted
	used      []metrics.Series // of each pool
	within    []metrics.Weighted
	envy      *sim.Enviousness
	submitted metrics.Below // as envy.Free, while jobs are submitted
	usage     []float64
}

func newWatcher(c run.Case, hours float64) (*watcher, error) {
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	w := &watcher{
		windowUS: int64(hours * 3600e6), used: make([]metrics.Series, len(pools)), within: make([]metrics.Weighted, len(pools)),
		submitted: metrics.Below{Threshold: sim.EnviousnessTolerance},
	}
	until := seriesHours * w.windowUS
	for k := range w.used {
		w.used[k].Period, w.used[k].Until = periodUS, until
	}
	if w.envy, err = sim.NewEnviousness(env); err != nil {
		return nil, err
	}
	w.envy.Series.Period, w.envy.Series.Until = periodUS, until
	return w, nil
}

// Observe implements [sim.Observer].
func (w *watcher) Observe(iv *sim.Interval) error {
	if err := w.envy.Observe(iv); err != nil {
		return err
	}
	from, to := int64(iv.From), int64(iv.To)
	inside := max(0, min(to, w.windowUS)-from)
	w.submitted.Add(w.envy.Now.Percent, inside)
	w.usage = iv.Allocation.Usage(w.usage)
	for k := range pools {
		value := pooled(iv.Allocation.Region, w.usage, k)
		w.used[k].Add(value, from, to)
		w.within[k].Add(value, inside)
	}
	return nil
}

// pooled returns used/total of a pool.
func pooled(env *cluster.Environment, usage []float64, pool int) float64 {
	used, total := 0.0, 0.0
	add := func(row int) {
		used, total = used+usage[row], total+env.RowCapacity(row)
	}
	if pool == len(env.Resources) {
		for e := range env.Links {
			add(env.LinkRow(e))
		}
	} else {
		for s := range env.Servers {
			add(env.Row(s, pool))
		}
	}
	return used / total
}

// rows returns what was measured; the time series if they are wanted.
func (w *watcher) rows(base results.Row, jobs []traces.Job, out *run.Outcome, withSeries bool) []results.Row {
	var rows []results.Row
	add := func(metric string, value float64) { rows = append(rows, base.Measure(metric, value)) }
	for k, pool := range pools {
		add(MetricSubmissionUtilization+":"+pool, w.within[k].Integral()/float64(w.windowUS))
	}
	mean, _ := w.envy.Max.Mean()
	_, most, _ := w.envy.Max.Range()
	add(results.MetricMeanEnviousness, mean)
	add(results.MetricMaxEnviousness, most)
	add(results.MetricEnvyTime, envious(&w.envy.Free))
	add(results.MetricEnvyTime+":submissions", envious(&w.submitted))
	for _, m := range out.Measures {
		add(m.Metric, m.Value)
	}
	add(results.MetricRefused, float64(out.Refused))
	rows = append(rows, completions(base, jobs, out)...)
	if withSeries {
		for k, pool := range pools {
			rows = append(rows, series(base, results.MetricUtilization+":"+pool, &w.used[k])...)
		}
		rows = append(rows, series(base, results.MetricEnviousness, &w.envy.Series)...)
	}
	return rows
}

// envious returns the share of time that is not below the threshold.
func envious(free *metrics.Below) float64 {
	share, ok := free.Fraction()
	if !ok {
		return 0
	}
	return 1 - share
}

// completions returns the completion time of every job that was served, and
// their mean.
func completions(base results.Row, jobs []traces.Job, out *run.Outcome) []results.Row {
	var rows []results.Row
	sum := 0.0
	for j, r := range out.Jobs {
		if !r.Refused {
			row := base.Measure(results.MetricCompletion, float64(r.JCT())/1e6)
			row.User, sum = jobs[j].ID, sum+row.Value
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		rows = append(rows, base.Measure(results.MetricMeanCompletion, sum/float64(len(rows))))
	}
	return rows
}

// series returns a time series, a row a period in which anybody was present, up to
// seriesHours.
func series(base results.Row, metric string, s *metrics.Series) []results.Row {
	var rows []results.Row
	for k := range s.Periods() {
		if mean, ok := s.At(k).Mean(); ok {
			r := base.Measure(metric, mean)
			r.At(float64(s.Begin(k)) / 1e6)
			rows = append(rows, r)
		}
	}
	return rows
}
