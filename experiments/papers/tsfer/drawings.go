package tsfer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// draw makes the figure of an item from its table; tables have none.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	f := plots.Figure{Name: "tsf-er-" + item}
	var err error
	if of, ok := drawings[item]; ok {
		f.Panels, f.Note, err = of.points(item, rows)
	} else if slices.Contains([]string{"fig5", "fig6", "fig7"}, item) {
		f.Panels, f.Note, err = overTime(item, rows)
	} else {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return []plots.Figure{f}, nil
}

// drawing is a figure of means: a panel a metric, against one horizontal axis.
type drawing struct {
	*axis
	metrics []labelled
}

// labelled is a metric and how its axis is labelled.
type labelled struct{ metric, label string }

// axis is a horizontal axis.
type axis struct {
	label string
	order []string // of the policies
	place func(*results.Cell) float64
	text  func(float64) string // how a place is written
	// note says what the cells have in common, and is an error where they have not.
	note func([]results.Cell) (string, error)
}

// againstRho is the axis of figures 3 and 4. In a legend of four columns, what differs
// only in its family stands in one column.
var againstRho = &axis{
	"Server heterogeneity ρ", []string{"tsf-er", "tsf-cpu", "tsf-mem", "tsf-eq", "drf-er", "drf-cpu", "drf-mem", "drf-eq"},
	func(c *results.Cell) float64 { return c.Point.Number("rho") }, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }, noteOfJobs,
}

// againstSlot is the axis of figures 8 to 10.
var againstSlot = &axis{
	"Reallocation slot", []string{"tsf-er", "mnw", "cru"},
	func(c *results.Cell) float64 { return c.Point.Number("slot_s") }, span, noteOfRuns,
}

// drawings are the figures of means. Figure 3 is SI violation against server
// heterogeneity: in (a) the mean minimum restricted task ratio, which is 1 where SI
// holds at all times, in (b) the share of time in which SI is violated. Figure 4 is PO
// violation: the mean domination factor, which is 1 where the allocation is Pareto
// optimal at all times. Figures 8 to 10 are against the reallocation slot.
//
// Reference: TSF-ER paper, sections 6.2 and 6.3.
// Deviations: points with intervals instead of the paper's plots (which the text lacks).
var drawings = map[string]drawing{
	itemFig3: {againstRho, []labelled{{results.MetricMinTaskRatio, "Mean minimum\nrestricted task ratio"}, {results.MetricSIViolation, "SI violation\ntime ratio"}}},
	itemFig4: {againstRho, []labelled{{results.MetricDomination, "Mean domination factor"}}},
	"fig8":   {againstSlot, []labelled{{results.MetricJCTFactor, "Mean JCT factor"}}},
	"fig9":   {againstSlot, []labelled{{results.MetricMinEFSat, "Mean MIN-EF-SAT"}}},
	"fig10":  {againstSlot, []labelled{{results.MetricMinTaskRatio, "Mean MIN-SI-SAT"}}},
}

// points draws the panels of an item: at each place on the axis one point a policy. It
// is an error if a cell is missing or there twice.
func (d drawing) points(item string, rows []results.Row) (panels []plots.Panel, note string, err error) {
	cells, err := results.Summarize(rows)
	if err != nil {
		return nil, "", err
	}
	order := plots.ByRank(d.order...)
	slices.SortStableFunc(cells, func(a, b results.Cell) int {
		return cmp.Or(order(a.Policy, b.Policy), cmp.Compare(d.place(&a), d.place(&b)))
	})
	var used []results.Cell
	for _, m := range d.metrics {
		p := &plots.Points{XLabel: d.label, YLabel: m.label}
		for _, c := range cells {
			if c.Item == item && c.Metric == m.metric {
				used = append(used, c)
				err = cmp.Or(err, p.Add(c.Policy, d.text(d.place(&c)), c.Summary))
			}
		}
		if err := cmp.Or(err, p.Full()); err != nil {
			return nil, "", fmt.Errorf("%s: %w", m.metric, err)
		}
		panels = append(panels, p)
	}
	note, err = d.note(used)
	return panels, note, err
}

// agree is [plots.Same] of cells.
func agree(cells []results.Cell, axes ...string) error {
	var rows []results.Row
	for _, c := range cells {
		rows = append(rows, c.Row())
	}
	return plots.Same(rows, axes...)
}

func noteOfJobs(cells []results.Cell) (string, error) {
	if err := agree(cells, "workload", "n", "bandwidth_mhz"); err != nil {
		return "", err
	}
	first := cells[0]
	least, most := first.Summary.N, first.Summary.N
	for _, c := range cells {
		least, most = min(least, c.Summary.N), max(most, c.Summary.N)
	}
	instances := strconv.Itoa(most)
	if least < most {
		instances = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("Workload: %s; %g jobs, %g MHz. Error bars: 95%% intervals over %s instances.",
		first.Workload, first.Point.Number("n"), first.Point.Number("bandwidth_mhz"), instances), nil
}

func noteOfRuns(cells []results.Cell) (string, error) {
	return fmt.Sprintf("Workload: %s; 20 servers, %g MHz; one run a point.", cells[0].Workload, cells[0].Point.Number("bandwidth_mhz")), agree(cells, "workload")
}

// overTime draws one of figures 5–7 from the rows of its item: a panel a metric, a curve
// a policy, against the time in days. It returns an error where the item has no rows, or
// rows of two workloads or slots.
//
// Reference: TSF-ER paper, section 6.3.
func overTime(item string, rows []results.Row) (panels []plots.Panel, note string, err error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Item != item })
	if err := plots.Same(rows, "workload", "slot_s"); err != nil {
		return nil, "", err
	}
	panels, err = plots.TimePanels(rows, plots.Days, seriesLabel)
	return panels, fmt.Sprintf("Workload: %s; 20 servers, %g MHz, a slot of %s; by the hour.", rows[0].Workload, rows[0].Point.Number("bandwidth_mhz"), span(rows[0].Point.Number("slot_s"))), err
}

// seriesLabel labels the vertical axis of a metric.
func seriesLabel(metric string) string {
	name, of, _ := strings.Cut(metric, ":")
	switch name {
	case results.MetricUtilization:
		return "Utilization,\n" + of
	case results.MetricWaitingTasks:
		return "Waiting tasks"
	case results.MetricArrivedTasks:
		return "Tasks arrived\nin the past hour"
	}
	return metric
}

// span writes a length of time in the largest unit that divides it: s, h, d or
// weeks.
func span(s float64) string {
	for _, u := range []struct {
		s    float64
		name string
	}{{604800, "wk"}, {86400, "d"}, {3600, "h"}} {
		if k := s / u.s; k >= 1 && k == float64(int(k)) {
			return strconv.Itoa(int(k)) + " " + u.name
		}
	}
	return strconv.FormatFloat(s, 'g', -1, 64) + " s"
}
