package compare

import (
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
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
	Property          policies.Property
	Claim             string // of the rule
	Violated, Moments int
	Worst             *Moment // nil: never
	Says              string  // the witness at that moment
}

// Price is what fairness cost at the moments.
type Price struct {
	Work             float64 // task-seconds a second
	Tasks, Fair      metrics.Interval
	HasTasks, HasFar bool
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

// tolerance is how far from satisfied a property may be, as in package sim.
const tolerance = sim.SITolerance

// kept are the properties that are looked at: the metric of a moment, by how much a value of
// it violates the property, and the witness.
var kept = []struct {
	property policies.Property
	metric   string
	value    func(m *Moment) float64
	lack     func(m *Moment) float64
	who      func(m *Moment) (user, of int)
	says     func(m *Moment) string
}{
	{policies.EF, MetricEFSat, func(m *Moment) float64 { return m.Envy.Sat }, func(m *Moment) float64 { return 1 - m.Envy.Sat },
		func(m *Moment) (user, of int) { return m.Envy.User, m.Envy.Of }, func(m *Moment) string { return m.Envy.String() }},
	{policies.SI, MetricSISat, func(m *Moment) float64 { return m.Sharing.Sat }, func(m *Moment) float64 { return 1 - m.Sharing.Sat },
		func(m *Moment) (user, of int) { return m.Sharing.User, -1 }, func(m *Moment) string { return m.Sharing.String() }},
	{policies.PO, MetricDomination, func(m *Moment) float64 { return max(1, m.Domination) }, func(m *Moment) float64 { return m.Domination - 1 },
		func(m *Moment) (user, of int) { return -1, -1 }, func(m *Moment) string {
			return "the users could have " + percent(m.Domination-1) + " more tasks in all, and nobody fewer"
		}},
}

// violations finds the worst moment of each rule and property.
func (f *Findings) violations() {
	features := cluster.Features(f.env())
	for _, r := range f.Rules {
		for _, k := range kept {
			v := Series{Property: k.property, Claim: claim(r.Policy, k.property, features, f.Whole)}
			for i := range r.Moments {
				m := &r.Moments[i]
				if k.property == policies.PO && m.Domination == 0 {
					continue
				}
				v.Moments++
				if lack := k.lack(m); lack > tolerance {
					v.Violated++
					if v.Worst == nil || lack > k.lack(v.Worst) {
						v.Worst, v.Says = m, k.says(m)
					}
				}
			}
			f.Violations = append(f.Violations, v)
		}
	}
}

// env is the cluster with the jobs of the case as users.
func (f *Findings) env() *cluster.Environment {
	env, err := f.Case.Environment()
	if err != nil {
		panic(err) // it has been replayed
	}
	return env
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
		p.Tasks, p.HasTasks = f.lost(r, func(m *Moment) (float64, float64) { return m.Tasks, m.BestTasks })
		p.Fair, p.HasFar = f.lost(r, func(m *Moment) (float64, float64) { return m.Normalised, m.BestFair })
		f.Prices = append(f.Prices, p)
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
			if row < len(m.Used.Rows) && m.Used.Rows[row] > 1-usedUp {
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
		p.Tasks.Bounded = false
		rows = interval(rows, like, MetricPrice, MostTasks, p.Tasks)
	}
	if p.HasFar {
		p.Fair.Bounded = false
		rows = interval(rows, like, MetricPrice, MostFair, p.Fair)
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

// violationRows are how often each property was violated, and the worst moment with its
// witness.
func (f *Findings) violationRows(like results.Row) (rows []results.Row) {
	like.Item = "violations"
	for i, r := range f.Rules {
		like.Policy = r.Policy
		for k, of := range kept {
			v := f.Violations[i*len(kept)+k]
			if v.Moments == 0 {
				continue
			}
			rows = interval(rows, like, MetricViolations, string(v.Property), metrics.Interval{Value: float64(v.Violated), Units: 1})
			if v.Worst == nil {
				continue
			}
			row := like.Measure(of.metric, of.value(v.Worst))
			row.Unit, row.Point = results.UnitOf(of.metric), row.Point.With("at_s", results.OfFloat(float64(v.Worst.At)/1e6))
			user, other := of.who(v.Worst)
			if row.User = v.Worst.name(user); other >= 0 {
				row.Point = row.Point.With("of", results.OfText(v.Worst.name(other)))
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
