package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
)

// comparisons are what the tables of a folder say: which rule is best by each metric,
// where the order changes along an axis, and what is fair.
type comparisons struct {
	ID, Title string
	Best      []bestLine
	More      int // metrics that the tables below have beside
	Turns     []string
	Fair      []string
}

// bestLine is the best rule by a metric, and what the next one has less (or more).
type bestLine struct {
	Metric, Direction  string
	Best, Mean         string
	Next, Gap, Verdict string
}

// mostMetrics is the number of metrics that the first screen compares.
const mostMetrics = 6

// compare compares the rules of the tables of a folder.
func (b *builder) compare(v *folderView, tables []Table) comparisons {
	c := comparisons{ID: v.ID, Title: v.Title}
	var same, turned []string
	for _, t := range tables {
		all := t.Rows.Rows()
		for _, metric := range directed(all) {
			rows := slices.DeleteFunc(slices.Clone(all), func(r results.Row) bool { return r.Metric != metric || r.User != "" || r.Timed })
			c.fair(b, metric, rows)
			line, told, err := b.best(metric, rows)
			switch {
			case err != nil:
				continue
			case !told:
				same = append(same, results.LabelOf(metric))
				continue
			case len(c.Best) == mostMetrics:
				c.More++
				continue
			}
			c.Best = append(c.Best, line)
			turned = append(turned, results.LabelOf(metric))
			c.Turns = append(c.Turns, b.turns(metric, rows)...)
		}
	}
	if same != nil {
		c.Best = append(c.Best, bestLine{Metric: strings.Join(same, "; "), Verdict: "the same under all rules"})
	}
	switch {
	case c.Turns != nil || turned == nil:
	case !slices.ContainsFunc(tables, func(t Table) bool { return t.Rows.SeveralPoints() }):
		c.Turns = []string{"There is one setting alone, and so no axis along which the order could change."}
	default:
		c.Turns = []string{"Along no axis do two rules change places by more than their paired intervals (" + strings.Join(turned, "; ") + ")."}
	}
	if c.Fair == nil {
		c.Fair = []string{"The tables hold no metric of fairness."}
	}
	return c
}

// averaged returns a row a policy and instance: the mean over all else. It returns an
// error where policies have not the same settings and instances, which then can not be
// compared.
func averaged(rows []results.Row) ([]results.Row, error) {
	type key struct {
		policy   string
		instance int64
	}
	sums, counts := map[key]float64{}, map[key]int{}
	var order []key
	for i := range rows {
		k := key{rows[i].Policy, rows[i].Instance}
		if counts[k] == 0 {
			order = append(order, k)
		}
		sums[k] += rows[i].Value
		counts[k]++
	}
	var out []results.Row
	for _, k := range order {
		for _, p := range results.PoliciesOf(rows) {
			if counts[key{p, k.instance}] != counts[k] {
				return nil, fmt.Errorf("%s has other settings than %s", p, k.policy)
			}
		}
		out = append(out, results.Row{Policy: k.policy, Instance: k.instance, Metric: rows[0].Metric, Unit: rows[0].Unit, Value: sums[k] / float64(counts[k])})
	}
	return out, nil
}

// ranked returns the means of averaged rows, the best first.
func ranked(rows []results.Row) ([]results.Cell, error) {
	cells, err := results.Summarize(rows)
	if err != nil {
		return nil, err
	}
	m, err := results.MetricNamed(rows[0].Metric)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(cells, func(a, b results.Cell) int {
		if m.Better == results.Higher {
			return cmp.Compare(b.Mean, a.Mean)
		}
		return cmp.Compare(a.Mean, b.Mean)
	})
	return cells, nil
}

// best says which rule is best by a metric, and by how much; told is false where all
// values are the same, and an error says why there is nothing to compare.
func (b *builder) best(metric string, rows []results.Row) (line bestLine, told bool, err error) {
	rows, err = averaged(rows)
	if err != nil {
		return line, false, err
	}
	cells, err := ranked(rows)
	if err != nil || len(cells) < 2 {
		return line, false, cmp.Or(err, fmt.Errorf("one rule"))
	}
	if near(cells[0].Mean, cells[len(cells)-1].Mean) && alike(rows) {
		return line, false, nil
	}
	m, _ := results.MetricNamed(metric)
	line = bestLine{Metric: withUnit(metric), Direction: m.Better.String() + " is better", Best: b.label(cells[0].Policy), Mean: short(cells[0].Mean), Verdict: "level"}
	for _, c := range cells[1:] {
		if near(cells[0].Mean, c.Mean) {
			line.Best += ", " + b.label(c.Policy)
			continue
		}
		gap, err := difference(rows, c.Policy, cells[0].Policy)
		if err != nil {
			return line, false, err
		}
		line.Next, line.Gap, line.Verdict = b.label(c.Policy), signed(gap), "ahead"
		if !gap.Bounded() {
			line.Verdict = "one instance, no interval"
		} else if !clear(gap) {
			line.Verdict = "not told apart"
		}
		break
	}
	return line, true, nil
}

// near reports whether two means are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) }

