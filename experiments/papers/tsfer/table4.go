package tsfer

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// table4 judges the numbers of table 4 and what the paper says of them, given the
// JCT factors there, those of the readings of what it leaves open, and the shares
// of users who are all present.
func (j *judge) table4(values, open, present samples) []ledger.Entry {
	nearest := j.nearest(open)
	printed := j.printed(itemTable4, table4, values, j.workload.FittedTo4, func(_ Setting, k int) []string { return j.known(rules3[k], nearest) })
	return slices.Concat(printed, j.claims(itemTable4, values, claims4, nearest),
		j.readings(open), j.claims(itemOptions, open, openClaims(), nil), j.presentEntries(present))
}

// atSlot is the central setting of table 4 with another slot, n4 with another
// number of users, mhz4 with another link.
func atSlot(s int) Setting { return Setting{Central4.N, Central4.Rho, Central4.Bandwidth, s} }
func n4(n int) Setting     { return Setting{n, Central4.Rho, Central4.Bandwidth, Central4.SlotS} }
func mhz4(b float64) Setting {
	return Setting{Central4.N, Central4.Rho, b, Central4.SlotS}
}

// smallestLead is TSF-ER's smallest relative lead over a rule in the columns of
// table 4.
func smallestLead(m means, rule string) float64 {
	least := math.Inf(1)
	for _, c := range table4 {
		least = min(least, m(c.Setting, "tsf-er")/m(c.Setting, rule)-1)
	}
	return least
}

// timesN is the largest over the smallest of n times a rule's factor at n = 10,
// 15 and 20, less 1. The paper's MNW has 0.023, its CRU 0.066.
func timesN(m means, rule string) float64 {
	a, b, c := 10*m(n4(10), rule), 15*m(n4(15), rule), 20*m(n4(20), rule)
	return max(a, b, c)/min(a, b, c) - 1
}

// claims4 are the statements of section 6.2.2, and what stands out in table 4.
var claims4 = []claim{
	{id: "claim/falls-with-n", text: "largest step of TSF-ER's mean from n=10 to 15 and from 15 to 20", statistic: func(m means) float64 {
		return max(m(n4(15), "tsf-er")-m(n4(10), "tsf-er"), m(n4(20), "tsf-er")-m(n4(15), "tsf-er"))
	}, bound: ledger.AtMost(0)},
	{id: "claim/rises-with-bandwidth", text: "smallest step of TSF-ER's mean from 1 to 2 and from 2 to 3 MHz", statistic: func(m means) float64 {
		return min(m(mhz4(2), "tsf-er")-m(mhz4(1), "tsf-er"), m(mhz4(3), "tsf-er")-m(mhz4(2), "tsf-er"))
	}, bound: ledger.AtLeast(0)},
	{id: "claim/shorter-slots", text: "smallest step of TSF-ER's mean from 1024 to 256 s and from 256 to 64 s", statistic: func(m means) float64 {
		return min(m(atSlot(256), "tsf-er")-m(atSlot(1024), "tsf-er"), m(atSlot(64), "tsf-er")-m(atSlot(256), "tsf-er"))
	}, bound: ledger.AtLeast(0)},
	{id: "claim/ahead-of-mnw", text: "TSF-ER's smallest relative lead over MNW in the 12 columns", rule: "",
		statistic: func(m means) float64 { return smallestLead(m, "mnw") }, bound: ledger.AtLeast(0)},
	{id: "claim/ahead-of-cru", text: "TSF-ER's smallest relative lead over CRU in the 12 columns", rule: "",
		statistic: func(m means) float64 { return smallestLead(m, "cru") }, bound: ledger.AtLeast(0)},
	{id: "regularity/mnw-times-n", text: "n times MNW's mean at n=10, 15, 20: largest over smallest, less 1", rule: "mnw",
		statistic: func(m means) float64 { return timesN(m, "mnw") }, bound: ledger.AtMost(0.03)},
	{id: "regularity/cru-times-n", text: "n times CRU's mean at n=10, 15, 20: largest over smallest, less 1", rule: "cru",
		statistic: func(m means) float64 { return timesN(m, "cru") }, bound: ledger.AtMost(0.07)},
}

// Reading is one way to read what the paper leaves open about rules without a
// form for whole tasks (SPEC: "as published"): values of the parameters of that name.
type Reading struct{ fill, split, suspended string }

// readings are all of them, the default first.
var readings = allReadings()

func allReadings() []Reading {
	var all []Reading
	for _, fill := range []string{"users", "tasks", "slot"} {
		for _, split := range []string{"interior", "vertex"} {
			for _, suspended := range []string{"first", "last"} {
				all = append(all, Reading{fill, split, suspended})
			}
		}
	}
	return all
}

// String writes the reading as options of a rule.
func (d Reading) String() string {
	return fmt.Sprintf("[fill=%s,split=%s,suspended=%s]", d.fill, d.split, d.suspended)
}

// openName is the name of a rounded rule in a reading.
func openName(rule string, d Reading) string { return rule + d.String() }

// published4 is the printed value of a rule in the setting [Central4].
func published4(rule string) float64 { return table4[1].values[slices.Index(rules3, rule)] }

// nearest says of MNW and CRU which reading comes nearest to the printed value
// in the setting [Central4], and how near.
func (j *judge) nearest(open samples) map[string]string {
	notes := map[string]string{}
	for _, rule := range rules3[1:] {
		best, distance := Reading{}, math.Inf(1)
		for _, d := range readings {
			if off := math.Abs(mean(open[cell{Central4, openName(rule, d)}]) - published4(rule)); off < distance {
				best, distance = d, off
			}
		}
		notes[rule] = fmt.Sprintf("of the %d readings of what the paper leaves open about %s, %s comes nearest to the printed %.3f at n=15 and 256 s, with %.3f (item table4-options)",
			len(readings), rule, best, published4(rule), mean(open[cell{Central4, openName(rule, best)}]))
	}
	return notes
}

// readings compares MNW and CRU in every reading with the printed value. These
// entries repeat two of table 4, so that no tally counts them.
func (j *judge) readings(open samples) []ledger.Entry {
	var entries []ledger.Entry
	for _, rule := range rules3[1:] {
		for _, d := range readings {
			name := openName(rule, d)
			e := j.entry("table4-options", rule+"/"+d.fill+","+d.split+","+d.suspended+"#reading", "mean JCT factor in the central column")
			ours := open.estimate(func(m means) float64 { return m(Central4, name) })
			entries = append(entries, e.Value(published4(rule), ours))
		}
	}
	return entries
}

// openClaims tell the rule from the rounding in the setting [Central4].
func openClaims() []claim {
	at := func(m means, name string) float64 { return m(Central4, name) }
	byDefault := func(rule string) string { return openName(rule, readings[0]) }
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
					for _, d := range readings {
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
			ours := values.estimate(func(m means) float64 { return m(fluid(column.N, column.Rho, column.Bandwidth), rule) })
			entries = append(entries, e.Value(column.values[k+1], ours))
		}
	}
	return entries
}
