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
	for _, s := range p.Series {
		for k := 1; k < len(s.Points); k++ {
			if s.Points[k].X == s.Points[k-1].X {
				return "", fmt.Errorf("%s: more than one value at %s", s.Name, p.X.text(s.Points[k].X))
			}
		}
	}
	switch {
	case most <= 1:
		return "", nil
	case least < most:
		return fmt.Sprintf("Error bars: 95%% intervals over %d to %d instances.", least, most), nil
	}
	return fmt.Sprintf("Error bars: 95%% intervals over %d instances.", most), nil
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
	at.X += vg.Length(of) * min(2.2, 4*markerRadius/vg.Length(k))
	return at
}

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
			corners := []vg.Point{{X: foot.X - half, Y: foot.Y}, {X: foot.X + half, Y: foot.Y}, {X: top.X + half, Y: top.Y}, {X: top.X - half, Y: top.Y}}
			fill := tint(sty.Color)
			if sty.Marker.Filled {
				fill = sty.Color
			}
			c.FillPolygon(fill, corners)
			c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: barWidth}, append(corners, corners[0]))
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
func tint(col color.Color) color.Color {
	r, g, b, _ := col.RGBA()
	mix := func(v uint32) uint8 { return uint8((v>>8 + 3*0xff) / 4) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}

// errorBar draws the interval from low to high, on one vertical line.
func errorBar(c draw.Canvas, col color.Color, low, high vg.Point) {
	sty := draw.LineStyle{Color: col, Width: barWidth}
	c.StrokeLine2(sty, low.X, low.Y, high.X, high.Y)
	for _, end := range []vg.Point{low, high} {
		c.StrokeLine2(sty, end.X-capWidth/2, end.Y, end.X+capWidth/2, end.Y)
	}
}
