package mtp

import (
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// seriesLabels are the metrics of figures 3 and 4 and how their axes are labelled.
var seriesLabels = map[string]string{
	results.MetricUtilization + ":cpu":       "Utilization,\ncpu",
	results.MetricUtilization + ":mem":       "Utilization,\nmemory",
	results.MetricUtilization + ":bandwidth": "Utilization,\nbandwidth",
	results.MetricEnviousness:                "Max enviousness (%)",
}

// draw makes the figure of an item from its table: in figures 3 and 4 utilization of
// cpu, memory and bandwidth, or the largest enviousness, against the time in hours, a
// panel a metric; in figure 5 the distribution of the completion times. It returns an
// error where the item has no rows, or rows of two workloads or settings.
//
// Reference: multi-AP paper (MTP), sections 6.2 to 6.4.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	f := plots.Figure{Name: "mtp-" + item}
	var used []results.Row
	for _, r := range rows {
		if shown := seriesLabels[r.Metric] != "" && item != "fig5" || item == "fig5" && r.Metric == results.MetricCompletion; r.Item == item && shown {
			used = append(used, r)
		}
	}
	err := plots.Same(used, "workload", "bandwidth_mhz", "hours")
	if err == nil && item != "fig5" {
		f.Panels, err = plots.TimePanels(used, plots.Hours, func(metric string) string { return seriesLabels[metric] })
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	if item == "fig5" {
		f.Panels = []plots.Panel{completionTimes(used)}
	}
	f.Note = note(used)
	return []plots.Figure{f}, nil
}

// leastShare is the share at which figure 5 begins: a few jobs take microseconds.
const leastShare = 0.01

// completionTimes draws the distribution function of the jobs' completion times in
// minutes, of all instances together, on a logarithmic axis.
func completionTimes(rows []results.Row) plots.Panel {
	p := &plots.Lines{XLabel: "Completion time (min)", YLabel: "Share of jobs", LogX: true}
	for _, policy := range results.PoliciesOf(rows) {
		var minutes []float64
		for _, r := range rows {
			if r.Policy == policy {
				minutes = append(minutes, r.Value/60)
			}
		}
		p.AddDistribution(policy, minutes, leastShare)
	}
	return p
}

// note says what the rows have in common.
func note(rows []results.Row) string {
	instances := int64(0)
	for _, r := range rows {
		instances = max(instances, r.Instance+1)
	}
	count := fmt.Sprintf("%d instances", instances)
	if instances == 1 {
		count = "one instance"
	}
	return fmt.Sprintf("Workload: %s; 5 access points of %g MHz; %s (%s).", rows[0].Workload, rows[0].Point.Number("bandwidth_mhz"), count, setup(rows[0].Point))
}

// setup writes the parameters that tell one run from another.
func setup(p results.Point) string {
	var pairs []string
	for _, name := range []string{"fraction", "gamma", "hours", "longest_h"} {
		if v := p.At(name); !v.IsNull() {
			pairs = append(pairs, name+"="+v.String())
		}
	}
	return strings.Join(pairs, ",")
}
