package plots

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Panel is one pair of axes with what is drawn between them. It is plain data: the
// figure, its table ([Figure.WriteData]) and its scripts are all made of it.
type Panel struct {
	Title  string // what tells it from the others; may be empty
	Kind   string // points, bars, boxes, lines, spans, placements or heat, for scripts
	X, Y   Axis
	Series []Series
	// Marks draw the series.
	Marks Marks
	// Ramp gives the colours of a heat map, which has no legend; nil in others.
	Ramp *Ramp

	tall       vg.Length // that it wants; 0: as others have
	borders    []float64 // between the classes of its lanes
	cumulative bool      // curves go on to both sides

	alone bool // each series has a category of its own
	named bool // the axis or the title names the series
}

// Series is what one rule, or another value of the column of colours, has in a panel.
type Series struct {
	Name   string
	Points []Point // X ascends
}

// Point is one place of a series: a mean with its interval, or a [Box]. One of no
// values (N = 0) is a gap.
type Point struct {
	X float64 // the number of the category on an axis of categories
	results.Summary
	Box *Box // of a panel of boxes
}

// Marks draw a panel on its canvas.
type Marks func(*Canvas)

// Canvas is where the marks of a panel are drawn.
type Canvas struct {
	draw.Canvas
	Panel  *Panel
	Styles map[string]Style // a style for each series
}

// At returns where a point of the panel lies on the page.
func (c *Canvas) At(x, y float64) vg.Point {
	return vg.Point{X: c.X(c.Panel.X.part(c.Panel.X.at(x))), Y: c.Y(c.Panel.Y.part(c.Panel.Y.at(y)))}
}

// Add puts a summary into the series of a name, behind its others. It begins a series
// that is not there yet.
func (p *Panel) Add(name string, x float64, s results.Summary) {
	p.point(name, Point{X: x, Summary: s})
}

func (p *Panel) point(name string, pt Point) {
	for i := range p.Series {
		if p.Series[i].Name == name {
			p.Series[i].Points = append(p.Series[i].Points, pt)
			return
		}
	}
	p.Series = append(p.Series, Series{name, []Point{pt}})
}

// points are the points of all series but gaps.
func (p *Panel) points() iter.Seq[Point] {
	return func(yield func(Point) bool) {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				if pt.N > 0 && !yield(pt) {
					return
				}
			}
		}
	}
}

// gaps says how many places have no value, where every series should have one at each
// place of the axis.
func (p *Panel) gaps() string {
	if p.Kind == "lines" || p.Kind == Placements || p.alone {
		return ""
	}
	places, filled := map[float64]bool{}, 0
	for _, s := range p.Series {
		for _, pt := range s.Points {
			places[pt.X] = true
			filled++
		}
	}
	if all := len(places) * len(p.Series); filled < all {
		return fmt.Sprintf("%d of %d places have no value.", all-filled, all)
	}
	return ""
}

// fit gives axes without a range that of the data: all intervals, with some room
// above and below, never of width 0.
func (p *Panel) fit() {
	xs, ys := newExtent(), newExtent()
	for pt := range p.points() {
		xs.hold(p.X.at(pt.X))
		for _, y := range []float64{pt.Mean, pt.Low, pt.High} {
			ys.hold(p.Y.at(y))
		}
	}
	p.X.fit(xs)
	p.Y.fit(ys)
}

// grid draws a line at each tick of the vertical axis, a stronger one at its marked
// values, and a line between the categories of the horizontal axis.
func (c *Canvas) grid() {
	horizontal := func(sty draw.LineStyle, at float64) {
		y := c.Y(c.Panel.Y.part(at))
		c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
	}
	if c.Panel.Ramp == nil {
		for _, t := range labelled(c.Panel.Y.ticks()) {
			horizontal(draw.LineStyle{Color: gray(0xdd), Width: thin}, t.Value)
		}
	}
	for _, v := range c.Panel.Y.Marked {
		if at := c.Panel.Y.at(v); at > c.Panel.Y.low && at < c.Panel.Y.high {
			horizontal(draw.LineStyle{Color: gray(0x77), Width: thin}, at)
		}
	}
	for k := 1; k < len(c.Panel.X.Names) && c.Panel.Ramp == nil; k++ {
		x := c.X(c.Panel.X.part(float64(k) - 0.5))
		c.StrokeLine2(draw.LineStyle{Color: gray(0x99), Width: thin, Dashes: []vg.Length{1, 2}}, x, c.Min.Y, x, c.Max.Y)
	}
}

// extent is a range of numbers.
type extent struct{ low, high float64 }

func newExtent() extent { return extent{math.Inf(1), math.Inf(-1)} }

func (e *extent) hold(v float64) { e.low, e.high = min(e.low, v), max(e.high, v) }

func (e *extent) empty() bool { return e.low > e.high }

// broken breaks a text that is longer than a length at the blank nearest to its middle.
func broken(text string, length vg.Length) string {
	if strings.Contains(text, "\n") || textStyle(labelText).Width(text) <= length {
		return text
	}
	best := -1
	for i, r := range text {
		if r == ' ' && (best < 0 || abs(2*i-len(text)) < abs(2*best-len(text))) {
			best = i
		}
	}
	if best < 0 {
		return text
	}
	return text[:best] + "\n" + text[best+1:]
}

func abs(n int) int { return max(n, -n) }
