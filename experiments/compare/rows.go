package compare

import (
	"math"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Rows are the findings as result tables, by name. like holds what all rows have in common.
func (f *Findings) Rows(like results.Row) map[string][]results.Row {
	like.Point = like.Point.With("baseline", results.OfText(f.Rules[f.Baseline].Policy)).With("block_s", results.OfFloat(float64(f.Block)/1e6))
	return map[string][]results.Row{"rules": f.ruleRows(like), "gains": f.gainRows(like), "violations": f.violationRows(like), "moments": f.momentRows(like), "nodes": f.nodeRows(like)}
}

// interval appends a value with the ends of its interval, if it has one.
func interval(rows []results.Row, like results.Row, metric, of string, iv metrics.Interval) []results.Row {
	add := func(end string, value float64) {
		if of != "" {
			of = ":" + strings.TrimPrefix(of, ":")
		}
		row := like.Measure(metric+end+of, value)
		row.Unit = results.UnitOf(row.Metric)
		rows = append(rows, row)
	}
	if iv.Units == 0 {
		return rows
	}
	add("", iv.Value)
	if iv.Bounded {
		add(low, iv.Low)
		add(high, iv.High)
	}
	return rows
}

func (f *Findings) ruleRows(like results.Row) (rows []results.Row) {
	like.Item = "rules"
	for i, r := range f.Rules {
		like.Policy = r.Policy
		for _, v := range f.Values {
			metric, of, _ := strings.Cut(v.Metric, ":")
			point := v.Of[i]
			point.Bounded = false // in the tables of simulate
			rows = interval(rows, like, metric, of, point)
			if i != f.Baseline {
				rows = interval(rows, like, metric+less, of, v.Less[i])
			}
		}
		rows = f.priceRows(rows, like, i)
	}
	like.Policy = f.Rules[f.Baseline].Policy
	for _, c := range f.Scarce {
		if c.Priced > 0 {
			rows = interval(rows, like, MetricScarce, c.Name, metrics.Interval{Value: c.Price, Units: 1})
		}
		if n := len(f.Rules[f.Baseline].Moments); n > 0 {
			rows = interval(rows, like, MetricUsedUp, c.Name, metrics.Interval{Value: float64(c.UsedUp) / float64(n), Units: 1})
		}
	}
	return rows
}

func (f *Findings) priceRows(rows []results.Row, like results.Row, i int) []results.Row {
	p := f.Prices[i]
	rows = interval(rows, like, MetricWork, "", metrics.Interval{Value: p.Work, Units: 1})
	if p.HasTasks {
		rows = interval(rows, like, MetricPrice, MostTasks, p.Tasks)
	}
	if p.HasFar {
		rows = interval(rows, like, MetricPrice, MostFair, p.Fair)
	}
	for k, rule := range [...]string{MostTasks, MostFair} {
		if !math.IsNaN(p.Against[k]) {
			rows = interval(rows, like, MetricReplayPrice, rule, metrics.Interval{Value: p.Against[k], Units: 1})
		}
	}
	return rows
}

func (f *Findings) gainRows(like results.Row) (rows []results.Row) {
	like.Item = "gains"
	for i, r := range f.Rules {
		if i == f.Baseline {
			continue
		}
		like.Policy = r.Policy
		for _, g := range f.Groups {
			like.User = g.Name
			rows = interval(rows, like, MetricChange, "tenant", g.Change[i])
		}
		for _, g := range f.Sizes {
			like.User = g.Name
			rows = interval(rows, like, MetricChange, "size", g.Change[i])
		}
	}
	return rows
}

func (f *Findings) nodeRows(like results.Row) (rows []results.Row) {
	like.Item, like.Policy = "nodes", f.Rules[f.Baseline].Policy
	for _, n := range f.NodeGains {
		like.User = n.Class
		rows = interval(rows, like, MetricNodeChange, "", n.Change)
		rows = interval(rows, like, MetricNodeWait, "", n.Wait)
	}
	return rows
}

// valueOf names the metric of the worst violation of a property.
func (f *Findings) valueOf(k int) string {
	if k == optimal && f.Whole {
		return MetricUnfilled
	}
	return [...]string{envyFree: MetricEFSat, sharing: MetricSISat, optimal: MetricDomination}[k]
}

// violationRows are how often each property was violated, and the worst allocation with its
// witness.
func (f *Findings) violationRows(like results.Row) (rows []results.Row) {
	like.Item = "violations"
	one := func(metric string, k int, value float64) {
		rows = interval(rows, like, metric, string(Kept[k]), metrics.Interval{Value: value, Units: 1})
	}
	for i, r := range f.Rules {
		like.Policy = r.Policy
		for k := range Kept {
			v := f.Violations[i*len(Kept)+k]
			if v.Looked == 0 {
				continue
			}
			one(MetricAllocations, k, float64(v.Allocations))
			one(MetricLooked, k, float64(v.Looked))
			one(MetricViolations, k, float64(v.Violated))
			one(MetricViolated, k, v.Part())
			if v.Worst == nil {
				continue
			}
			row := like.Measure(f.valueOf(k), v.Worst.Value)
			row.Unit, row.Point = results.UnitOf(row.Metric), row.Point.With("at_s", results.OfFloat(float64(v.Worst.At)/1e6))
			if row.User = v.Worst.User; v.Worst.Of != "" {
				row.Point = row.Point.With("of", results.OfText(v.Worst.Of))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (f *Findings) momentRows(like results.Row) (rows []results.Row) {
	like.Item = "moments"
	for _, i := range f.distinct() {
		r := &f.Rules[i]
		like.Policy = r.Policy
		for k := range r.Moments {
			rows = append(rows, f.moment(like, &r.Moments[k])...)
		}
	}
	return rows
}

// moment are the rows of a moment.
func (f *Findings) moment(like results.Row, m *Moment) (rows []results.Row) {
	like.At(float64(m.At) / 1e6)
	add := func(metric string, value float64) {
		row := like.Measure(metric, value)
		row.Unit = results.UnitOf(metric)
		rows = append(rows, row)
	}
	for _, v := range f.Study.momentValues() {
		add(v.metric, v.of(m))
	}
	if m.Domination > 0 {
		add(MetricDomination, max(1, m.Domination))
	}
	add(MetricTasks, m.Tasks)
	add(MetricBestTasks, m.BestTasks)
	add(MetricShares, m.Normalised)
	if m.BestFair > 0 {
		add(MetricBestShares, m.BestFair)
	}
	for row, price := range m.Prices {
		add(MetricScarce+":"+rowName(f.Case.Cluster, row), price)
	}
	return rows
}
