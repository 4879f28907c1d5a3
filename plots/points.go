package plots

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Points is a panel of means with their intervals: one group of points for
// each value of a parameter, within it one point a policy, side by side so
// that no error bar hides another. A thin line joins the points of a policy.
type Points struct {
	XLabel, YLabel string // with the unit where there is one
	Groups         []string
	Series         []Series
}

// Series is the points of one policy, one for each group; a summary of no
// values (N = 0), or one that is not there, leaves a gap.
type Series struct {
	Policy string
	Points []results.Summary
}

func init() {
	RegisterForm(Form{
		Name: "points", Title: "means with their intervals, at each value of the axis",
		Axis: []Kind{Texts, Numbers}, Usual: []Kind{Texts, Numbers}, Draw: drawPoints,
	})
}

// drawPoints draws the means at each value of an axis.
func drawPoints(d Data) (Panel, string, error) {
	cells, err := results.Summarize(d.Rows)
	if err != nil {
		return nil, "", err
	}
	order := ByRank(results.PoliciesOf(d.Rows)...)
	slices.SortStableFunc(cells, func(a, b results.Cell) int { return order(a.Policy, b.Policy) })
	p := newGroups(d)
	most := 0
	for _, c := range cells {
		r := c.Row()
		if err := p.Add(c.Policy, d.group(&r), c.Summary); err != nil {
			return nil, "", err
		}
		most = max(most, c.Summary.N)
	}
	if most <= 1 {
		return p, "", nil
	}
	return p, fmt.Sprintf("Error bars: 95%% intervals over %d instances.", most), nil
}

// newGroups returns a panel with a group for each value of the horizontal axis, numbers
// in their order; one without a name where the axis is the policy, which stand side by
// side in it.
func newGroups(d Data) *Points {
	if d.X == "policy" {
		return &Points{YLabel: d.Label, Groups: []string{""}}
	}
	_, values := results.Varying(d.Rows)
	return &Points{XLabel: strings.ReplaceAll(d.X, "_", " "), YLabel: d.Label, Groups: sortedValues(values[d.X])}
}

// group is where a row stands in what newGroups returns.
func (d *Data) group(r *results.Row) string {
	if d.X == "policy" {
		return ""
	}
	return r.Is(d.X)
}

// sortedValues sorts numbers by value, and leaves other texts in their order.
func sortedValues(values []string) []string {
	numbers := map[string]float64{}
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return values
		}
		numbers[v] = n
	}
	return slices.SortedFunc(maps.Keys(numbers), func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
}

// Add puts the summary of a policy into a group. Both stand behind the others if they
// are new. A second summary at one place is an error.
func (p *Points) Add(policy, group string, v results.Summary) error {
	g := slices.Index(p.Groups, group)
	if g < 0 {
		g = len(p.Groups)
		p.Groups = append(p.Groups, group)
	}
	i := slices.IndexFunc(p.Series, func(s Series) bool { return s.Policy == policy })
	if i < 0 {
		i = len(p.Series)
		p.Series = append(p.Series, Series{Policy: policy})
	}
	s := &p.Series[i]
	s.Points = append(s.Points, make([]results.Summary, max(0, g+1-len(s.Points)))...)
	if s.Points[g].N > 0 {
		return fmt.Errorf("%s: more than one cell", p.place(policy, group))
	}
	s.Points[g] = v
	return nil
}

// place names a place of the panel in errors.
func (p *Points) place(policy, group string) string {
	if group == "" {
		return "policy " + policy
	}
	return fmt.Sprintf("policy %s, %s %s", policy, p.XLabel, group)
}

// Full returns an error that names a policy and a group without a summary, or says
// that there are none at all; nil if no place is empty.
func (p *Points) Full() error {
	if len(p.Series) == 0 {
		return errors.New("no rows")
	}
	for _, s := range p.Series {
		for g, group := range p.Groups {
			if g >= len(s.Points) || s.Points[g].N == 0 {
				return fmt.Errorf("%s: no rows", p.place(s.Policy, group))
			}
		}
	}
	return nil
}

// Policies returns the policies in the order of the series.
func (p *Points) Policies() []string {
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Policy)
	}
	return names
}

