package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is the outline of a marker.
type Shape int

// The shapes. All but the last enclose the same area.
const (
	Circle Shape = iota
	Square
	Diamond
	TriangleUp
	TriangleDown
	Cross
)

// outlines are the regular polygons of the shapes: their corners, the radius of these in
// radii of the circle of the same area, and the angle of the first.
var outlines = [...]struct {
	corners       int
	radius, start float64
}{
	Circle: {24, 1, 0}, Square: {4, squareRadius, math.Pi / 4}, Diamond: {4, squareRadius, 0},
	TriangleUp: {3, triangleRadius, math.Pi / 2}, TriangleDown: {3, triangleRadius, -math.Pi / 2},
}

// The circumradii of the square and of the equilateral triangle of area π.
var squareRadius = math.Sqrt(math.Pi / 2)

const triangleRadius = 1.5551

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
	if m.Shape != Cross {
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

// path returns the outline of s around pt, of the area of a circle of radius r; of a cross
// two lines at right angles.
func (s Shape) path(pt vg.Point, r vg.Length) (path vg.Path) {
	if s == Cross {
		for _, angle := range []float64{math.Pi / 4, 3 * math.Pi / 4} {
			path.Move(onCircle(pt, r, angle))
			path.Line(onCircle(pt, r, angle+math.Pi))
		}
		return path
	}
	o := outlines[s]
	for k := range o.corners {
		path.Line(onCircle(pt, r*vg.Length(o.radius), o.start+2*math.Pi*float64(k)/float64(o.corners)))
	}
	path[0].Type = vg.MoveComp
	path.Close()
	return path
}

func onCircle(pt vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: pt.X + r*vg.Length(cos), Y: pt.Y + r*vg.Length(sin)}
}
