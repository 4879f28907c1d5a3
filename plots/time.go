package plots

import (
	"cmp"
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
	rows, instances, err := Means(d.Rows)
	if err != nil {
		return nil, "", err
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
	if err != nil || instances == 1 {
		return p, "", err
	}
	return p, fmt.Sprintf("Means over %d instances.", instances), nil
}

// Means returns rows with the mean of every cell over its instances, in order of time,
// and the number of instances; rows of one instance as they are.
func Means(rows []results.Row) ([]results.Row, int, error) {
	instances := map[int64]bool{}
	for i := range rows {
		instances[rows[i].Instance] = true
	}
	if len(instances) <= 1 {
		return rows, 1, nil
	}
	cells, err := results.Summarize(rows)
	if err != nil {
		return nil, 0, err
	}
	left := map[results.Key]float64{}
	for _, c := range cells {
		left[c.Key] = c.Mean
	}
	var means []results.Row
	for _, r := range rows {
		if mean, ok := left[r.Key()]; ok {
			delete(left, r.Key())
			r.Value = mean
			means = append(means, r)
		}
	}
	slices.SortStableFunc(means, func(a, b results.Row) int { return cmp.Compare(a.TimeS, b.TimeS) })
	return means, len(instances), nil
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