const (
	groupWidth   = 0.82           // of the distance between groups
	markerRadius = vg.Length(2.1) // pt
	capWidth     = vg.Length(3)   // pt: ends of error bars
)

// sameWithin is the relative difference up to which values count as equal, so
// that an axis does not stretch rounding over the page.
const sameWithin = 1e-6

// Plot implements [Panel].
func (p *Points) Plot(styles map[string]Style) *plot.Plot {
	out := p.axes()
	out.Add(&pointsPlotter{p, styles})
	return out
}

// axes returns the axes: a tick a group, and the range of all intervals.
func (p *Points) axes() *plot.Plot {
	var ticks []plot.Tick
	for g, label := range p.Groups {
		ticks = append(ticks, plot.Tick{Value: float64(g), Label: label})
	}
	low, high := p.extent()
	return newAxes(
		axis{p.XLabel, -0.5, float64(len(p.Groups)) - 0.5, ticks},
		axis{p.YLabel, low, high, niceTicks(low, high, 5)})
}

// extent returns the range of the vertical axis: all intervals and some
// headroom, never of width 0.
func (p *Points) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, v := range s.Points {
			if v.N > 0 {
				low, high = min(low, v.Low, v.Mean), max(high, v.High, v.Mean)
			}
		}
	}
	if low > high {
		return 0, 1
	}
	scale := max(1, math.Abs(high))
	pad := headroom * (high - low)
	if high-low < sameWithin*scale {
		pad = 0.05 * scale
	}
	return low - pad, high + pad
}

// pointsPlotter draws the data of a panel of points.
type pointsPlotter struct {
	*Points
	styles map[string]Style
}

// Plot implements plot.Plotter.
func (p *pointsPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	p.grid(c, plt)
	for i, s := range p.Series {
		p.join(c, plt, i, s)
	}
	for i, s := range p.Series {
		sty := p.styles[s.Policy]
		for g, v := range s.Points {
			if v.N == 0 {
				continue
			}
			middle := p.at(c, plt, i, g, v.Mean)
			errorBar(c, sty.Color, p.at(c, plt, i, g, v.Low), p.at(c, plt, i, g, v.High))
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: markerRadius, Shape: sty.Marker}, middle)
		}
	}
}

// at returns where value v of series i in group g lies on the page.
func (p *pointsPlotter) at(c draw.Canvas, plt *plot.Plot, i, g int, v float64) vg.Point {
	k := float64(len(p.Series))
	x := float64(g) + (float64(i)-(k-1)/2)*groupWidth/k
	return vg.Point{X: c.X(plt.X.Norm(x)), Y: c.Y(plt.Y.Norm(v))}
}

// grid draws the grid, a line between groups and the frame.
func (p *pointsPlotter) grid(c draw.Canvas, plt *plot.Plot) {
	drawGrid(c, plt)
	for g := 1; g < len(p.Groups); g++ {
		x := c.X(plt.X.Norm(float64(g) - 0.5))
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0x99}, Width: thin, Dashes: []vg.Length{1, 2}}, x, c.Min.Y, x, c.Max.Y)
	}
	drawFrame(c)
}

// join draws the line through the points of series i; a gap breaks it.
func (p *pointsPlotter) join(c draw.Canvas, plt *plot.Plot, i int, s Series) {
	sty := p.styles[s.Policy]
	var line []vg.Point
	flush := func() {
		if len(line) > 1 {
			c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: thin, Dashes: sty.Dashes}, line)
		}
		line = nil
	}
	for g, v := range s.Points {
		if v.N == 0 {
			flush()
			continue
		}
		line = append(line, p.at(c, plt, i, g, v.Mean))
	}
	flush()
}

// errorBar draws the interval from low to high, on one vertical line.
func errorBar(c draw.Canvas, col color.Color, low, high vg.Point) {
	sty := draw.LineStyle{Color: col, Width: barWidth}
	c.StrokeLine2(sty, low.X, low.Y, high.X, high.Y)
	for _, end := range []vg.Point{low, high} {
		c.StrokeLine2(sty, end.X-capWidth/2, end.Y, end.X+capWidth/2, end.Y)
	}
}
