package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a panel on the page: its data, and what stands around them.
type frame struct {
	Panel                 // a copy: a page leaves its figure as it is
	title          string // above
	xLabel, yLabel string // "" where another panel, or the page, carries it
	bareX, bareY   bool   // a neighbour's names of the ticks serve
	xTicks, yTicks []tick
	turned         float64   // the angle of the names below
	shared         string    // the label of all vertical axes, in a panel of the first column
	names          vg.Length // the width of ticks and names to the left
	ends           []directLabel
	room           struct{ left, right, top, bottom vg.Length }
	data           vg.Rectangle
}

// grid is the panels of a page in rows, on equal axes: all data of a page are equally wide
// and equally high. A label that all panels have stands once, in the middle.
type grid struct {
	frames         []*frame
	columns        int
	xLabel, yLabel string    // of all panels
	width, height  vg.Length // of the data of one panel
}

const (
	panelHeight = 1.1 * vg.Inch  // of the data
	leastHeight = 0.35 * vg.Inch // of the data in a figure of a given height
	leastWidth  = 0.75 * vg.Inch // of the data, where panels stand side by side
	facetWidth  = 1.55 * vg.Inch // of a panel with all around it
	ownWidth    = 2.2 * vg.Inch  // of one with a vertical axis of its own
	textGap     = vg.Length(2)   // pt: between ticks, their names and a label
	columnGap   = vg.Length(7)   // pt: between panels
)

// arrange puts the panels in as many columns as there is room for, evenly filled: fewer
// where names would leave too little for the data.
func (f Figure) arrange(width vg.Length, ends []directLabel) *grid {
	for columns := f.arrangement(width); ; {
		g := f.grid(columns, ends)
		g.height = f.panelHeight()
		g.measure(width)
		if columns == 1 || f.columns > 0 || g.width >= leastWidth {
			return g
		}
		columns = (len(f.Panels) + g.rows()) / (g.rows() + 1)
	}
}

// arrangement returns the number of columns of panels by their kind. Panels of curves
// over time want more width than others.
func (f Figure) arrangement(width vg.Length) int {
	if f.columns > 0 {
		return f.columns
	}
	least := ownWidth
	if f.alike(func(p *Panel) string { return p.Y.Label }) != "" && !strings.HasPrefix(f.Panels[0].X.Label, "Time (") {
		least = facetWidth
	}
	most := max(1, min(len(f.Panels), int(width/least)))
	rows := (len(f.Panels) + most - 1) / most
	return (len(f.Panels) + rows - 1) / rows
}

// alike returns what all panels say; "" where they differ.
func (f Figure) alike(says func(*Panel) string) string {
	first := says(f.Panels[0])
	if slices.ContainsFunc(f.Panels, func(p *Panel) bool { return says(p) != first }) {
		return ""
	}
	return first
}

// grid says of each panel what it carries: several are lettered (a), (b); of panels with
// the same axis below one another the last names its ticks, beside one another the first.
func (f Figure) grid(columns int, ends []directLabel) *grid {
	g := &grid{columns: columns}
	g.xLabel = f.alike(func(p *Panel) string { return p.X.title() })
	g.yLabel = f.alike(func(p *Panel) string { return p.Y.title() })
	for i, p := range f.Panels {
		fr := &frame{Panel: *p, title: p.Title, ends: ends}
		if len(f.Panels) > 1 {
			fr.title = strings.TrimSpace(fmt.Sprintf("(%s) %s", letter(i), p.Title))
		}
		fr.bareX = i+columns < len(f.Panels) && p.X.same(&f.Panels[i+columns].X)
		fr.bareY = i%columns > 0 && p.Y.same(&f.Panels[i-1].Y)
		if g.xLabel == "" && !fr.bareX {
			fr.xLabel = p.X.title()
		}
		if g.yLabel == "" && !fr.bareY {
			fr.yLabel = p.Y.title()
		}
		if i%columns == 0 {
			fr.shared = g.yLabel
		}
		fr.yTicks = fr.Y.ticks()
		g.frames = append(g.frames, fr)
	}
	return g
}

// same reports whether two axes have the same places under the same names.
func (a *Axis) same(b *Axis) bool {
	return a.title() == b.title() && a.Scale == b.Scale && a.low == b.low && a.high == b.high && a.thousands == b.thousands &&
		slices.Equal(a.Names, b.Names) && slices.Equal(a.ticks(), b.ticks())
}

