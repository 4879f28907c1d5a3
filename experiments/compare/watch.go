package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/whole"
)

// The rules that moments are measured by.
const (
	MostTasks = "utilitarian" // the most tasks that can run at all
	MostFair  = "cru"         // the most, normalised, without envy and with equal shares
	Market    = "mnw"         // its prices are those of a market in which all incomes are equal
)

// Moment is what was seen at an instant of a replay, after all of its events. It is
// of the users present, at least one; their task caps are, with whole tasks, those not done.
type Moment struct {
	At      event.Time
	Present int
	// Envy is the pair with the smallest EF-SAT, Sharing the user with the smallest task
	// ratio, as package fair defines them.
	Envy    fair.Envy
	Sharing fair.Sharing
	// Jain is Jain's index of the shares x/(w·η').
	Jain float64
	// Domination is the domination factor; 0 with whole tasks, where it is not computed.
	Domination float64
	// Used is used/total of each capacity of the cluster, by its row.
	Used *cluster.MeanUtilization
	// Tasks is Σ w·x, Normalised Σ w·x/η'. BestTasks and BestFair are the same under
	// [MostTasks] and [MostFair] for the same users; 0 where those are not defined.
	Tasks, BestTasks     float64
	Normalised, BestFair float64
	// Prices are, by row, what the capacity costs under [Market] in parts of what all of
	// them cost; nil where that is not asked for or nothing is scarce.
	Prices []float64
	env    *cluster.Environment // with the users present
}

// names of the users of a witness.
func (m *Moment) name(user int) string {
	if user < 0 {
		return ""
	}
	return m.env.Users[user].Name
}

// Watch looks at a replay at moments. It is made for one replay, whose events it is shown:
// by [Watch.Observe] with fluid tasks, by [Watch.Event] and [Watch.Close] with whole ones.
type Watch struct {
	Times   []event.Time // ascending
	Env     *cluster.Environment
	Jobs    []traceJob
	Tenants bool // a tenant's weight is divided among its jobs that are present
	Prices  bool // of each moment
	Moments []Moment

	next     int
	err      error
	classOf  []int // of single servers
	arrivals []int // jobs by submission, of those that have not come
	here     map[int]*tally
}

// traceJob is what a watch knows of a job.
type traceJob struct {
	Submit event.Time
	Tasks  int64
	Tenant string
}

// tally is what a job of whole tasks has.
type tally struct {
	on   []float64 // by class of servers
	done int64
}

// NewWatch prepares to look at a replay of a case at times, ascending.
func NewWatch(c *run.Case, times []event.Time, prices, tenants bool) (*Watch, error) {
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	w := &Watch{Times: times, Env: env, Prices: prices, Tenants: tenants, here: map[int]*tally{}}
	for i := range c.Jobs {
		name, _ := c.Jobs[i].Tenant()
		w.Jobs = append(w.Jobs, traceJob{event.Time(c.Jobs[i].SubmitUS), c.Jobs[i].Tasks, name})
		w.arrivals = append(w.arrivals, i)
	}
	slices.SortStableFunc(w.arrivals, func(a, b int) int { return cmp.Compare(w.Jobs[a].Submit, w.Jobs[b].Submit) })
	for class := range env.Servers {
		w.classOf = append(w.classOf, slices.Repeat([]int{class}, env.Servers[class].Count)...)
	}
	return w, nil
}

// Observe implements [sim.Observer].
func (w *Watch) Observe(iv *sim.Interval) error {
	for w.next < len(w.Times) && w.Times[w.next] < iv.To {
		at := w.Times[w.next]
		if w.next++; at < iv.From {
			continue // nobody was there
		}
		region := iv.Allocation.Region
		a := &cluster.Allocation{Region: w.users(region, iv.Present)}
		for _, j := range iv.Present {
			a.Tasks, a.X = append(a.Tasks, iv.Allocation.Tasks[j]), append(a.X, iv.Allocation.On(j)...)
		}
		if err := w.look(at, iv.Present, a, false); err != nil {
			return err
		}
	}
	return nil
}

// users returns a region with the users that are present.
func (w *Watch) users(region *cluster.Environment, present []int) *cluster.Environment {
	env := region.Subset(present)
	for i := range env.Users {
		env.Users[i].Tasks = cluster.Inf
	}
	if !w.Tenants {
		return env
	}
	active := map[string]float64{}
	for _, j := range present {
		active[w.Jobs[j].Tenant]++
	}
	for i, j := range present {
		env.Users[i].Weight = w.Env.Users[j].Weight / active[w.Jobs[j].Tenant]
	}
	return env
}

// Event is shown the events of whole tasks.
func (w *Watch) Event(ev *whole.Event) {
	w.until(ev.At)
	w.arrive(ev.At)
	t := w.here[ev.Job]
	switch ev.Kind {
	case whole.TaskStart:
		t.on[w.classOf[ev.Server]]++
	case whole.TaskSuspend:
		t.on[w.classOf[ev.Server]]--
	case whole.TaskEnd:
		t.on[w.classOf[ev.Server]]--
		t.done++
	default: // done or refused
		delete(w.here, ev.Job)
	}
}

// Close takes the moments after the last event, and returns the first error of all.
func (w *Watch) Close() error {
	w.until(event.Never)
	return w.err
}

