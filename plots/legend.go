package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	sampleWidth = vg.Length(17)  // pt: the line beside a label
	sampleGap   = vg.Length(3)   // pt: between line and label
	labelRise   = vg.Length(0.6) // pt: capitals stand above the middle of a line of text
	leastGap    = vg.Length(6)   // pt: between columns
	mostGap     = vg.Length(14)  // pt: between columns
	legendRow   = vg.Length(11)  // pt: from row to row
)

// legend is a table of labels above the panels, filled row by row.
type legend struct {
	styles  []Style
	columns []vg.Length // widths without gaps
	gap     vg.Length
	sample  sample
}

// sample is what stands beside a label: as much as the panels show of a series.
type sample int

const (
	lineSample sample = iota
	markSample
	fillSample
	spanSample
	patchSample
)

// sample is that of a panel.
func (p *Panel) sample() sample {
	switch {
	case p.Kind == "spans":
		return spanSample
	case p.Kind == Placements:
		return patchSample
	case p.Kind == "bars":
		return fillSample
	case p.Kind == "boxes" || p.Kind == "points" && p.X.Scale == Categories:
		return markSample
	}
	return lineSample
}

// newLegend is the legend of a figure, in one column if it stands beside the panels.
func (f Figure) newLegend(chosen map[string]Style, width vg.Length, beside bool) legend {
	var styles []Style
	for _, name := range f.names() {
		styles = append(styles, chosen[name])
	}
	if beside {
		width = 0
	}
	l := newLegend(styles, width)
	l.sample = slices.MinFunc(f.Panels, func(p, q *Panel) int { return int(p.sample() - q.sample()) }).sample()
	return l
}

// newLegend spreads the entries over as few rows as fit in width, and over the
// rows as evenly as can be.
func newLegend(styles []Style, width vg.Length) legend {
	for rows := 1; rows <= len(styles); rows++ {
		l := legend{styles: styles, columns: make([]vg.Length, (len(styles)+rows-1)/rows)}
		sty, total, gaps := textStyle(smallText), vg.Length(0), vg.Length(len(l.columns)-1)
		for i, s := range styles {
			w := &l.columns[i%len(l.columns)]
			*w = max(*w, sampleWidth+sampleGap+sty.Width(s.Label))
		}
		for _, w := range l.columns {
			total += w
		}
		if gaps == 0 || total+gaps*leastGap <= width {
			l.gap = min(mostGap, (width-total)/max(1, gaps))
			return l
		}
	}
	return legend{}
}

// width is that of all columns with their gaps.
func (l legend) width() vg.Length {
	total := -l.gap
	for _, w := range l.columns {
		total += w + l.gap
	}
	return total
}

func (l legend) height() vg.Length {
	if len(l.columns) == 0 {
		return 0
	}
	return legendRow * vg.Length((len(l.styles)+len(l.columns)-1)/len(l.columns))
}

// draw draws the legend in the middle of the top of c.
func (l legend) draw(c draw.Canvas) {
	left := []vg.Length{c.Center().X - l.width()/2}
	for _, w := range l.columns {
		left = append(left, left[len(left)-1]+w+l.gap)
	}
	txt := textStyle(smallText)
	txt.YAlign = draw.YCenter
	for i, s := range l.styles {
		x := left[i%len(l.columns)]
		y := c.Max.Y - legendRow*(vg.Length(i/len(l.columns))+0.5)
		switch middle := (vg.Point{X: x + sampleWidth/2, Y: y}); l.sample {
		case fillSample:
			s.fillRectangle(c, vg.Rectangle{Min: vg.Point{X: x + sampleWidth/4, Y: y - 3}, Max: vg.Point{X: x + sampleWidth, Y: y + 3}})
		case patchSample:
			c.FillPolygon(shade(s.Color, shadeOfUser), corners(x+sampleWidth-rampHeight, y-rampHeight/2, x+sampleWidth, y+rampHeight/2))
		case spanSample:
			c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: 3}, x, y, x+sampleWidth, y)
		case lineSample:
			c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: thin, Dashes: s.Dashes}, x, y, x+sampleWidth, y)
			fallthrough
		default:
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.Color, Radius: markerRadius, Shape: s.Marker}, middle)
		}
		c.FillText(txt, vg.Point{X: x + sampleWidth + sampleGap, Y: y + labelRise}, s.Label)
	}
}
