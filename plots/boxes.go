package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Box summarises how often which value was found.
//
// The box is the interquartile range IQR from the lower to the upper quartile,
// with a line at the median and a mark at the mean. The whiskers end at the
// largest value within 1.5·IQR above the upper quartile and at the smallest one
// within 1.5·IQR below the lower quartile; what lies beyond is listed, each
// value once. Quantiles are linear between order statistics (type 7 of Hyndman
// and Fan), as in most programs for statistics.
type Box struct {
	N                     int
	Mean                  float64
	Q1, Median, Q3        float64
	WhiskerLow, WhiskerHi float64
	Beyond                []float64
}

// Occurrence is a value and how often it was found.
type Occurrence struct {
	Value float64
	Count int // > 0
}

// NewBox returns the box of a histogram, which it sorts by value. It panics if
// there is nothing in it.
func NewBox(histogram []Occurrence) Box {
	slices.SortFunc(histogram, func(a, b Occurrence) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	b := Box{}
	sum := 0.0
	for _, o := range histogram {
		b.N += o.Count
		sum += o.Value * float64(o.Count)
	}
	if b.N == 0 {
		panic("plots: a box of nothing")
	}
	b.Mean = sum / float64(b.N)
	b.Q1, b.Median, b.Q3 = quantile(histogram, b.N, 0.25), quantile(histogram, b.N, 0.5), quantile(histogram, b.N, 0.75)
	reach := 1.5 * (b.Q3 - b.Q1)
	b.WhiskerLow, b.WhiskerHi = math.Inf(1), math.Inf(-1)
	for _, o := range histogram {
		if o.Value < b.Q1-reach || o.Value > b.Q3+reach {
			b.Beyond = append(b.Beyond, o.Value)
			continue
		}
		b.WhiskerLow, b.WhiskerHi = min(b.WhiskerLow, o.Value), max(b.WhiskerHi, o.Value)
	}
	return b
}

// quantile returns the p-quantile of n values in an ascending histogram.
func quantile(histogram []Occurrence, n int, p float64) float64 {
	position := p * float64(n-1)
	below := math.Floor(position)
	low, high := ranked(histogram, int(below)), ranked(histogram, min(int(below)+1, n-1))
	return low + (position-below)*(high-low)
}

// ranked returns the value of a rank, from 0.
func ranked(histogram []Occurrence, rank int) float64 {
	for _, o := range histogram {
		if rank -= o.Count; rank < 0 {
			return o.Value
		}
	}
	panic("plots: a rank beyond the histogram")
}

// Boxes is a panel of box plots: one group for each value of a parameter,
// within it one box a policy.
type Boxes struct {
	XLabel, YLabel string // with the unit where there is one
	Groups         []string
	Series         []BoxSeries
}

// BoxSeries is the boxes of one policy, one for each group.
type BoxSeries struct {
	Policy string
	Boxes  []Box
}

// Policies implements [Panel].
func (b *Boxes) Policies() []string {
	var names []string
	for _, s := range b.Series {
		names = append(names, s.Policy)
	}
	return names
}

// Plot implements [Panel]. The axes are those of [Points] with the same
// groups and the range of all values.
func (b *Boxes) Plot(styles map[string]Style) *plot.Plot {
	p := b.points()
	out := p.Plot(styles)
	fresh := plot.New()
	restyle(fresh)
	fresh.X, fresh.Y = out.X, out.Y
	fresh.Add(&boxesPlotter{b, p, styles})
	return fresh
}

// points returns a panel of the means, with all values as their intervals.
func (b *Boxes) points() *Points {
	p := &Points{XLabel: b.XLabel, YLabel: b.YLabel, Groups: b.Groups}
	for _, s := range b.Series {
		series := Series{Policy: s.Policy}
		for _, box := range s.Boxes {
			low, high := box.WhiskerLow, box.WhiskerHi
			for _, v := range box.Beyond {
				low, high = min(low, v), max(high, v)
			}
			series.Points = append(series.Points, results.Summary{Mean: box.Mean, Low: low, High: high, N: box.N})
		}
		p.Series = append(p.Series, series)
	}
	return p
}

// boxesPlotter draws the data of a panel of boxes.
type boxesPlotter struct {
	*Boxes
	axes   *Points
	styles map[string]Style
}

const (
	boxPart    = 0.6           // of the room of a series in its group
	crossSize  = vg.Length(.8) // pt
	meanRadius = vg.Length(1.4)
)

// Plot implements plot.Plotter.
func (b *boxesPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	in := &pointsPlotter{b.axes, b.styles}
	in.grid(c, plt)
	half := c.X(plt.X.Norm(boxPart*groupWidth/float64(len(b.Series))/2)) - c.X(plt.X.Norm(0))
	for i, s := range b.Series {
		for g, box := range s.Boxes {
			if box.N > 0 {
				b.box(c, b.styles[s.Policy], half, box, func(v float64) vg.Point { return in.place(c, plt, i, g, v) })
			}
		}
	}
}

// box draws one box.
func (b *boxesPlotter) box(c draw.Canvas, sty Style, half vg.Length, box Box, at func(v float64) vg.Point) {
	line := draw.LineStyle{Color: sty.Color, Width: barWidth}
	horizontal := func(style draw.LineStyle, v float64, half vg.Length) {
		p := at(v)
		c.StrokeLine2(style, p.X-half, p.Y, p.X+half, p.Y)
	}
	low, high := at(box.Q1), at(box.Q3)
	corners := []vg.Point{{X: low.X - half, Y: low.Y}, {X: low.X + half, Y: low.Y}, {X: high.X + half, Y: high.Y}, {X: high.X - half, Y: high.Y}}
	c.FillPolygon(color.White, corners)
	c.StrokeLines(line, append(corners, corners[0]))
	horizontal(draw.LineStyle{Color: sty.Color, Width: 2 * barWidth}, box.Median, half)
	for _, whisker := range []struct{ from, to float64 }{{box.Q1, box.WhiskerLow}, {box.Q3, box.WhiskerHi}} {
		from, to := at(whisker.from), at(whisker.to)
		c.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
		horizontal(line, whisker.to, half/2)
	}
	for _, v := range box.Beyond {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: crossSize, Shape: Marker{Cross, false}}, at(v))
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: meanRadius, Shape: sty.Marker}, at(box.Mean))
}
