package tsfer

import (
	"math"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
)

// settings4 returns the distinct settings of table 4.
func settings4() []Setting {
	var settings []Setting
	for _, c := range table4 {
		if !c.repeats {
			settings = append(settings, c.Setting)
		}
	}
	return settings
}

// table4 runs the settings of table 4, and judges its numbers and what the
// paper says of them; then the readings of what it leaves open.
func (r *runner) table4(out *Results) error {
	r = r.on(r.Whole)
	variants := []variant{{rule: "tsf-er"}, {rule: "mnw"}, {rule: "cru"}}
	values, err := r.wholes(out, "table4", settings4(), variants)
	if err != nil {
		return err
	}
	open, err := r.wholes(out, "table4-options", []Setting{Central4}, openVariants())
	if err != nil {
		return err
	}
	present, err := r.allPresent(out)
	if err != nil {
		return err
	}
	nearest := r.nearest(open)
	out.Entries = append(out.Entries, r.values4(values, nearest)...)
	out.Entries = append(out.Entries, r.claims("table4", values, claims4, nearest)...)
	out.Entries = append(out.Entries, r.readings(open)...)
	out.Entries = append(out.Entries, r.claims("table4-options", open, openClaims(), nil)...)
	out.Entries = append(out.Entries, r.presentEntries(present)...)
	return nil
}

// wholes runs variants in every setting, keeps the rows of the item and returns
// the JCT factors by the name of the variant.
func (r *runner) wholes(out *Results, item string, settings []Setting, variants []variant) (samples, error) {
	outcomes, err := r.every(item, settings, r.Scale.Table4, func(s Setting, instance int) ([]*experiments.Outcome, error) {
		return r.whole(s, instance, variants, r.Verify)
	})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(variants))
	for k, v := range variants {
		names[k] = v.String()
	}
	for s, setting := range settings {
		for i, instance := range outcomes[s] {
			for k, name := range names {
				out.Rows[item] = append(out.Rows[item], r.rows(item, setting, i, name, instance[k])...)
			}
		}
	}
	return collect(settings, names, outcomes, plots.MetricJCTFactor), nil
}

// values4 judges the printed values, one entry each. nearest holds what is
// known of the rules that are rounded.
func (r *runner) values4(values samples, nearest map[string]string) []experiments.Entry {
	var entries []experiments.Entry
	for c, column := range table4 {
		for k, rule := range rules3 {
			e := r.entry("table4", rule+"/"+column.Setting.String(), "mean JCT factor")
			ours := values.estimate(r.Seed, e.ID, func(m means) float64 { return m(column.Setting, rule) })
			e.FittedTo = r.fitted(r.Workload, func(w *Workload) bool { return w.FittedTo4 }) && column.Setting == Central4 && rule == rules3[0]
			e = e.Value(column.values[k], ours, r.notes4(rule, nearest)...)
			if column.repeats {
				e = e.Repeated(c + 1)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// notes4 is what is known of a number of a rule that differs.
func (r *runner) notes4(rule string, nearest map[string]string) []string {
	if note := nearest[rule]; note != "" {
		return []string{note}
	}
	return r.Workload.Known
}

// claims judges claims on one item.
func (r *runner) claims(item string, values samples, claims []claim, nearest map[string]string) []experiments.Entry {
	var entries []experiments.Entry
	for _, c := range claims {
		e := r.entry(item, c.id, c.text)
		entries = append(entries, e.Words(values.estimate(r.Seed, e.ID, c.statistic), c.bound, r.notes4(c.rule, nearest)...))
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
	}, bound: experiments.AtMost(0)},
	{id: "claim/rises-with-bandwidth", text: "smallest step of TSF-ER's mean from 1 to 2 and from 2 to 3 MHz", statistic: func(m means) float64 {
		return min(m(mhz4(2), "tsf-er")-m(mhz4(1), "tsf-er"), m(mhz4(3), "tsf-er")-m(mhz4(2), "tsf-er"))
	}, bound: experiments.AtLeast(0)},
	{id: "claim/shorter-slots", text: "smallest step of TSF-ER's mean from 1024 to 256 s and from 256 to 64 s", statistic: func(m means) float64 {
		return min(m(atSlot(256), "tsf-er")-m(atSlot(1024), "tsf-er"), m(atSlot(64), "tsf-er")-m(atSlot(256), "tsf-er"))
	}, bound: experiments.AtLeast(0)},
	{id: "claim/ahead-of-mnw", text: "TSF-ER's smallest relative lead over MNW in the 12 columns", rule: "",
		statistic: func(m means) float64 { return smallestLead(m, "mnw") }, bound: experiments.AtLeast(0)},
	{id: "claim/ahead-of-cru", text: "TSF-ER's smallest relative lead over CRU in the 12 columns", rule: "",
		statistic: func(m means) float64 { return smallestLead(m, "cru") }, bound: experiments.AtLeast(0)},
	{id: "regularity/mnw-times-n", text: "n times MNW's mean at n=10, 15, 20: largest over smallest, less 1", rule: "mnw",
		statistic: func(m means) float64 { return timesN(m, "mnw") }, bound: experiments.AtMost(0.03)},
	{id: "regularity/cru-times-n", text: "n times CRU's mean at n=10, 15, 20: largest over smallest, less 1", rule: "cru",
		statistic: func(m means) float64 { return timesN(m, "cru") }, bound: experiments.AtMost(0.07)},
}
