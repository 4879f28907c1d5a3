package tsfer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// cloudItems are the items that share the runs on the 20 servers.
var cloudItems = []string{"table5", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10"}

// slotFigures are the figures against the slot, with their metrics and the
// names of their claims.
var slotFigures = []struct{ item, metric, id string }{
	{"fig8", results.MetricJCTFactor, "lead"},
	{"fig9", results.MetricMinEFSat, "lead"},
	{"fig9", results.MetricMinEFSat + run.EarlySuffix, "lead-early"},
	{"fig10", results.MetricMinTaskRatio, "lead"},
	{"fig10", results.MetricMinTaskRatio + run.EarlySuffix, "lead-early"},
}

// cloudBlock is the block of the spec of figures 5–10.
const cloudBlock = "fig5-10"

// cloudValue is a number of a run.
type cloudValue struct {
	cloudRun
	metric string
}

// cloudResults are the single numbers of the runs of figures 5–10.
type cloudResults struct {
	*judge
	papers.Samples[cloudValue]
	slots []int // in h
}

func (p *plan) cloudResults(rows run.Rows) *cloudResults {
	c := &cloudResults{judge: p.judge(p.cloud)}
	for _, s := range p.blocks[cloudBlock] {
		if h := runOf(s).slotH; !slices.Contains(c.slots, h) {
			c.slots = append(c.slots, h)
		}
	}
	c.Samples = papers.SamplesOf(rows.Of(p.blocks[cloudBlock]...), func(r *results.Row) (cloudValue, bool) {
		return cloudValue{cloudRun{r.Policy, int(r.Point.Number("slot_s")) / int(hourS)}, r.Metric}, !r.Timed
	})
	return c
}

// of returns a number of a run. It panics if there is none.
func (c *cloudResults) of(run cloudRun, metric string) float64 {
	return c.Of(cloudValue{run, metric})[0]
}

// first is the run of a rule with the slot of figures 5 to 7.
func (c *cloudResults) first(rule string) cloudRun { return cloudRun{rule, c.slots[0]} }

// cloudEntries are the entries of table 5 and figures 5–10.
func (p *plan) cloudEntries(rows run.Rows) []ledger.Entry {
	var entries []ledger.Entry
	c := p.cloudResults(rows)
	if p.Wants("table5") {
		entries = append(entries, c.table5()...)
	}
	if p.Wants("fig6") {
		entries = append(entries, c.throughputs()...)
	}
	if p.Wants("fig7") {
		entries = append(entries, c.queues()...)
	}
	for _, f := range slotFigures {
		if p.Wants(f.item) {
			entries = append(entries, c.leads(f.item, f.metric, f.id)...)
		}
	}
	return entries
}

// cloudTables are the tables of figures 5–10: what there is over time, which is that of
// the first slot, and what there is against the slot.
func (p *plan) cloudTables(rows run.Rows) map[string][]results.Row {
	tables := map[string][]results.Row{}
	for _, r := range rows.Of(p.blocks[cloudBlock]...) {
		if p.Wants(r.Item) && r.Timed == slices.Contains(cloudItems[1:4], r.Item) {
			tables[r.Item] = append(tables[r.Item], r)
		}
	}
	return tables
}

// table5 compares the cluster of figures 5–10 with table 5.
func (c *cloudResults) table5() []ledger.Entry {
	printed := map[string]float64{"c64-m512-g2": 9, "c96-m512-g2": 4, "c96-m512-g8": 3, "c96-m384-g8": 4}
	var entries []ledger.Entry
	for _, s := range alibaba.PaperCluster().Servers {
		e := c.entry("table5", s.Name, "servers of this configuration")
		e.Workload = ""
		entries = append(entries, e.Value(printed[s.Name], ledger.Computed(float64(s.Count), 0)))
	}
	return entries
}

// throughputs compares the tasks done while there were submissions.
func (c *cloudResults) throughputs() []ledger.Entry {
	done := func(rule string) float64 { return c.of(c.first(rule), MetricDone) }
	var entries []ledger.Entry
	for k, published := range []float64{-0.35, -0.11} {
		rule := rules3[k+1]
		lag := done(rule)/done(rules3[0]) - 1
		e := c.entry("fig6", "throughput/"+rule, "tasks done by the end of submissions against TSF-ER's, less 1")
		entries = append(entries, e.Value(published, ledger.Computed(lag, 0.005), c.workload.Known...))
		e = c.entry("fig6", "behind/"+rule, "the same number")
		entries = append(entries, e.Words(ledger.Computed(lag, 0), ledger.AtMost(0), c.workload.Known...))
	}
	return entries
}

// queues judges whether the queues of MNW and CRU grow, and that of TSF-ER does
// not.
func (c *cloudResults) queues() []ledger.Entry {
	var entries []ledger.Entry
	for _, rule := range rules3 {
		claim, bound := "the same for "+rule, ledger.AtLeast(0.05)
		if rule == rules3[0] {
			claim, bound = "waiting tasks a day in the second half of the submissions, per task that arrives a day", ledger.AtMost(0.05)
		}
		growth := c.of(c.first(rule), MetricQueueGrowth)
		entries = append(entries, c.entry("fig7", "slope/"+rule, claim).Words(ledger.Computed(growth, 0), bound, c.workload.Known...))
	}
	return entries
}

// knownEnd says what is known of the end of the runs with a slot, for figure 9.
func (c *cloudResults) knownEnd(slotH int) string {
	var shares []string
	for _, rule := range rules3 {
		shares = append(shares, fmt.Sprintf("%.0f%% (%s)", 100*c.of(cloudRun{rule, slotH}, MetricIdleEnd), rule))
	}
	return fmt.Sprintf("with a slot of %d h nothing runs in %s of the hours after the submissions, while jobs wait for a slot; "+
		"MIN-EF-SAT is 1 then, since nobody holds anything", slotH, strings.Join(shares, ", "))
}

// leads judges TSF-ER's lead in a metric of one of figures 8–10 at every slot. A
// rule that leaves its last users to the next slot has a long end in which often
// nothing runs, and who has nothing is not envied; so figures 9 and 10 are judged
// over the time of the submissions too.
func (c *cloudResults) leads(item, metric, id string) []ledger.Entry {
	var entries []ledger.Entry
	for _, h := range c.slots {
		lead := math.Inf(1)
		for _, rule := range rules3[1:] {
			lead = min(lead, c.of(cloudRun{rules3[0], h}, metric)-c.of(cloudRun{rule, h}, metric))
		}
		known := slices.Clone(c.workload.Known)
		if metric == results.MetricMinEFSat {
			known = append(known, c.knownEnd(h))
		}
		e := c.entry(item, fmt.Sprintf("%s/slot=%dh", id, h), "TSF-ER's lead over the better of MNW and CRU")
		entries = append(entries, e.Words(ledger.Computed(lead, 0), ledger.AtLeast(0), known...))
	}
	return entries
}
