package tsfer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// figureOrder is the order of the policies in figures 3 and 4: in a legend of
// four columns, what differs only in its family stands in one column.
var figureOrder = []string{
	"tsf-er", "tsf-cpu", "tsf-mem", "tsf-eq",
	"drf-er", "drf-cpu", "drf-mem", "drf-eq",
}

const heterogeneity = "Server heterogeneity ρ"

// figure3 draws figure 3 of the TSF-ER paper, SI violation against server
// heterogeneity, from the cells of item fig3: in (a) the mean minimum
// restricted task ratio, which is 1 where SI holds at all times, in (b) the
// share of time in which SI is violated. The intervals of the cells are taken
// to be 95% intervals. It returns an error where a cell is missing, or where
// the cells are not of one workload, one n and one bandwidth.
//
// Reference: TSF-ER paper, section 6.2, figure 3.
// Deviations: points instead of the paper's plot (which the text lacks), with
// intervals.
func figure3(cells []results.Cell, w plots.Width) (plots.Figure, error) {
	return againstRho("tsf-er-fig3", "fig3", cells, w,
		labelled{results.MetricMinTaskRatio, "Mean minimum\nrestricted task ratio"},
		labelled{results.MetricSIViolation, "SI violation\ntime ratio"})
}

// figure4 draws figure 4 of the TSF-ER paper, PO violation against server
// heterogeneity, from the cells of item fig4: the mean domination factor, which
// is 1 where the allocation is Pareto optimal at all times. Its errors are
// those of [figure3].
//
// Reference: TSF-ER paper, section 6.2, figure 4.
func figure4(cells []results.Cell, w plots.Width) (plots.Figure, error) {
	return againstRho("tsf-er-fig4", "fig4", cells, w,
		labelled{results.MetricDomination, "Mean domination factor"})
}

// labelled is a metric and how its axis is labelled.
type labelled struct{ metric, label string }

// againstRho builds a figure of one panel a metric, each against ρ.
func againstRho(name, item string, cells []results.Cell, w plots.Width, axes ...labelled) (plots.Figure, error) {
	f := plots.Figure{Name: name, Width: w}
	var used []results.Cell
	for _, a := range axes {
		of := selectCells(cells, item, a.metric)
		p, err := rhoPanel(of, a)
		if err != nil {
			return plots.Figure{}, fmt.Errorf("figure %s: %s: %w", name, a.metric, err)
		}
		f.Panels = append(f.Panels, p)
		used = append(used, of...)
	}
	note, err := caption(used)
	if err != nil {
		return plots.Figure{}, fmt.Errorf("figure %s: %w", name, err)
	}
	f.Note = note
	return f, nil
}

func selectCells(cells []results.Cell, item, metric string) []results.Cell {
	var out []results.Cell
	for _, c := range cells {
		if c.Item == item && c.Metric == metric {
			out = append(out, c)
		}
	}
	return out
}

// rhoPanel groups the cells by ρ, one series a policy.
func rhoPanel(cells []results.Cell, a labelled) (*plots.Points, error) {
	if len(cells) == 0 {
		return nil, errors.New("no rows")
	}
	var rhos []float64
	var policies []string
	found := map[results.Key]results.Summary{}
	for _, c := range cells {
		rhos, policies = append(rhos, c.Rho), append(policies, c.Policy)
		k := results.Key{Policy: c.Policy, Rho: c.Rho}
		if _, twice := found[k]; twice {
			return nil, fmt.Errorf("policy %s, rho=%g: more than one cell", c.Policy, c.Rho)
		}
		found[k] = c.Summary
	}
	slices.Sort(rhos)
	rhos = slices.Compact(rhos)
	p := &plots.Points{XLabel: heterogeneity, YLabel: a.label}
	for _, rho := range rhos {
		p.Groups = append(p.Groups, strconv.FormatFloat(rho, 'g', -1, 64))
	}
	for _, policy := range inOrder(policies) {
		s := plots.Series{Policy: policy}
		for _, rho := range rhos {
			v, ok := found[results.Key{Policy: policy, Rho: rho}]
			if !ok {
				return nil, fmt.Errorf("policy %s, rho=%g: no rows", policy, rho)
			}
			s.Points = append(s.Points, v)
		}
		p.Series = append(p.Series, s)
	}
	return p, nil
}

// inOrder returns the distinct policies, those of the paper first.
func inOrder(policies []string) []string {
	rank := func(p string) int {
		if i := slices.Index(figureOrder, p); i >= 0 {
			return i
		}
		return len(figureOrder)
	}
	slices.SortFunc(policies, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return slices.Compact(policies)
}

// caption says what the cells have in common; it is an error where they have
// not.
func caption(cells []results.Cell) (string, error) {
	first := cells[0]
	least, most := first.Summary.N, first.Summary.N
	for _, c := range cells {
		if c.Workload != first.Workload {
			return "", fmt.Errorf("rows of two workloads, %q and %q", first.Workload, c.Workload)
		}
		if c.Key.N != first.Key.N || c.BandwidthMHz != first.BandwidthMHz {
			return "", fmt.Errorf("rows of two settings, n=%d bandwidth=%g MHz and n=%d bandwidth=%g MHz",
				first.Key.N, first.BandwidthMHz, c.Key.N, c.BandwidthMHz)
		}
		least, most = min(least, c.Summary.N), max(most, c.Summary.N)
	}
	instances := strconv.Itoa(most)
	if least < most {
		instances = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("Workload: %s; %d jobs, %g MHz. Error bars: 95%% intervals over %s instances.",
		first.Workload, first.Key.N, first.BandwidthMHz, instances), nil
}
