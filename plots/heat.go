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
		Name: "heat", Title: "means as colours of a grid of two columns, a panel each where rules differ",
		Axis: []Kind{Texts, Numbers}, Grid: true, Draw: drawHeat,
	})
}

// Ramp gives colours to the values of heat maps: from pale to dark or, where values lie
// on both sides of Middle, from one dark colour through white to another.
type Ramp struct {
	Label     string
	Low, High float64
	Middle    float64 // NaN: none
}

func drawHeat(d Data, p *Panel) (string, error) {
	p.X.categorize()
	p.Kind, p.Marks = "heat", (*Canvas).heat
	p.Ramp = &Ramp{Label: oneLine(d.Label), Low: math.Inf(1), High: math.Inf(-1), Middle: math.NaN()}
	p.Series = make([]Series, len(p.Y.Names))
	for i := range d.Cells {
		c := &d.Cells[i]
		row := c.Row()
		x, err := p.X.place(row.Is(d.X))
		if err != nil {
			return "", err
		}
		y, err := p.Y.place(row.Is(d.Down))
		if err != nil {
			return "", err
		}
		s := &p.Series[int(y)]
		s.Name = p.Y.Names[int(y)]
		s.Points = append(s.Points, Point{X: x, Summary: c.Summary})
		p.Ramp.Low, p.Ramp.High = min(p.Ramp.Low, c.Mean), max(p.Ramp.High, c.Mean)
	}
	if err := p.once(); err != nil {
		return "", err
	}
	return "", nil
}

// heat fills the cells and writes their values where there is room.
func (c *Canvas) heat() {
	txt := textStyle(smallText)
	txt.XAlign, txt.YAlign = draw.XCenter, draw.YCenter
	for row, s := range c.Panel.Series {
		for _, pt := range s.Points {
			low, high := c.At(pt.X-0.5, float64(row)-0.5), c.At(pt.X+0.5, float64(row)+0.5)
			fill := c.Panel.Ramp.color(pt.Mean)
			c.FillPolygon(fill, corners(low.X, low.Y, high.X, high.Y))
			value := minus(fmt.Sprintf("%.3g", pt.Mean))
			if txt.Width(value)+2 > high.X-low.X {
				value = c.Panel.Ramp.side(pt.Mean)
			}
			if txt.Width(value)+2 > high.X-low.X || noteLine > high.Y-low.Y {
				continue
			}
			txt.Color = ink
			if dark(fill) {
				txt.Color = color.White
			}
			c.FillText(txt, c.At(pt.X, float64(row)), value)
		}
	}
}

// side is the sign of a value on a ramp with a middle, to whose sides colours without
// hue are the same.
func (r *Ramp) side(v float64) string {
	switch {
	case v > r.Middle:
		return "+"
	case v < r.Middle:
		return "−"
	}
	return ""
}

// color returns the colour of a value.
func (r *Ramp) color(v float64) color.Color {
	if math.IsNaN(r.Middle) {
		if r.High == r.Low {
			return shade(colors["blue"], 0.3)
		}
		return shade(colors["blue"], 0.05+0.95*(v-r.Low)/(r.High-r.Low))
	}
	reach := max(r.High-r.Middle, r.Middle-r.Low)
	if reach == 0 {
		return color.White
	}
	if v < r.Middle {
		return shade(colors["vermillion"], (r.Middle-v)/reach)
	}
	return shade(colors["blue"], (v-r.Middle)/reach)
}

// shade mixes a colour into white, by a part from 0 to 1.
func shade(col color.Color, part float64) color.Color {
	r, g, b, _ := col.RGBA()
	mix := func(v uint32) uint8 { return uint8(math.Round(255 + part*(float64(v>>8)-255))) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}

func dark(col color.Color) bool {
	r, g, b, _ := col.RGBA()
	return 0.299*float64(r>>8)+0.587*float64(g>>8)+0.114*float64(b>>8) < 140
}

const (
	rampWidth  = vg.Length(90)
	rampHeight = vg.Length(7)
	rampSteps  = 45
)

// ends are the texts beside the ramp.
func (r *Ramp) ends() (low, high string) {
	return minus(fmt.Sprintf("%.3g", r.Low)), minus(fmt.Sprintf("%.3g", r.High))
}

// height is that of the ramp in a page of a width: its label stands above it where there
// is no room beside.
func (r *Ramp) height(width vg.Length) vg.Length {
	txt := textStyle(smallText)
	low, high := r.ends()
	if txt.Width(r.Label)+txt.Width(low)+txt.Width(high)+rampWidth+4*sampleGap > width {
		return 2 * legendRow
	}
	return legendRow
}

// draw draws the ramp, with its ends and its label, in the middle of the top of c.
func (r *Ramp) draw(c draw.Canvas) {
	txt := textStyle(smallText)
	txt.YAlign = draw.YCenter
	low, high := r.ends()
	y := c.Max.Y - r.height(c.Max.X-c.Min.X) + legendRow/2
	label := vg.Point{X: c.Center().X - txt.Width(r.Label)/2, Y: c.Max.Y - legendRow/2 + labelRise}
	x := c.Center().X - (txt.Width(low)+txt.Width(high)+rampWidth+2*sampleGap)/2
	if y+labelRise >= label.Y {
		x += (txt.Width(r.Label) + 2*sampleGap) / 2
		label.X = x - txt.Width(r.Label) - 2*sampleGap
	}
	c.FillText(txt, label, r.Label)
	c.FillText(txt, vg.Point{X: x, Y: y + labelRise}, low)
	x += txt.Width(low) + sampleGap
	step := rampWidth / rampSteps
	for k := range rampSteps {
		left := x + vg.Length(k)*step
		v := r.Low + (r.High-r.Low)*(float64(k)+0.5)/rampSteps
		c.FillPolygon(r.color(v), corners(left, y-rampHeight/2, left+step+0.2, y+rampHeight/2))
	}
	if r.Low < r.Middle && r.Middle < r.High {
		at := x + rampWidth*vg.Length((r.Middle-r.Low)/(r.High-r.Low))
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, at, y-rampHeight/2, at, y+rampHeight/2)
	}
	c.FillText(txt, vg.Point{X: x + rampWidth + sampleGap, Y: y + labelRise}, high)
}
