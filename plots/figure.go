package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is one or more panels under one legend.
type Figure struct {
	Name  string // of its files, without extension
	Title string
	// Caption says what the figure shows, where it is not drawn: in the title of an SVG.
	Caption string
	Width   Length // OneColumn where it is 0
	Height  Length // of the page; 0: as the panels need
	Panels  []*Panel
	Styles  Styles // of its series; one that has none takes a free look
	// Legend is top, right, direct or none; "": direct where there is room, or else top.
	Legend string
	// Note stands below the panels: the workload, synthetic or not, and what
	// the error bars are.
	Note string

	columns int // of panels; 0: as there is room for
}

const (
	margin    = vg.Length(2)  // pt: around everything
	space     = vg.Length(5)  // pt: between legend, panels and note
	noteLine  = vg.Length(10) // pt: from line to line of the note
	titleLine = vg.Length(14) // pt: of the figure's title
)

// page is a figure with everything measured.
type page struct {
	width, height vg.Length
	title         string
	styles        map[string]Style
	legend        legend
	ramp          *Ramp
	right         bool // the legend stands to the right of the panels
	panels        *grid
	note          []string
}

// compose measures the figure.
func (f Figure) compose() (*page, error) {
	if len(f.Panels) == 0 {
		return nil, errors.New("a figure without panels")
	}
	chosen, err := f.Styles.For(f.names())
	if err != nil {
		return nil, err
	}
	pg := &page{width: vg.Length(f.Width), title: f.Title, styles: chosen, ramp: f.Panels[0].Ramp}
	if f.Width == 0 {
		pg.width = vg.Length(OneColumn)
	}
	inner := pg.width - 2*margin
	pg.note = wrap(f.Note, inner)
	ends := f.direct(chosen, inner, f.panelHeight())
	if ends == nil && f.Legend != "none" && !f.named() && pg.ramp == nil {
		pg.right = f.Legend == "right"
		pg.legend = f.newLegend(chosen, inner, pg.right)
	}
	if pg.right {
		inner -= pg.legend.width() + 2*space
	}
	pg.panels = f.arrange(inner, ends)
	rows := vg.Length(pg.panels.rows())
	pg.panels.height = f.panelHeight()
	pg.height = rows*pg.panels.height + pg.surround()
	if f.Height > 0 {
		pg.height = vg.Length(f.Height)
		pg.panels.height = (pg.height - pg.surround()) / rows
		if pg.panels.height < leastHeight {
			return nil, fmt.Errorf("a height of %.4gin leaves the data of %d rows of panels less than %.4gin each", float64(f.Height)/72, int(rows), float64(leastHeight)/72)
		}
	}
	if ends != nil {
		spreadOut(ends, pg.panels.height)
	}
	return pg, nil
}

// panelHeight is that of the panel that wants most.
func (f Figure) panelHeight() vg.Length {
	most := panelHeight
	for _, p := range f.Panels {
		most = max(most, p.tall)
	}
	return most
}

// surround is the height of all but the data.
func (pg *page) surround() vg.Length {
	return 2*margin + pg.head() + pg.panels.surround() + pg.noteHeight()
}

// head is the height of what stands above the panels.
func (pg *page) head() vg.Length {
	h := vg.Length(0)
	if pg.title != "" {
		h += titleLine
	}
	switch {
	case pg.ramp != nil:
		h += pg.ramp.height(pg.width-2*margin) + space
	case !pg.right && pg.legend.height() > 0:
		h += pg.legend.height() + space
	}
	return h
}

// names returns the series of all panels, each once; none of heat maps.
func (f Figure) names() []string {
	var all []string
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if p.Ramp == nil && !slices.Contains(all, s.Name) {
				all = append(all, s.Name)
			}
		}
	}
	return all
}

// named reports whether axes or titles name all series already.
func (f Figure) named() bool {
	return !slices.ContainsFunc(f.Panels, func(p *Panel) bool { return !p.named })
}

// share gives panels of one metric over one column the same axes, so that they can be
// compared, and heat maps one ramp.
func (f *Figure) share() {
	for _, p := range f.Panels {
		for _, q := range f.Panels {
			p.X.share(&q.X)
			p.Y.share(&q.Y)
			if p.Ramp != nil && q.Ramp != nil {
				p.Ramp.Low, p.Ramp.High = min(p.Ramp.Low, q.Ramp.Low), max(p.Ramp.High, q.Ramp.High)
			}
		}
	}
}

// share makes an axis as long as another of the same quantity.
func (a *Axis) share(b *Axis) {
	if a.Label == b.Label && a.Scale == b.Scale && a.Scale != Categories {
		a.low, a.high, a.thousands = min(a.low, b.low), max(a.high, b.high), max(a.thousands, b.thousands)
	}
}

// letter returns a, b, … z, aa, ….
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

func (pg *page) noteHeight() vg.Length {
	if len(pg.note) == 0 {
		return 0
	}
	return space + noteLine*vg.Length(len(pg.note))
}

// draw draws the page on c, which is as large as the page.
func (pg *page) draw(c draw.Canvas) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	txt := textStyle(smallText)
	txt.YAlign = draw.YBottom
	for i, line := range pg.note {
		c.FillText(txt, vg.Point{X: c.Min.X, Y: c.Min.Y + noteLine*vg.Length(len(pg.note)-1-i) + 2}, line)
	}
	if pg.title != "" {
		txt := textStyle(labelText)
		txt.XAlign, txt.YAlign = draw.XCenter, draw.YTop
		c.FillText(txt, vg.Point{X: c.Center().X, Y: c.Max.Y}, pg.title)
		c = draw.Crop(c, 0, 0, 0, -titleLine)
	}
	switch {
	case pg.ramp != nil:
		pg.ramp.draw(c)
	case pg.right:
		pg.legend.draw(draw.Crop(c, c.Max.X-c.Min.X-pg.legend.width(), 0, 0, -space))
	default:
		pg.legend.draw(c)
	}
	pg.drawPanels(c)
}

// drawPanels draws the panels, below what stands above them, and the labels that they
// have in common.
func (pg *page) drawPanels(c draw.Canvas) {
	g, top := pg.panels, c.Max.Y-pg.head()
	if pg.title != "" {
		top += titleLine
	}
	g.place(vg.Point{X: c.Min.X, Y: top})
	data, names := g.frames[0].data, vg.Length(0)
	for i, fr := range g.frames {
		fr.draw(c, pg.styles)
		data.Min.Y, data.Max.X = min(data.Min.Y, fr.data.Min.Y), max(data.Max.X, fr.data.Max.X)
		if i%g.columns == 0 {
			names = max(names, fr.names)
		}
	}
	txt := textStyle(labelText)
	center := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
	txt.XAlign, txt.YAlign = draw.XCenter, draw.YBottom
	c.FillText(txt, vg.Point{X: center.X, Y: top - g.surround() - vg.Length(g.rows())*g.height}, g.xLabel)
	writeUpright(c, vg.Point{X: data.Min.X - names, Y: center.Y}, g.frames[0].shared)
}

// wrap breaks text at blanks into lines no wider than width; one word that is
// wider stands alone.
func wrap(txt string, width vg.Length) []string {
	sty := textStyle(smallText)
	var lines []string
	for _, word := range strings.Fields(txt) {
		if n := len(lines); n > 0 && sty.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
