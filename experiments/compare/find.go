package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Findings are what a study comes to.
type Findings struct {
	*Study
	Same       []int // of each rule the first with the same outcome of every job
	Values     []Values
	Groups     []Group  // by tenant, those with most jobs first
	Sizes      []Group  // by class of size
	Violations []Series // by rule and property
	Prices     []Price
	Scarce     []Scarce
	NodeGains  []NodeGain
}

// Values are what is compared of a rule.
type Values struct {
	Metric, Short string
	Of            []metrics.Interval // by rule
	Less          []metrics.Interval // by rule, less the baseline
	Moments       bool
}

// Group is some of the jobs, and how much longer they take under each rule than under the
// baseline.
type Group struct {
	Name   string
	Jobs   int
	Change []metrics.Interval // by rule
}

// Series is how often a property was violated under a rule, and where most.
type Series struct {
	Property    policies.Property
	Claim       string // of the rule
	Allocations int    // in all
	*Seen
}

// Price is what fairness cost, at the moments and in the whole replay.
type Price struct {
	Work             float64 // task-seconds a second
	Tasks, Fair      metrics.Interval
	HasTasks, HasFar bool
	Moments          int        // at which the optimum of MostFair is known
	Against          [2]float64 // of Work less than that of MostTasks and of MostFair; NaN: not replayed
}

// Scarce is how scarce a capacity was under the baseline.
type Scarce struct {
	Name     string
	UsedUp   int // moments
	Price    float64
	Priced   int // moments at which anything had a price
	Most     float64
	MostAt   *Moment
	Row      int
	Capacity float64
}

// NodeGain is what one more node of a class brought under the baseline.
type NodeGain struct {
	*Node
	Change, Wait metrics.Interval
}

// mostGroups is the number of tenants of which there are intervals.
const mostGroups = 200

// Find computes the findings.
func (s *Study) Find() *Findings {
	s.open()
	f := &Findings{Study: s, Same: s.same()}
	f.jobValues()
	f.momentValues()
	f.groups()
	f.violations()
	f.prices()
	f.scarce()
	for i := range s.Nodes {
		n, base := &s.Nodes[i], s.Rules[s.Baseline].Fates
		g := NodeGain{Node: n, Wait: s.difference(n.Fates, base, jobValues[0].of)}
		g.Change, _ = s.change(n.Fates, base, jobValues[1].of, nil)
		f.NodeGains = append(f.NodeGains, g)
	}
	return f
}

func (f *Findings) jobValues() {
	base := f.Rules[f.Baseline].Fates
	for _, v := range jobValues {
		of := Values{Metric: v.metric, Short: v.short}
		for _, r := range f.Rules {
			of.Of = append(of.Of, f.blocks.Ratio(f.sums(r.Fates, v.of, nil)))
			of.Less = append(of.Less, f.difference(r.Fates, base, v.of))
		}
		f.Values = append(f.Values, of)
	}
}

func (f *Findings) momentValues() {
	base := f.Rules[f.Baseline].Moments
	for _, v := range f.Study.momentValues() {
		of := Values{Metric: v.metric, Short: v.short, Moments: true}
		for _, r := range f.Rules {
			of.Of = append(of.Of, f.blocks.Ratio(f.momentSums(v.of, r.Moments, r.Moments)))
			a, n := f.momentSums(v.of, r.Moments, base)
			b, _ := f.momentSums(v.of, base, r.Moments)
			of.Less = append(of.Less, f.blocks.Ratio(minus(a, b), n))
		}
		f.Values = append(f.Values, of)
	}
}

// groups compares the completion times of tenants and of sizes.
func (f *Findings) groups() {
	tenants, sizes := map[string][]int{}, map[string][]int{}
	for i := range f.Case.Jobs {
		j := &f.Case.Jobs[i]
		if name, stated := j.Tenant(); stated {
			tenants[name] = append(tenants[name], i)
		}
		size := run.SizeOf(j)
		sizes[size] = append(sizes[size], i)
	}
	names := sortedBy(tenants, func(name string) int { return -len(tenants[name]) })
	for _, name := range names[:min(len(names), mostGroups)] {
		f.Groups = append(f.Groups, f.group(name, tenants[name]))
	}
	for _, name := range run.Sizes() {
		if jobs := sizes[name]; jobs != nil {
			f.Sizes = append(f.Sizes, f.group(name, jobs))
		}
	}
}

func (f *Findings) group(name string, jobs []int) Group {
	g, base := Group{Name: name, Jobs: len(jobs)}, f.Rules[f.Baseline].Fates
	for _, r := range f.Rules {
		iv, _ := f.change(r.Fates, base, jobValues[1].of, jobs)
		g.Change = append(g.Change, iv)
	}
	return g
}

