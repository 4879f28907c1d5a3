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

// overTime draws one of figures 5–7 of the TSF-ER paper from the rows of
// its item: a panel a metric, a curve a policy, against the time in days. It
// returns an error where the item has no rows, or rows of two workloads or
// slots.
//
// Reference: TSF-ER paper, section 6.3.
func overTime(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "tsf-er-" + item, Width: w}
	var first *results.Row
	panels := map[string]*plots.Lines{}
	for i := range rows {
		r := &rows[i]
		if r.Item != item {
			continue
		}
		if first == nil {
			first = r
		}
		if r.Workload != first.Workload || r.SlotS != first.SlotS {
			return plots.Figure{}, fmt.Errorf("figure %s: rows of two runs, %q with slots of %g s and %q of %g s",
				f.Name, first.Workload, first.SlotS, r.Workload, r.SlotS)
		}
		p := panels[r.Metric]
		if p == nil {
			p = &plots.Lines{XLabel: "Time (days)", YLabel: seriesLabel(r.Metric)}
			panels[r.Metric] = p
			f.Panels = append(f.Panels, p)
		}
		p.Add(r.Policy, r.TimeS/86400, r.Value)
	}
	if first == nil {
		return plots.Figure{}, fmt.Errorf("figure %s: no rows", f.Name)
	}
	f.Note = fmt.Sprintf("Workload: %s; 20 servers, %g MHz, a slot of %s; by the hour.", first.Workload, first.BandwidthMHz, span(first.SlotS))
	return f, nil
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

// slotAxes are figures 8–10: the metric and its label.
var slotAxes = map[string]labelled{
	"fig8":  {results.MetricJCTFactor, "Mean JCT factor"},
	"fig9":  {results.MetricMinEFSat, "Mean MIN-EF-SAT"},
	"fig10": {results.MetricMinTaskRatio, "Mean MIN-SI-SAT"},
}

// againstSlots draws one of figures 8–10 of the TSF-ER paper from the cells of
// its item: the metric against the reallocation slot, one point a policy. It
// returns an error where a cell is missing, or where the cells are not of one
// workload and one run a policy and slot.
//
// Reference: TSF-ER paper, section 6.3.
func againstSlots(item string, cells []results.Cell, w plots.Width) (plots.Figure, error) {
	a, ok := slotAxes[item]
	if !ok {
		return plots.Figure{}, fmt.Errorf("%s is not a figure against the slot", item)
	}
	used := selectCells(cells, item, a.metric)
	if len(used) == 0 {
		return plots.Figure{}, fmt.Errorf("figure tsf-er-%s: no rows", item)
	}
	var slots []float64
	var policies []string
	for _, c := range used {
		slots, policies = append(slots, c.SlotS), append(policies, c.Policy)
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	p := &plots.Points{XLabel: "Reallocation slot", YLabel: a.label}
	for _, s := range slots {
		p.Groups = append(p.Groups, span(s))
	}
	slices.SortFunc(policies, func(a, b string) int { return cmp.Or(cmp.Compare(rank3(a), rank3(b)), cmp.Compare(a, b)) })
	for _, policy := range slices.Compact(policies) {
		s, err := slotSeries(policy, used, slots)
		if err != nil {
			return plots.Figure{}, fmt.Errorf("figure tsf-er-%s: %w", item, err)
		}
		p.Series = append(p.Series, s)
	}
	note := fmt.Sprintf("Workload: %s; 20 servers, %g MHz; one run a point.", used[0].Workload, used[0].BandwidthMHz)
	return plots.Figure{Name: "tsf-er-" + item, Width: w, Panels: []plots.Panel{p}, Note: note}, nil
}

// slotSeries picks the cells of a policy, one a slot.
func slotSeries(policy string, cells []results.Cell, slots []float64) (plots.Series, error) {
	s := plots.Series{Policy: policy, Points: make([]results.Summary, len(slots))}
	for _, c := range cells {
		if c.Workload != cells[0].Workload {
			return plots.Series{}, fmt.Errorf("cells of two workloads, %q and %q", cells[0].Workload, c.Workload)
		}
		if c.Policy != policy {
			continue
		}
		at := &s.Points[slices.Index(slots, c.SlotS)]
		if at.N > 0 {
			return plots.Series{}, fmt.Errorf("policy %s, slot of %s: more than one cell", policy, span(c.SlotS))
		}
		*at = c.Summary
	}
	for i, v := range s.Points {
		if v.N == 0 {
			return plots.Series{}, fmt.Errorf("policy %s, slot of %s: no rows", policy, span(slots[i]))
		}
	}
	return s, nil
}

// rank3 puts the rules of the paper's tables in their order.
func rank3(policy string) int {
	if i := slices.Index([]string{"tsf-er", "mnw", "cru"}, policy); i >= 0 {
		return i
	}
	return 3
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
