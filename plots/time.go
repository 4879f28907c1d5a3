package plots

import (
	"errors"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: "time", Title: "curves over time, through the means of several instances",
		Axis: []Kind{Times}, Usual: []Kind{Times}, Draw: drawTime,
	})
}

// drawTime draws a curve a policy, in the unit of time that fits.
func drawTime(d Data) (Panel, string, error) {
	rows := d.Rows
	if slices.ContainsFunc(rows, func(r results.Row) bool { return r.Instance != rows[0].Instance }) {
		cells, err := results.Summarize(rows) // ordered by policy and time
		if err != nil {
			return nil, "", err
		}
		rows = nil
		for _, c := range inOrderOf(d.Rows, cells) {
			r := c.Row()
			r.Value = c.Mean
			rows = append(rows, r)
		}
	}
	last := 0.0
	for i := range rows {
		last = max(last, rows[i].TimeS)
	}
	unit := Seconds
	for _, u := range []TimeUnit{Minutes, Hours, Days} {
		if last >= 3*u.S {
			unit = u
		}
	}
	p, err := TimePanel(rows, unit, d.Label)
	return p, "", err
}

// TimeUnit is a unit of a time axis.
type TimeUnit struct {
	Name string
	S    float64 // its length in s
}

// The units of time axes.
var (
	Seconds = TimeUnit{"s", 1}
	Minutes = TimeUnit{"min", 60}
	Hours   = TimeUnit{"h", 3600}
	Days    = TimeUnit{"days", 86400}
)

// TimePanel returns a panel of a curve a policy through the rows' values over time. It
// is an error if there are no rows, or those of a policy are not in order of time.
func TimePanel(rows []results.Row, unit TimeUnit, label string) (*Lines, error) {
	p := &Lines{XLabel: "Time (" + unit.Name + ")", YLabel: label}
	for i := range rows {
		p.Add(rows[i].Policy, rows[i].TimeS/unit.S, rows[i].Value)
	}
	for _, c := range p.Curves {
		if !slices.IsSorted(c.X) {
			return nil, fmt.Errorf("the rows of %s are not in order of time", c.Policy)
		}
	}
	if len(p.Curves) == 0 {
		return nil, errors.New("no rows")
	}
	return p, nil
}

// TimePanels returns a panel a metric, in the order in which they come in the rows.
func TimePanels(rows []results.Row, unit TimeUnit, label func(metric string) string) ([]Panel, error) {
	var metrics []string
	of := map[string][]results.Row{}
	for i := range rows {
		m := rows[i].Metric
		if of[m] == nil {
			metrics = append(metrics, m)
		}
		of[m] = append(of[m], rows[i])
	}
	var panels []Panel
	for _, m := range metrics {
		p, err := TimePanel(of[m], unit, label(m))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		panels = append(panels, p)
	}
	return panels, nil
}
