package mtp

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// overTime draws figure 3 or 4 of the multi-AP paper from the rows of its item:
// utilization of cpu, memory and bandwidth, or the largest enviousness, against
// the time in hours, a panel a metric and a curve a policy. Rows without a place
// in a series are passed over. It returns an error where the item has no series,
// or series of two workloads or settings.
//
// Reference: multi-AP paper (MTP), sections 6.2 and 6.3.
func overTime(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "mtp-" + item, Width: w}
	labels := map[string]string{
		results.MetricUtilization + ":cpu": "Utilization,\ncpu", results.MetricUtilization + ":mem": "Utilization,\nmemory",
		results.MetricUtilization + ":bandwidth": "Utilization,\nbandwidth", results.MetricEnviousness: "Max enviousness (%)",
	}
	panels := map[string]*plots.Lines{}
	var used []results.Row
	for _, r := range rows {
		label, ok := labels[r.Metric]
		if r.Item != item || !ok {
			continue
		}
		p := panels[r.Metric]
		if p == nil {
			p = &plots.Lines{XLabel: "Time (h)", YLabel: label}
			panels[r.Metric] = p
			f.Panels = append(f.Panels, p)
		}
		p.Add(r.Policy, r.TimeS/3600, r.Value)
		used = append(used, r)
	}
	var err error
	f.Note, err = note(f.Name, used)
	return f, err
}

// distributionFrom is the share at which figure 5 begins.
const distributionFrom = 0.01

// distribution draws figure 5 of the multi-AP paper, the distribution function of
// the jobs' completion times in minutes, from the rows of item fig5: of all
// instances together, at most 2,000 points a curve. The axis is logarithmic and
// begins at the 1% quantile, since a few jobs take microseconds. Its errors are
// those of [overTime].
//
// Reference: multi-AP paper (MTP), section 6.4.
func distribution(rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "mtp-fig5", Width: w}
	var used []results.Row
	var order []string
	values := map[string][]float64{}
	for _, r := range rows {
		if r.Item != "fig5" || r.Metric != results.MetricCompletion {
			continue
		}
		if values[r.Policy] == nil {
			order = append(order, r.Policy)
		}
		values[r.Policy] = append(values[r.Policy], r.Value/60)
		used = append(used, r)
	}
	p := &plots.Lines{XLabel: "Completion time (min)", YLabel: "Share of jobs", LogX: true}
	for _, policy := range order {
		slices.Sort(values[policy])
		p.AddDistribution(policy, values[policy], distributionFrom)
	}
	f.Panels = []plots.Panel{p}
	var err error
	f.Note, err = note(f.Name, used)
	return f, err
}

// note says what the rows have in common; it is an error where they have
// not.
func note(figure string, rows []results.Row) (string, error) {
	if len(rows) == 0 {
		return "", fmt.Errorf("figure %s: no rows", figure)
	}
	first, instances := rows[0], int64(0)
	for _, r := range rows {
		if r.Workload != first.Workload || r.Parameters != first.Parameters || r.BandwidthMHz != first.BandwidthMHz {
			return "", fmt.Errorf("figure %s: rows of two runs, %q with %s, %g MHz and %q with %s, %g MHz", figure,
				first.Workload, first.Parameters, first.BandwidthMHz, r.Workload, r.Parameters, r.BandwidthMHz)
		}
		instances = max(instances, r.Instance+1)
	}
	count := fmt.Sprintf("%d instances", instances)
	if instances == 1 {
		count = "one instance"
	}
	return fmt.Sprintf("Workload: %s; 5 access points of %g MHz; %s (%s).", first.Workload, first.BandwidthMHz, count, first.Parameters), nil
}
