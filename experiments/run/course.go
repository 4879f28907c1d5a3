package run

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// The metrics of a course over time, means over periods.
const (
	MetricUsersPresent  = "users_present"   // users in the system, over the time with at least one
	MetricTasksReceived = "tasks_received"  // x[j], of one user, over its time in the system
	MetricTasksDeserved = "tasks_deserved"  // ψ[j], its equal share among those present, over the same time
	MetricMinEFSatNow   = "min_ef_sat_now"  // MIN-EF-SAT, over the time with at least one user
	MetricMinSISatNow   = "min_si_sat_now"  // MIN-SI-SAT, the same
	MetricUsedNow       = "utilization_now" // used / total, the same; with a colon and the server and resource, or the link
	UnitUsers           = "users"
)

// Course records what a replay is like over time, by periods of equal length:
// who holds what beside what it deserves, how fair that is, and how full the
// cluster is. It is a [sim.Observer] of one replay.
type Course struct {
	Period event.Time // > 0

	judge    *fair.Judge
	region   []string // names of the capacity rows
	users    metrics.Series
	envy     metrics.Series
	sharing  metrics.Series
	used     []metrics.Series
	received []metrics.Series
	deserved []metrics.Series
	now      []float64
	until    event.Time // observed so far
	values   float64    // at least, so far
}

// mostValues is the largest number of values of a course: means over a period, of
// a capacity, of a user or of all.
const mostValues = 10_000_000

// Observe implements [sim.Observer]. A course of more than ten million values is
// an error of the input.
func (c *Course) Observe(iv *sim.Interval) error {
	if c.judge == nil {
		c.open(iv)
	}
	// What comes at least, with the periods since the last interval.
	shared, own := 3+len(c.used), 2*len(iv.Present)
	c.values += float64((iv.To-c.until)/c.Period)*float64(shared) + float64((iv.To-iv.From)/c.Period)*float64(own)
	if c.until = iv.To; c.values > mostValues {
		return spec.OfInput(fmt.Errorf("the series over time would have more than %d values with periods of %g s: longer ones are needed", mostValues, float64(c.Period)/1e6))
	}
	from, to := int64(iv.From), int64(iv.To)
	c.users.Add(float64(len(iv.Present)), from, to)
	c.envy.Add(c.judge.MinEFSat(iv.Allocation, iv.Present).Sat, from, to)
	least := 1.0
	for _, j := range iv.Present {
		s := c.judge.SISat(j, iv.Allocation, iv.Present)
		least = min(least, s.Sat)
		c.received[j].Add(s.Tasks, from, to)
		c.deserved[j].Add(s.EqualShare, from, to)
	}
	c.sharing.Add(least, from, to)
	c.now = iv.Allocation.Utilization(c.now)
	for row, used := range c.now {
		c.used[row].Add(used, from, to)
	}
	return nil
}

// open prepares the record at the first interval.
func (c *Course) open(iv *sim.Interval) {
	env := iv.Allocation.Region
	c.judge, c.until = fair.NewJudge(env), iv.From
	origin := int64(iv.From / c.Period * c.Period)
	series := func(n int) []metrics.Series {
		all := make([]metrics.Series, n)
		for i := range all {
			all[i] = metrics.Series{Origin: origin, Period: int64(c.Period)}
		}
		return all
	}
	three := series(3)
	c.users, c.envy, c.sharing = three[0], three[1], three[2]
	c.used, c.received, c.deserved = series(env.Rows()), series(len(env.Users)), series(len(env.Users))
	_, c.region = utilizationNames(env)
}

// Rows returns the record as rows of a result table: one for each period in
// which there is something to say, at the time at which the period begins. like
// holds what all rows have in common; names are those of the users.
func (c *Course) Rows(like results.Row, names []string) []results.Row {
	var rows []results.Row
	add := func(s *metrics.Series, metric, unit, user string) {
		for k := range s.Periods() {
			if mean, ok := s.At(k).Mean(); ok {
				row := like
				row.TimeS, row.Metric, row.Unit, row.User, row.Value = float64(s.Begin(k))/1e6, metric, unit, user, mean
				rows = append(rows, row)
			}
		}
	}
	add(&c.users, MetricUsersPresent, UnitUsers, "")
	add(&c.envy, MetricMinEFSatNow, results.UnitRatio, "")
	add(&c.sharing, MetricMinSISatNow, results.UnitRatio, "")
	for row := range c.used {
		add(&c.used[row], MetricUsedNow+":"+c.region[row], results.UnitRatio, "")
	}
	for j := range c.received {
		add(&c.received[j], MetricTasksReceived, results.UnitTasks, names[j])
		add(&c.deserved[j], MetricTasksDeserved, results.UnitTasks, names[j])
	}
	return rows
}
