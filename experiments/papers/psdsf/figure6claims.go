package psdsf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// figure6Claims judge the words about figure 6, in the reading of the cpu demand of user 2
// that counts and in the other one.
func (s measured) figure6Claims() []ledger.Entry {
	var entries []ledger.Entry
	for k, cpu2 := range readings {
		for _, e := range append(s.leads(cpu2), s.full(cpu2)...) {
			e.Workload = figure6Label
			if k > 0 {
				e.ID = strings.Replace(e.ID, "#lead", "", 1) + "#cpu2=.1"
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

// whichCPU2 says which reading of a demand that is not printed counts.
const whichCPU2 = "the cpu demand of user 2, who holds class D under ps-dsf while user 4 is away, is not printed: table III allows at most 2/15, which counts since stage 9 by the paper's words that the cpu of classes A and B is fully utilized, to which it comes nearest; until then .1 counted, a number of ours"

// leads judges "the PS-DSF allocation mechanism results in greater utilization compared to
// the two other mechanisms in this example", one entry; by rule, class and period they are
// readings.
func (s measured) leads(cpu2 string) []ledger.Entry {
	const splits = "the split of tsf and drfh over the classes is one of many: their totals alone are unique"
	var parts []ledger.Entry
	least := math.Inf(1)
	for _, class := range []string{"C", "D"} {
		for _, rule := range []string{"tsf", "drfh"} {
			for _, e := range epochs {
				lead := s.at("ps-dsf", cpu2, "cpu", class, e[1]) - s.at(rule, cpu2, "cpu", class, e[1])
				least = min(least, lead)
				parts = append(parts, entry("fig6", fmt.Sprintf("%s/%s/%ds#lead", rule, class, e[1]),
					fmt.Sprintf("cpu utilization of class %s at %d s, ps-dsf above %s by", class, e[1], rule)).
					Words(ledger.Computed(lead, exact), ledger.AtLeast(-exact), splits))
			}
		}
	}
	all := entry("fig6", "highest", "cpu utilization of classes C and D, all periods: least lead of ps-dsf over tsf and drfh").
		Words(ledger.Computed(least, exact), ledger.AtLeast(-exact), splits).Remark(whichCPU2)
	return append([]ledger.Entry{all}, parts...)
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

// shortfalls are those of the bottlenecks at the end of a period, one a draw.
func (s measured) shortfalls(from int) []float64 {
	return s[of{policy: "ps-dsf", setting: readings[0], metric: metricShortfall, timeS: float64(from)}]
}

// settled is the mean of a metric of the servers of figure 6 after a change of the users.
func (s measured) settled(metric string, from int) ledger.Estimate {
	return mean(s[of{policy: "ps-dsf", setting: readings[0], metric: metric, timeS: float64(from)}])
}

// prompt is what "promptly converges" is taken to mean, in rounds. The number is ours and
// counts for nothing.
const prompt = 10

// convergence judges "the distributed version of the PS-DSF allocation algorithm promptly
// converges when changes occur in the set of active users". "The" PS-DSF allocation is any
// that Theorem 1 allows, since stage 9: they are not unique. Until then it was the central
// one.
func (s measured) convergence() []ledger.Entry {
	var all []float64
	var parts []ledger.Entry
	for _, e := range epochs {
		all = slices.Concat(all, s.shortfalls(e[0]))
		parts = append(parts,
			entry("fig6", fmt.Sprintf("converges/%ds#rounds", e[0]), fmt.Sprintf("rounds from %d s until Theorem 1 holds for good; the bound is ours", e[0])).
				Words(s.settled(metricRounds, e[0]), ledger.AtMost(prompt)),
			entry("fig6", fmt.Sprintf("converges/%ds#central", e[0]), fmt.Sprintf("relative distance from the central allocation at the end of what begins at %d s", e[0])).
				Words(s.settled(metricDistance, e[0]), ledger.AtMost(exact)))
	}
	first := entry("fig6", "converges", "share of the periods, over all draws, at whose end the servers are at an allocation of Theorem 1").
		Words(share(all, func(v float64) bool { return v <= exact }), ledger.AtLeast(1)).
		Remark("any allocation of Theorem 1 counts, since stage 9; until then the central one, which it is in every draw")
	entries := append([]ledger.Entry{first}, parts...)
	for k := range entries {
		entries[k].Workload = figure6Label
	}
	return entries
}

// byResources are the settings of the item distributed, with their words.
var byResources = [][2]string{{"1", "one resource"}, {"0", "2 or 3 resources"}}

// distributedClaims judge "such distributed algorithm may dynamically achieve the PS-DSF
// allocation" (section III-D), one entry: any allocation of Theorem 1 is one. What it is
// made of, and how often it is the central one, are readings.
func (s measured) distributedClaims() []ledger.Entry {
	var parts []ledger.Entry
	achieved, tried := 0, 0
	for _, c := range byResources {
		values := func(metric string) []float64 {
			return s[of{policy: "ps-dsf", setting: c[0], metric: metric}]
		}
		add := func(id, claim string, ours ledger.Estimate, bound ledger.Bound, why ...string) {
			parts = append(parts, entry("distributed", c[0]+"/"+id, claim+", "+c[1]).Words(ours, bound, why...))
		}
		for _, v := range values(metricShortfall) {
			if v <= 1e-6 {
				achieved++
			}
		}
		tried += len(values(metricRested))
		add("rests#part", "share of random environments in which the servers come to rest", mean(values(metricRested)), ledger.AtLeast(1))
		add("shortfall#part", "share of those at rest whose bottlenecks fall short by more than 1e-6", share(values(metricShortfall), func(v float64) bool { return v > 1e-6 }), ledger.AtMost(0))
		add("algorithm1#ends", "share of random environments in which the rounds of Algorithm I end", mean(values(metricEnds)), ledger.AtLeast(1),
			"in the others they had not ended after thousands of rounds, see table1/algorithm1/ends for an exact cycle")
		add("central#unique", "share of those at rest with all totals within 1e-6 of the central allocation", share(values(metricDistance), func(v float64) bool { return v <= 1e-6 }), ledger.AtLeast(1),
			"PS-DSF allocations are not unique, and the order in which servers act decides which is reached")
	}
	all := entry("distributed", "achieves", "share of random environments in which the servers come to rest at an allocation of Theorem 1").
		Words(ledger.Sampled(metrics.Share(achieved, tried)), ledger.AtLeast(1),
			fmt.Sprintf("the others had not come to rest after %d rounds: Algorithm I has cycles, and splits that move at constant speed", most)).
		Remark("\"the PS-DSF allocation\" is any that Theorem 1 allows, since stage 9; until then the central one counted as well")
	entries := append([]ledger.Entry{all}, parts...)
	for k := range entries {
		entries[k].Workload = randomLabel
	}
	return entries
}
