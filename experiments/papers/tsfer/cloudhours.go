package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// hours sums up the hourly samples of a run as they come.
type hours struct {
	end  event.Time   // of the submissions
	like *results.Row // of figures 5–7, if they are wanted: what all rows have in common
	rows []results.Row

	arrived, left int64 // tasks, up to the end of submissions; those not done then
	// Sums over the second half of the submissions: samples, time in h and
	// waiting tasks; what arrives.
	n, st, sw, stt, stw, came float64
	// Hours after the submissions with jobs in the system; those at which nothing
	// runs.
	after, idle int
}

// take takes a sample in.
func (h *hours) take(s *whole.Sample) error {
	if h.like != nil && s.At <= 2*h.end {
		h.overTime(s)
	}
	if s.At <= h.end {
		h.arrived, h.left = h.arrived+s.Arrived, s.Waiting+int64(s.Running)
		if s.At > h.end/2 {
			t, w := float64(s.At)/float64(hour), float64(s.Waiting)
			h.n, h.st, h.sw, h.stt, h.stw = h.n+1, h.st+t, h.sw+w, h.stt+t*t, h.stw+t*w
			h.came += float64(s.Arrived)
		}
	} else if s.Present > 0 {
		h.after++
		if s.Running == 0 {
			h.idle++
		}
	}
	return nil
}

// overTime adds the rows of figures 5–7: what the samples say, until the queue has
// had as long again as submissions last. What arrives is the same under every
// rule, and a row of the first. An hour without a user has no utilization.
func (h *hours) overTime(s *whole.Sample) {
	add := func(item, metric string, value float64) {
		row := *h.like
		row.Item, row.Metric, row.Value = item, metric, value
		row.At(float64(s.At) / 1e6)
		h.rows = append(h.rows, row)
	}
	if h.like.Policy == rules3[0] {
		add("fig5", results.MetricArrivedTasks, float64(s.Arrived))
	}
	names := append(append([]string{}, alibaba.PaperCluster().Resources...), alibaba.PaperCluster().Links[0].Name)
	for k, used := range s.Used {
		add("fig6", results.MetricUtilization+":"+names[k], used)
	}
	add("fig7", results.MetricWaitingTasks, float64(s.Waiting))
}

// done is [MetricDone].
func (h *hours) done() float64 { return float64(h.arrived - h.left) }

// growth is [MetricQueueGrowth].
func (h *hours) growth() float64 {
	if h.n < 2 || h.came == 0 {
		return 0
	}
	return (h.n*h.stw - h.st*h.sw) / (h.n*h.stt - h.st*h.st) / (h.came / h.n)
}

// idleEnd is [MetricIdleEnd]; 0 if no job is left when submissions end.
func (h *hours) idleEnd() float64 { return float64(h.idle) / float64(max(1, h.after)) }
