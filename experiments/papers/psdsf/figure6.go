package psdsf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/psdsf/distributed"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

const (
	figure6Kind  = "ps-dsf-fig6"
	figure6Label = "the cluster of figure 5, numbers of servers and demands from table III"
	// user 4 is away from leaves to returns, of so many seconds.
	leaves, returns, seconds = 100, 250, 300
)

// epochs are the times at which the set of users changes, in s, with the last
// sample before the next one.
var epochs = [][2]int{{0, leaves - 1}, {leaves, returns - 1}, {returns, seconds - 1}}

func init() {
	spec.RegisterKind(spec.Kind{
		Name: figure6Kind, Title: "PS-DSF's figure 6: utilization over 300 s, user 4 away from 100 s to 250 s",
		Parameters: []spec.Parameter{
			{Name: "policy", Doc: "Allocation rule; ps-dsf runs as servers that act by themselves, every other rule allocates anew each second.", Required: true, Canonical: spec.Text(policyNamed)},
			{Name: "cpu2", Unit: "1", Doc: "What a task of user 2 takes of the cpu of a server of class A; the paper bounds it by 2/15.", Default: fmt.Sprint(LargestCPU2), Canonical: spec.Number(1e-3, LargestCPU2)},
			{Name: "period_s", Unit: "s", Doc: "Time between two acts of a server.", Default: "1", Canonical: spec.Number(1e-3, seconds)},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			return timeline{s}, nil
		},
	})
}

// timeline is figure 6 under one rule.
type timeline struct{ spec.Scenario }

// Instance implements [spec.Instances].
func (p timeline) Instance(_ context.Context, i int) ([]results.Row, error) {
	if p.Text("policy") == "ps-dsf" {
		return p.byThemselves(i)
	}
	rule, err := policies.New(p.Text("policy"))
	if err != nil {
		return nil, err
	}
	env := Figure5(p.Number("cpu2"))
	session, err := policies.Open(rule, env)
	if err != nil {
		return nil, err
	}
	for j := range env.Users {
		session.Add(j)
	}
	var rows []results.Row
	for t := range seconds + 1 {
		switch t {
		case leaves:
			session.Remove(3)
		case returns:
			session.Add(3)
		}
		a, err := session.Allocate()
		if err != nil {
			return nil, err
		}
		rows = append(rows, p.sample(t, a)...)
	}
	return rows, nil
}

// byThemselves runs 120 servers. After every change of the users it counts the
// rounds and messages until the allocation is one of Theorem 1 within [exact], and
// stays so.
func (p timeline) byThemselves(i int) ([]results.Row, error) {
	env := Figure5(p.Number("cpu2"))
	period := event.Time(math.Round(p.Number("period_s") * float64(second)))
	sys, err := distributed.New(env, slices.Repeat([]bool{true}, 4), period, random(p.Scenario, i, "phases"))
	if err != nil {
		return nil, err
	}
	sys.UserAt(leaves*second, 3, false)
	sys.UserAt(returns*second, 3, true)
	var rows []results.Row
	for _, e := range epochs {
		want, err := without4(env, e[0] == leaves)
		if err != nil {
			return nil, err
		}
		samples, settled := p.epoch(sys, e, want)
		rows = append(append(rows, samples...), p.settledRows(e[0], period, settled)...)
	}
	return rows, nil
}

// settlement is how servers that act by themselves have fared in an epoch.
type settlement struct {
	// seconds is how long it took until they were at an allocation of Theorem 1 for
	// good, traffic what passed until then.
	seconds   int
	traffic   distributed.Traffic
	shortfall float64 // of a bottleneck, at the end
	distance  float64 // from the central allocation, at the end
}

// epoch lets the time of one epoch pass and samples the utilization every second;
// want are the totals of the central allocation.
func (p timeline) epoch(sys *distributed.System, e [2]int, want []float64) ([]results.Row, settlement) {
	last := e[1]
	if last == seconds-1 {
		last = seconds
	}
	var rows []results.Row
	var start distributed.Traffic
	var s settlement
	pending := false
	for t := e[0]; t <= last; t++ {
		sys.Advance(event.Time(t) * second)
		if t == e[0] {
			start = sys.Traffic()
		}
		a := sys.Allocation()
		s.distance = distance(a.Tasks, want)
		if s.shortfall = shortfall(a, want); s.shortfall > exact {
			s.seconds, pending = t-e[0]+1, true
		} else if pending {
			s.traffic, pending = since(sys.Traffic(), start), false
		}
		rows = append(rows, p.sample(t, a)...)
	}
	return rows, s
}

// shortfall is that of the bottlenecks of the users who are there: those who have
// something in the central allocation.
func shortfall(a *cluster.Allocation, central []float64) float64 {
	present := *a
	present.Region = a.Region.With(slices.Clone(a.Region.Users))
	for j, x := range central {
		if x == 0 {
			present.Region.Users[j].Tasks = 0 // a user at its cap needs no bottleneck
		}
	}
	return max(0, fair.Bottlenecks(&present).Shortfall)
}

// since is the traffic after start.
func since(now, start distributed.Traffic) distributed.Traffic {
	return distributed.Traffic{Actions: now.Actions - start.Actions, Reads: now.Reads - start.Reads, Reports: now.Reports - start.Reports}
}

// settledRows reports an epoch that began at a time.
func (p timeline) settledRows(from int, period event.Time, s settlement) []results.Row {
	r := at(from)
	return []results.Row{
		r.Measure(metricRounds, math.Ceil(float64(s.seconds)*float64(second)/float64(period))),
		r.Measure(metricReports, float64(s.traffic.Reports)), r.Measure(metricReads, float64(s.traffic.Reads)), r.Measure(metricDistance, s.distance),
		r.Measure(metricShortfall, s.shortfall),
	}
}

// without4 is the central allocation's totals, with or without user 4.
func without4(env *cluster.Environment, away bool) ([]float64, error) {
	if !away {
		a, err := policies.AllocateBy("ps-dsf", env)
		if err != nil {
			return nil, err
		}
		return a.Tasks, nil
	}
	a, err := policies.AllocateBy("ps-dsf", env.Subset([]int{0, 1, 2}))
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(a.Tasks), 0), nil
}

// sample returns the utilization of every class and resource.
func (p timeline) sample(t int, a *cluster.Allocation) []results.Row {
	var rows []results.Row
	used, r := a.Utilization(nil), at(t)
	for s, class := range Classes {
		r.User = class
		for k, resource := range a.Region.Resources {
			rows = append(rows, r.Measure(results.MetricUtilization+":"+resource, used[a.Region.Row(s, k)]))
		}
	}
	return rows
}

// at is what rows of a time have in common.
func at(t int) results.Row {
	r := results.Row{Experiment: Paper, Workload: figure6Label}
	r.At(float64(t))
	return r
}
