package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
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
	margin      = vg.Length(2)  // pt: around everything
	space       = vg.Length(5)  // pt: between legend, panels and note
	noteLine    = vg.Length(10) // pt: from line to line of the note
	titleLine   = vg.Length(14) // pt: of the figure's title
	panelHeight = 1.6 * vg.Inch
	leastPanel  = 0.7 * vg.Inch // of a panel in a figure of a given height
	facetWidth  = 1.55 * vg.Inch
	ownWidth    = 2.2 * vg.Inch // of a panel with a vertical axis of its own
)

// page is a figure with everything measured.
type page struct {
	width, height vg.Length
	title         string
	legend        legend
	ramp          *Ramp
	right         bool // the legend stands to the right of the panels
	panels        [][]*plot.Plot
	note          []string
	direct        []directLabel
}

// compose measures the figure.
func (f Figure) compose() (*page, error) {
	if len(f.Panels) == 0 {
		return nil, errors.New("a figure without panels")
	}
	names := f.names()
	chosen, err := f.Styles.For(names)
	if err != nil {
		return nil, err
	}
	first := *f.Panels[0] // direct labels make room for themselves on this page alone
	f.Panels = append([]*Panel{&first}, f.Panels[1:]...)
	pg := &page{width: vg.Length(f.Width), title: f.Title, ramp: f.Panels[0].Ramp}
	if f.Width == 0 {
		pg.width = vg.Length(OneColumn)
	}
	inner := pg.width - 2*margin
	var entries []Style
	for _, p := range names {
		entries = append(entries, chosen[p])
	}
	columns := f.arrangement(inner)
	rows := (len(f.Panels) + columns - 1) / columns
	if pg.direct = f.direct(chosen, inner/vg.Length(columns)); pg.direct == nil && f.Legend != "none" && !f.named() && pg.ramp == nil {
		pg.right = f.Legend == "right"
		if pg.right {
			pg.legend = newLegend(entries, 0)
		} else {
			pg.legend = newLegend(entries, inner)
		}
	}
	pg.note = wrap(f.Note, inner)
	body := vg.Length(rows) * panelHeight
	if f.Height > 0 {
		body = vg.Length(f.Height) - pg.surround()
		if body < vg.Length(rows)*leastPanel {
			return nil, fmt.Errorf("a height of %.4gin leaves %d rows of panels less than %.4gin each", float64(f.Height)/72, rows, float64(leastPanel)/72)
		}
	}
	pg.height = body + pg.surround()
	pg.panels = f.arrange(chosen, columns, inner/vg.Length(columns), body/vg.Length(rows))
	return pg, nil
}

// surround is the height of all but the panels.
func (pg *page) surround() vg.Length {
	return 2*margin + pg.head() + pg.noteHeight()
}

