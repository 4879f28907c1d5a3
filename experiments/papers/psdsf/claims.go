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
	"ps-dsf/PO": "Theorem 2 takes it from Definition 2, which compares shares server by server; see table1/ps-dsf/PO/example for an exact counterexample",
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
		maps.Copy(all, papers.SamplesOf(rows.Of(scenarios...), func(r *results.Row) (of, bool) {
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
	return append(append(entries, fairness...), s.theorem1()), nil
}

// violations judges one cell of table I on random environments.
func (s measured) violations(rule string, prop property) ledger.Entry {
	id := rule + "/" + prop.name
	got := share(s[of{policy: rule, metric: prop.metric}], prop.violates)
	e := entry("table1", id, fmt.Sprintf("share of random environments in which %s violates %s", rule, prop.name))
	e.Workload = randomLabel
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

// figure6Claims judge the words about figure 6 in both readings.
func (s measured) figure6Claims() []ledger.Entry {
	var entries []ledger.Entry
	for k, cpu2 := range readings {
		for _, e := range append(s.leads(cpu2), s.full(cpu2)...) {
			e.Workload = figure6Label
			if k > 0 {
				e.ID += "#cpu2=2/15"
			}
			entries = append(entries, e)
		}
	}
	return append(entries, s.convergence()...)
}

// at returns the utilization of a class at a time in figure 6, in the first instance.
func (s measured) at(policy, cpu2, resource, class string, t int) float64 {
	return s[of{policy, cpu2, results.MetricUtilization + ":" + resource, class, float64(t)}][0]
}

// leads says how far ps-dsf is ahead of the other rules.
func (s measured) leads(cpu2 string) []ledger.Entry {
	var entries []ledger.Entry
	for _, class := range []string{"C", "D"} {
		for _, rule := range []string{"tsf", "drfh"} {
			for _, e := range epochs {
				lead := s.at("ps-dsf", cpu2, "cpu", class, e[1]) - s.at(rule, cpu2, "cpu", class, e[1])
				entries = append(entries, entry("fig6", fmt.Sprintf("%s/%s/%ds", rule, class, e[1]),
					fmt.Sprintf("cpu utilization of class %s at %d s, ps-dsf above %s by", class, e[1], rule)).
					Words(ledger.Computed(lead, exact), ledger.AtLeast(-exact),
						"the cpu demand of user 2, who holds class D under ps-dsf while user 4 is away, is not printed: with the largest that table III allows the claim holds",
						"the split of tsf and drfh over the classes is one of many: their totals alone are unique"))
			}
		}
	}
	return entries
}

// full judges that the memory of all classes and the cpu of A and B are used up.
func (s measured) full(cpu2 string) []ledger.Entry {
	memory := 1.0
	for _, rule := range tableRules {
		for _, e := range epochs {
			for _, class := range Classes {
				memory = math.Min(memory, s.at(rule, cpu2, "mem", class, e[1]))
			}
		}
	}
	cpu := s.at("ps-dsf", cpu2, "cpu", "A", epochs[0][1])
	used := entry("fig6", "full/cpu", "cpu utilization of class A under ps-dsf with all users")
	if ours := ledger.Computed(cpu, exact); ours.High < 1 {
		used = used.Refute(1, ours, "tables III and IV contradict it: a task of user 1 takes at most .1 of the cpu (80 tasks on class A, 55 on class D), one of user 2 at most 2/15 (41.25 on class D), so their 40 and 20 tasks use at most 6.67 of the 8 of class A")
	} else {
		used = used.Value(1, ours)
	}
	return []ledger.Entry{
		entry("fig6", "full/mem", "least utilization of memory, all classes and rules").
			Words(ledger.Computed(memory, exact), ledger.AtLeast(1-exact)),
		used,
	}
}

// prompt is what "promptly converges" is taken to mean, in rounds.
const prompt = 10

// settled is the mean of a metric of the servers of figure 6 after a change of the users.
func (s measured) settled(metric string, from int) ledger.Estimate {
	return mean(s[of{policy: "ps-dsf", setting: readings[0], metric: metric, timeS: float64(from)}])
}

func (s measured) convergence() []ledger.Entry {
	var entries []ledger.Entry
	for _, e := range epochs {
		a := entry("fig6", fmt.Sprintf("converges/%ds", e[0]), fmt.Sprintf("rounds from %d s until all totals are within %g of the central allocation", e[0], exact)).
			Words(s.settled(metricRounds, e[0]), ledger.AtMost(prompt))
		b := entry("fig6", fmt.Sprintf("reaches/%ds", e[0]), fmt.Sprintf("relative distance from the central allocation at the end of what begins at %d s", e[0])).
			Words(s.settled(metricDistance, e[0]), ledger.AtMost(exact))
		a.Workload, b.Workload = figure6Label, figure6Label
		entries = append(entries, a, b)
	}
	return entries
}

// byResources are the settings of the item distributed, with their words.
var byResources = [][2]string{{"1", "one resource"}, {"0", "2 or 3 resources"}}

// distributedClaims judge "such distributed algorithm may dynamically achieve
// the PS-DSF allocation".
func (s measured) distributedClaims() []ledger.Entry {
	var entries []ledger.Entry
	for _, c := range byResources {
		values := func(metric string) []float64 { return s[of{policy: "ps-dsf", setting: c[0], metric: metric}] }
		add := func(id, claim string, ours ledger.Estimate, bound ledger.Bound, why ...string) {
			e := entry("distributed", c[0]+"/"+id, claim+", "+c[1])
			e.Workload = randomLabel
			entries = append(entries, e.Words(ours, bound, why...))
		}
		add("rests", "share of random environments in which the servers come to rest", mean(values(metricRested)), ledger.AtLeast(1),
			fmt.Sprintf("the others had not come to rest after %d rounds: Algorithm I has cycles, and splits that move at constant speed", most))
		add("algorithm1", "share of random environments in which the rounds of Algorithm I end", mean(values(metricEnds)), ledger.AtLeast(1),
			"in the others they had not ended after thousands of rounds, see table1/algorithm1/ends for an exact cycle")
		add("shortfall", "share of those at rest whose bottlenecks fall short by more than 1e-6", share(values(metricShortfall), func(v float64) bool { return v > 1e-6 }), ledger.AtMost(0))
		why := "PS-DSF allocations are not unique, and the order in which servers act decides which is reached"
		add("central", "share of those at rest with all totals within 1e-6 of the central allocation", share(values(metricDistance), func(v float64) bool { return v <= 1e-6 }), ledger.AtLeast(1), why)
	}
	return entries
}

// notes are the numbers of rounds and messages.
func (p *plans) notes(rows run.Rows) []string {
	s := p.measured(rows)
	var notes []string
	if p.Wants("fig6") {
		for _, e := range epochs {
			notes = append(notes, fmt.Sprintf("Figure 6, from %d s: %.3g rounds, %.4g reports and %.4g reads until the central allocation (means over phases).", e[0],
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
