package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/event"
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
func (c *cloudScenario) rows(o *run.WholeOutcome, h *hours) []results.Row {
	rows := h.rows
	add := func(item, metric string, value float64, unit string) {
		row := c.row(item)
		row.Metric, row.Value, row.Unit = metric, value, unit
		rows = append(rows, row)
	}
	add("fig6", MetricDone, h.done(), results.UnitTasks)
	add("fig7", MetricQueueGrowth, h.growth(), results.UnitRatio)
	for _, f := range slotFigures {
		add(f.item, f.metric, measure(&o.Outcome, f.metric), results.UnitRatio)
	}
	add("fig9", MetricIdleEnd, h.idleEnd(), results.UnitRatio)
	if c.verify {
		add("", run.MetricVerified, float64(o.Verified), run.UnitCount)
	}
	return rows
}

// row starts a row.
func (c *cloudScenario) row(item string) results.Row {
	return results.Row{
		Experiment: Paper, Item: item, Policy: c.of.rule, N: int64(c.workload.Population.Workload.Jobs),
		BandwidthMHz: alibaba.PaperCluster().Links[0].Capacity, SlotS: float64(event.Time(c.of.slotH) * hour / second),
		Workload: c.workload.Label,
	}
}
