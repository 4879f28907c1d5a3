package mtp

import (
	"fmt"
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
		maps.Copy(all, papers.SamplesOf(rows.Of(scenarios...), func(r *results.Row) (of, bool) {
			return of{block, r.Policy, r.Metric}, !r.Timed && r.User == ""
		}))
	}
	return all
}

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

// figure3: MTP and TSF use more of every resource than EQ, and TSF no more
// than MTP.
func (p *planned) figure3(s measured) []ledger.Entry {
	var entries []ledger.Entry
	for _, pool := range pools {
		metric := MetricSubmissionUtilization + ":" + pool
		for _, rule := range []string{"mtp", "tsf"} {
			e := p.entry("fig3", fmt.Sprintf("%s/%s-over-eq", pool, rule), fmt.Sprintf("mean utilization of %s while jobs are submitted: %s less eq", pool, rule))
			entries = append(entries, e.Words(estimate(s, mainBlock, func(m means) float64 { return m(rule, metric) - m("eq", metric) }), ledger.AtLeast(0)))
		}
		e := p.entry("fig3", pool+"/tsf-over-mtp", fmt.Sprintf("TSF has no advantage: its mean utilization of %s over mtp's, less 1", pool))
		entries = append(entries, e.Words(estimate(s, mainBlock, func(m means) float64 { return m("tsf", metric)/m("mtp", metric) - 1 }), ledger.AtMost(noAdvantage), p.known(pool)...))
	}
	if p.blocks[rateBlock] != nil {
		e := p.entry("fig3", "cpu/mtp", "with the gamma distribution's 200 as a rate, 2% of the tasks: mtp's mean utilization of cpu is visible").Repeated(1)
		metric := MetricSubmissionUtilization + ":cpu"
		entries = append(entries, e.Words(estimate(s, rateBlock, func(m means) float64 { return m("mtp", metric) }), ledger.AtLeast(0.01),
			"the links are so short that nothing computes: the paper's 200 must be a scale"))
	}
	return entries
}

func (p *planned) known(pool string) []string {
	if pool != "bandwidth" {
		return nil
	}
	return []string{"more bandwidth for as many tasks is no advantage: TSF sends users to access points where they need more of it, and its jobs complete no sooner (fig5)"}
}

// figure4: enviousness, and the remark on the sharing incentive.
func (p *planned) figure4(s measured) []ledger.Entry {
	var entries []ledger.Entry
	add := func(id, claim string, statistic func(means) float64, bound ledger.Bound, known ...string) {
		e := p.entry("fig4", id, claim)
		entries = append(entries, e.Words(estimate(s, mainBlock, statistic), bound, known...))
	}
	for _, rule := range []string{"mtp", "eq"} {
		add(rule+"/none", fmt.Sprintf("%s: largest enviousness at any time, in percent, mean over instances", rule),
			func(m means) float64 { return m(rule, results.MetricMaxEnviousness) }, ledger.AtMost(sim.EnviousnessTolerance))
	}
	add("tsf/time", "TSF: share of the time with a user in which somebody envies somebody",
		func(m means) float64 { return m("tsf", results.MetricEnvyTime) }, ledger.AtLeast(mostlyEnvy),
		"a few users at a time seldom envy: the share grows with the load and with what the links are worth")
	submitted := p.entry("fig4", "tsf/time", "the same while jobs are submitted").Repeated(1)
	entries = append(entries, submitted.Words(estimate(s, mainBlock, func(m means) float64 { return m("tsf", results.MetricEnvyTime+":submissions") }), ledger.AtLeast(mostlyEnvy)))
	if p.blocks[narrowBlock] != nil {
		for k, r := range []struct{ claim, metric string }{
			{"the same, of all time, with a quarter of the bandwidth", results.MetricEnvyTime},
			{"the same, while jobs are submitted, with a quarter of the bandwidth", results.MetricEnvyTime + ":submissions"},
		} {
			e := p.entry("fig4", "tsf/time", r.claim).Repeated(2 + k)
			entries = append(entries, e.Words(estimate(s, narrowBlock, func(m means) float64 { return m("tsf", r.metric) }), ledger.AtLeast(mostlyEnvy)))
		}
	}
	add("tsf/substantial", "TSF: largest enviousness at any time, in percent, mean over instances",
		func(m means) float64 { return m("tsf", results.MetricMaxEnviousness) }, ledger.AtLeast(substantial))
	for _, rule := range []string{"mtp", "tsf", "eq"} {
		add("si/"+rule, fmt.Sprintf("%s has the sharing incentive (section 6.3): share of time below it", rule),
			func(m means) float64 { return m(rule, results.MetricSIViolation) }, ledger.AtMost(0))
	}
	return entries
}

// figure5: EQ is half an hour later; the distributions of MTP and TSF are
// similar.
func (p *planned) figure5(s measured, rows run.Rows) []ledger.Entry {
	var entries []ledger.Entry
	for _, rule := range []string{"mtp", "tsf"} {
		e := p.entry("fig5", "eq-later-than-"+rule, fmt.Sprintf("mean completion time in minutes: eq less %s", rule))
		ours := estimate(s, mainBlock, func(m means) float64 {
			return (m("eq", results.MetricMeanCompletion) - m(rule, results.MetricMeanCompletion)) / 60
		})
		entries = append(entries, e.Value(laterMin, ours, p.reasons()...))
	}
	completions := rows.Of(p.blocks[mainBlock]...)
	distance := largestDistance(completionsOf(completions, "mtp"), completionsOf(completions, "tsf"))
	e := p.entry("fig5", "mtp-like-tsf", "largest distance between the distribution functions of completion times under mtp and tsf, all instances together")
	return append(entries, e.Words(ledger.Observed(distance, p.blocks[mainBlock][0].Instances), ledger.AtMost(similar)))
}

// reasons says why a difference in minutes need not be the paper's.
func (p *planned) reasons() []string {
	known := []string{
		"minutes follow the load, and the paper does not say which trace, which draw of its tasks or which unit of its capacities makes it",
		"the interval is over draws from one workload and leaves out how another one would differ",
	}
	if p.Scale == "quick" {
		known = append(known, "the quick scale ends submissions before the queues of seven hours have formed")
	}
	return known
}

// completionsOf returns the completion times of all jobs under a rule, ascending.
func completionsOf(rows []results.Row, rule string) []float64 {
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
