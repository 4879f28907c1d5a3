package mtp

import (
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim"
)

// The bounds that stand for claims in words.
const (
	// noAdvantage bounds the utilization of TSF over that of MTP, less 1.
	noAdvantage = 0.05
	// substantial is an enviousness, in percent.
	substantial = 10
	// mostlyEnvy is the share of time that the paper names.
	mostlyEnvy = 0.95
	// laterMin is by how many minutes EQ is later in the paper.
	laterMin = 30
	// similar bounds the distance of two distribution functions.
	similar = 0.05
)

// pure strips what follows the colon from a metric's name.
func pure(metric string) string {
	name, _, _ := strings.Cut(metric, ":")
	return name
}

// of says what a value is of: a rule in a block of the spec, and the metric.
type of struct{ block, rule, metric string }

type measured = papers.Samples[of]

// measured are the single numbers of each instance.
func (p *planned) measured(rows run.Rows) measured {
	all := measured{}
	for block, scenarios := range p.blocks {
		for _, s := range scenarios {
			name := block
			if block == ghzBlock {
				name = atGHz(s.Text(ghzName))
			}
			maps.Copy(all, papers.SamplesOf(rows.All(s), func(r *results.Row) (of, bool) {
				return of{name, r.Policy, r.Metric}, !r.Timed && r.User == ""
			}))
		}
	}
	return all
}

// atGHz names the part of [ghzBlock] with one cpu frequency.
func atGHz(ghz string) string { return ghzBlock + "=" + ghz }

// means returns the mean of a rule's metric over the instances of a block.
type means func(rule, metric string) float64

// estimate returns a statistic of the means of a block with its interval.
func estimate(s measured, block string, statistic func(means) float64) ledger.Estimate {
	return s.Estimate(func(mean func(of) float64) float64 {
		return statistic(func(rule, metric string) float64 { return mean(of{block, rule, metric}) })
	})
}

// entry starts the ledger entry of a number that the workload decides.
func (p *planned) entry(item, id, claim string) ledger.Entry {
	e := entry(item, id, claim)
	e.Workload = p.label
	return e
}

// judged is a claim in words over several things: one entry that counts, by the worst
// of them, and one for each of them, which does not.
type judged struct {
	item, id, claim string
	bound           ledger.Bound
	known           []string
	parts           []part
}

// part is one of the things, with its number.
type part struct {
	name string
	of   func(means) float64
}

// each judges the claim in the main block.
func (p *planned) each(s measured, c judged) []ledger.Entry {
	worst := func(m means) float64 {
		value := c.parts[0].of(m)
		for _, part := range c.parts {
			if math.IsInf(c.bound.Min, -1) {
				value = max(value, part.of(m))
			} else {
				value = min(value, part.of(m))
			}
		}
		return value
	}
	all := []ledger.Entry{p.entry(c.item, c.id, c.claim).Words(estimate(s, mainBlock, worst), c.bound, c.known...)}
	for _, part := range c.parts {
		e := p.entry(c.item, c.id+"#"+part.name, c.claim+": "+part.name)
		all = append(all, e.Words(estimate(s, mainBlock, part.of), c.bound, c.known...))
	}
	return all
}

// figure3 (section 6.2): MTP and TSF use more of every resource than EQ, and TSF no
// more than MTP.
func (p *planned) figure3(s measured) []ledger.Entry {
	over := judged{item: "fig3", id: "over-eq", claim: "mean utilization while jobs are submitted, of mtp and tsf less that of eq, the least over the resources", bound: ledger.AtLeast(0)}
	none := judged{item: "fig3", id: "tsf-over-mtp", claim: "TSF has no advantage: its mean utilization over mtp's, less 1, the largest over the resources", bound: ledger.AtMost(noAdvantage), known: p.known()}
	for _, pool := range pools {
		metric := MetricSubmissionUtilization + ":" + pool
		for _, rule := range []string{"mtp", "tsf"} {
			over.parts = append(over.parts, part{pool + "/" + rule, func(m means) float64 { return m(rule, metric) - m("eq", metric) }})
		}
		none.parts = append(none.parts, part{pool, func(m means) float64 { return m("tsf", metric)/m("mtp", metric) - 1 }})
	}
	entries := append(p.each(s, over), p.each(s, none)...)
	if p.blocks[rateBlock] != nil {
		e := p.entry("fig3", "cpu/mtp", "with the gamma distribution's 200 as a rate, 2% of the tasks: mtp's mean utilization of cpu is visible").Repeated(1)
		metric := MetricSubmissionUtilization + ":cpu"
		entries = append(entries, e.Words(estimate(s, rateBlock, func(m means) float64 { return m("mtp", metric) }), ledger.AtLeast(0.01),
			"the links are so short that nothing computes: the paper's 200 must be a scale"))
	}
	return entries
}

func (p *planned) known() []string {
	return []string{"more bandwidth for as many tasks is no advantage: TSF sends users to access points where they need more of it, and its jobs complete no sooner (fig5)"}
}

