package tsfer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// cloudItems are the items that share the runs on the 20 servers.
var cloudItems = []string{"table5", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10"}

// slotFigures are the figures against the slot, with their metrics and the
// names of their claims.
var slotFigures = []struct{ item, metric, id string }{
	{"fig8", plots.MetricJCTFactor, "lead"},
	{"fig9", plots.MetricMinEFSat, "lead"},
	{"fig9", plots.MetricMinEFSat + experiments.EarlySuffix, "lead-early"},
	{"fig10", plots.MetricMinTaskRatio, "lead"},
	{"fig10", plots.MetricMinTaskRatio + experiments.EarlySuffix, "lead-early"},
}

// cloud runs figures 5–10.
func (r *runner) cloud(out *Results) error {
	r = r.on(r.Cloud)
	if r.wants("table5") {
		out.Entries = append(out.Entries, r.table5()...)
	}
	slots := r.Scale.Cloud.SlotsH
	if !r.wants("fig8", "fig9", "fig10") {
		slots = slots[:1]
	}
	if !r.wants(cloudItems[1:]...) {
		return nil
	}
	runs, err := r.cloudRuns(slots)
	if err != nil {
		return err
	}
	for _, rule := range rules3 {
		r.series(out, rule, runs[cloudRun{rule, r.firstSlot()}])
	}
	if r.wants("fig6") {
		out.Entries = append(out.Entries, r.throughputs(runs)...)
	}
	if r.wants("fig7") {
		out.Entries = append(out.Entries, r.queues(runs)...)
	}
	for _, f := range slotFigures {
		if r.wants(f.item) {
			r.againstSlots(out, f.item, f.metric, f.id, runs)
		}
	}
	return nil
}

// table5 compares the cluster of figures 5–10 with table 5.
func (r *runner) table5() []experiments.Entry {
	printed := map[string]float64{"c64-m512-g2": 9, "c96-m512-g2": 4, "c96-m512-g8": 3, "c96-m384-g8": 4}
	var entries []experiments.Entry
	for _, s := range alibaba.PaperCluster().Servers {
		e := r.entry("table5", s.Name, "servers of this configuration")
		e.Workload = ""
		entries = append(entries, e.Value(printed[s.Name], experiments.Computed(float64(s.Count), 0)))
	}
	return entries
}

// firstSlot is the slot of figures 6 and 7, in h.
func (r *runner) firstSlot() int { return r.Scale.Cloud.SlotsH[0] }

// cloudRow starts a table row of figures 5–10.
func (r *runner) cloudRow(item, rule string, slotH int) plots.Row {
	row := r.row(item, Setting{Bandwidth: alibaba.PaperCluster().Links[0].Capacity}, 0, rule)
	row.N, row.SlotS = int64(r.Workload.Population.Workload.Jobs), float64(event.Time(slotH)*hour/second)
	return row
}

// series are the rows of a rule in figures 5–7: what the samples of its run with
// the first slot say, until its queue has had as long again as submissions last.
func (r *runner) series(out *Results, rule string, o *experiments.WholeOutcome) {
	end := 2 * event.Time(r.Scale.Cloud.Days) * day
	add := func(item string, s *indivisible.Sample, metric string, value float64, unit string) {
		if !r.wants(item) || s.At > end {
			return
		}
		row := r.cloudRow(item, rule, r.firstSlot())
		row.TimeS, row.Metric, row.Value, row.Unit = float64(s.At)/1e6, metric, value, unit
		out.Rows[item] = append(out.Rows[item], row)
	}
	names := append(append([]string{}, alibaba.PaperCluster().Resources...), alibaba.PaperCluster().Links[0].Name)
	for i := range o.Samples {
		s := &o.Samples[i]
		if rule == rules3[0] {
			add("fig5", s, plots.MetricArrivedTasks, float64(s.Arrived), plots.UnitTasks)
		}
		for k, used := range s.Used {
			add("fig6", s, plots.MetricUtilization+":"+names[k], used, plots.UnitRatio)
		}
		add("fig7", s, plots.MetricWaitingTasks, float64(s.Waiting), plots.UnitTasks)
	}
}

// done returns the tasks that were done when submissions ended.
func (r *runner) done(o *experiments.WholeOutcome) float64 {
	sum, last := int64(0), indivisible.Sample{}
	for _, s := range o.Samples {
		if s.At > event.Time(r.Scale.Cloud.Days)*day {
			break
		}
		sum, last = sum+s.Arrived, s
	}
	return float64(sum - last.Waiting - int64(last.Running))
}

// throughputs compares the tasks done while there were submissions.
func (r *runner) throughputs(runs map[cloudRun]*experiments.WholeOutcome) []experiments.Entry {
	own := r.done(runs[cloudRun{rules3[0], r.firstSlot()}])
	var entries []experiments.Entry
	for k, published := range []float64{-0.35, -0.11} {
		rule := rules3[k+1]
		lag := r.done(runs[cloudRun{rule, r.firstSlot()}])/own - 1
		e := r.entry("fig6", "throughput/"+rule, "tasks done by the end of submissions against TSF-ER's, less 1")
		entries = append(entries, e.Value(published, experiments.Computed(lag, 0.005), r.Workload.Known...))
		e = r.entry("fig6", "behind/"+rule, "the same number")
		entries = append(entries, e.Words(experiments.Computed(lag, 0), experiments.AtMost(0), r.Workload.Known...))
	}
	return entries
}

// queues judges whether the queues of MNW and CRU grow: the slope of waiting
// tasks, by least squares, over the second half of the submissions.
func (r *runner) queues(runs map[cloudRun]*experiments.WholeOutcome) []experiments.Entry {
	own := r.slope(runs[cloudRun{rules3[0], r.firstSlot()}])
	e := r.entry("fig7", "slope/"+rules3[0], "waiting tasks a day in the second half of the submissions, per task that arrives a day")
	entries := []experiments.Entry{e.Words(experiments.Computed(own, 0), experiments.AtMost(0.05), r.Workload.Known...)}
	for _, rule := range rules3[1:] {
		slope := r.slope(runs[cloudRun{rule, r.firstSlot()}])
		e := r.entry("fig7", "slope/"+rule, "the same for "+rule)
		entries = append(entries, e.Words(experiments.Computed(slope, 0), experiments.AtLeast(0.05), r.Workload.Known...))
	}
	return entries
}

// slope is the growth of the queue per arriving task.
func (r *runner) slope(o *experiments.WholeOutcome) float64 {
	end := event.Time(r.Scale.Cloud.Days) * day
	var n, st, sw, stt, stw, arrived float64
	for _, s := range o.Samples {
		if s.At <= end/2 || s.At > end {
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

// metricIdleEnd is the share of the hours after the submissions, of those with
// jobs in the system, at which nothing runs.
const metricIdleEnd = "idle_after_submissions"

// idleEnd is that share; 0 if no job is left when submissions end.
func (r *runner) idleEnd(o *experiments.WholeOutcome) float64 {
	hours, idle := 0, 0
	for _, s := range o.Samples {
		if s.At <= event.Time(r.Scale.Cloud.Days)*day || s.Present == 0 {
			continue
		}
		hours++
		if s.Running == 0 {
			idle++
		}
	}
	return float64(idle) / float64(max(1, hours))
}

// idleRow adds that share of a run to the rows of figure 9, and returns it.
func (r *runner) idleRow(out *Results, run cloudRun, o *experiments.WholeOutcome) float64 {
	row := r.cloudRow("fig9", run.rule, run.slotH)
	row.Metric, row.Value, row.Unit = metricIdleEnd, r.idleEnd(o), plots.UnitRatio
	out.Rows["fig9"] = append(out.Rows["fig9"], row)
	return row.Value
}

// knownEnd says what is known of the end of the runs with a slot, for figure 9.
func (r *runner) knownEnd(out *Results, slotH int, runs map[cloudRun]*experiments.WholeOutcome) string {
	var shares []string
	for _, rule := range rules3 {
		run := cloudRun{rule, slotH}
		shares = append(shares, fmt.Sprintf("%.0f%% (%s)", 100*r.idleRow(out, run, runs[run]), rule))
	}
	return fmt.Sprintf("with a slot of %d h nothing runs in %s of the hours after the submissions, while jobs wait for a slot; "+
		"MIN-EF-SAT is 1 then, since nobody holds anything", slotH, strings.Join(shares, ", "))
}

// slotRow adds a metric of a run to the rows of one of figures 8–10, and returns
// it.
func (r *runner) slotRow(out *Results, item, metric string, run cloudRun, o *experiments.WholeOutcome) float64 {
	row := r.cloudRow(item, run.rule, run.slotH)
	row.Metric, row.Value, row.Unit = metric, measure(&o.Outcome, metric), plots.UnitRatio
	out.Rows[item] = append(out.Rows[item], row)
	return row.Value
}

// againstSlots is a metric of one of figures 8–10: rows, and TSF-ER's lead at
// every slot. A rule that leaves its last users to the next slot has a long end
// in which often nothing runs, and who has nothing is not envied; so figures 9
// and 10 are judged over the time of the submissions too.
func (r *runner) againstSlots(out *Results, item, metric, id string, runs map[cloudRun]*experiments.WholeOutcome) {
	for _, h := range r.Scale.Cloud.SlotsH {
		own := measure(&runs[cloudRun{rules3[0], h}].Outcome, metric)
		lead := math.Inf(1)
		for _, rule := range rules3 {
			run := cloudRun{rule, h}
			value := r.slotRow(out, item, metric, run, runs[run])
			if rule != rules3[0] {
				lead = min(lead, own-value)
			}
		}
		known := slices.Clone(r.Workload.Known)
		if metric == plots.MetricMinEFSat {
			known = append(known, r.knownEnd(out, h, runs))
		}
		e := r.entry(item, fmt.Sprintf("%s/slot=%dh", id, h), "TSF-ER's lead over the better of MNW and CRU")
		out.Entries = append(out.Entries, e.Words(experiments.Computed(lead, 0), experiments.AtLeast(0), known...))
	}
}
