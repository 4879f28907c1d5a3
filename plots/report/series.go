package report

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots"
)

// Chart is a time series to look at more closely: a curve a policy and user.
type Chart struct {
	Metric string    `json:"metric"`
	Unit   string    `json:"unit"`
	Title  string    `json:"title"` // what tells it from other charts of the metric
	Times  []float64 `json:"times"` // s, ascending
	Curves []Curve   `json:"curves"`
	Thin   string    `json:"thin"` // what thinning left out, "" for nothing
}

// Curve is one curve of a chart; Values has null where it has no value.
type Curve struct {
	Label  string     `json:"label"`
	Color  string     `json:"color"`
	Dash   []float64  `json:"dash"`
	Values []*float64 `json:"values"`
}

// mostCurves is the number of curves beyond which a chart holds those of the
// first users alone, and says so.
const mostCurves = 24

// buckets is the number of spans of time of which a thinned chart keeps every
// curve's smallest and largest value.
const buckets = 400

// series makes the charts of a table: those of its rows with a time.
func series(rows []plots.Row) ([]Chart, error) {
	type group struct {
		key    plots.Key // without policy, user and time
		curves map[string]map[float64]float64
		order  []string
	}
	var groups []*group
	byKey := map[plots.Key]*group{}
	timed := overTime(rows)
	for _, r := range rows {
		key := chartKey(r)
		if !timed[key] {
			continue
		}
		g := byKey[key]
		if g == nil {
			g = &group{key: key, curves: map[string]map[float64]float64{}}
			byKey[key] = g
			groups = append(groups, g)
		}
		name := r.Policy
		if r.User != "" {
			name += " · " + r.User
		}
		if g.curves[name] == nil {
			g.curves[name] = map[float64]float64{}
			g.order = append(g.order, name)
		}
		g.curves[name][r.TimeS] = r.Value
	}
	var charts []Chart
	for _, g := range groups {
		c, err := chart(g.key, g.order, g.curves)
		if err != nil {
			return nil, err
		}
		charts = append(charts, c)
	}
	return charts, nil
}

// chartKey is what the rows of one chart have in common.
func chartKey(r plots.Row) plots.Key {
	key := r.Key()
	key.Policy, key.User, key.TimeS = "", "", 0
	return key
}

// overTime returns the charts of a table: what has a value at more than one
// time.
func overTime(rows []plots.Row) map[plots.Key]bool {
	timed := map[plots.Key]bool{}
	for _, r := range rows {
		if r.TimeS != 0 {
			timed[chartKey(r)] = true
		}
	}
	return timed
}

// chart makes a chart of curves, in their order.
func chart(key plots.Key, order []string, curves map[string]map[float64]float64) (Chart, error) {
	c := Chart{Metric: key.Metric, Unit: key.Unit, Title: setting(key)}
	if more := len(order) - mostCurves; more > 0 {
		c.Thin = fmt.Sprintf("The first %d curves of %d; the table has all. ", mostCurves, len(order))
		order = order[:mostCurves]
	}
	var policies []string
	times := map[float64]bool{}
	for _, name := range order {
		policies = append(policies, policyOf(name))
		for t := range curves[name] {
			times[t] = true
		}
	}
	styles, err := plots.StylesFor(policies)
	if err != nil {
		return c, err
	}
	all := slices.Sorted(maps.Keys(times))
	c.Times = thin(all, order, curves)
	if len(c.Times) < len(all) {
		c.Thin += fmt.Sprintf("%d of %d instants: of each of %d spans of time, those with every curve's smallest and largest value.", len(c.Times), len(all), buckets)
	}
	for i, name := range order {
		s := styles[policies[i]]
		curve := Curve{Label: s.Label, Color: hex(s.Color)}
		if _, user, ok := strings.Cut(name, " · "); ok {
			curve.Label += " · " + user
			curve.Color = shade(s.Color, i)
		}
		for _, d := range s.Dashes {
			curve.Dash = append(curve.Dash, float64(d)*1.5)
		}
		for _, t := range c.Times {
			if v, ok := curves[name][t]; ok {
				curve.Values = append(curve.Values, &v)
			} else {
				curve.Values = append(curve.Values, nil)
			}
		}
		c.Curves = append(c.Curves, curve)
	}
	return c, nil
}

func policyOf(name string) string {
	policy, _, _ := strings.Cut(name, " · ")
	return policy
}

// thin chooses the instants that a chart keeps, in order: all of them where
// they are few.
func thin(times []float64, order []string, curves map[string]map[float64]float64) []float64 {
	if len(times) <= 2*buckets {
		return times
	}
	keep := map[float64]bool{times[0]: true, times[len(times)-1]: true}
	for b := range buckets {
		span := times[b*len(times)/buckets : (b+1)*len(times)/buckets]
		for _, name := range order {
			first := true
			var low, high float64
			for _, t := range span {
				v, ok := curves[name][t]
				if !ok {
					continue
				}
				if first || v < curves[name][low] {
					low = t
				}
				if first || v > curves[name][high] {
					high = t
				}
				first = false
			}
			if !first {
				keep[low], keep[high] = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(keep))
}

// hex writes a colour as the browser reads it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// shade makes curves of one policy differ: every further one is paler.
func shade(c color.Color, i int) string {
	r, g, b, _ := c.RGBA()
	mix := func(v uint32) uint32 { k := uint32(i % 4); return ((4-k)*(v>>8) + k*0xc0) / 4 }
	return fmt.Sprintf("#%02x%02x%02x", mix(r), mix(g), mix(b))
}

// setting says what tells cells of one metric apart, but policy and user.
func setting(k plots.Key) string {
	var parts []string
	add := func(format string, there bool, v any) {
		if there {
			parts = append(parts, fmt.Sprintf(format, v))
		}
	}
	add("n = %d", k.N != 0, k.N)
	add("ρ = %g", k.Rho != 0, k.Rho)
	add("%g MHz", k.BandwidthMHz != 0, k.BandwidthMHz)
	add("slot %g s", k.SlotS != 0, k.SlotS)
	add("%s", k.Parameters != "", k.Parameters)
	return strings.Join(parts, ", ")
}
