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
