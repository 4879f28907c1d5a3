package tsfer

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// one is the accuracy to which "stays at 1" is tested: that of the solvers,
// with the program of the domination factor on top.
const one = 1e-6

// steps returns the differences of a rule's means between successive ρ.
func steps(m means, rule string) (smallest, largest float64) {
	smallest, largest = math.Inf(1), math.Inf(-1)
	for i := 1; i < len(figureRhos); i++ {
		step := m(fluid(figureUsers, figureRhos[i], figureBandwidth), rule) -
			m(fluid(figureUsers, figureRhos[i-1], figureBandwidth), rule)
		smallest, largest = min(smallest, step), max(largest, step)
	}
	return smallest, largest
}

// worst folds a rule's means over ρ.
func worst(m means, rule string, fold func(a, b float64) float64) float64 {
	result := m(fluid(figureUsers, figureRhos[0], figureBandwidth), rule)
	for _, rho := range figureRhos[1:] {
		result = fold(result, m(fluid(figureUsers, rho, figureBandwidth), rule))
	}
	return result
}

// ofRules is a statement about several rules: one entry that counts, of the worst of
// them, and a reading a rule.
type ofRules struct {
	id, text, number string
	rules            []string
	statistic        func(m means, rule string) float64
	worst            func(a, b float64) float64
	bound            ledger.Bound
}

func (o ofRules) claims() []claim {
	all := []claim{{id: o.id, text: fmt.Sprintf("6.2, %s: %s, the worst of %d rules", o.text, o.number, len(o.rules)), bound: o.bound,
		statistic: func(m means) float64 {
			result := o.statistic(m, o.rules[0])
			for _, rule := range o.rules[1:] {
				result = o.worst(result, o.statistic(m, rule))
			}
			return result
		}}}
	for _, rule := range o.rules {
		all = append(all, claim{id: o.id + "/" + rule, reading: true, text: o.number, bound: o.bound,
			statistic: func(m means) float64 { return o.statistic(m, rule) }})
	}
	return all
}

// splitting are the rules that split the link beforehand, DRF-α and TSF-α.
var splitting = figureRules[2:]

// ratioClaims: TSF-ER keeps the mean minimum restricted task ratio at 1; that
// of every other rule falls as ρ grows.
func ratioClaims() []claim {
	rule := figureRules[0]
	return append([]claim{{id: "ratio-is-1/" + rule, text: "6, TSF-ER \"guarantees all\" properties, so SI: smallest mean minimum restricted task ratio over ρ",
		statistic: func(m means) float64 { return worst(m, rule, math.Min) }, bound: ledger.AtLeast(1 - one)}},
		ofRules{id: "ratio-falls-with-rho", text: "the ratio \"of DRF-α, TSF-α, and DRF-ER decreases as ρ increases\"",
			number: "largest step of the mean minimum restricted task ratio between successive ρ", rules: figureRules[1:],
			statistic: func(m means, rule string) float64 { _, largest := steps(m, rule); return largest }, worst: math.Max, bound: falls}.claims()...)
}

// violationClaims: TSF-ER never violates SI, which is [ratioClaims]' statement again;
// every other rule does so more often as ρ grows.
func violationClaims() []claim {
	rule := figureRules[0]
	return append([]claim{{id: "never-violates-si/" + rule, reading: true, text: "largest mean SI violation time ratio over ρ",
		statistic: func(m means) float64 { return worst(m, rule, math.Max) }, bound: ledger.AtMost(0), remark: "says what ratio-is-1 says; until stage 9 it counted too"}},
		ofRules{id: "violation-rises-with-rho", text: "they \"violate SI more often when the server heterogeneity increases\"",
			number: "smallest step of the mean SI violation time ratio between successive ρ", rules: figureRules[1:],
			statistic: func(m means, rule string) float64 { smallest, _ := steps(m, rule); return smallest }, worst: math.Min, bound: rises}.claims()...)
}

// dominationClaims: TSF-ER and DRF-ER are Pareto optimal; the domination
// factor of the rules that split the link beforehand rises with ρ.
func dominationClaims() []claim {
	return append(
		ofRules{id: "domination-is-1", text: "\"if an allocation rule satisfies PO, the domination factor … equals 1\", and table 2 has PO for TSF-ER and DRF-ER",
			number: "largest mean domination factor over ρ", rules: []string{"tsf-er", "drf-er"},
			statistic: func(m means, rule string) float64 { return worst(m, rule, math.Max) }, worst: math.Max, bound: ledger.AtMost(1 + one)}.claims(),
		ofRules{id: "domination-rises-with-rho", text: "DRF-α and TSF-α \"are less Pareto efficient … when the server heterogeneity increases\"",
			number: "smallest step of the mean domination factor between successive ρ", rules: splitting,
			statistic: func(m means, rule string) float64 { smallest, _ := steps(m, rule); return smallest }, worst: math.Min, bound: rises}.claims()...)
}
