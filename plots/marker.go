package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is the outline of a marker.
type Shape int

// The shapes. All but the last two enclose the same area.
const (
	Circle Shape = iota
	Square
	Diamond
	TriangleUp
	TriangleDown
	Plus
	Cross
)

// Marker is a shape, filled with the line's colour or with white. It is drawn
// as a [draw.GlyphDrawer]; the style's radius is that of the circle.
type Marker struct {
	Shape  Shape
	Filled bool
}

var _ draw.GlyphDrawer = Marker{}

// markerStroke is the width of a marker's outline.
const markerStroke = vg.Length(0.8)

// DrawGlyph draws the marker at pt.
func (m Marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	path := m.Shape.path(pt, sty.Radius)
	if m.Shape != Plus && m.Shape != Cross {
		fill := sty.Color
		if !m.Filled {
			fill = color.White
		}
		c.SetColor(fill)
		c.Fill(path)
	}
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: markerStroke})
	c.Stroke(path)
}

// path returns the outline of s around pt, of the area of a circle of radius r.
func (s Shape) path(pt vg.Point, r vg.Length) vg.Path {
	switch s {
	case Square:
		return polygon(pt, r*vg.Length(math.Sqrt(math.Pi/2)), 4, math.Pi/4)
	case Diamond:
		return polygon(pt, r*vg.Length(math.Sqrt(math.Pi/2)), 4, 0)
	case TriangleUp:
		return polygon(pt, r*triangleRadius, 3, math.Pi/2)
	case TriangleDown:
		return polygon(pt, r*triangleRadius, 3, -math.Pi/2)
	case Plus:
		return strokes(pt, r, 0)
	case Cross:
		return strokes(pt, r, math.Pi/4)
	}
	return polygon(pt, r, 24, 0)
}

// triangleRadius is the circumradius of the equilateral triangle of area π.
const triangleRadius = 1.5551

// polygon is the regular polygon of n corners on a circle of radius r, the
// first at the given angle.
func polygon(pt vg.Point, r vg.Length, n int, start float64) vg.Path {
	var path vg.Path
	for k := range n {
		p := onCircle(pt, r, start+2*math.Pi*float64(k)/float64(n))
		if k == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	return path
}

// strokes are two lines through pt at right angles.
func strokes(pt vg.Point, r vg.Length, start float64) vg.Path {
	var path vg.Path
	for k := range 2 {
		angle := start + float64(k)*math.Pi/2
		path.Move(onCircle(pt, r, angle))
		path.Line(onCircle(pt, r, angle+math.Pi))
	}
	return path
}

func onCircle(pt vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: pt.X + r*vg.Length(cos), Y: pt.Y + r*vg.Length(sin)}
}
