package tsfer

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// table4 judges the numbers of table 4 and what the paper says of them, given the
// JCT factors there, those of the readings of what it leaves open, in one column and in
// all (empty, if not asked for), and the shares of users who are all present.
func (j *judge) table4(values, open, all, present samples) []ledger.Entry {
	nearest := j.nearest(open)
	printed := j.printed(itemTable4, table4, values, j.workload.FittedTo4, func(_ Setting, k int) []string { return j.known(rules3[k], nearest) })
	return slices.Concat(printed, j.claims(itemTable4, values, claims4, nearest),
		j.readings(open), j.claims(itemOptions, open, openClaims(), nil), j.presentEntries(present), j.columns(all))
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
