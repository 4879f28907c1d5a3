package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
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

func init() {
	RegisterForm(Form{
		Name: "boxes", Title: "quartiles, median, mean and range of the values, at each value of the axis",
		Axis: []Kind{Texts, Numbers}, Pooled: []string{"user"}, Raw: true, Draw: drawBoxes,
	})
}

// boxNote explains the parts of a box below a figure.
const boxNote = "Boxes: quartiles and median; marks: means; whiskers: the last value within 1.5 interquartile ranges; crosses: values beyond."

func drawBoxes(d Data, p *Panel) (string, error) {
	for at, of := range d.values() {
		if len(of) == 0 {
			continue
		}
		x, err := p.X.place(at[1])
		if err != nil {
			return "", err
		}
		box := NewBox(of)
		p.point(at[0], Point{x, results.Summary{Mean: box.Mean, Low: of[0], High: of[len(of)-1], N: box.N}, &box})
	}
	slices.SortFunc(p.Series, func(a, b Series) int { return slices.Index(d.Names, a.Name) - slices.Index(d.Names, b.Name) })
	for _, s := range p.Series {
		slices.SortFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
	p.Kind, p.Marks = "boxes", (*Canvas).boxes
	p.roomForBoxes()
	return boxNote, nil
}

// roomForBoxes makes an axis of numbers longer by half the least distance of two places
// at both ends, where the outer boxes stand.
func (p *Panel) roomForBoxes() {
	var at []float64
	for pt := range p.points() {
		at = append(at, p.X.at(pt.X))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if p.X.Scale == Categories || len(at) < 2 {
		return
	}
	gap := math.Inf(1)
	for k := 1; k < len(at); k++ {
		gap = min(gap, at[k]-at[k-1])
	}
	p.X.From, p.X.To, p.X.NoRoom = p.X.value(at[0]-gap/2), p.X.value(at[len(at)-1]+gap/2), true
	p.X.Least = min(p.X.Least, p.X.From)
}

const (
	boxPart    = 0.6           // of the room of a series in its group
	widestBox  = vg.Length(9)  // pt, on an axis of numbers
	crossSize  = vg.Length(.8) // pt
	meanRadius = vg.Length(1.4)
)

// boxes draws the boxes of all series.
func (c *Canvas) boxes() {
	half := c.halfBox()
	k := vg.Length(len(c.Panel.Series))
	for i, s := range c.Panel.Series {
		shift := (vg.Length(i) - (k-1)/2) * half / boxPart * 2
		if c.Panel.alone {
			shift = 0
		}
		for _, pt := range s.Points {
			c.box(c.Styles[s.Name], half, *pt.Box, func(v float64) vg.Point {
				at := c.At(pt.X, v)
				at.X += shift
				return at
			})
		}
	}
}

// halfBox is half the width of a box: as the closest places leave room for.
func (c *Canvas) halfBox() vg.Length {
	var xs []vg.Length
	for pt := range c.Panel.points() {
		xs = append(xs, c.At(pt.X, 0).X)
	}
	slices.Sort(xs)
	room := widestBox * vg.Length(len(c.Panel.Series)) / boxPart
	if c.Panel.X.Scale == Categories {
		room = c.At(groupWidth, 0).X - c.At(0, 0).X
	}
	for k := 1; k < len(xs); k++ {
		if gap := groupWidth * (xs[k] - xs[k-1]); gap > 0.01 {
			room = min(room, gap)
		}
	}
	if c.Panel.alone {
		return min(widestBox, room*boxPart/2)
	}
	return room * boxPart / vg.Length(len(c.Panel.Series)) / 2
}

// box draws one box.
func (c *Canvas) box(sty Style, half vg.Length, box Box, at func(v float64) vg.Point) {
	line := draw.LineStyle{Color: sty.Color, Width: barWidth}
	horizontal := func(style draw.LineStyle, v float64, half vg.Length) {
		p := at(v)
		c.StrokeLine2(style, p.X-half, p.Y, p.X+half, p.Y)
	}
	low, high := at(box.Q1), at(box.Q3)
	edge := corners(low.X-half, low.Y, high.X+half, high.Y)
	c.FillPolygon(color.White, edge)
	c.StrokeLines(line, append(edge, edge[0]))
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
