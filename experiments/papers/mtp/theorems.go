package mtp

import (
	"errors"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// Proof is an environment of the proof of theorem 1: users i and j and access
// points with bandwidth only, of capacity 1 each, in two groups. A user needs
// the same at all points of a group. With d[u] = (demand at a point of the
// second group / Points[1]) / (demand at one of the first / Points[0]) the proof
// needs d[i] < 1 < d[j].
type Proof struct {
	Points [2]int // of each group, at least 1
	I, J   [2]float64
	// Inside makes the bandwidth of a point a resource of its server instead of
	// a link, for rules that know no links. The problem is the same.
	Inside bool
}

// Environment returns the environment: a link a point, with a server behind it
// of which no task needs anything, or a server a point that has the bandwidth.
func (p Proof) Environment() *cluster.Environment {
	points := p.Points[0] + p.Points[1]
	if p.Inside {
		env := &cluster.Environment{Resources: []string{"bandwidth"}}
		for e := range points {
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", e+1), Capacity: []float64{1}, Count: 1})
		}
		env.Users = []cluster.User{p.inside("i", p.I), p.inside("j", p.J)}
		return env
	}
	env := &cluster.Environment{Resources: []string{"cpu"}}
	i, j := cluster.NewUser("i", []float64{0}), cluster.NewUser("j", []float64{0})
	for e := range points {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", e+1), Capacity: []float64{1}, Count: 1})
		env.Links = append(env.Links, cluster.Link{Name: fmt.Sprintf("e%d", e+1), Capacity: 1, Servers: cluster.NewSet(points, e)})
		i.LinkDemand = append(i.LinkDemand, p.I[p.group(e)])
		j.LinkDemand = append(j.LinkDemand, p.J[p.group(e)])
	}
	env.Users = []cluster.User{i, j}
	return env
}

// inside returns a user that needs bandwidth of servers.
func (p Proof) inside(name string, d [2]float64) cluster.User {
	u := cluster.NewUser(name, d[:1])
	u.DemandOn = map[int][]float64{}
	for e := p.Points[0]; e < p.Points[0]+p.Points[1]; e++ {
		u.DemandOn[e] = d[1:]
	}
	return u
}

func (p Proof) group(e int) int {
	if e < p.Points[0] {
		return 0
	}
	return 1
}

// ratio returns d[u] of a user with the demands d.
func (p Proof) ratio(d [2]float64) float64 {
	return d[1] / float64(p.Points[1]) / (d[0] / float64(p.Points[0]))
}

// lemmaTolerance is how far from all and nothing a share may be that lemma 3
// says is all or nothing. The Nash rules find such shares to about 1e-5.
const lemmaTolerance = 1e-4

// LemmaError says that an allocation is not one of the two that lemma 3 leaves
// to an allocation that is Pareto optimal and envy-free.
type LemmaError struct{ First, Second float64 }

func (e *LemmaError) Error() string {
	return fmt.Sprintf("user i holds %.6g of the first group's bandwidth and %.6g of the second's: neither nothing of the first nor all of the second, as every Pareto-optimal and envy-free allocation has it", e.First, e.Second)
}

// Lie allocates under a rule and lets the user lie that the proof names:
//
//   - Scenario I, i holds nothing of the first group: i overstates what it needs
//     of the second until its ratio lies between 1 and d[j]. By lemma 2 the rule
//     then gives it all of the second group and some of the first.
//   - Scenario II, i holds all of the second group: j overstates what it needs of
//     the first until its ratio lies between d[i] and 1. By lemma 1 the rule then
//     gives it all of the first group and some of the second.
//
// The ratio reported is the geometric mean of the bounds. The error is a
// [*LemmaError] if neither scenario holds, or the rule's.
//
// Reference: multi-AP paper (MTP), theorem 1 and lemmas 1 to 3.
func (p Proof) Lie(rule policies.Policy) (fair.Lie, error) {
	env := p.Environment()
	honest, err := policies.Allocate(rule, env)
	if err != nil {
		return fair.Lie{}, err
	}
	first, second := p.share(honest, 0), p.share(honest, 1)
	liar, report := 0, p
	switch {
	case first <= lemmaTolerance:
		report.I[1] *= math.Sqrt(p.ratio(p.J)) / p.ratio(p.I)
	case second >= 1-lemmaTolerance:
		liar = 1
		report.J[0] *= p.ratio(p.J) / math.Sqrt(p.ratio(p.I))
	default:
		return fair.Lie{}, &LemmaError{first, second}
	}
	lying, err := policies.Allocate(rule, report.Environment())
	if err != nil {
		return fair.Lie{}, err
	}
	truth := env.Users[liar]
	return fair.Lie{
		Truth: truth, Report: report.Environment().Users[liar],
		Honest: fair.Worth(honest, liar, truth), Lying: fair.Worth(lying, liar, truth),
	}, nil
}

// share returns the part of a group's bandwidth that user i holds.
func (p Proof) share(a *cluster.Allocation, group int) float64 {
	held := 0.0
	for e, x := range a.On(0) {
		if p.group(e) == group {
			held += x * p.I[group]
		}
	}
	return held / float64(p.Points[group])
}

// proofs are the environments on which the theorems are executed: two, three
// and five access points, and demands under which either scenario comes up.
func proofs() []Proof {
	var all []Proof
	for _, points := range [][2]int{{1, 1}, {1, 2}, {2, 3}} {
		for _, d := range [][2]float64{{0.5, 3}, {0.9, 4}, {0.2, 1.1}} {
			k := float64(points[1]) / float64(points[0])
			all = append(all, Proof{Points: points, I: [2]float64{1, d[0] * k}, J: [2]float64{0.4, 0.4 * d[1] * k}})
		}
	}
	return all
}

// theorems executes both theorems for every registered rule of which papers
// claim what the theorem speaks of: an entry a rule.
func theorems() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, t := range []struct {
		id   string
		with policies.Property
	}{{"theorem1", policies.EF}, {"theorem2", policies.SI}} {
		for _, meta := range policies.All() {
			if !claims(meta, policies.PO) || !claims(meta, t.with) {
				continue
			}
			e, err := theorem(t.id, t.with, meta)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.id, meta.Name, err)
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func claims(meta policies.Meta, property policies.Property) bool {
	for _, c := range meta.Claims {
		if c.Property == property {
			return c.Holds
		}
	}
	return false
}

// theorem executes one theorem for one rule. Of PO, a second property and SP it
// lacks at least one: the entry's number is the smallest gain of the proof's lie
// over all environments or, where the rule lacks another of the three although
// papers claim it (for one demand everywhere), the largest violation of that one.
func theorem(id string, with policies.Property, meta policies.Meta) (ledger.Entry, error) {
	start := func(found string) ledger.Entry {
		return entry("theorems", id+"/"+meta.Name, fmt.Sprintf("PO, %s and SP exclude one another; %s in percent, %s", with, found, over))
	}
	rule, err := meta.New(policies.Params{})
	if err != nil {
		return start(""), err
	}
	gain, missing, err := execute(rule, with, false)
	if unsupported := (*policies.UnsupportedError)(nil); errors.As(err, &unsupported) {
		gain, missing, err = execute(rule, with, true)
	}
	if unsupported := (*policies.UnsupportedError)(nil); errors.As(err, &unsupported) {
		return start("the gain of the proof's lie").Skip("the rule is not defined for several access points: " + err.Error()), nil
	} else if err != nil {
		return start(""), err
	}
	found, number := fmt.Sprintf("%s has the first two: smallest gain of the proof's lie", meta.Name), gain
	if missing.percent > leastGain {
		found, number = fmt.Sprintf("%s is not %s with several access points: largest violation", meta.Name, missing.property), missing.percent
	}
	e := start(found).Words(ledger.Computed(number, 1e-3), ledger.AtLeast(leastGain))
	if meta.Name == "ps-dsf" {
		e = e.Remark(refutedElsewhere)
	}
	return e, nil
}

// refutedElsewhere says that a rule that is Pareto optimal on the proof's environments
// is not so in general.
const refutedElsewhere = "on these environments it is Pareto optimal; that it always is, is refuted: leontief reproduce ps-dsf, table1/ps-dsf/PO/example, has the witness"

// execute returns the smallest gain of the proof's lie, in percent, or the
// largest violation of one of the properties that the proof takes for granted;
// inside as in [Proof].
func execute(rule policies.Policy, with policies.Property, inside bool) (gain float64, missing violation, err error) {
	gain = math.Inf(1)
	for _, p := range proofs() {
		p.Inside = inside
		a, err := policies.Allocate(rule, p.Environment())
		if err != nil {
			return 0, missing, err
		}
		v, err := lacks(a, with)
		if err != nil {
			return 0, missing, err
		}
		if v.percent > missing.percent {
			missing = v
		}
		if missing.percent > leastGain {
			continue
		}
		lie, err := p.Lie(rule)
		if err != nil {
			return 0, missing, err
		}
		gain = min(gain, 100*lie.Gain())
	}
	return gain, missing, nil
}

var over = fmt.Sprintf("over %d environments of the proof", len(proofs()))

// leastGain is the smallest gain or violation, in percent, that counts as one:
// far above the solvers' error.
const leastGain = 0.1

// violation is by how much an allocation fails a property.
type violation struct {
	property policies.Property
	percent  float64
}

// lacks returns the larger violation of PO (by how much the tasks of all could
// grow at nobody's cost) and of EF (enviousness) or SI (how far somebody is
// below the equal share).
func lacks(a *cluster.Allocation, with policies.Property) (violation, error) {
	factor, _, err := solve.Domination(a.Region, a.Tasks)
	if err != nil {
		return violation{}, err
	}
	second := violation{with, 100 * (1 - fair.NewJudge(a.Region).MinSISat(a, nil).Sat)}
	if with == policies.EF {
		points, err := fair.NewAccessPoints(a.Region)
		if err != nil {
			return violation{}, err
		}
		second.percent = points.Max(a, nil).Percent
	}
	if first := 100 * (factor - 1); first > second.percent {
		return violation{policies.PO, first}, nil
	}
	return second, nil
}
