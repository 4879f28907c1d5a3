package psdsf

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// violated is how far from 1, or from no gain, counts as a violation.
const violated = 1e-6

// property is a row of table I that is judged by a metric.
type property struct {
	name, metric string
	violates     func(v float64) bool
	claimed      map[string]bool // by rule
}

var everyRule = map[string]bool{"drfh": true, "tsf": true, "ps-dsf": true}

var tableI = []property{
	{"SI", metricSharing, func(v float64) bool { return v < 1-violated }, map[string]bool{"tsf": true, "ps-dsf": true}},
	{"SP", metricLie, func(v float64) bool { return v > violated }, everyRule},
	{"EF", metricEnvy, func(v float64) bool { return v < 1-violated }, everyRule},
	{"PO", metricDomination, func(v float64) bool { return v > 1+violated }, everyRule},
}

// known is what is known where a claim of table I does not hold.
var known = map[string]string{
	"ps-dsf/PO": "Theorem 2 takes it from Definition 2, which compares shares server by server; see table1/ps-dsf/PO#example for an exact counterexample",
	"ps-dsf/SP": "the proof of Theorem 2 compares two PS-DSF allocations as if the others could always be given back what they had; fixed points are not unique, and a report decides which one is reached",
	"tsf/SI":    "TSF's own theorem weighs users by what their dedicated pools can run; an equal part of what a constrained user may use is another guarantee, see docs/audit.md for an exact counterexample and policies.TestTSFGuaranteesDedicatedPools",
}

// of says what a value is of: the rule, the reading of figure 6 or the resources of
// servers that act by themselves, the class and the time.
type of struct {
	policy, setting, metric, class string
	timeS                          float64
}

type measured papers.Samples[of]

func (p *plans) measured(rows run.Rows) measured {
	all := papers.Samples[of]{}
	for _, scenarios := range p.blocks {
		maps.Copy(all, papers.SamplesOf(rows.All(scenarios...), func(r *results.Row) (of, bool) {
			return of{r.Policy, r.Point.Text("cpu2") + r.Point.Text("resources"), r.Metric, r.User, r.TimeS}, true
		}))
	}
	return measured(all)
}

// mean estimates a mean with its interval.
func mean(all []float64) ledger.Estimate {
	if len(all) == 0 {
		return ledger.Observed(0, 0)
	}
	return ledger.Sampled(metrics.Mean(all))
}

// share estimates in what share of the values a condition holds.
func share(all []float64, condition func(float64) bool) ledger.Estimate {
	if len(all) == 0 {
		return ledger.Observed(0, 0)
	}
	holds := 0
	for _, v := range all {
		if condition(v) {
			holds++
		}
	}
	return ledger.Sampled(metrics.Share(holds, len(all)))
}

func (s measured) table1() ([]ledger.Entry, error) {
	entries, err := table1Proofs()
	if err != nil {
		return nil, err
	}
	for _, rule := range tableRules {
		for _, prop := range tableI {
			entries = append(entries, s.violations(rule, prop))
		}
	}
	fairness, err := bottleneckFairness()
	if err != nil {
		return nil, err
	}
	literal, err := literalEnvy()
	return append(append(entries, fairness...), s.theorem1(), s.oneServer(), literal), err
}

// oneServer judges "PS-DSF reduces to dominant resource fairness when all resources are
// aggregated into one resource pool" (section III-B).
func (s measured) oneServer() ledger.Entry {
	far := s[of{policy: "ps-dsf", metric: metricOneServer}]
	e := entry("table1", "ps-dsf/one-server", "largest relative difference from DRF of a user's tasks, all resources of a random environment in one server")
	e.Workload = randomLabel
	return e.Words(ledger.Observed(slices.Max(far), len(far)), ledger.AtMost(1e-8))
}