func (g *grid) rows() int { return (len(g.frames) + g.columns - 1) / g.columns }

// measure finds how wide the data are. What stands around them depends on their width,
// and their width on that: after three rounds both have settled.
func (g *grid) measure(width vg.Length) {
	g.width = width / vg.Length(g.columns)
	for range 3 {
		for _, fr := range g.frames {
			fr.shared = g.brokenY(fr.shared)
			fr.around(g.width, g.height)
		}
		sides := columnGap * vg.Length(g.columns-1)
		for k := range g.columns {
			left, right := g.column(k)
			sides += left + right
		}
		g.width = max(vg.Inch/4, (width-sides)/vg.Length(g.columns))
	}
	for _, fr := range g.frames {
		fr.dodge(g.width)
	}
}

// column returns the room beside the data of a column.
func (g *grid) column(k int) (left, right vg.Length) {
	for i := k; i < len(g.frames); i += g.columns {
		left, right = max(left, g.frames[i].room.left), max(right, g.frames[i].room.right)
	}
	return left, right
}

// row returns the room above and below the data of a row.
func (g *grid) row(k int) (top, bottom vg.Length) {
	for _, fr := range g.frames[k*g.columns : min(len(g.frames), (k+1)*g.columns)] {
		top, bottom = max(top, fr.room.top), max(bottom, fr.room.bottom)
	}
	return top, bottom
}

// brokenY breaks the label of all vertical axes into lines that are no longer than the
// panels are high.
func (g *grid) brokenY(label string) string {
	return broken(label, vg.Length(g.rows())*g.height+vg.Length(g.rows()-1)*3*space)
}

// surround is the height of all but the data.
func (g *grid) surround() vg.Length {
	h := space * vg.Length(g.rows()-1)
	for k := range g.rows() {
		top, bottom := g.row(k)
		h += top + bottom
	}
	if g.xLabel != "" {
		h += textStyle(labelText).Height(g.xLabel) + textGap
	}
	return h
}

// place gives each panel its place on the page, from the top left corner on.
func (g *grid) place(at vg.Point) {
	for k := range g.rows() {
		top, bottom := g.row(k)
		at.Y -= top
		x := at.X
		for c := range g.columns {
			left, right := g.column(c)
			if i := k*g.columns + c; i < len(g.frames) {
				g.frames[i].data = vg.Rectangle{Min: vg.Point{X: x + left, Y: at.Y - g.height}, Max: vg.Point{X: x + left + g.width, Y: at.Y}}
			}
			x += left + g.width + right + columnGap
		}
		at.Y -= g.height + bottom + space
	}
}

// around settles what stands around the data of a panel of a size.
func (fr *frame) around(width, height vg.Length) {
	small, label := textStyle(smallText), textStyle(labelText)
	fr.xTicks, fr.turned = fr.X.named(width)
	fr.room.right, fr.room.top, fr.room.bottom, fr.names = 1, textGap+small.Height("0")/2, tickLength, tickLength
	for _, t := range fr.yTicks {
		if !fr.bareY {
			fr.names = max(fr.names, tickLength+textGap+small.Width(t.Label))
		}
	}
	fr.yLabel = broken(fr.yLabel, height+10)
	fr.room.left = fr.names
	for _, l := range []string{fr.yLabel, fr.shared} {
		if l != "" {
			fr.room.left += 2*textGap + label.Height(l)
		}
	}
	for _, t := range fr.xTicks {
		at, w := vg.Length((t.Value-fr.X.low)/(fr.X.high-fr.X.low))*width, small.Width(t.Label)
		if fr.bareX || t.Label == "" {
			continue
		}
		before, after, below := w/2, w/2, small.Height(t.Label)
		if fr.turned != 0 {
			sin, cos := math.Sincos(fr.turned)
			before, after, below = w*vg.Length(cos)+smallText/2, smallText/2, w*vg.Length(sin)+smallText*vg.Length(cos)
		}
		fr.room.left, fr.room.right = max(fr.room.left, before-at), max(fr.room.right, after-(width-at))
		fr.room.bottom = max(fr.room.bottom, tickLength+textGap+below)
	}
	if fr.xLabel != "" {
		fr.room.bottom += textGap + label.Height(fr.xLabel)
	}
	if fr.title = broken(fr.title, width+columnGap); fr.title != "" {
		fr.room.top = max(fr.room.top, 2*textGap+label.Height(fr.title))
	}
	for _, l := range []string{fr.xLabel, fr.title} { // both stand in the middle
		beyond := (label.Width(l) - width) / 2
		fr.room.left, fr.room.right = max(fr.room.left, beyond), max(fr.room.right, beyond)
	}
	for _, l := range fr.ends {
		fr.room.right = max(fr.room.right, directLead+small.Width(l.style.Label)+textGap)
	}
}

