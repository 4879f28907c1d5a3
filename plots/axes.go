package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	thin       = vg.Length(0.5) // pt: axes, lines that join points
	barWidth   = vg.Length(0.7) // pt: error bars
	tickLength = vg.Length(2.5) // pt
	headroom   = 0.06           // of the range of the data, above and below
)

// axis is what an axis shows.
type axis struct {
	label     string
	low, high float64
	ticks     []plot.Tick
}

// newAxes returns a plot of nothing but its axes, in the figures' font.
func newAxes(x, y axis) *plot.Plot {
	out := plot.New()
	restyle(out)
	for of, a := range map[*plot.Axis]axis{&out.X: x, &out.Y: y} {
		of.Label.Text, of.Min, of.Max, of.Padding = a.label, a.low, a.high, 0
		of.Tick.Marker = plot.ConstantTicks(a.ticks)
		of.LineStyle.Width, of.Tick.LineStyle.Width, of.Tick.Length = 0, thin, tickLength
	}
	return out
}

// niceTicks returns labelled ticks at the multiples of a round step inside
// [low, high], at most count and a few, with as many decimals as the step has.
func niceTicks(low, high float64, count int) []plot.Tick {
	raw := (high - low) / float64(count)
	exp := math.Floor(math.Log10(raw))
	unit, step, decimals := math.Pow(10, exp), 0.0, 0
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * unit; step >= raw*(1-1e-9) {
			decimals = max(0, -int(exp))
			if m == 2.5 {
				decimals = max(0, 1-int(exp))
			} else if m == 10 {
				decimals = max(0, -int(exp)-1)
			}
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		v := k*step + 0 // no -0
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.*f", decimals, v)})
	}
	return ticks
}

// decades returns ticks at the powers of ten between two positive numbers.
func decades(low, high float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for k := math.Ceil(math.Log10(low)); k <= math.Floor(math.Log10(high)); k++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, k), Label: strconv.FormatFloat(math.Pow(10, k), 'g', -1, 64)})
	}
	return ticks
}

// drawGrid draws a line at each tick of the vertical axis.
func drawGrid(c draw.Canvas, plt *plot.Plot) {
	light := draw.LineStyle{Color: color.Gray{0xdd}, Width: thin}
	for _, t := range plt.Y.Tick.Marker.Ticks(plt.Y.Min, plt.Y.Max) {
		y := c.Y(plt.Y.Norm(t.Value))
		c.StrokeLine2(light, c.Min.X, y, c.Max.X, y)
	}
}

// drawFrame draws the frame around the data.
func drawFrame(c draw.Canvas) {
	c.SetLineStyle(draw.LineStyle{Color: color.Black, Width: thin})
	c.Stroke(c.Rectangle.Path())
}
