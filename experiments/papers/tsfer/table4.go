package tsfer

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// table4 judges the numbers of table 4 and what the paper says of them, given the
// JCT factors there, those of the readings of what it leaves open, and the shares
// of users who are all present.
func (j *judge) table4(values, open, present samples) []ledger.Entry {
	nearest := j.nearest(open)
	return slices.Concat(j.values4(values, nearest), j.claims(itemTable4, values, claims4, nearest),
		j.readings(open), j.claims(itemOptions, open, openClaims(), nil), j.presentEntries(present))
}

// values4 judges the printed values, one entry each. nearest holds what is
// known of the rules that are rounded.
func (j *judge) values4(values samples, nearest map[string]string) []ledger.Entry {
	var entries []ledger.Entry
	for c, column := range table4 {
		for k, rule := range rules3 {
			e := j.entry("table4", rule+"/"+column.Setting.String(), "mean JCT factor")
			ours := values.estimate(func(m means) float64 { return m(column.Setting, rule) })
			e.FittedTo = j.asFitted && j.workload.FittedTo4 && column.Setting == Central4 && rule == rules3[0]
			e = e.Value(column.values[k], ours, j.notes4(rule, nearest)...)
			if column.repeats {
				e = e.Repeated(c + 1)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// notes4 is what is known of a number of a rule that differs.
func (j *judge) notes4(rule string, nearest map[string]string) []string {
	if note := nearest[rule]; note != "" {
		return []string{note}
	}
	return j.workload.Known
}

// claims judges claims on one item.
func (j *judge) claims(item string, values samples, claims []claim, nearest map[string]string) []ledger.Entry {
	var entries []ledger.Entry
	for _, c := range claims {
		e := j.entry(item, c.id, c.text)
		entries = append(entries, e.Words(values.estimate(c.statistic), c.bound, j.notes4(c.rule, nearest)...))
	}
	return entries
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
