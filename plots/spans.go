package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	for _, name := range d.Names {
		of := map[string]*extent{}
		var users []string
		for i := range d.Rows {
			r := &d.Rows[i]
			if r.Is(d.Color) != name {
				continue
			}
			at, err := p.X.place(r.Is(OverTime))
			if err != nil {
				return "", err
			}
			if of[r.User] == nil {
				of[r.User] = &extent{at, at}
				users = append(users, r.User)
			}
			of[r.User].hold(at)
		}
		for k, user := range users {
			for _, x := range []float64{of[user].low, of[user].high} {
				p.point(name, single(x, float64(k)))
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