// head is the height of what stands above the panels.
func (pg *page) head() vg.Length {
	h := vg.Length(0)
	if pg.title != "" {
		h += titleLine
	}
	switch {
	case pg.ramp != nil:
		h += legendRow + space
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

// arrangement returns the number of columns of panels: as many as there is room for,
// evenly filled. Panels of curves over time want more width than others.
func (f Figure) arrangement(width vg.Length) int {
	if f.columns > 0 {
		return f.columns
	}
	least := ownWidth
	if f.alike(func(p *Panel) string { return p.Y.Label }) && !strings.HasPrefix(f.Panels[0].X.Label, "Time (") {
		least = facetWidth
	}
	most := max(1, min(len(f.Panels), int(width/least)))
	rows := (len(f.Panels) + most - 1) / most
	return (len(f.Panels) + rows - 1) / rows
}

// alike reports whether all panels say the same.
func (f Figure) alike(says func(*Panel) string) bool {
	return !slices.ContainsFunc(f.Panels, func(p *Panel) bool { return says(p) != says(f.Panels[0]) })
}

// share gives panels of one metric over one column the same axes, so that they can be
// compared, and heat maps one ramp.
func (f *Figure) share() {
	for _, p := range f.Panels {
		for _, q := range f.Panels {
			if p.X.Label == q.X.Label && p.X.Scale == q.X.Scale && p.X.Scale != Categories {
				p.X.low, p.X.high = min(p.X.low, q.X.low), max(p.X.high, q.X.high)
			}
			if p.Y.Label == q.Y.Label && p.Y.Scale == q.Y.Scale && p.Y.Scale != Categories {
				p.Y.low, p.Y.high = min(p.Y.low, q.Y.low), max(p.Y.high, q.Y.high)
				p.Y.thousands = max(p.Y.thousands, q.Y.thousands)
			}
			if p.Ramp != nil && q.Ramp != nil {
				p.Ramp.Low, p.Ramp.High = min(p.Ramp.Low, q.Ramp.Low), max(p.Ramp.High, q.Ramp.High)
			}
		}
	}
}

// arrange puts the panels in rows of the given number of columns. Several are lettered
// (a), (b) at their top. Where all panels of a column have the same horizontal axis the
// last alone carries its label, and where those of a row have the same vertical axis
// the first.
func (f Figure) arrange(styles map[string]Style, columns int, width, height vg.Length) [][]*plot.Plot {
	var grid [][]*plot.Plot
	for i, p := range f.Panels {
		out := p.plot(styles, width, height)
		if len(f.Panels) > 1 {
			out.Title.Text = strings.TrimSpace(fmt.Sprintf("(%s) %s", letter(i), p.Title))
		}
		if i+columns < len(f.Panels) && p.X.Label == f.Panels[i+columns].X.Label {
			out.X.Label.Text = ""
		}
		if i%columns > 0 && p.Y.title() == f.Panels[i-1].Y.title() {
			out.Y.Label.Text = ""
		}
		if i%columns == 0 {
			grid = append(grid, nil)
		}
		grid[len(grid)-1] = append(grid[len(grid)-1], out)
	}
	return grid
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
	if pg.title != "" {
		txt := textStyle(labelText)
		txt.XAlign, txt.YAlign = draw.XCenter, draw.YTop
		c.FillText(txt, vg.Point{X: c.Center().X, Y: c.Max.Y}, pg.title)
	}
	txt := textStyle(smallText)
	txt.YAlign = draw.YBottom
	for i, line := range pg.note {
		c.FillText(txt, vg.Point{X: c.Min.X, Y: c.Min.Y + noteLine*vg.Length(len(pg.note)-1-i) + 2}, line)
	}
	below := c
	if pg.title != "" {
		below = draw.Crop(c, 0, 0, 0, -titleLine)
	}
	body := draw.Crop(c, 0, 0, pg.noteHeight(), -pg.head())
	switch {
	case pg.ramp != nil:
		pg.ramp.draw(below)
	case pg.right:
		w := pg.legend.width()
		pg.legend.draw(draw.Crop(below, below.Max.X-below.Min.X-w, 0, 0, -space))
		body = draw.Crop(body, 0, -w-2*space, 0, 0)
	default:
		pg.legend.draw(below)
	}
	pg.drawPanels(body)
}

func (pg *page) drawPanels(body draw.Canvas) {
	tiles := draw.Tiles{Rows: len(pg.panels), Cols: len(pg.panels[0]), PadX: 2 * space, PadY: space}
	full := make([][]*plot.Plot, len(pg.panels))
	for j, row := range pg.panels {
		full[j] = append(full[j], row...)
		for len(full[j]) < tiles.Cols {
			full[j] = append(full[j], nil)
		}
	}
	for j, row := range plot.Align(full, tiles, body) {
		for i, canvas := range row {
			if full[j][i] != nil {
				full[j][i].Draw(canvas)
			}
		}
	}
	if pg.direct != nil {
		p := pg.panels[0][0]
		pg.drawDirect(p.DataCanvas(plot.Align(full, tiles, body)[0][0]), p)
	}
}

// directLabel is the name of a series at the end of its curve.
type directLabel struct {
	style Style
	x, y  float64 // the end of the curve, scaled
	at    float64 // where the label stands, as a part of the height
}

const (
	mostDirect   = 6              // labels
	directGap    = vg.Length(8.5) // pt: from label to label
	mostShift    = vg.Length(13)  // pt: of a label from the end of its curve
	plotOverhead = vg.Length(40)  // pt: labels and ticks beside a panel's data
	labelLead    = vg.Length(9)   // pt: from the end of a curve to its label
	mostOfWidth  = 0.3            // that labels may take
)

// direct places the names of the series at the ends of their curves, and makes room for
// them; nil if that is not wanted, or there is no room.
func (f Figure) direct(styles map[string]Style, width vg.Length) []directLabel {
	p := f.Panels[0]
	if f.Legend != "" && f.Legend != "direct" || len(f.Panels) != 1 || p.Ramp != nil || p.X.Scale == Categories || len(p.Series) < 2 || len(p.Series) > mostDirect {
		return nil
	}
	var labels []directLabel
	widest := vg.Length(0)
	for _, s := range p.Series {
		if len(s.Points) == 0 {
			return nil
		}
		end := s.Points[len(s.Points)-1]
		sty := styles[s.Name]
		labels = append(labels, directLabel{style: sty, x: p.X.at(end.X), y: p.Y.at(end.Mean)})
		widest = max(widest, textStyle(smallText).Width(sty.Label)+labelLead+2*sampleGap)
	}
	data := width - plotOverhead
	part := float64(widest / data)
	height := panelHeight - plotOverhead
	if f.Height > 0 {
		height = vg.Length(f.Height) - plotOverhead
	}
	fits := f.Legend == "direct" || part <= mostOfWidth
	if !fits || !spreadOut(labels, p.Y.low, p.Y.high, height) && f.Legend != "direct" {
		return nil
	}
	for _, l := range labels {
		if f.Legend == "" && l.x < p.X.high-0.15*(p.X.high-p.X.low) {
			return nil // a curve that ends early has its label amid others
		}
	}
	if p.X.Ticks == nil {
		p.X.last = p.X.high
	}
	p.X.high += (p.X.high - p.X.low) * part / (1 - part)
	return labels
}

// spreadOut moves labels apart, and reports whether each is still near its curve.
func spreadOut(labels []directLabel, low, high float64, height vg.Length) bool {
	gap := float64(directGap / height)
	order := make([]*directLabel, len(labels))
	for i := range labels {
		labels[i].at = (labels[i].y - low) / (high - low)
		order[i] = &labels[i]
	}
	slices.SortStableFunc(order, func(a, b *directLabel) int { return int(math.Copysign(1, a.y-b.y)) })
	for range 100 {
		for k := 1; k < len(order); k++ {
			if lack := gap - (order[k].at - order[k-1].at); lack > 1e-9 {
				order[k-1].at -= lack / 2
				order[k].at += lack / 2
			}
		}
		order[0].at = max(order[0].at, gap/2)
		order[len(order)-1].at = min(order[len(order)-1].at, 1-gap/2)
	}
	ok := true
	for k, l := range order {
		want := (l.y - low) / (high - low)
		ok = ok && math.Abs(l.at-want) <= float64(mostShift/height) && (k == 0 || l.at-order[k-1].at > 0.9*gap)
	}
	return ok
}

// drawDirect writes the labels, each joined to the end of its curve.
func (pg *page) drawDirect(c draw.Canvas, p *plot.Plot) {
	txt := textStyle(smallText)
	txt.YAlign = draw.YCenter
	for _, l := range pg.direct {
		end := vg.Point{X: c.X(p.X.Norm(l.x)) + markerRadius + 1, Y: c.Y(p.Y.Norm(l.y))}
		at := vg.Point{X: end.X + labelLead, Y: c.Min.Y + vg.Length(l.at)*(c.Max.Y-c.Min.Y)}
		c.StrokeLine2(draw.LineStyle{Color: l.style.Color, Width: thin}, end.X, end.Y, at.X, at.Y)
		c.FillText(txt, vg.Point{X: at.X + 1.5, Y: at.Y + labelRise}, l.style.Label)
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
