package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: "spans", Title: "who is served when: a line a user from its first time to its last, a panel a rule",
		Axis: []Kind{Times}, Pooled: []string{"user"}, Raw: true, Draw: drawSpans,
	})
}

// drawSpans draws each user's time from its first row to its last, users below one
// another in the order of their first rows.
func drawSpans(d Data, p *Panel) (string, error) {
	type span struct{ from, to float64 }
	for _, name := range d.Names {
		of := map[string]*span{}
		var users []string
		for i := range d.Rows {
			r := &d.Rows[i]
			if r.Is(d.Color) != name {
				continue
			}
			at, err := p.X.place(strconv.FormatFloat(r.TimeS, 'g', -1, 64))
			if err != nil {
				return "", err
			}
			s := of[r.User]
			if s == nil {
				s = &span{math.Inf(1), math.Inf(-1)}
				of[r.User] = s
				users = append(users, r.User)
			}
			s.from, s.to = min(s.from, at), max(s.to, at)
		}
		for k, user := range users {
			for _, x := range []float64{of[user].from, of[user].to} {
				p.Add(name, x, results.Summary{Mean: float64(k), Low: float64(k), High: float64(k), N: 1})
			}
		}
	}
	p.Kind, p.Marks, p.Y.Marked = "spans", (*Canvas).spans, nil
	return "", nil
}

// spans draws a line from each odd point to the one after it, no closer than they can be
// told apart.
func (c *Canvas) spans() {
	users := 0
	for _, s := range c.Panel.Series {
		users = max(users, len(s.Points)/2)
	}
	width := min(3, max(0.2, 0.7*(c.Max.Y-c.Min.Y)/vg.Length(max(1, users))))
	for _, s := range c.Panel.Series {
		for pair := range slices.Chunk(s.Points, 2) {
			from, to := c.At(pair[0].X, pair[0].Mean), c.At(pair[1].X, pair[1].Mean)
			to.X = max(to.X, from.X+0.5)
			c.StrokeLine2(draw.LineStyle{Color: c.Styles[s.Name].Color, Width: width}, from.X, from.Y, to.X, to.Y)
		}
	}
}
