package tsfer

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// short writes a reading without the names of the options.
func (d Reading) short() string {
	return fillNames[d.Fill] + "," + splitNames[d.Vertex] + "," + suspendedNames[d.SuspendedLast]
}

// openName is the name of a rounded rule in a reading.
func openName(rule string, d Reading) string {
	return variant{rule: rule, rounded: true, reading: d}.String()
}

// published4 is the printed value of a rule in the setting [Central4].
func published4(rule string) float64 { return table4[1].values[slices.Index(rules3, rule)] }

// nearest says of MNW and CRU which reading comes nearest to the printed value
// in the setting [Central4], and how near.
func (j *judge) nearest(open samples) map[string]string {
	notes := map[string]string{}
	for _, rule := range rules3[1:] {
		best, distance := Reading{}, math.Inf(1)
		for _, d := range Readings() {
			if off := math.Abs(mean(open[cell{Central4, openName(rule, d)}]) - published4(rule)); off < distance {
				best, distance = d, off
			}
		}
		notes[rule] = fmt.Sprintf("of the %d readings of what the paper leaves open about %s, %s comes nearest to the printed %.3f at n=15 and 256 s, with %.3f (item table4-options)",
			len(Readings()), rule, best, published4(rule), mean(open[cell{Central4, openName(rule, best)}]))
	}
	return notes
}

// readings compares MNW and CRU in every reading with the printed value. These
// entries repeat two of table 4, so that no tally counts them.
func (j *judge) readings(open samples) []ledger.Entry {
	var entries []ledger.Entry
	for _, rule := range rules3[1:] {
		for _, d := range Readings() {
			name := openName(rule, d)
			e := j.entry("table4-options", rule+"/"+d.short()+"#reading", "mean JCT factor in the central column")
			ours := open.estimate(func(m means) float64 { return m(Central4, name) })
			entries = append(entries, e.Value(published4(rule), ours))
		}
	}
	return entries
}

// openClaims tell the rule from the rounding in the setting [Central4].
func openClaims() []claim {
	at := func(m means, name string) float64 { return m(Central4, name) }
	byDefault := func(rule string) string { return openName(rule, Reading{}) }
	claims := []claim{
		{id: "rounding/tsf-er", text: "what TSF-ER loses when it is rounded like MNW and CRU", bound: ledger.AtLeast(0),
			statistic: func(m means) float64 { return at(m, "tsf-er") - at(m, byDefault("tsf-er")) }},
	}
	for _, rule := range rules3[1:] {
		claims = append(claims, claim{id: "rule/" + rule, text: "what rounded TSF-ER is ahead of rounded " + rule, bound: ledger.AtLeast(0),
			statistic: func(m means) float64 { return at(m, byDefault("tsf-er")) - at(m, byDefault(rule)) }},
			claim{id: "nearest/" + rule, text: "smallest distance of a reading of " + rule + " from the printed value", bound: ledger.AtMost(0.02),
				statistic: func(m means) float64 {
					least := math.Inf(1)
					for _, d := range Readings() {
						least = min(least, math.Abs(at(m, openName(rule, d))-published4(rule)))
					}
					return least
				}})
	}
	return claims
}

// presentEntries compares the share x/η of a user where all n users of an instance
// are present at once, the mean over them, with the printed JCT factors: it is what
// the factor would be if everybody overlapped with everybody all the time. No tally
// counts them: they explain, they do not reproduce.
func (j *judge) presentEntries(values samples) []ledger.Entry {
	var entries []ledger.Entry
	for c := range 3 {
		column := table4[c]
		for k, rule := range rules3[1:] {
			e := j.entry("table4-options", fmt.Sprintf("all-present/%s/n=%d#reading", rule, column.N),
				"mean x/η, all users present at once")
			ours := values.estimate(func(m means) float64 { return m(column.Setting, rule) })
			entries = append(entries, e.Value(column.values[k+1], ours))
		}
	}
	return entries
}