// difference is the paired difference of one policy to another, of averaged rows.
func difference(rows []results.Row, policy, from string) (results.Summary, error) {
	two := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Policy != policy && r.Policy != from })
	cells, err := results.Versus(two, from, false)
	if err != nil {
		return results.Summary{}, err
	}
	return cells[0].Summary, nil
}

// clear reports whether a difference is one: its interval leaves out 0.
func clear(d results.Summary) bool {
	if near(d.Mean, 0) {
		return false
	}
	return !d.Bounded() || d.Low > 0 || d.High < 0
}

// short writes a number with three digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// signed writes a difference with its interval, where it has one.
func signed(s results.Summary) string {
	text := fmt.Sprintf("%+.3g", s.Mean)
	if s.Bounded() {
		text += fmt.Sprintf(" [%.3g, %.3g]", s.Low, s.High)
	}
	return text
}

// withUnit is the label of a metric with its unit.
func withUnit(metric string) string {
	if unit := results.UnitOf(metric); unit != results.UnitRatio {
		return results.LabelOf(metric) + " (" + unit + ")"
	}
	return results.LabelOf(metric)
}

// turns are the sentences of a metric by which two rules change places along an axis: one
// is clearly ahead at one value, the other at another, by the paired intervals of the means
// over all else. Of each axis the pair that is furthest apart in its order at the ends.
func (b *builder) turns(metric string, rows []results.Row) []string {
	axes, values := results.Varying(rows)
	var sentences []string
	for _, axis := range axes {
		if results.Reserved(axis) {
			continue
		}
		at := make([][]results.Row, 0, len(values[axis]))
		for _, v := range sorted(values[axis]) {
			of := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Is(axis) != v })
			of, err := averaged(of)
			if err != nil {
				at = nil
				break
			}
			at = append(at, of)
		}
		if s := b.turn(metric, axis, sorted(values[axis]), at); s != "" {
			sentences = append(sentences, s)
		}
	}
	return sentences
}

// turn is the sentence of an axis; "" if no two rules change places along it.
func (b *builder) turn(metric, axis string, values []string, at [][]results.Row) string {
	if len(at) < 2 {
		return ""
	}
	policies := results.PoliciesOf(at[0])
	said, others := "", 0
	for i, p := range policies {
		for _, q := range policies[i+1:] {
			s := b.crossing(metric, axis, values, at, p, q)
			if s != "" && said != "" {
				others++
			}
			said = cmp.Or(said, s)
		}
	}
	if others > 0 {
		said += fmt.Sprintf(" So do %s more.", plural(others, "pair"))
	}
	return said
}

// crossing says at which values of an axis one rule is clearly ahead, and at which the
// other.
func (b *builder) crossing(metric, axis string, values []string, at [][]results.Row, p, q string) string {
	m, err := results.MetricNamed(metric)
	if err != nil {
		return ""
	}
	var ahead, behind string
	for k := range at {
		d, err := difference(at[k], p, q)
		if err != nil || !clear(d) {
			continue
		}
		says := fmt.Sprintf("at %s by %s", values[k], signed(d))
		if (d.Mean > 0) == (m.Better == results.Higher) {
			ahead = cmp.Or(ahead, says)
		} else {
			behind = cmp.Or(behind, says)
		}
	}
	if ahead == "" || behind == "" {
		return ""
	}
	return fmt.Sprintf("%s along %s: %s is ahead of %s %s, and behind it %s.", results.LabelOf(metric), results.ColumnNamed(axis).Label, b.label(p), b.label(q), ahead, behind)
}

// sorted returns values in their order as numbers, where they are.
func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX != nil || errY != nil {
			return 0
		}
		return cmp.Compare(x, y)
	})
	return values
}

// tolerance is what a value may lack of one at which a property holds.
const tolerance = 1e-6

// fair says of a metric of fairness under which rules it holds in all that was run, and
// under the others in how much of it, and the worst value.
func (c *comparisons) fair(b *builder, metric string, rows []results.Row) {
	m, err := results.MetricNamed(metric)
	if err != nil || m.Property == "" || len(rows) == 0 {
		return
	}
	var holds, fails []string
	for _, p := range results.PoliciesOf(rows) {
		n, bad, worst := 0, 0, m.Holds
		for i := range rows {
			if rows[i].Policy != p {
				continue
			}
			n++
			if v := rows[i].Value; math.Abs(v-m.Holds) > tolerance {
				bad++
				if math.Abs(v-m.Holds) > math.Abs(worst-m.Holds) {
					worst = v
				}
			}
		}
		if bad == 0 {
			holds = append(holds, b.label(p))
		} else {
			fails = append(fails, fmt.Sprintf("%s (in %d of %d runs, at worst %s)", b.label(p), bad, n, short(worst)))
		}
	}
	s := fmt.Sprintf("%s%s (%s = %g)", strings.ToUpper(m.Property[:1]), m.Property[1:], results.LabelOf(metric), m.Holds)
	switch {
	case fails == nil:
		s += " holds in all runs under all rules."
	case holds == nil:
		s += " is violated under " + strings.Join(fails, ", ") + "."
	default:
		s += " holds in all runs under " + strings.Join(holds, ", ") + "; it is violated under " + strings.Join(fails, ", ") + "."
	}
	c.Fair = append(c.Fair, s)
}
