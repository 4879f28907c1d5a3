package run

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// rows is the second pass: what is held in each period.
func (r *placementReader) rows() ([]results.Row, error) {
	table, err := parquet.Open(r.path, PlacementColumns())
	if err != nil {
		return nil, err
	}
	defer table.Close()
	periods := min(mostPeriods, max(leastPeriods, lanePeriods/max(1, len(r.lanes))))
	period := roundPeriod((r.to - r.from + int64(periods) - 1) / int64(periods))
	periods = int((r.to - r.from + period - 1) / period)
	held := map[string][]loads{}
	for _, p := range r.policies {
		held[p] = newLoads(len(r.lanes), max(1, len(r.who)), periods)
	}
	err = r.each(table, func(p *Placement) error {
		u := unit{p.Class, -1}
		if p.Server != nil {
			u.number = *p.Server
		}
		at, ok := r.at[u]
		if u.number == 0 && !ok { // of a class of one, among others that are spread
			at, ok = r.at[unit{p.Class, -1}]
		}
		if !ok {
			return fmt.Errorf("%s: a placement on server %d of %s, which the cluster has not", r.path, u.number, p.Class)
		}
		h := &held[p.Policy][at]
		for k := (p.StartUS - r.from) / period; k*period+r.from < p.EndUS; k++ {
			begin := r.from + k*period
			end := min(r.to, begin+period)
			part := float64(min(p.EndUS, end)-max(p.StartUS, begin)) / float64(end-begin)
			h.add(r.who[r.name(p)], int(k), p, part/float64(r.lanes[at].units))
		}
		return nil
	})
	var rows []results.Row
	for _, policy := range r.policies {
		for at := range r.lanes {
			rows = append(rows, r.lane(policy, at, &held[policy][at], period)...)
		}
	}
	return rows, err
}

// roundPeriod returns the first of 1, 2 and 5 times the powers of ten of µs, then of some
// round times from a minute to a day, and then of the days that is not less.
func roundPeriod(least int64) int64 {
	for p := int64(1); p <= 10_000_000; p *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if p*m >= least {
				return p * m
			}
		}
	}
	const minute, hour, day = 60_000_000, 3_600_000_000, 86_400_000_000
	for _, p := range []int64{minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour, day} {
		if p >= least {
			return p
		}
	}
	return (least + day - 1) / day * day
}

// lane are the rows of a lane under a rule.
func (r *placementReader) lane(policy string, at int, h *loads, period int64) (rows []results.Row) {
	l := r.lanes[at]
	fixed := map[string]results.Value{"server": results.OfText(l.name), "class": results.OfText(l.class), "servers": results.OfInt(int64(l.servers)),
		"lane": results.OfInt(int64(at)), "period_s": results.OfFloat(float64(period) / 1e6)}
	if r.who == nil && r.view.Who != "" {
		fixed["users"] = results.OfInt(int64(r.users))
	}
	users := []string{""}
	if r.who != nil {
		users = slices.SortedFunc(maps.Keys(r.who), func(a, b string) int { return r.who[a] - r.who[b] })
	}
	put := func(user string, from, to int64, value, base float64) {
		fixed["until_s"], fixed["base"] = results.OfFloat(float64(to)/1e6), results.OfFloat(base)
		row := results.Row{Policy: policy, User: user, Metric: MetricLoad, Unit: results.UnitOf(MetricLoad), Value: value, Workload: r.workload, Point: results.NewPoint(fixed)}
		row.At(float64(from) / 1e6)
		rows = append(rows, row)
	}
	for k, user := range users {
		for begin := 0; begin < h.periods; {
			value, base := h.of(k, begin)
			end := begin + 1
			for ; end < h.periods; end++ {
				if v, b := h.of(k, end); !near(v, value) || !near(b, base) {
					break
				}
			}
			if value > 0 {
				put(user, r.from+int64(begin)*period, min(r.to, r.from+int64(end)*period), value, base)
			}
			begin = end
		}
	}
	if rows == nil { // the lane is there
		put(users[0], r.from, r.to, 0, 0)
	}
	return rows
}

// near reports whether a figure shows two loads as the same.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// loads are what users hold of a lane: of each resource in each period.
type loads struct {
	users, periods int
	held           []float64 // by user, period and resource
}

func newLoads(lanes, users, periods int) []loads {
	all := make([]loads, lanes)
	for k := range all {
		all[k] = loads{users, periods, make([]float64, users*periods*len(Requests))}
	}
	return all
}

func (h *loads) add(user, period int, p *Placement, part float64) {
	for r, name := range Requests {
		if v := *p.fraction(name); v != nil {
			h.held[(user*h.periods+period)*len(Requests)+r] += *v * part
		}
	}
}

// of returns the part of a user in a period, and what those before it have.
func (h *loads) of(user, period int) (value, base float64) {
	total, sums, before, own := 0.0, [3]float64{}, 0.0, 0.0
	for u := range h.users {
		most := 0.0
		for r := range Requests {
			v := h.held[(u*h.periods+period)*len(Requests)+r]
			sums[r], most = sums[r]+v, max(most, v)
		}
		total += most
		if u < user {
			before += most
		} else if u == user {
			own = most
		}
	}
	if own == 0 {
		return 0, 0
	}
	load := max(sums[0], sums[1], sums[2])
	return load * own / total, load * before / total
}
