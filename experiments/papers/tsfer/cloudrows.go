package tsfer

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

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
