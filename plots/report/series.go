package report

import (
	"cmp"
	"fmt"
	"image/color"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// Chart is a time series to look at more closely: a curve a policy, or a policy
// and user.
type Chart struct {
	Metric string    `json:"metric"`
	Label  string    `json:"label"` // of the metric, for readers
	Unit   string    `json:"unit"`
	Title  string    `json:"title"` // what tells it from other charts of the metric
	Times  []float64 `json:"times"` // s, ascending
	// Users are whose curves there are, of which one at a time is shown; empty
	// where the curves are of nobody in particular.
	Users  []string `json:"users"`
	Curves []Curve  `json:"curves"`
	Thin   string   `json:"thin"` // what was left out, "" for nothing
}

// Curve is one curve of a chart; Values has null where it has no value.
type Curve struct {
	Label  string     `json:"label"`
	User   string     `json:"user"`
	Color  string     `json:"color"`
	Dash   []float64  `json:"dash"`
	Values []*float64 `json:"values"`
}

// mostUsers is the number of users beyond which a chart holds the curves of the
// first ones alone, and says so.
const mostUsers = 40

// buckets is the number of spans of time of which a thinned chart keeps every
// curve's smallest and largest value.
const buckets = 400

// curveID is what a curve is of.
type curveID struct {
	policy, user string
	deserved     bool // what the user deserves, beside what it receives
}

// values are the values of curves by time, the curves in their order.
type values struct {
	order []curveID
	of    map[curveID]map[float64]float64
}

func (v *values) add(id curveID, at, value float64) {
	if v.of[id] == nil {
		v.of[id] = map[float64]float64{}
		v.order = append(v.order, id)
	}
	v.of[id][at] = value
}

// series makes the charts of a table: those of its rows with a time.
func series(table *results.Packed, styles plots.Styles) ([]Chart, error) {
	type group struct {
		key results.Key // without policy, user and time
		values
	}
	var groups []*group
	var cells []results.Cell // their keys
	byKey := map[results.Key]*group{}
	timed := overTime(table)
	rows, instances, err := means(func(yield func(results.Row) bool) {
		for r := range table.All() {
			if timed[chartKey(r)] && !yield(r) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		key := chartKey(r)
		g := byKey[key]
		if g == nil {
			g = &group{key, values{of: map[curveID]map[float64]float64{}}}
			byKey[key] = g
			groups, cells = append(groups, g), append(cells, results.Cell{Key: key})
		}
		g.add(curveID{r.Policy, r.User, r.Metric == deserved}, r.TimeS, r.Value)
	}
	columns := plots.Settings(cells)
	var charts []Chart
	for i, g := range groups {
		c, err := chart(g.key, g.values, styles)
		if err != nil {
			return nil, err
		}
		c.Title = title(columns, plots.SettingOf(cells[i], columns), instances)
		charts = append(charts, c)
	}
	return charts, nil
}

// title says what tells a chart from others of its metric.
func title(columns, setting []string, instances int) string {
	var parts []string
	for k, v := range setting {
		parts = append(parts, columns[k]+"="+v)
	}
	if instances > 1 {
		parts = append(parts, fmt.Sprintf("means over %d instances", instances))
	}
	return strings.Join(parts, ", ")
}

// What a user receives and what it deserves are one chart.
const (
	received = "tasks_received"
	deserved = "tasks_deserved"
)

// chartKey is what the rows of one chart have in common.
func chartKey(r results.Row) results.Key {
	key := r.Key()
	key.Policy, key.User, key.TimeS, key.Timed = "", "", 0, false
	if key.Metric == deserved {
		key.Metric = received
	}
	return key
}

// overTime returns the charts of a table: what has a value at more than one
// time.
func overTime(table *results.Packed) map[results.Key]bool {
	timed := map[results.Key]bool{}
	for r := range table.All() {
		if r.Timed && r.TimeS != 0 {
			timed[chartKey(r)] = true
		}
	}
	return timed
}

// chart makes a chart of curves, in their order.
func chart(key results.Key, v values, all plots.Styles) (Chart, error) {
	c := Chart{Metric: key.Metric, Label: results.LabelOf(key.Metric), Unit: key.Unit}
	if c.Metric == received {
		c.Label = "Tasks received and deserved"
	}
	c.chooseUsers(&v)
	var policies []string
	times := map[float64]bool{}
	for _, id := range v.order {
		policies = once(policies, id.policy)
		for t := range v.of[id] {
			times[t] = true
		}
	}
	styles, err := all.For(policies)
	if err != nil {
		return c, err
	}
	instants := slices.Sorted(maps.Keys(times))
	c.Times = thin(instants, v)
	if len(c.Times) < len(instants) {
		c.Thin += fmt.Sprintf("%d of %d instants: of each of %d spans of time, those with every curve's smallest and largest value.", len(c.Times), len(instants), buckets)
	}
	for _, id := range v.order {
		c.Curves = append(c.Curves, curveOf(id, styles[id.policy], c.Times, v.of[id]))
	}
	return c, nil
}

// chooseUsers lists the users of a chart; of more than it holds the first ones
// stay.
func (c *Chart) chooseUsers(v *values) {
	for _, id := range v.order {
		if id.user != "" && !slices.Contains(c.Users, id.user) {
			c.Users = append(c.Users, id.user)
		}
	}
	if more := len(c.Users) - mostUsers; more > 0 {
		c.Thin = fmt.Sprintf("The first %d users of %d; the table has all. ", mostUsers, len(c.Users))
		c.Users = c.Users[:mostUsers]
		v.order = slices.DeleteFunc(v.order, func(id curveID) bool { return !slices.Contains(c.Users, id.user) })
	}
}

// says describes a chart to those who do not see it.
func (c *Chart) says() string {
	var labels []string
	for _, curve := range c.Curves {
		labels = once(labels, curve.Label)
	}
	return fmt.Sprintf("%s over time: %s", c.Label, strings.Join(labels, ", "))
}

func curveOf(id curveID, s plots.Style, times []float64, values map[float64]float64) Curve {
	curve := Curve{Label: s.Label, User: id.user, Color: hex(s.Color)}
	for _, d := range s.Dashes {
		curve.Dash = append(curve.Dash, float64(d)*1.5)
	}
	if id.deserved {
		curve.Label, curve.Color, curve.Dash = s.Label+", deserved", pale(s.Color), []float64{2, 3}
	}
	for _, t := range times {
		if v, ok := values[t]; ok {
			curve.Values = append(curve.Values, &v)
		} else {
			curve.Values = append(curve.Values, nil)
		}
	}
	return curve
}

// thin chooses the instants that a chart keeps, in order: all of them where
// they are few.
func thin(times []float64, v values) []float64 {
	if len(times) <= 2*buckets {
		return times
	}
	keep := map[float64]bool{times[0]: true, times[len(times)-1]: true}
	for b := range buckets {
		span := times[b*len(times)/buckets : (b+1)*len(times)/buckets]
		for _, id := range v.order {
			if low, high, ok := extremes(span, v.of[id]); ok {
				keep[low], keep[high] = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(keep))
}

// extremes returns when a curve is smallest and largest in a span of time; false
// if it has no value there.
func extremes(span []float64, values map[float64]float64) (low, high float64, ok bool) {
	for _, t := range span {
		v, there := values[t]
		if !there {
			continue
		}
		if !ok || v < values[low] {
			low = t
		}
		if !ok || v > values[high] {
			high = t
		}
		ok = true
	}
	return low, high, ok
}

// hex writes a colour as the browser reads it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// pale is a colour half way to white.
func pale(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", (r>>8+0xff)/2, (g>>8+0xff)/2, (b>>8+0xff)/2)
}

// means returns rows with the mean of every cell over its instances, in order of time,
// and the number of instances; rows of one instance as they are.
func means(rows iter.Seq[results.Row]) ([]results.Row, int, error) {
	instances := map[int64]bool{}
	for r := range rows {
		instances[r.Instance] = true
	}
	if len(instances) <= 1 {
		return slices.Collect(rows), 1, nil
	}
	cells, err := results.SummarizeAll(rows)
	if err != nil {
		return nil, 0, err
	}
	left := map[results.Key]float64{}
	for _, c := range cells {
		left[c.Key] = c.Mean
	}
	var means []results.Row
	for r := range rows {
		if mean, ok := left[r.Key()]; ok {
			delete(left, r.Key())
			r.Value = mean
			means = append(means, r)
		}
	}
	slices.SortStableFunc(means, func(a, b results.Row) int { return cmp.Compare(a.TimeS, b.TimeS) })
	return means, len(instances), nil
}