// dodge makes an axis of numbers so much longer that points that stand beside their values
// are inside.
func (fr *frame) dodge(width vg.Length) {
	if fr.Kind != "points" || fr.X.Scale == Categories || fr.X.NoRoom {
		return
	}
	k := vg.Length(len(fr.Series))
	need := (k-1)/2*fr.shift() + markerRadius + 1.5
	within := extent{math.Inf(1), math.Inf(-1)}
	for _, t := range fr.X.Ticks {
		within.hold(fr.X.at(t))
	}
	if within.empty() || within.low == within.high {
		return
	}
	pad := float64(need/(width-2*need)) * (within.high - within.low)
	fr.X.low, fr.X.high = min(fr.X.low, within.low-pad), max(fr.X.high, within.high+pad)
}

// draw draws the panel where it was placed, c being the page.
func (fr *frame) draw(c draw.Canvas, styles map[string]Style) {
	canvas := &Canvas{Canvas: draw.Canvas{Canvas: c.Canvas, Rectangle: fr.data}, Panel: &fr.Panel, Styles: styles}
	canvas.grid()
	fr.Marks(canvas)
	line := draw.LineStyle{Color: ink, Width: thin}
	canvas.SetLineStyle(line)
	canvas.Stroke(canvas.Rectangle.Path())
	fr.drawTicks(canvas, line)
	small, label := textStyle(smallText), textStyle(labelText)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	center := canvas.Center()
	c.FillText(label, vg.Point{X: center.X, Y: fr.data.Max.Y + textGap}, fr.title)
	c.FillText(label, vg.Point{X: center.X, Y: fr.data.Min.Y - fr.room.bottom}, fr.xLabel)
	writeUpright(c, vg.Point{X: fr.data.Min.X - fr.names, Y: center.Y}, fr.yLabel)
	small.YAlign = draw.YCenter
	for _, l := range fr.ends {
		l.draw(canvas, small)
	}
}

// writeUpright writes a label of a vertical axis to the left of a point.
func writeUpright(c draw.Canvas, at vg.Point, label string) {
	sty := textStyle(labelText)
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, draw.XCenter, draw.YBottom
	c.FillText(sty, vg.Point{X: at.X - 2*textGap, Y: at.Y}, label)
}

func (fr *frame) drawTicks(c *Canvas, line draw.LineStyle) {
	txt := textStyle(smallText)
	txt.XAlign, txt.YAlign = draw.XRight, draw.YCenter
	for _, t := range fr.yTicks {
		y := c.Y(fr.Y.part(t.Value))
		c.StrokeLine2(line, c.Min.X-t.length(), y, c.Min.X, y)
		if !fr.bareY {
			c.FillText(txt, vg.Point{X: c.Min.X - tickLength - textGap, Y: y + labelRise}, t.Label)
		}
	}
	txt.XAlign, txt.YAlign, txt.Rotation = draw.XCenter, draw.YTop, fr.turned
	if fr.turned != 0 {
		txt.XAlign, txt.YAlign = draw.XRight, draw.YCenter
	}
	for _, t := range fr.xTicks {
		x := c.X(fr.X.part(t.Value))
		c.StrokeLine2(line, x, c.Min.Y-t.length(), x, c.Min.Y)
		if !fr.bareX {
			below := vg.Point{X: x, Y: c.Min.Y - tickLength - textGap}
			if fr.turned != 0 && fr.turned < math.Pi/2 {
				below.Y -= smallText / 4
			}
			c.FillText(txt, below, t.Label)
		}
	}
}
