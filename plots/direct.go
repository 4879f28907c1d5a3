package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// directLabel is the name of a series to the right of its curve.
type directLabel struct {
	style Style
	x, y  float64 // the end of the curve
	want  float64 // its place, as a part of the height
	at    float64 // that of the label
}

const (
	mostDirect  = 6              // labels
	directGap   = vg.Length(8.5) // pt: from label to label
	mostShift   = vg.Length(13)  // pt: of a label from the end of its curve
	directLead  = vg.Length(9)   // pt: from the panel to its labels
	mostOfWidth = 0.3            // that labels may take
)

// direct names the series of the only panel at the ends of their curves, in a page of the
// given width and data of the given height; nil if that is not wanted, or there is no room.
func (f Figure) direct(styles map[string]Style, width, height vg.Length) []directLabel {
	p := f.Panels[0]
	if f.Legend != "" && f.Legend != "direct" || len(f.Panels) != 1 || p.Ramp != nil || p.X.Scale == Categories || len(p.Series) < 2 || len(p.Series) > mostDirect {
		return nil
	}
	var labels []directLabel
	for _, s := range p.Series {
		if len(s.Points) == 0 {
			return nil
		}
		end := s.Points[len(s.Points)-1]
		l := directLabel{style: styles[s.Name], x: end.X, y: end.Mean, want: p.Y.part(p.Y.at(end.Mean))}
		room := float64((textStyle(smallText).Width(l.style.Label) + directLead) / width)
		if f.Legend == "" && (room > mostOfWidth || p.X.part(p.X.at(end.X)) < 0.85) {
			return nil // too long, or of a curve that ends amid others
		}
		labels = append(labels, l)
	}
	if !spreadOut(labels, height) && f.Legend == "" {
		return nil
	}
	return labels
}

// spreadOut moves labels apart, and reports whether each is still near its curve.
func spreadOut(labels []directLabel, height vg.Length) bool {
	gap := float64(directGap / height)
	order := make([]*directLabel, len(labels))
	for i := range labels {
		labels[i].at = labels[i].want
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
		ok = ok && math.Abs(l.at-l.want) <= float64(mostShift/height) && (k == 0 || l.at-order[k-1].at > 0.9*gap)
	}
	return ok
}

// draw writes the label outside the panel, and joins it to the end of its curve.
func (l directLabel) draw(c *Canvas, txt draw.TextStyle) {
	end := c.At(l.x, l.y)
	at := vg.Point{X: c.Max.X + directLead, Y: c.Min.Y + vg.Length(l.at)*(c.Max.Y-c.Min.Y)}
	c.StrokeLine2(draw.LineStyle{Color: l.style.Color, Width: thin}, end.X+markerRadius+1, end.Y, at.X-textGap, at.Y)
	c.FillText(txt, vg.Point{X: at.X, Y: at.Y + labelRise}, l.style.Label)
}
