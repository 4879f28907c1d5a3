package plots

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: "lines", Title: "curves through the means of all values of the axis, with a band for the interval",
		Axis: []Kind{Numbers, Times}, Draw: drawLines,
	})
	RegisterForm(Form{
		Name: "time", Title: "curves over time, through the means of several instances",
		Axis: []Kind{Times}, Usual: []Kind{Times}, Draw: drawLines,
	})
	RegisterForm(Form{
		Name: "cdf", Title: "the share of the values that are not above x",
		Pooled: []string{"user"}, Raw: true, Draw: drawCDF,
	})
}

func drawLines(d Data, p *Panel) (string, error) {
	p.Kind, p.Marks = "lines", (*Canvas).curves
	if p.X.NoRoom = d.X == OverTime || len(p.X.Ticks) > mostBars; p.X.NoRoom {
		p.X.Ticks = nil
	}
	if p.Y.Scale == Linear {
		p.Y.From = 0
	}
	note, err := d.means(p)
	if err == nil && p.distribution() {
		p.trim()
		p.Y.To = 1
	}
	if slices.ContainsFunc(p.Series, func(s Series) bool { return len(s.Points) > mostBars }) {
		note = strings.Replace(note, "Error bars", "Bands", 1)
	}
	return note, err
}

// mostSteps is the largest number of steps that a distribution is drawn with.
const mostSteps = 1000

func drawCDF(d Data, p *Panel) (string, error) {
	p.X.Label, p.Y.Label = d.Label, "Share of values"
	p.Y.To, p.Y.From, p.cumulative = 1, 0, true
	p.Kind, p.Marks = "lines", (*Canvas).curves
	values := d.values()
	for _, name := range d.Names {
		p.Series = append(p.Series, Series{name, distribution(values[[2]string{name, ""}])})
	}
	if p.X.Scale == Log {
		p.trim()
	}
	return "", nil
}

// distribution returns the distribution function of values, which it sorts, as a step
// line: through all of them or, of more than mostSteps values, through the quantiles
// at that many levels at equal distances.
func distribution(values []float64) []Point {
	slices.Sort(values)
	n, before := len(values), 0.0
	steps := min(n, mostSteps)
	var points []Point
	for k := 1; k <= steps; k++ {
		x, y := values[k*n/steps-1], float64(k)/float64(steps)
		points = append(points, single(x, before), single(x, y))
		before = y
	}
	return points
}

// single is a point without an interval.
func single(x, y float64) Point {
	return Point{X: x, Summary: results.Summary{Mean: y, Low: y, High: y, N: 1}}
}

// distribution reports whether all curves rise from 0 or more to 1.
func (p *Panel) distribution() bool {
	for _, s := range p.Series {
		for k, pt := range s.Points {
			if pt.Mean < 0 || pt.Mean > 1+1e-9 || k > 0 && pt.Mean < s.Points[k-1].Mean-1e-9 {
				return false
			}
		}
		if k := len(s.Points); k < 2 || s.Points[k-1].Mean < 1-1e-9 {
			return false
		}
	}
	return len(p.Series) > 0
}

// trim leaves out the ends of the axis on which all distributions lie flat.
func (p *Panel) trim() {
	within := newExtent()
	for _, s := range p.Series {
		if k := slices.IndexFunc(s.Points, func(pt Point) bool { return pt.Mean > 0.001 }); k >= 0 {
			within.low = min(within.low, s.Points[max(0, k-1)].X)
		}
		for k, pt := range slices.Backward(s.Points) {
			if pt.Mean < 0.999 {
				within.high = max(within.high, s.Points[min(len(s.Points)-1, k+1)].X)
				break
			}
		}
	}
	if within.low >= within.high {
		return
	}
	for i := range p.Series {
		s := &p.Series[i]
		s.Points = slices.DeleteFunc(s.Points, func(pt Point) bool { return pt.X < within.low || pt.X > within.high })
	}
}

const (
	marksPerCurve = 6  // markers on a curve of more points
	mostBars      = 12 // points up to which a curve has error bars
)

// curves draws the series as curves with a few markers, at other places on each, and
// the intervals as bars or, of many points, as a band.
func (c *Canvas) curves() {
	for _, s := range c.Panel.Series {
		if len(s.Points) > mostBars {
			c.band(s)
		}
	}
	for i, s := range c.Panel.Series {
		sty := c.Styles[s.Name]
		line := make([]vg.Point, len(s.Points))
		for k, pt := range s.Points {
			line[k] = c.At(pt.X, pt.Mean)
		}
		if c.Panel.cumulative && len(line) > 0 { // 0 before the least value, 1 from the largest on
			first, last := line[0], line[len(line)-1]
			line = slices.Concat([]vg.Point{{X: c.Min.X, Y: first.Y}}, line, []vg.Point{{X: c.Max.X, Y: last.Y}})
		}
		if len(line) > 1 {
			c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: barWidth, Dashes: sty.Dashes}, line)
		}
		if len(line) <= mostBars && !c.Panel.cumulative {
			for k, pt := range s.Points {
				if pt.Bounded() {
					errorBar(c.Canvas, sty.Color, c.At(pt.X, pt.Low), c.At(pt.X, pt.High))
				}
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: markerRadius, Shape: sty.Marker}, line[k])
			}
			continue
		}
		for _, at := range spread(line, c.Min.X, c.Max.X, i, len(c.Panel.Series)) {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: markerRadius, Shape: sty.Marker}, at)
		}
	}
}

// band fills the intervals of a curve; one without any has none.
func (c *Canvas) band(s Series) {
	var outline, back []vg.Point
	bounded := false
	for _, pt := range s.Points {
		outline, back = append(outline, c.At(pt.X, pt.High)), append(back, c.At(pt.X, pt.Low))
		bounded = bounded || pt.Bounded()
	}
	if bounded {
		slices.Reverse(back)
		c.FillPolygon(tint(c.Styles[s.Name].Color), append(outline, back...))
	}
}

// spread returns places of curve i of n at equal horizontal distances, between those
// of the other curves.
func spread(line []vg.Point, left, right vg.Length, i, n int) []vg.Point {
	var at []vg.Point
	gap := (right - left) / marksPerCurve
	next := left + gap*(vg.Length(i)+0.5)/vg.Length(n)
	for _, pt := range line {
		if pt.X >= next {
			at = append(at, pt)
			for next <= pt.X {
				next += gap
			}
		}
	}
	return at
}
