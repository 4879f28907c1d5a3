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

// each lists the claims on every rule of figures 3 and 4.
func each(claims func(rule string) []claim) []claim {
	var all []claim
	for _, rule := range figureRules {
		for _, c := range claims(rule) {
			c.id += "/" + rule
			all = append(all, c)
		}
	}
	return all
}

// ratioClaims: TSF-ER keeps the mean minimum restricted task ratio at 1; that
// of every other rule falls as ρ grows.
func ratioClaims() []claim {
	return each(func(rule string) []claim {
		if rule == figureRules[0] {
			return []claim{{id: "ratio-is-1", text: "smallest mean minimum restricted task ratio over ρ",
				statistic: func(m means) float64 { return worst(m, rule, math.Min) }, bound: ledger.AtLeast(1 - one)}}
		}
		return []claim{{id: "ratio-falls-with-rho", text: "largest step of the mean minimum restricted task ratio between successive ρ",
			statistic: func(m means) float64 { _, largest := steps(m, rule); return largest }, bound: ledger.AtMost(0)}}
	})
}

// violationClaims: TSF-ER never violates SI; every other rule does so more
// often as ρ grows.
func violationClaims() []claim {
	return each(func(rule string) []claim {
		if rule == figureRules[0] {
			return []claim{{id: "never-violates-si", text: "largest mean SI violation time ratio over ρ",
				statistic: func(m means) float64 { return worst(m, rule, math.Max) }, bound: ledger.AtMost(0)}}
		}
		return []claim{{id: "violation-rises-with-rho", text: "smallest step of the mean SI violation time ratio between successive ρ",
			statistic: func(m means) float64 { smallest, _ := steps(m, rule); return smallest }, bound: ledger.AtLeast(0)}}
	})
}

// dominationClaims: TSF-ER and DRF-ER are Pareto optimal; the domination
// factor of the rules that split the link beforehand rises with ρ.
func dominationClaims() []claim {
	return each(func(rule string) []claim {
		if rule == "tsf-er" || rule == "drf-er" {
			return []claim{{id: "domination-is-1", text: "largest mean domination factor over ρ",
				statistic: func(m means) float64 { return worst(m, rule, math.Max) }, bound: ledger.AtMost(1 + one)}}
		}
		return []claim{{id: "domination-rises-with-rho", text: "smallest step of the mean domination factor between successive ρ",
			statistic: func(m means) float64 { smallest, _ := steps(m, rule); return smallest }, bound: ledger.AtLeast(0)},
			{id: "dominated-at-" + fmt.Sprint(figureRhos[2]), text: "mean domination factor at the largest ρ",
				statistic: func(m means) float64 { return m(fluid(figureUsers, figureRhos[2], figureBandwidth), rule) }, bound: ledger.AtLeast(1 + one)}}
	})
}
