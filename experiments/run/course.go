package run

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces"
)

// Course records what a replay is like over time, by periods of equal length:
// who holds what beside what it deserves, how fair that is, and how full the
// cluster is. It is a [sim.Observer] of one replay.
type Course struct {
	Period  event.Time // > 0
	env     *cluster.Environment
	tenants *tenantShares // nil: no job states its user

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

// Follow adds what tenants received and deserved to the course of a case, if its jobs state
// their users.
func (c *Course) Follow(of *Case) error {
	if !slices.ContainsFunc(of.Jobs, func(j traces.Job) bool { return j.User != "" }) {
		return nil
	}
	env, err := of.Environment()
	if err != nil {
		return err
	}
	if c.tenants, err = of.tenantShares(env); err != nil {
		return err
	}
	c.tenants.series = c.Period
	return nil
}

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
	if c.tenants != nil {
		c.values += float64((iv.To-iv.From)/c.Period) * float64(2*len(c.tenants.held))
		if err := c.tenants.Observe(iv); err != nil {
			return err
		}
	}
	iv.Weigh(c.env)
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
	c.env = env.With(slices.Clone(env.Users))
	c.judge, c.until = fair.NewJudge(c.env), iv.From
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
	add := func(s *metrics.Series, metric, user string) {
		rows = append(rows, seriesRows(like, s, metric, user)...)
	}
	add(&c.users, results.MetricUsersPresent, "")
	add(&c.envy, results.MetricMinEFSatNow, "")
	add(&c.sharing, results.MetricMinSISatNow, "")
	for row := range c.used {
		add(&c.used[row], results.MetricUsedNow+":"+c.region[row], "")
	}
	for j := range c.received {
		add(&c.received[j], results.MetricTasksReceived, names[j])
		add(&c.deserved[j], results.MetricTasksDeserved, names[j])
	}
	if c.tenants != nil {
		rows = append(rows, c.tenants.rows(like)...)
	}
	return rows
}

// seriesRows are the periods of a series in which there is something to say.
func seriesRows(like results.Row, s *metrics.Series, metric, user string) (rows []results.Row) {
	for k := range s.Periods() {
		if mean, ok := s.At(k).Mean(); ok {
			row := like
			row.Metric, row.Unit, row.User, row.Value = metric, results.UnitOf(metric), user, mean
			row.At(float64(s.Begin(k)) / 1e6)
			rows = append(rows, row)
		}
	}
	return rows
}