// figure4 (section 6.3): enviousness, and the remark on the sharing incentive.
func (p *planned) figure4(s measured) []ledger.Entry {
	none := judged{item: "fig4", id: "none", claim: "largest enviousness at any time under mtp and eq, in percent, mean over instances", bound: ledger.AtMost(sim.EnviousnessTolerance)}
	sharing := judged{item: "fig4", id: "si", claim: "the three rules have the sharing incentive: share of time below it", bound: ledger.AtMost(0)}
	for _, rule := range []string{"mtp", "eq"} {
		none.parts = append(none.parts, part{rule, func(m means) float64 { return m(rule, results.MetricMaxEnviousness) }})
	}
	for _, rule := range []string{"mtp", "tsf", "eq"} {
		sharing.parts = append(sharing.parts, part{rule, func(m means) float64 { return m(rule, results.MetricSIViolation) }})
	}
	time := func(id, claim, block, metric string, known ...string) ledger.Entry {
		return p.entry("fig4", "tsf/time"+id, claim).Words(estimate(s, block, func(m means) float64 { return m("tsf", metric) }), ledger.AtLeast(mostlyEnvy), known...)
	}
	submitted := results.MetricEnvyTime + ":submissions"
	entries := append(p.each(s, none),
		time("", "TSF: share of the time with a user in which somebody envies somebody", mainBlock, results.MetricEnvyTime,
			"a few users at a time seldom envy: the share grows with the load and with what the links are worth"),
		time("#1", "the same while jobs are submitted", mainBlock, submitted))
	if p.blocks[narrowBlock] != nil {
		entries = append(entries, time("#2", "the same, of all time, with a quarter of the bandwidth", narrowBlock, results.MetricEnvyTime),
			time("#3", "the same, while jobs are submitted, with a quarter of the bandwidth", narrowBlock, submitted))
	}
	for _, ghz := range p.frequencies() {
		entries = append(entries, fitted(ghz, time("/all#ghz="+ghz, "the same, of all time, with f_CPU = "+ghz+" GHz", atGHz(ghz), results.MetricEnvyTime)),
			fitted(ghz, time("/submitted#ghz="+ghz, "the same, while jobs are submitted, with f_CPU = "+ghz+" GHz", atGHz(ghz), submitted)))
	}
	e := p.entry("fig4", "tsf/substantial", "TSF: largest enviousness at any time, in percent, mean over instances")
	entries = append(entries, e.Words(estimate(s, mainBlock, func(m means) float64 { return m("tsf", results.MetricMaxEnviousness) }), ledger.AtLeast(substantial)))
	return append(entries, p.each(s, sharing)...)
}

// frequencies are the values of f_CPU that are run beside the default.
func (p *planned) frequencies() []string {
	var all []string
	for _, s := range p.blocks[ghzBlock] {
		if ghz := s.Text(ghzName); !slices.Contains(all, ghz) {
			all = append(all, ghz)
		}
	}
	return all
}

// fittedGHz is the f_CPU of the axis between those at which figure 5's half hour (3.9)
// and figure 4's 95% of the time of submission (4.6) come out on the hybrid trace: it
// is fitted to these two values, so that they say nothing there.
const fittedGHz = "4.4"

// fitted marks an entry with that frequency; others are readings.
func fitted(ghz string, e ledger.Entry) ledger.Entry {
	if e.FittedTo = ghz == fittedGHz; e.FittedTo {
		e.ID = strings.Replace(e.ID, "#ghz", "/ghz", 1)
	}
	return e
}

// figure5 (section 6.4): EQ is half an hour later than the two others; the
// distributions of MTP and TSF are similar.
func (p *planned) figure5(s measured, rows run.Rows) []ledger.Entry {
	later := func(id, claim, block string, rules ...string) ledger.Entry {
		ours := estimate(s, block, func(m means) float64 {
			sum := 0.0
			for _, rule := range rules {
				sum += m("eq", results.MetricMeanCompletion) - m(rule, results.MetricMeanCompletion)
			}
			return sum / float64(len(rules)) / 60
		})
		return p.entry("fig5", "eq-later"+id, "mean completion time in minutes: eq less "+claim).Value(laterMin, ours, p.reasons()...)
	}
	entries := []ledger.Entry{later("", "the mean of mtp and tsf", mainBlock, "mtp", "tsf"), later("#mtp", "mtp", mainBlock, "mtp"), later("#tsf", "tsf", mainBlock, "tsf")}
	for _, ghz := range p.frequencies() {
		entries = append(entries, fitted(ghz, later("#ghz="+ghz, "the mean of mtp and tsf, with f_CPU = "+ghz+" GHz", atGHz(ghz), "mtp", "tsf")))
	}
	completions := rows.All(p.blocks[mainBlock]...)
	distance := largestDistance(completionsOf(completions, "mtp"), completionsOf(completions, "tsf"))
	e := p.entry("fig5", "mtp-like-tsf", "largest distance between the distribution functions of completion times under mtp and tsf, all instances together")
	return append(entries, e.Words(ledger.Observed(distance, p.blocks[mainBlock][0].Instances), ledger.AtMost(similar)))
}

// reasons says why a difference in minutes need not be the paper's.
func (p *planned) reasons() []string {
	known := []string{
		"minutes follow the load, and the paper does not say which trace, which draw of its tasks, which cpu frequency or which unit of its capacities makes it",
		"the interval is over draws from one workload and leaves out how another one would differ",
	}
	if p.Scale == "quick" {
		known = append(known, "the quick scale ends submissions before the queues of seven hours have formed")
	}
	return known
}

// completionsOf returns the completion times of all jobs under a rule, ascending.
func completionsOf(rows iter.Seq[results.Row], rule string) []float64 {
	times := papers.SamplesOf(rows, func(r *results.Row) (string, bool) { return r.Policy, r.Metric == results.MetricCompletion }).Of(rule)
	slices.Sort(times)
	return times
}

// largestDistance returns the Kolmogorov–Smirnov distance of two ascending
// measured: the largest difference between their distribution functions.
func largestDistance(a, b []float64) float64 {
	i, k, most := 0, 0, 0.0
	for i < len(a) && k < len(b) {
		at := min(a[i], b[k])
		for i < len(a) && a[i] == at {
			i++
		}
		for k < len(b) && b[k] == at {
			k++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(k)/float64(len(b))))
	}
	return most
}
