package plots

import (
	"image/color"
	"math"
	"slices"
	"strconv"

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
	out := plot.New()
	restyle(out)
	out.X.Label.Text, out.Y.Label.Text = l.XLabel, l.YLabel
	out.X.Padding, out.Y.Padding = 0, 0
	out.X.Min, out.X.Max = l.extent(func(c Curve) []float64 { return c.X })
	out.Y.Min, out.Y.Max = l.extent(func(c Curve) []float64 { return c.Y })
	out.Y.Min = min(0, out.Y.Min)
	out.Y.Max += headroom * (out.Y.Max - out.Y.Min)
	out.X.Tick.Marker = plot.ConstantTicks(niceTicks(out.X.Min, out.X.Max, 7))
	if l.LogX {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, decades(out.X.Min, out.X.Max)
	}
	out.Y.Tick.Marker = plot.ConstantTicks(niceTicks(out.Y.Min, out.Y.Max, 5))
	for _, a := range []*plot.Axis{&out.X, &out.Y} {
		a.LineStyle.Width, a.Tick.LineStyle.Width, a.Tick.Length = 0, thin, tickLength
	}
	out.Add(&linesPlotter{l, styles})
	return out
}

// decades returns ticks at the powers of ten between two positive numbers.
func decades(low, high float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for k := math.Ceil(math.Log10(low)); k <= math.Floor(math.Log10(high)); k++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, k), Label: strconv.FormatFloat(math.Pow(10, k), 'g', -1, 64)})
	}
	return ticks
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
	light := draw.LineStyle{Color: gridColor, Width: thin}
	for _, t := range plt.Y.Tick.Marker.Ticks(plt.Y.Min, plt.Y.Max) {
		y := c.Y(plt.Y.Norm(t.Value))
		c.StrokeLine2(light, c.Min.X, y, c.Max.X, y)
	}
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
	c.SetLineStyle(draw.LineStyle{Color: color.Black, Width: thin})
	c.Stroke(c.Rectangle.Path())
}
