package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func init() {
	RegisterForm(Form{
		Name: "points", Title: "means with their intervals, at each value of the axis; joined where it is of numbers",
		Axis: []Kind{Texts, Numbers}, Usual: []Kind{Texts, Numbers}, Draw: drawPoints,
	})
	RegisterForm(Form{
		Name: "bars", Title: "means as bars from 0, with their intervals, side by side at each value of the axis",
		Axis: []Kind{Texts, Numbers}, Draw: drawBars,
	})
}

const (
	groupWidth   = 0.82           // of the distance between groups
	markerRadius = vg.Length(2.1) // pt
	capWidth     = vg.Length(3)   // pt: ends of error bars
)

func drawPoints(d Data, p *Panel) (string, error) {
	p.Kind, p.Marks = "points", (*Canvas).points
	return d.means(p)
}

func drawBars(d Data, p *Panel) (string, error) {
	p.Kind, p.Marks = "bars", (*Canvas).bars
	p.X.categorize()
	p.Y.From = 0
	return d.means(p)
}

// means puts the cells into a panel.
func (d *Data) means(p *Panel) (string, error) {
	least, most := math.MaxInt, 0
	for i := range d.Cells {
		c := &d.Cells[i]
		row := c.Row()
		x, err := p.X.place(row.Is(d.X))
		if err != nil {
			return "", err
		}
		p.Add(row.Is(d.Color), x, c.Summary)
		least, most = min(least, c.Summary.N), max(most, c.Summary.N)
	}
	if err := p.once(); err != nil {
		return "", err
	}
	switch {
	case most <= 1:
		return "", nil
	case least < most:
		return fmt.Sprintf("Error bars: 95%% intervals over %d to %d instances.", least, most), nil
	}
	return fmt.Sprintf("Error bars: 95%% intervals over %d instances.", most), nil
}

// once returns an error where a series has two values at one place.
func (p *Panel) once() error {
	for _, s := range p.Series {
		seen := map[float64]bool{}
		for _, pt := range s.Points {
			if seen[pt.X] {
				return fmt.Errorf("%s: more than one value at %s", s.Name, p.X.says(pt.X))
			}
			seen[pt.X] = true
		}
	}
	return nil
}

// points draws the points with their intervals; a thin line joins those of a series on
// an axis of numbers, and a gap breaks it.
func (c *Canvas) points() {
	for i, s := range c.Panel.Series {
		c.join(i, s)
	}
	for i, s := range c.Panel.Series {
		sty := c.Styles[s.Name]
		for _, pt := range s.Points {
			if pt.N == 0 {
				continue
			}
			errorBar(c.Canvas, sty.Color, c.beside(i, pt.X, pt.Low), c.beside(i, pt.X, pt.High))
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: sty.Color, Radius: markerRadius, Shape: sty.Marker}, c.beside(i, pt.X, pt.Mean))
		}
	}
}

// beside returns where a point of series i is drawn: side by side in a category; on an
// axis of numbers at its value, or less than a marker's width from it, so that equal
// points of two series can be told apart.
func (c *Canvas) beside(i int, x, y float64) vg.Point {
	k := float64(len(c.Panel.Series))
	of := float64(i) - (k-1)/2
	if c.Panel.alone {
		return c.At(x, y)
	}
	if c.Panel.X.Scale == Categories {
		return c.At(x+of*groupWidth/k, y)
	}
	at := c.At(x, y)
	at.X += vg.Length(of) * c.Panel.shift()
	return at
}

// shift is the distance of the points of two series at the same value.
func (p *Panel) shift() vg.Length { return min(2.2, 4*markerRadius/vg.Length(len(p.Series))) }

// join draws the line through the points of series i.
func (c *Canvas) join(i int, s Series) {
	if c.Panel.X.Scale == Categories {
		return
	}
	sty := c.Styles[s.Name]
	var line []vg.Point
	flush := func() {
		if len(line) > 1 {
			c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: thin, Dashes: sty.Dashes}, line)
		}
		line = nil
	}
	for _, pt := range s.Points {
		if pt.N == 0 {
			flush()
			continue
		}
		line = append(line, c.beside(i, pt.X, pt.Mean))
	}
	flush()
}

