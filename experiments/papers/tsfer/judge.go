package tsfer

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
)

// cell names the values of one rule in one setting.
type cell struct {
	Setting
	rule string
}

// samples holds one value an instance for each cell. Instance i drew the same
// jobs in all cells of one n, so differences between cells are paired.
type samples papers.Samples[cell]

// means gives the mean of a cell over instances.
type means func(Setting, string) float64

// estimate returns a statistic of cell means with its 95% interval, which is
// paired over cells.
func (s samples) estimate(statistic func(means) float64) ledger.Estimate {
	return papers.Samples[cell](s).Estimate(func(mean func(cell) float64) float64 {
		return statistic(func(setting Setting, rule string) float64 { return mean(cell{setting, rule}) })
	})
}

// values reads a metric of a block: one value an instance.
func (p *plan) values(rows run.Rows, block, metric string) samples {
	return samples(papers.SamplesOf(rows.All(p.blocks[block]...), func(r *results.Row) (cell, bool) {
		return cell{settingOf(r.Point), ruleOf(block, r)}, r.Metric == metric
	}))
}

// settingOf reads the setting of a row.
func settingOf(p results.Point) Setting {
	return Setting{int(p.Number("n")), p.Number("rho"), p.Number("bandwidth_mhz"), int(p.Number("slot_s"))}
}

// ruleOf names the rule of a row as it is published; in the blocks of the readings
// one that is rounded has the reading in its name.
func ruleOf(block string, r *results.Row) string {
	if (block == itemOptions || block == itemReadings) && (r.Point.Text("rounded") == "yes" || slices.Contains(rules3[1:], r.Policy)) {
		return openName(r.Policy, readingOf(r.Point))
	}
	return r.Policy
}

// judge makes the ledger entries of what ran on one workload.
type judge struct {
	workload *Workload
	// asFitted says that tasks need the bandwidth that the fits were made with.
	asFitted bool
}

// entry starts the ledger entry of a number that the workload decides.
func (j *judge) entry(item, id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim, Workload: j.workload.Label}
}

// printed judges the printed JCT factors of a table, one entry each. The second column
// is the central setting, for whose value of TSF-ER the workload was fitted if so.
func (j *judge) printed(item string, columns []column, values samples, fitted bool, known func(s Setting, k int) []string) []ledger.Entry {
	var entries []ledger.Entry
	for c, column := range columns {
		for k, rule := range rules3 {
			e := j.entry(item, rule+"/"+column.Setting.String(), "mean JCT factor")
			ours := values.estimate(func(m means) float64 { return m(column.Setting, rule) })
			e.FittedTo = j.asFitted && fitted && column.Setting == columns[1].Setting && rule == rules3[0]
			e = e.Value(column.values[k], ours, known(column.Setting, k)...)
			if column.repeats {
				e = e.Repeated(c + 1)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// claim is a statement of the paper in words with the number that tests it.
type claim struct {
	id        string
	text      string // the paper's words, their section, and the number
	statistic func(means) float64
	bound     ledger.Bound
	rule      string // that the claim is about, where only one is
	remark    string // on the reading that counts, or on a number of ours in the bound
	reading   bool   // another reading, or a part, of a statement that has its entry: it counts for nothing
}

// positive is the least that counts as above zero where a paper says that something
// rises, falls or leads: the accuracy of what is computed. A rule that stays where it
// is does not rise.
const positive = 1e-6

// The bounds of what rises or leads and of what falls.
var (
	rises = ledger.AtLeast(positive)
	falls = ledger.AtMost(-positive)
)

// claims judges claims on one item. nearest holds what is known of some rules; of the
// others it is what is known of the workload.
func (j *judge) claims(item string, values samples, claims []claim, nearest map[string]string) []ledger.Entry {
	var entries []ledger.Entry
	for _, c := range claims {
		id := c.id
		if c.reading {
			id += "#reading"
		}
		e := j.entry(item, id, c.text).Words(values.estimate(c.statistic), c.bound, j.known(c.rule, nearest)...)
		entries = append(entries, e.Remark(c.remark))
	}
	return entries
}

// known is what is known of a number of a rule that differs.
func (j *judge) known(rule string, nearest map[string]string) []string {
	if note := nearest[rule]; note != "" {
		return []string{note}
	}
	return j.workload.Known
}
