package run

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
)

// Course records what a replay is like over time, by periods of equal length:
// who holds what beside what it deserves, how fair that is, and how full the
// cluster is. It is of one replay, in either task model; see [Case.Course].
type Course struct {
	Period  event.Time // > 0
	env     *cluster.Environment
	tenants *tenantShares // nil: no job states its user

	judge    *fair.Judge // of the fluid model
	region   []string    // names of the capacity rows
	users    metrics.Series
	waiting  metrics.Series // whole tasks
	envy     metrics.Series
	sharing  metrics.Series
	used     []metrics.Series
	received []metrics.Series
	deserved []metrics.Series
	now      []float64
	until    event.Time // observed so far
	values   float64    // at least, so far
}

// MetricTasksWaiting is how many tasks wait, over time.
const MetricTasksWaiting = "tasks_waiting"

func init() {
	results.RegisterMetrics(results.Metric{Name: MetricTasksWaiting, Label: "Tasks that wait", Unit: results.UnitTasks, High: math.Inf(1), Better: results.Lower,
		Definition: "Tasks of jobs in the system that do not run and have not ended, mean over the part of the period with a user; whole tasks only."})
}

// mostValues is the largest number of values of a course: means over a period, of
// a capacity, of a user or of all.
const mostValues = 10_000_000

// Observe implements [sim.Observer]. A course of more than ten million values is
// an error of the input.
func (c *Course) Observe(iv *sim.Interval) error {
	if c.judge == nil {
		c.open(iv.Allocation.Region, iv.From)
		c.env = c.env.With(slices.Clone(c.env.Users))
		c.judge, c.received, c.deserved = fair.NewJudge(c.env), c.series(len(c.env.Users), iv.From), c.series(len(c.env.Users), iv.From)
	}
	c.now = iv.Allocation.Utilization(c.now)
	if err := c.record(iv.From, iv.To, len(iv.Present), 2*len(iv.Present)); err != nil {
		return err
	}
	iv.Weigh(c.env)
	least := 1.0
	c.judge.EachSISat(iv.Allocation, iv.Present, func(s fair.Sharing) {
		least = min(least, s.Sat)
		c.received[s.User].Add(s.Tasks, int64(iv.From), int64(iv.To))
		c.deserved[s.User].Add(s.EqualShare, int64(iv.From), int64(iv.To))
	})
	c.envy.Add(c.judge.MinEFSat(iv.Allocation, iv.Present).Sat, int64(iv.From), int64(iv.To))
	c.sharing.Add(least, int64(iv.From), int64(iv.To))
	return nil
}

// watch has the course shown a replay of whole tasks. Of envy and sharing incentive it
// records what f watches; nil: nothing does.
func (c *Course) watch(r *whole.Replay, f *whole.Fairness) {
	if c == nil {
		return
	}
	r.OnInterval = func(iv *whole.Interval) error {
		if c.env == nil {
			c.open(r.Env, iv.From)
		}
		c.now = iv.Utilization(c.now)
		if err := c.record(iv.From, iv.To, iv.Present, 2*iv.Present); err != nil {
			return err
		}
		c.waiting.Add(float64(iv.Waiting), int64(iv.From), int64(iv.To))
		return nil
	}
	if f == nil {
		return
	}
	also, envy := f.OnInterval, !f.SharesOnly
	f.OnInterval = func(from, to event.Time, ef, si float64) error {
		if envy {
			c.envy.Add(ef, int64(from), int64(to))
		}
		c.sharing.Add(si, int64(from), int64(to))
		return also(from, to, ef, si)
	}
}

// open prepares the record at the first interval.
func (c *Course) open(env *cluster.Environment, from event.Time) {
	c.env, c.until = env, from
	all := c.series(4, from)
	c.users, c.waiting, c.envy, c.sharing = all[0], all[1], all[2], all[3]
	c.used = c.series(env.Rows(), from)
	_, c.region = utilizationNames(env)
}

// series returns n empty series of a replay that begins at a time.
func (c *Course) series(n int, from event.Time) []metrics.Series {
	all := make([]metrics.Series, n)
	for i := range all {
		all[i] = metrics.Series{Origin: beginOf(from, c.Period), Period: int64(c.Period)}
	}
	return all
}

// beginOf returns when the period begins that a time is in; periods begin at multiples of
// their length.
func beginOf(at, period event.Time) int64 {
	begin := at / period * period
	if begin > at {
		begin -= period
	}
	return int64(begin)
}

// record notes who was present and what was in use, now, from one time to another. own
// is how many values each period has of the users that are present.
func (c *Course) record(from, to event.Time, present, own int) error {
	// What comes at least, with the periods since the last interval.
	shared := 3 + len(c.used)
	if c.tenants != nil {
		own += 2 * len(c.tenants.active)
	}
	c.values += float64((to-c.until)/c.Period)*float64(shared) + float64((to-from)/c.Period)*float64(own)
	if c.until = to; c.values > mostValues {
		return spec.OfInput(fmt.Errorf("the series over time would have more than %d values with periods of %g s: longer ones are needed", mostValues, float64(c.Period)/1e6))
	}
	c.users.Add(float64(present), int64(from), int64(to))
	for row, used := range c.now {
		c.used[row].Add(used, int64(from), int64(to))
	}
	return nil
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
	add(&c.waiting, MetricTasksWaiting, "")
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
