package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

// The rules that moments are measured by.
const (
	MostTasks = "utilitarian" // the most tasks that can run at all
	MostFair  = "cru"         // the most, normalised, without envy and with equal shares
	Market    = "mnw"         // its prices are those of a market in which all incomes are equal
)

// MostFairUsers is the number of users present up to which a moment is compared with
// [MostFair], which has a row for each pair of users.
const MostFairUsers = 200

// Moment is what was seen at an instant of a replay, after all of its events. It is
// of the users present, at least one; their task caps are, with whole tasks, those not done.
type Moment struct {
	At      event.Time
	Present int
	// EFSat and SISat are MIN-EF-SAT and MIN-SI-SAT, as package fair defines them.
	EFSat, SISat float64
	// Jain is Jain's index of the shares x/(w·η').
	Jain float64
	// Domination is the domination factor; 0 with whole tasks, where it is not computed.
	Domination float64
	// Used is used/total of each capacity, by its row in the region of the rule; Resources the
	// same of each resource on all servers, Links of each link.
	Used, Resources, Links []float64
	// Tasks is Σ w·x, Normalised Σ w·x/η'. BestTasks and BestFair are the same under
	// [MostTasks] and [MostFair] for the same users; 0 where those are not computed. MostFair
	// knows no task caps: with whole tasks BestFair counts of its x at most the tasks not done.
	Tasks, BestTasks     float64
	Normalised, BestFair float64
	// Prices are, by row, what the capacity costs under [Market] in parts of what all of
	// them cost; nil where that is not asked for or nothing is scarce.
	Prices []float64
}

// look measures what an allocation is like.
func (w *Watch) look(at event.Time, present []int, a *cluster.Allocation, whole bool) error {
	env := a.Region
	judge := fair.NewJudge(env)
	m := Moment{At: at, Present: len(present), EFSat: judge.MinEFSat(a, nil).Sat, SISat: judge.MinSISat(a, nil).Sat, Jain: 1}
	used := cluster.NewMeanUtilization(env, a.Utilization(nil))
	m.Used, m.Resources, m.Links = used.Rows, used.Resources, used.Rows[env.LinkRow(0):]
	m.shares(env, a)
	if !whole {
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

// shares sums what the users hold.
func (m *Moment) shares(env *cluster.Environment, a *cluster.Allocation) {
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
		m.Jain = sum * sum / (float64(m.Present) * squares)
	}
}

// best finds what the users could have in all, and what is scarce. The cluster is that of
// the replay, also where the rule sees another one; env has no task caps, users have them.
func (m *Moment) best(env *cluster.Environment, users []cluster.User, prices bool) error {
	etas := env.EtasEligible(nil)
	err := m.fairest(env, users, etas)
	for j := range users {
		env.Users[j].Tasks = users[j].Tasks
	}
	a, err1 := m.under(MostTasks, env)
	if a != nil {
		m.BestTasks = weighted(env, a.Tasks, func(j int, x float64) float64 { return x })
	}
	if !prices {
		return errors.Join(err, err1)
	}
	a, err2 := m.under(Market, env)
	if a != nil {
		m.Prices = pricesOf(a)
	}
	return errors.Join(err, err1, err2)
}

// fairest finds what the users would have under MostFair.
func (m *Moment) fairest(env *cluster.Environment, users []cluster.User, etas []float64) error {
	if len(users) > MostFairUsers {
		return nil
	}
	a, err := m.under(MostFair, env)
	if a != nil {
		m.BestFair = weighted(env, a.Tasks, func(j int, x float64) float64 {
			if etas[j] == 0 {
				return 0
			}
			return min(x, users[j].Tasks) / etas[j]
		})
	}
	return err
}

// under is an allocation of a rule; nil if it is not defined for the environment.
func (m *Moment) under(rule string, env *cluster.Environment) (*cluster.Allocation, error) {
	a, err := policies.AllocateBy(rule, env)
	if unsupported := (*policies.UnsupportedError)(nil); errors.As(err, &unsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("at %g s: %w", float64(m.At)/1e6, err)
	}
	return a, nil
}

// weighted is Σ w[j]·of(j, x[j]).
func weighted(env *cluster.Environment, tasks []float64, of func(j int, x float64) float64) (sum float64) {
	for j, x := range tasks {
		sum += env.Users[j].Weight * of(j, x)
	}
	return sum
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
	first, last := span(c)
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