// bars draws a bar from 0 to each mean, in the colour of its series, and its interval.
func (c *Canvas) bars() {
	half := c.halfSlot(0.9)
	for i, s := range c.Panel.Series {
		sty := c.Styles[s.Name]
		for _, pt := range s.Points {
			if pt.N == 0 {
				continue
			}
			top, foot := c.beside(i, pt.X, pt.Mean), c.beside(i, pt.X, 0)
			bar := vg.Rectangle{Min: vg.Point{X: foot.X - half, Y: min(foot.Y, top.Y)}, Max: vg.Point{X: foot.X + half, Y: max(foot.Y, top.Y)}}
			if c.Panel.alone {
				sty.Dashes = dashes["sparse dashes"]
			}
			sty.fillRectangle(c.Canvas, bar)
			if pt.Bounded() {
				errorBar(c.Canvas, ink, c.beside(i, pt.X, pt.Low), c.beside(i, pt.X, pt.High))
			}
		}
	}
}

// halfSlot is half of a part of the width that a series has in a category.
func (c *Canvas) halfSlot(part float64) vg.Length {
	side := len(c.Panel.Series)
	if c.Panel.alone {
		side = 2
	}
	return c.At(part*groupWidth/float64(side)/2, 0).X - c.At(0, 0).X
}

// tint is a colour mixed with three parts of white.
func tint(col color.Color) color.Color { return shade(col, 0.25) }

// hatches are the angles, in degrees, of the lines in the bars of each dash; bars of a
// solid line are filled.
var hatches = map[string][]float64{
	"dashed": {45}, "dotted": {-45}, "dash-dot": {45, -45}, "long dashes": {0}, "short dashes": {90}, "dash-dot-dot": {0, 90}, "sparse dashes": {},
}

// fillRectangle fills a bar in the colour of a series, with a hatch of its own, so that
// bars read without colour.
func (s Style) fillRectangle(c draw.Canvas, bar vg.Rectangle) {
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: bar}
	fill := tint(s.Color)
	if s.Dashes == nil { // half of black still shows an error bar
		fill = shade(s.Color, 0.5)
	}
	c.SetColor(fill)
	c.Fill(bar.Path())
	line := draw.LineStyle{Color: s.Color, Width: thin}
	for name, angles := range hatches {
		for k := 0; k < len(angles) && dashText(dashes[name]) == dashText(s.Dashes); k++ {
			c.StrokeLines(line, inside.ClipLinesXY(hatch(bar, angles[k])...)...)
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: barWidth})
	c.Stroke(bar.Path())
}

// hatch returns parallel lines, in angles of degrees, over all of a rectangle.
func hatch(r vg.Rectangle, angle float64) (lines [][]vg.Point) {
	const apart = 3 // pt
	sin, cos := math.Sincos(angle * math.Pi / 180)
	along, across := vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}, vg.Point{X: -vg.Length(sin), Y: vg.Length(cos)}
	middle, reach := r.Min.Add(r.Size().Scale(0.5)), r.Size().X+r.Size().Y
	for d := apart*vg.Length(math.Ceil(float64(-reach/apart/2))) + apart/2; d < reach/2; d += apart {
		at := middle.Add(across.Scale(d))
		lines = append(lines, []vg.Point{at.Sub(along.Scale(reach)), at.Add(along.Scale(reach))})
	}
	return lines
}

// errorBar draws the interval from low to high, on one vertical line.
func errorBar(c draw.Canvas, col color.Color, low, high vg.Point) {
	sty := draw.LineStyle{Color: col, Width: barWidth}
	c.StrokeLine2(sty, low.X, low.Y, high.X, high.Y)
	for _, end := range []vg.Point{low, high} {
		c.StrokeLine2(sty, end.X-capWidth/2, end.Y, end.X+capWidth/2, end.Y)
	}
}
