package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: Placements, Title: "who runs where: a lane a server, filled as far as it is used, in the colours of a few users or by its load; a panel a rule",
		Axis: []Kind{Times}, Pooled: []string{"user", "server", "class", "servers", "lane", "users", "until_s", "base", "period_s"}, Raw: true, Apart: true, Draw: drawPlacements,
	})
}

// Placements is the name of the form that shows who runs where.
const Placements = "placements"

const (
	laneHeight  = vg.Length(2.2)         // pt: of a lane, where there are many
	mostTall    = vg.Length(4 * vg.Inch) // pt: of all lanes
	laneGap     = 0.14                   // of a lane's height, to the next one
	mostLabels  = 24                     // lanes with a name each
	thinLane    = vg.Length(4)           // pt: lanes of less have no gap
	overlap     = vg.Length(0.15)        // pt: of bars that touch
	classLine   = vg.Length(0.6)
	noLoad      = 0xf4 // grey of a lane where nothing runs
	shadeOfUser = 0.8
)

// drawPlacements puts a bar from each row's time to its until_s into the lane of its
// server: two points with the bar's lower and upper edge.
func drawPlacements(d Data, p *Panel) (string, error) {
	p.Kind, p.Marks, p.Y.Marked, p.named = Placements, (*Canvas).placements, nil, false
	lanes, classes := lanesOf(d.Rows)
	p.Y.Label, p.Y.Scale, p.Y.NoRoom, p.X.NoRoom = "", Linear, true, true
	p.Y.From, p.Y.To = -0.5, float64(len(lanes))-0.5
	p.tall = min(mostTall, max(panelHeight, laneHeight*vg.Length(len(lanes))))
	p.labelLanes(lanes, classes)
	byLoad := !slices.ContainsFunc(d.Rows, func(r results.Row) bool { return r.User != "" })
	if byLoad {
		p.Ramp = &Ramp{Label: d.Label, Low: 0, High: 1, Middle: math.NaN()}
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Value == 0 {
			continue
		}
		from, err := p.X.place(r.Is(OverTime))
		if err != nil {
			return "", err
		}
		to, err := p.X.place(r.Is("until_s"))
		if err != nil {
			return "", err
		}
		y := float64(len(lanes)) - 1 - r.Point.Number("lane")
		value, _ := d.Value(r)
		bar := results.Summary{Mean: value, Low: y - 0.5, High: y + 0.5, N: 1}
		name := r.Is("server")
		if !byLoad {
			bar.Low += laneGap/2 + (1-laneGap)*r.Point.Number("base")
			bar.High = bar.Low + (1-laneGap)*value
			name = r.User
		}
		p.Add(name, from, bar)
		p.Add(name, to, bar)
	}
	return placementsNote(d.Rows, lanes, byLoad), nil
}

// lanesOf returns the rows' lanes, each as a row of it or nil where there is none, and of
// how many servers the lanes of a class are.
func lanesOf(rows []results.Row) (lanes []*results.Row, classes map[string]int) {
	classes = map[string]int{}
	for i := range rows {
		k := int(rows[i].Point.Number("lane"))
		for len(lanes) <= k {
			lanes = append(lanes, nil)
		}
		if lanes[k] == nil {
			lanes[k] = &rows[i]
			classes[rows[i].Is("class")] += int(rows[i].Point.Number("servers"))
		}
	}
	return lanes, classes
}

// labelLanes labels each lane or, of many, each class in its middle.
func (p *Panel) labelLanes(lanes []*results.Row, classes map[string]int) {
	text := map[float64]string{}
	put := func(y float64, s string) {
		p.Y.Ticks = append(p.Y.Ticks, y)
		text[y] = s
	}
	top := float64(len(lanes) - 1)
	if len(lanes) <= mostLabels {
		for k, l := range lanes {
			if l != nil {
				put(top-float64(k), l.Is("server"))
			}
		}
	} else {
		for k := 0; k < len(lanes); {
			end := k + 1
			for end < len(lanes) && (lanes[end] == nil || lanes[k] != nil && lanes[end].Is("class") == lanes[k].Is("class")) {
				end++
			}
			if lanes[k] != nil {
				put(top-float64(k+end-1)/2, fmt.Sprintf("%s (%d)", lanes[k].Is("class"), classes[lanes[k].Is("class")]))
				p.borders = append(p.borders, top-float64(end)+0.5)
			}
			k = end
		}
	}
	p.Y.Text = func(y float64) string { return text[y] }
}

// placementsNote says what the lanes are.
func placementsNote(rows []results.Row, lanes []*results.Row, byLoad bool) string {
	servers, most := 0, 0
	for _, l := range lanes {
		if l != nil {
			n := int(l.Point.Number("servers"))
			servers, most = servers+n, max(most, n)
		}
	}
	is := "Each lane is a server"
	if most > 1 {
		is = fmt.Sprintf("%d servers in %d lanes of up to %d, which show their mean", servers, len(lanes), most)
	}
	how := "filled height"
	if byLoad {
		how = "colour"
	}
	note := fmt.Sprintf("%s; its %s is the part in use of the resource most in use, mean over %s.", is, how, span(rows[0].Point.Number("period_s")))
	if users := rows[0].Is("users"); users != "" {
		note += fmt.Sprintf(" All %s users together.", users)
	}
	return note
}

// placements fills the bars: those of each series in its colour or, with a ramp, in that
// of their value.
func (c *Canvas) placements() {
	p := c.Panel
	low, high := c.Min.X, c.Max.X
	thick := c.At(0, 1).Y - c.At(0, 0).Y
	inset := -overlap
	switch {
	case p.Ramp == nil:
		inset = 0
	case thick >= thinLane:
		inset = thick * laneGap / 2
	}
	c.FillPolygon(color.White, corners(low, c.Min.Y, high, c.Max.Y))
	for k := 0; thick >= thinLane && float64(k) < p.Y.high; k++ {
		gap := thick * laneGap / 2
		c.FillPolygon(gray(noLoad), corners(low, c.At(0, float64(k)-0.5).Y+gap, high, c.At(0, float64(k)+0.5).Y-gap))
	}
	for _, s := range p.Series {
		fill := shade(c.Styles[s.Name].orBlack(), shadeOfUser)
		for bar := range slices.Chunk(s.Points, 2) {
			if p.Ramp != nil {
				fill = p.Ramp.color(bar[0].Mean)
			}
			from, to := c.At(bar[0].X, bar[0].Low), c.At(bar[1].X, bar[0].High)
			c.FillPolygon(fill, corners(from.X, max(c.Min.Y, from.Y+inset), min(high, to.X+overlap), min(c.Max.Y, to.Y-inset)))
		}
	}
	for _, y := range p.borders {
		if at := c.At(0, y).Y; at > c.Min.Y+1 {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: classLine}, low, at, high, at)
		}
	}
}

func corners(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// orBlack is the colour of a style; black of none.
func (s Style) orBlack() color.Color {
	if s.Color == nil {
		return color.Black
	}
	return s.Color
}