// literalEnvy is the formula of envy-freeness without regard to eligibility.
func literalEnvy() (ledger.Entry, error) {
	env := Confined()
	a, err := policies.AllocateBy("ps-dsf", env)
	if err != nil {
		return ledger.Entry{}, err
	}
	return entry("table1", "ps-dsf/EF#literal", "tasks of user 1 on all that user 2 holds over its own, servers (1) and (2) of cpu, a task 1, each user confined to one of them").
		Words(ledger.Computed(a.Tasks[1]/a.Tasks[0], exact), ledger.AtMost(1),
			"the formula of section II-A counts what user 2 holds where user 1 may not run: every allocation that uses all servers has this envy"), nil
}

// violations judges one cell of table I on random environments.
func (s measured) violations(rule string, prop property) ledger.Entry {
	id := rule + "/" + prop.name
	got := share(s[of{policy: rule, metric: prop.metric}], prop.violates)
	e := entry("table1", id, fmt.Sprintf("share of random environments in which %s violates %s", rule, prop.name))
	e.Workload = randomLabel
	return judged(e, rule, id, prop, got).Remark(readAs[prop.name])
}

// readAs says which reading of a property counts where the paper's words leave several.
var readAs = map[string]string{
	"EF": "envy with regard to eligibility, the reading since the first stage: with placement constraints the paper keeps the formula of section II-A, Un(am·φn/φm) with Un = min r a[r]/d[n,r], in which what user m holds where n may not run counts; so read every max-min rule envies at once, see table1/ps-dsf/EF#literal",
}

func judged(e ledger.Entry, rule, id string, prop property, got ledger.Estimate) ledger.Entry {
	switch {
	case !prop.claimed[rule]:
		return e.Words(got, ledger.AtLeast(violated))
	case got.Value > 0 && known[id] != "": // a violation that is not understood differs
		return e.Refute(0, got, known[id])
	default:
		return e.Words(got, ledger.AtMost(0))
	}
}

// theorem1 judges that ps-dsf allocates as Theorem 1 says.
func (s measured) theorem1() ledger.Entry {
	shortfall := s[of{policy: "ps-dsf", metric: metricShortfall}]
	e := entry("table1", "ps-dsf/theorem1", "largest shortfall of a bottleneck over all users, servers and environments")
	e.Workload = randomLabel
	return e.Words(ledger.Observed(max(0, slices.Max(shortfall)), len(shortfall)), ledger.AtMost(1e-8))
}

// bottleneckFairness judges figure 1, in which memory is what everybody asks for
// most: max-min fairness gives both users the same amount.
func bottleneckFairness() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, rule := range tableRules {
		a, err := policies.AllocateBy(rule, Figure1())
		if err != nil {
			return nil, err
		}
		bound := ledger.AtLeast(1 - exact)
		if rule != "ps-dsf" {
			bound = ledger.AtMost(1 - exact)
		}
		ratio := ledger.Computed(math.Min(a.Tasks[0], a.Tasks[1])/math.Max(a.Tasks[0], a.Tasks[1]), exact)
		entries = append(entries, entry("table1", rule+"/BF", "least over largest amount of the bottleneck resource in figure 1 under "+rule).Words(ratio, bound))
	}
	return entries, nil
}

// notes are the numbers of rounds and messages.
func (p *plans) notes(rows run.Rows) []string {
	s := p.measured(rows)
	var notes []string
	if p.Wants("fig6") {
		for _, e := range epochs {
			notes = append(notes, fmt.Sprintf("Figure 6, from %d s: %.3g rounds, %.4g reports and %.4g reads until an allocation of Theorem 1 (means over phases).", e[0],
				s.settled(metricRounds, e[0]).Value, s.settled(metricReports, e[0]).Value, s.settled(metricReads, e[0]).Value))
		}
	}
	if p.Wants("distributed") {
		for _, c := range byResources {
			notes = append(notes, fmt.Sprintf("Servers by themselves, %s: at rest after %.3g rounds and %.4g reports in the mean.", c[1],
				mean(s[of{policy: "ps-dsf", setting: c[0], metric: metricRounds}]).Value, mean(s[of{policy: "ps-dsf", setting: c[0], metric: metricReports}]).Value))
		}
	}
	return notes
}