// violations collects what the watches saw of each rule and property.
func (f *Findings) violations() {
	features := cluster.Features(f.Workload.Env)
	for _, r := range f.Rules {
		for k, property := range Kept {
			f.Violations = append(f.Violations, Series{property, claim(r.Policy, property, features, f.Whole), r.Allocations, &r.Seen[k]})
		}
	}
}

// claim says whether the papers promise a property of a rule in an environment.
func claim(rule string, p policies.Property, features cluster.Feature, whole bool) string {
	name, _, err := policies.Parse(rule)
	if err != nil {
		return "no claim"
	}
	m, err := policies.Lookup(name)
	if err != nil {
		return "no claim" // fifo
	}
	k := slices.IndexFunc(m.Claims, func(c policies.Claim) bool { return c.Property == p })
	switch {
	case k < 0:
		return "no claim"
	case !m.Claims[k].Holds:
		return "said to lack it"
	case m.Outside[p]&features != 0:
		return "not claimed with " + strings.Join((m.Outside[p]&features).Names(), ", ")
	case whole:
		return "claimed for divisible tasks"
	}
	return "guaranteed"
}

// prices compares what runs at the moments with the most that could.
func (f *Findings) prices() {
	for i := range f.Rules {
		r := &f.Rules[i]
		p := Price{}
		work, makespan := f.throughput(r.Fates)
		p.Work = work / makespan
		for _, m := range r.Moments {
			if m.BestFair > 0 {
				p.Moments++
			}
		}
		p.Tasks, p.HasTasks = f.lost(r, func(m *Moment) (float64, float64) { return m.Tasks, m.BestTasks })
		p.Fair, p.HasFar = f.lost(r, func(m *Moment) (float64, float64) { return m.Normalised, m.BestFair })
		f.Prices = append(f.Prices, p)
	}
	for i := range f.Prices {
		for k, rule := range [...]string{MostTasks, MostFair} {
			f.Prices[i].Against[k] = math.NaN()
			if of := slices.IndexFunc(f.Rules, func(r Rule) bool { return r.Policy == rule }); of >= 0 {
				f.Prices[i].Against[k] = 1 - f.Prices[i].Work/f.Prices[of].Work
			}
		}
	}
}

// lost is what of the best is missing, over the moments at which it is known.
func (f *Findings) lost(r *Rule, of func(*Moment) (has, best float64)) (metrics.Interval, bool) {
	missing, best, any := make([]float64, f.n), make([]float64, f.n), false
	for i := range r.Moments {
		m := &r.Moments[i]
		if h, b := of(m); b > 0 {
			k := f.block(int64(m.At))
			missing[k], best[k], any = missing[k]+b-h, best[k]+b, true
		}
	}
	if !any {
		return metrics.Interval{}, false
	}
	return f.blocks.Ratio(missing, best), true
}

// usedUp is what of a capacity may be left where it is used up.
const usedUp = 1e-9

// scarce says how scarce each capacity was under the baseline.
func (f *Findings) scarce() {
	env, base := f.Case.Cluster, &f.Rules[f.Baseline]
	for row := range env.Rows() {
		c := Scarce{Name: rowName(env, row), Row: row, Capacity: env.RowCapacity(row)}
		if c.Capacity == 0 {
			continue
		}
		for i := range base.Moments {
			m := &base.Moments[i]
			if row < len(m.Used) && m.Used[row] > 1-usedUp {
				c.UsedUp++
			}
			if m.Prices == nil {
				continue
			}
			c.Priced++
			c.Price += m.Prices[row]
			if c.MostAt == nil || m.Prices[row] > c.Most {
				c.Most, c.MostAt = m.Prices[row], m
			}
		}
		if c.Priced > 0 {
			c.Price /= float64(c.Priced)
		}
		f.Scarce = append(f.Scarce, c)
	}
	slices.SortStableFunc(f.Scarce, func(a, b Scarce) int {
		switch {
		case a.Price != b.Price:
			return map[bool]int{true: -1, false: 1}[a.Price > b.Price]
		}
		return b.UsedUp - a.UsedUp
	})
}

// rowName names a capacity as the tables do: server/resource, or the link.
func rowName(env *cluster.Environment, row int) string {
	if e := row - env.LinkRow(0); e >= 0 {
		return env.Links[e].Name
	}
	return env.Servers[row/len(env.Resources)].Name + "/" + env.Resources[row%len(env.Resources)]
}
