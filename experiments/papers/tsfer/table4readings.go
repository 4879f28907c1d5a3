package tsfer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
)

// Reading is one way to read what the paper leaves open about rules without a
// form for whole tasks (SPEC: "as published"): values of the parameters of that name.
type Reading struct{ caps, floor, fill, split, suspended string }

// readings are those of the central column, the default first: without caps all, with
// them those in which suspended tasks queue first. A literal floor alone changes nothing
// that one could see, and is left out.
var readings = append(readingsOf("none", "exact", "first", "last"), cappedReadings("users", "tasks", "slot")...)

// readingsOf are the readings with these caps and floor.
func readingsOf(caps, floor string, suspended ...string) []Reading {
	var all []Reading
	for _, fill := range []string{"users", "tasks", "slot"} {
		for _, split := range []string{"interior", "vertex"} {
			for _, s := range suspended {
				all = append(all, Reading{caps, floor, fill, split, s})
			}
		}
	}
	return all
}

// cappedReadings are the readings with caps and one of these fills.
func cappedReadings(fills ...string) []Reading {
	var all []Reading
	for _, caps := range []string{"submitted", "left"} {
		for _, floor := range []string{"exact", "literal"} {
			all = append(all, readingsOf(caps, floor, "first")...)
		}
	}
	return slices.DeleteFunc(all, func(d Reading) bool { return !slices.Contains(fills, d.fill) })
}

// String writes the reading as options of a rule, without those that came later where
// they have their defaults.
func (d Reading) String() string {
	later := ""
	if d.caps != "none" {
		later = fmt.Sprintf("caps=%s,floor=%s,", d.caps, d.floor)
	}
	return fmt.Sprintf("[%sfill=%s,split=%s,suspended=%s]", later, d.fill, d.split, d.suspended)
}

// id is the reading in the id of an entry; with caps, suspended tasks queue first.
func (d Reading) id() string {
	if d.caps != "none" {
		return strings.Join([]string{d.caps, d.floor, d.fill, d.split}, ",")
	}
	return strings.Join([]string{d.fill, d.split, d.suspended}, ",")
}

// readingOf is the reading of a row.
func readingOf(p results.Point) Reading {
	return Reading{p.Text("caps"), p.Text("floor"), p.Text("fill"), p.Text("split"), p.Text("suspended")}
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
		notes[rule] = fmt.Sprintf("of the %d readings of what the paper leaves open about %s, %s comes nearest to the printed %.3f at n=15 and 256 s, with %.3f (item table4-options); caps and a literal floor were added when the level was known not to come out, and no reading has the printed rows (docs/whole-tasks.md)",
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
			e := j.entry(itemOptions, rule+"/"+d.id()+"#reading", "mean JCT factor in the central column")
			ours := open.estimate(func(m means) float64 { return m(Central4, name) })
			entries = append(entries, e.Value(published4(rule), ours).Remark(foundAfter(d)))
		}
	}
	return entries
}

// foundAfter says of a reading with caps how it was found.
func foundAfter(d Reading) string {
	if d.caps == "none" {
		return ""
	}
	return "eq. (2) has the caps, and section 6.1 (\"it cannot allocate more than the number of submitted tasks\"); " +
		"this reading was found after the numbers were seen, to meet the printed level, and identifies nothing"
}

// trend is a direction in which the printed means of MNW or CRU move in table 4.
type trend struct {
	id, text string
	gain     func(m func(Setting) float64) float64 // above 0 where it is right
}

// trends4 are the trends of a rule in table 4, between the ends of each axis.
func trends4(rule string) []trend {
	rho := 1.0 // MNW rises, CRU falls
	if rule == "cru" {
		rho = -1
	}
	return []trend{
		{"n", "falls from n = 10 to 20", func(m func(Setting) float64) float64 { return m(n4(10)) - m(n4(20)) }},
		{"rho", map[float64]string{1: "rises", -1: "falls"}[rho] + " from ρ = .5 to .9", func(m func(Setting) float64) float64 { return rho * (m(rho4(0.9)) - m(rho4(0.5))) }},
		{"bandwidth", "rises from 1 to 3 MHz", func(m func(Setting) float64) float64 { return m(mhz4(3)) - m(mhz4(1)) }},
		{"slot", "falls from 64 to 1024 s", func(m func(Setting) float64) float64 { return m(atSlot(64)) - m(atSlot(1024)) }},
	}
}

// cruLead is the smallest relative lead of CRU over MNW in table 4.
func cruLead(mnw, cru func(Setting) float64) float64 {
	least := math.Inf(1)
	for _, c := range table4 {
		least = min(least, cru(c.Setting)/mnw(c.Setting)-1)
	}
	return least
}

// columns are the readings in all columns of table 4, with each trend of the print.
// They count for nothing.
func (j *judge) columns(all samples) []ledger.Entry {
	var entries []ledger.Entry
	for _, d := range columnReadings {
		if len(all) == 0 {
			break
		}
		for _, rule := range rules3[1:] {
			entries = append(entries, j.column(all, rule, d)...)
		}
		lead := all.estimate(func(m means) float64 { return cruLead(m.of("mnw", d), m.of("cru", d)) })
		e := j.entry(itemReadings, "cru-above-mnw/"+d.id()+"#reading", "smallest relative lead of CRU over MNW in the 12 columns")
		entries = append(entries, e.Words(lead, rises))
	}
	return entries
}

// of are the means of a rule in a reading.
func (m means) of(rule string, d Reading) func(Setting) float64 {
	return func(s Setting) float64 { return m(s, openName(rule, d)) }
}

// column are the entries of one rule in one reading.
func (j *judge) column(all samples, rule string, d Reading) []ledger.Entry {
	var entries []ledger.Entry
	for _, c := range table4 {
		if c.repeats {
			continue
		}
		ours := all.estimate(func(m means) float64 { return m(c.Setting, openName(rule, d)) })
		e := j.entry(itemReadings, rule+"/"+d.id()+"/"+c.Setting.String()+"#reading", "mean JCT factor")
		entries = append(entries, e.Value(c.values[slices.Index(rules3, rule)], ours))
	}
	for _, t := range trends4(rule) {
		gain := all.estimate(func(m means) float64 { return t.gain(m.of(rule, d)) })
		e := j.entry(itemReadings, rule+"/"+d.id()+"/trend/"+t.id+"#reading", t.text)
		entries = append(entries, e.Words(gain, rises))
	}
	return entries
}

// columnReadings are those that run in all columns. The text has users that come and go
// fill what is left; algorithm 2 calls users whose tasks end departing.
var columnReadings = append([]Reading{
	{"none", "exact", "users", "interior", "first"}, {"none", "exact", "users", "vertex", "first"},
	{"none", "exact", "tasks", "interior", "first"}, {"none", "exact", "tasks", "vertex", "first"},
}, cappedReadings("users", "tasks")...)
