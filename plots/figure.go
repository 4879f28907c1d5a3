package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Width is the width of a figure on an IEEE page.
type Width vg.Length

// The two widths that an IEEE page has room for.
const (
	OneColumn  = Width(3.5 * vg.Inch)  // panels below one another
	TwoColumns = Width(7.16 * vg.Inch) // panels side by side
)

// Figure is one or more panels under one legend.
type Figure struct {
	Name   string // of its files, without extension
	Width  Width  // OneColumn where it is 0
	Panels []Panel
	Styles Styles // of its policies; one that has none takes a spare style
	// Note stands below the panels: the workload, synthetic or not, and what
	// the error bars are.
	Note string
}

// Panel is one pair of axes of a [Figure].
type Panel interface {
	// Policies returns what is drawn, in the order of the legend.
	Policies() []string
	// Plot returns the axes with all in them but a legend; styles holds a style
	// for each of the policies.
	Plot(styles map[string]Style) *plot.Plot
}

const (
	margin      = vg.Length(2)  // pt: around everything
	space       = vg.Length(5)  // pt: between legend, panels and note
	noteLine    = vg.Length(10) // pt: from line to line of the note
	panelHeight = 1.6 * vg.Inch
)

// page is a figure with everything measured.
type page struct {
	width, height vg.Length
	legend        legend
	panels        [][]*plot.Plot
	note          []string
}

// compose measures the figure.
func (f Figure) compose() (*page, error) {
	if len(f.Panels) == 0 {
		return nil, errors.New("a figure without panels")
	}
	policies := f.policies()
	chosen, err := f.Styles.For(policies)
	if err != nil {
		return nil, err
	}
	pg := &page{width: vg.Length(f.Width)}
	if f.Width == 0 {
		pg.width = vg.Length(OneColumn)
	}
	inner := pg.width - 2*margin
	var entries []Style
	for _, p := range policies {
		entries = append(entries, chosen[p])
	}
	pg.legend = newLegend(entries, inner)
	pg.note = wrap(f.Note, inner)
	pg.panels = f.arrange(chosen, pg.width > vg.Length(OneColumn))
	pg.height = 2*margin + pg.legend.height() + space + vg.Length(len(pg.panels))*panelHeight + pg.noteHeight()
	return pg, nil
}

// policies returns those of all panels, each once.
func (f Figure) policies() []string {
	var all []string
	for _, p := range f.Panels {
		for _, name := range p.Policies() {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// arrange puts the panels in a row or a column. Several are lettered (a), (b)
// at their top; in a column of panels with the same horizontal axis the last
// alone carries its label.
func (f Figure) arrange(styles map[string]Style, row bool) [][]*plot.Plot {
	var ps []*plot.Plot
	for i, p := range f.Panels {
		out := p.Plot(styles)
		if len(f.Panels) > 1 {
			out.Title.Text = fmt.Sprintf("(%c)", 'a'+i)
		}
		ps = append(ps, out)
	}
	if row {
		return [][]*plot.Plot{ps}
	}
	var column [][]*plot.Plot
	for i, p := range ps {
		if i+1 < len(ps) && p.X.Label.Text == ps[i+1].X.Label.Text {
			p.X.Label.Text = ""
		}
		column = append(column, []*plot.Plot{p})
	}
	return column
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
	pg.legend.draw(c)
	txt := textStyle(smallText)
	txt.YAlign = draw.YBottom
	for i, line := range pg.note {
		c.FillText(txt, vg.Point{X: c.Min.X, Y: c.Min.Y + noteLine*vg.Length(len(pg.note)-1-i) + 2}, line)
	}
	body := draw.Crop(c, 0, 0, pg.noteHeight(), -pg.legend.height()-space)
	tiles := draw.Tiles{Rows: len(pg.panels), Cols: len(pg.panels[0]), PadX: 2 * space, PadY: space}
	for j, row := range plot.Align(pg.panels, tiles, body) {
		for i, canvas := range row {
			pg.panels[j][i].Draw(canvas)
		}
	}
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
