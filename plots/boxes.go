package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Box summarises values.
//
// The box is the interquartile range IQR from the lower to the upper quartile, with a
// line at the median and a mark at the mean. The whiskers end at the largest value
// within 1.5·IQR above the upper quartile and at the smallest one within 1.5·IQR below
// the lower quartile; what lies beyond is listed, each value once. Quantiles are
// those of [metrics.Quantile].
type Box struct {
	N                     int
	Mean                  float64
	Q1, Median, Q3        float64
	WhiskerLow, WhiskerHi float64
	Beyond                []float64
}

// NewBox returns the box of values, which it sorts. It panics if there are none.
func NewBox(values []float64) Box {
	slices.Sort(values)
	b := Box{N: len(values), Mean: stat.Mean(values, nil)}
	b.Q1, b.Median, b.Q3 = metrics.Quantile(values, 0.25), metrics.Quantile(values, 0.5), metrics.Quantile(values, 0.75)
	reach := 1.5 * (b.Q3 - b.Q1)
	inside := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v < b.Q1-reach || v > b.Q3+reach })
	b.WhiskerLow, b.WhiskerHi = inside[0], inside[len(inside)-1]
	for _, v := range slices.Compact(slices.Clone(values)) {
		if v < b.WhiskerLow || v > b.WhiskerHi {
			b.Beyond = append(b.Beyond, v)
		}
	}
	return b
}

// Boxes is a panel of box plots: one group for each value of a parameter, within it one
// box a policy. Its points are the means with the range of all values.
type Boxes struct {
	Points
	boxes map[boxPlace]Box
}

type boxPlace struct{ policy, group string }

func init() {
	RegisterForm(Form{
		Name: "boxes", Title: "quartiles, median, mean and range of the values, at each value of the axis",
		Axis: []Kind{Texts, Numbers}, Pooled: []string{"user"}, Draw: drawBoxes,
	})
}

// BoxNote explains the parts of a box below a figure.
const BoxNote = "Boxes: quartiles and median; marks: means; whiskers: the last value within 1.5 interquartile ranges; crosses: values beyond."

func drawBoxes(d Data) (Panel, string, error) {
	b := &Boxes{Points: *newGroups(d)}
	values := map[boxPlace][]float64{}
	var order []boxPlace
	for i := range d.Rows {
		at := boxPlace{d.Rows[i].Policy, d.group(&d.Rows[i])}
		if values[at] == nil {
			order = append(order, at)
		}
		values[at] = append(values[at], d.Rows[i].Value)
	}
	for _, at := range order {
		if err := b.AddValues(at.policy, at.group, values[at]); err != nil {
			return nil, "", err
		}
	}
	return b, BoxNote, nil
}

// AddValues puts the box of values, which it sorts, into a group; see [Points.Add].
func (b *Boxes) AddValues(policy, group string, values []float64) error {
	box := NewBox(values)
	if b.boxes == nil {
		b.boxes = map[boxPlace]Box{}
	}
	b.boxes[boxPlace{policy, group}] = box
	return b.Add(policy, group, results.Summary{Mean: box.Mean, Low: values[0], High: values[len(values)-1], N: box.N})
}

// Box returns the box of a policy in a group; one of no values if there is none.
func (b *Boxes) Box(policy, group string) Box { return b.boxes[boxPlace{policy, group}] }

// Plot implements [Panel]. The axes are those of the points.
func (b *Boxes) Plot(styles map[string]Style) *plot.Plot {
	out := b.axes()
	out.Add(&boxesPlotter{b, styles})
	return out
}

// boxesPlotter draws the data of a panel of boxes.
type boxesPlotter struct {
	*Boxes
	styles map[string]Style
}

const (
	boxPart    = 0.6           // of the room of a series in its group
	crossSize  = vg.Length(.8) // pt
	meanRadius = vg.Length(1.4)
)

// Plot implements plot.Plotter.
func (b *boxesPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	in := &pointsPlotter{&b.Points, b.styles}
	in.grid(c, plt)
	half := c.X(plt.X.Norm(boxPart*groupWidth/float64(len(b.Series))/2)) - c.X(plt.X.Norm(0))
	for i, s := range b.Series {
		for g, group := range b.Groups {
			if box := b.Box(s.Policy, group); box.N > 0 {
				b.box(c, b.styles[s.Policy], half, box, func(v float64) vg.Point { return in.at(c, plt, i, g, v) })
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