// until takes the moments before an instant.
func (w *Watch) until(at event.Time) {
	for ; w.next < len(w.Times) && w.Times[w.next] < at; w.next++ {
		w.arrive(w.Times[w.next])
		if len(w.here) > 0 && w.err == nil {
			w.err = w.wholeTasks(w.Times[w.next])
		}
	}
}

// arrive lets jobs come that were submitted by an instant.
func (w *Watch) arrive(by event.Time) {
	for len(w.arrivals) > 0 && w.Jobs[w.arrivals[0]].Submit <= by {
		w.here[w.arrivals[0]] = &tally{on: make([]float64, len(w.Env.Servers))}
		w.arrivals = w.arrivals[1:]
	}
}

// wholeTasks looks at a moment of whole tasks.
func (w *Watch) wholeTasks(at event.Time) error {
	var present []int
	for j := range w.here {
		present = append(present, j)
	}
	slices.Sort(present)
	a := &cluster.Allocation{Region: w.users(w.Env, present)}
	for i, j := range present {
		t, sum := w.here[j], 0.0
		for _, x := range t.on {
			sum += x
		}
		a.Region.Users[i].Tasks = float64(w.Jobs[j].Tasks - t.done)
		a.Tasks, a.X = append(a.Tasks, sum), append(a.X, t.on...)
	}
	return w.look(at, present, a, true)
}

// look measures what an allocation is like.
func (w *Watch) look(at event.Time, present []int, a *cluster.Allocation, capped bool) error {
	env := a.Region
	m := Moment{At: at, Present: len(present), env: env, Jain: 1}
	judge := fair.NewJudge(env)
	m.Envy, m.Sharing = judge.MinEFSat(a, nil), judge.MinSISat(a, nil)
	m.Used = cluster.NewMeanUtilization(env, a.Utilization(nil))
	sum, squares := 0.0, 0.0
	for j, eta := range env.EtasEligible(nil) {
		if eta == 0 {
			continue
		}
		w := env.Users[j].Weight
		r := a.Tasks[j] / eta
		m.Tasks, m.Normalised = m.Tasks+w*a.Tasks[j], m.Normalised+w*r
		sum, squares = sum+r/w, squares+r/w*r/w
	}
	if squares > 0 {
		m.Jain = sum * sum / (float64(len(present)) * squares)
	}
	if !capped {
		factor, _, err := solve.Domination(env, a.Tasks)
		if err != nil {
			return fmt.Errorf("at %g s: %w", float64(at)/1e6, err)
		}
		if !math.IsInf(factor, 1) {
			m.Domination = factor
		}
	}
	err := m.best(w.users(w.Env, present), env.Users, w.Prices)
	w.Moments = append(w.Moments, m)
	return err
}

// best finds what the users could have in all, and what is scarce. The cluster is that of
// the replay, also where the rule sees another one.
func (m *Moment) best(env *cluster.Environment, users []cluster.User, prices bool) error {
	for j := range users {
		env.Users[j].Tasks = users[j].Tasks
	}
	etas := env.EtasEligible(nil)
	sum := func(rule string, of func(j int) float64) (float64, *cluster.Allocation, error) {
		a, err := policies.AllocateBy(rule, env)
		if unsupported := (*policies.UnsupportedError)(nil); errors.As(err, &unsupported) {
			return 0, nil, nil
		}
		if err != nil {
			return 0, nil, fmt.Errorf("at %g s: %w", float64(m.At)/1e6, err)
		}
		total := 0.0
		for j, x := range a.Tasks {
			if etas[j] > 0 {
				total += env.Users[j].Weight * x / of(j)
			}
		}
		return total, a, nil
	}
	var err1, err2, err3 error
	var a *cluster.Allocation
	m.BestTasks, _, err1 = sum(MostTasks, func(int) float64 { return 1 })
	m.BestFair, _, err2 = sum(MostFair, func(j int) float64 { return etas[j] })
	if prices {
		if _, a, err3 = sum(Market, func(int) float64 { return 1 }); a != nil {
			m.Prices = pricesOf(a)
		}
	}
	return errors.Join(err1, err2, err3)
}

// pricesOf returns what each capacity costs in parts of what all of them cost; nil if that
// is nothing.
func pricesOf(a *cluster.Allocation) []float64 {
	parts, total := make([]float64, len(a.Prices)), 0.0
	for row, price := range a.Prices {
		parts[row] = price * a.Region.RowCapacity(row)
		total += parts[row]
	}
	if !(total > 0) {
		return nil
	}
	for row := range parts {
		parts[row] /= total
	}
	return parts
}

// TimesOf returns n instants spread evenly over the time from the first submission of jobs
// to the last: the middles of n equal parts, in whole seconds where those differ.
func TimesOf(c *run.Case, n int) []event.Time {
	first, last := c.Jobs[0].SubmitUS, c.Jobs[0].SubmitUS
	for i := range c.Jobs {
		first, last = min(first, c.Jobs[i].SubmitUS), max(last, c.Jobs[i].SubmitUS)
	}
	var times []event.Time
	unit := int64(1)
	if last-first >= int64(n)*1e6 {
		unit = 1e6
	}
	for k := range n {
		at := first + int64(float64(last-first)*(float64(k)+0.5)/float64(n))
		times = append(times, event.Time(at/unit*unit))
	}
	return slices.Compact(times)
}
