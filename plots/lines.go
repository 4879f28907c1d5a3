package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines is a panel of curves over a numeric axis, without intervals: a time
// series a policy.
type Lines struct {
	XLabel, YLabel string // with the unit where there is one
	// LogX makes the horizontal axis logarithmic; all X must be positive then.
	LogX   bool
	Curves []Curve
}

// Curve is the curve of one policy. X ascends; Y has as many values.
type Curve struct {
	Policy string
	X, Y   []float64
}

// Add appends a point to the curve of a policy, which it begins if there is none.
func (l *Lines) Add(policy string, x, y float64) {
	i := slices.IndexFunc(l.Curves, func(c Curve) bool { return c.Policy == policy })
	if i < 0 {
		i = len(l.Curves)
		l.Curves = append(l.Curves, Curve{Policy: policy})
	}
	c := &l.Curves[i]
	c.X, c.Y = append(c.X, x), append(c.Y, y)
}

// Policies implements [Panel].
func (l *Lines) Policies() []string {
	var names []string
	for _, c := range l.Curves {
		names = append(names, c.Policy)
	}
	return names
}

// Plot implements [Panel].
func (l *Lines) Plot(styles map[string]Style) *plot.Plot {
	left, right := l.extent(func(c Curve) []float64 { return c.X })
	low, high := l.extent(func(c Curve) []float64 { return c.Y })
	low = min(0, low)
	high += headroom * (high - low)
	out := newAxes(
		axis{l.XLabel, left, right, niceTicks(left, right, 7)},
		axis{l.YLabel, low, high, niceTicks(low, high, 5)})
	if l.LogX {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, decades(left, right)
	}
	out.Add(&linesPlotter{l, styles})
	return out
}

// extent returns the range of one coordinate, never of width 0.
func (l *Lines) extent(of func(Curve) []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range l.Curves {
		for _, v := range of(c) {
			low, high = min(low, v), max(high, v)
		}
	}
	switch {
	case low > high:
		return 0, 1
	case low == high:
		return low, low + 1
	}
	return low, high
}

// linesPlotter draws the data of a panel of lines.
type linesPlotter struct {
	*Lines
	styles map[string]Style
}

// Plot implements plot.Plotter.
func (l *linesPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	drawGrid(c, plt)
	for _, curve := range l.Curves {
		line := make([]vg.Point, len(curve.X))
		for i, x := range curve.X {
			line[i] = vg.Point{X: c.X(plt.X.Norm(x)), Y: c.Y(plt.Y.Norm(curve.Y[i]))}
		}
		sty := l.styles[curve.Policy]
		if len(line) > 1 {
			c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: barWidth, Dashes: sty.Dashes}, line)
		}
	}
	drawFrame(c)
}
