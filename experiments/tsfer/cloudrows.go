package tsfer

import (
	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// The metrics of figures 5 to 10 that no figure shows.
const (
	MetricDone        = "tasks_done"             // number of tasks that are done when submissions end
	MetricQueueGrowth = "queue_growth"           // waiting tasks a day in the second half of the submissions, per task that arrives a day; by least squares
	MetricIdleEnd     = "idle_after_submissions" // share of the hours after the submissions, of those with jobs in the system, at which nothing runs
)

// rows are the rows of a run, each with its figure: those over time, if they are
// wanted, then its single numbers.
func (c *cloudScenario) rows(o *experiments.WholeOutcome) []plots.Row {
	var rows []plots.Row
	if c.series {
		rows = c.overTime(o)
	}
	add := func(item, metric string, value float64, unit string) {
		row := c.row(item)
		row.Metric, row.Value, row.Unit = metric, value, unit
		rows = append(rows, row)
	}
	add("fig6", MetricDone, c.done(o), plots.UnitTasks)
	add("fig7", MetricQueueGrowth, c.growth(o), plots.UnitRatio)
	for _, f := range slotFigures {
		add(f.item, f.metric, measure(&o.Outcome, f.metric), plots.UnitRatio)
	}
	add("fig9", MetricIdleEnd, c.idleEnd(o), plots.UnitRatio)
	if c.verify {
		add("", experiments.MetricVerified, float64(o.Verified), experiments.UnitCount)
	}
	return rows
}

// row starts a row.
func (c *cloudScenario) row(item string) plots.Row {
	return plots.Row{
		Experiment: Paper, Item: item, Policy: c.of.rule, N: int64(c.workload.Population.Workload.Jobs),
		BandwidthMHz: alibaba.PaperCluster().Links[0].Capacity, SlotS: float64(event.Time(c.of.slotH) * hour / second),
		Workload: c.workload.Label,
	}
}

// overTime are the rows of figures 5–7: what the samples say, until the queue has
// had as long again as submissions last. What arrives is the same under every
// rule, and a row of the first.
func (c *cloudScenario) overTime(o *experiments.WholeOutcome) []plots.Row {
	var rows []plots.Row
	names := append(append([]string{}, alibaba.PaperCluster().Resources...), alibaba.PaperCluster().Links[0].Name)
	for i := range o.Samples {
		s := &o.Samples[i]
		if s.At > 2*c.end() {
			break
		}
		add := func(item, metric string, value float64, unit string) {
			row := c.row(item)
			row.TimeS, row.Metric, row.Value, row.Unit = float64(s.At)/1e6, metric, value, unit
			rows = append(rows, row)
		}
		if c.of.rule == rules3[0] {
			add("fig5", plots.MetricArrivedTasks, float64(s.Arrived), plots.UnitTasks)
		}
		for k, used := range s.Used {
			add("fig6", plots.MetricUtilization+":"+names[k], used, plots.UnitRatio)
		}
		add("fig7", plots.MetricWaitingTasks, float64(s.Waiting), plots.UnitTasks)
	}
	return rows
}

// done is [MetricDone].
func (c *cloud) done(o *experiments.WholeOutcome) float64 {
	sum, last := int64(0), indivisible.Sample{}
	for _, s := range o.Samples {
		if s.At > c.end() {
			break
		}
		sum, last = sum+s.Arrived, s
	}
	return float64(sum - last.Waiting - int64(last.Running))
}

// growth is [MetricQueueGrowth].
func (c *cloud) growth(o *experiments.WholeOutcome) float64 {
	var n, st, sw, stt, stw, arrived float64
	for _, s := range o.Samples {
		if s.At <= c.end()/2 || s.At > c.end() {
			continue
		}
		t, w := float64(s.At)/float64(hour), float64(s.Waiting)
		n, st, sw, stt, stw = n+1, st+t, sw+w, stt+t*t, stw+t*w
		arrived += float64(s.Arrived)
	}
	if n < 2 || arrived == 0 {
		return 0
	}
	return (n*stw - st*sw) / (n*stt - st*st) / (arrived / n)
}

// idleEnd is [MetricIdleEnd]; 0 if no job is left when submissions end.
func (c *cloud) idleEnd(o *experiments.WholeOutcome) float64 {
	hours, idle := 0, 0
	for _, s := range o.Samples {
		if s.At <= c.end() || s.Present == 0 {
			continue
		}
		hours++
		if s.Running == 0 {
			idle++
		}
	}
	return float64(idle) / float64(max(1, hours))
}
