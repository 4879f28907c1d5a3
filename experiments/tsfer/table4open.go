package tsfer

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// openVariants are MNW and CRU in every reading; TSF-ER as it is; and, as a
// yardstick for what rounding alone does, TSF-ER rounded like the others.
func openVariants() []variant {
	all := []variant{{rule: "tsf-er"}}
	for _, rule := range rules3 {
		for _, d := range Readings() {
			if rule != "tsf-er" || !d.Vertex && !d.SuspendedLast {
				all = append(all, variant{rule: rule, rounded: true, reading: d})
			}
		}
	}
	return append(all, variant{rule: experiments.FIFO})
}

// short writes a reading without the names of the options.
func (d Reading) short() string {
	return fillNames[d.Fill] + "," + splitNames[d.Vertex] + "," + suspendedNames[d.SuspendedLast]
}

// openName is the name of a rounded rule in a reading.
func openName(rule string, d Reading) string {
	return variant{rule: rule, rounded: true, reading: d}.String()
}

// published4 is the printed value of a rule in the setting [Central4].
func published4(rule string) float64 { return table4[1].values[slices.Index(rules3, rule)] }

// nearest says of MNW and CRU which reading comes nearest to the printed value
// in the setting [Central4], and how near.
func (r *runner) nearest(open samples) map[string]string {
	notes := map[string]string{}
	for _, rule := range rules3[1:] {
		best, distance := Reading{}, math.Inf(1)
		for _, d := range Readings() {
			if off := math.Abs(mean(open[cell{Central4, openName(rule, d)}]) - published4(rule)); off < distance {
				best, distance = d, off
			}
		}
		notes[rule] = fmt.Sprintf("of the %d readings of what the paper leaves open about %s, %s comes nearest to the printed %.3f at n=15 and 256 s, with %.3f (item table4-options)",
			len(Readings()), rule, best, published4(rule), mean(open[cell{Central4, openName(rule, best)}]))
	}
	return notes
}

// readings compares MNW and CRU in every reading with the printed value. These
// entries repeat two of table 4, so that no tally counts them.
func (r *runner) readings(open samples) []experiments.Entry {
	var entries []experiments.Entry
	for _, rule := range rules3[1:] {
		for _, d := range Readings() {
			name := openName(rule, d)
			e := r.entry("table4-options", rule+"/"+d.short()+"#reading", "mean JCT factor in the central column")
			ours := open.estimate(r.Seed, e.ID, func(m means) float64 { return m(Central4, name) })
			entries = append(entries, e.Value(published4(rule), ours))
		}
	}
	return entries
}

// openClaims tell the rule from the rounding in the setting [Central4].
func openClaims() []claim {
	at := func(m means, name string) float64 { return m(Central4, name) }
	byDefault := func(rule string) string { return openName(rule, Reading{}) }
	claims := []claim{
		{id: "rounding/tsf-er", text: "what TSF-ER loses when it is rounded like MNW and CRU", bound: experiments.AtLeast(0),
			statistic: func(m means) float64 { return at(m, "tsf-er") - at(m, byDefault("tsf-er")) }},
	}
	for _, rule := range rules3[1:] {
		claims = append(claims, claim{id: "rule/" + rule, text: "what rounded TSF-ER is ahead of rounded " + rule, bound: experiments.AtLeast(0),
			statistic: func(m means) float64 { return at(m, byDefault("tsf-er")) - at(m, byDefault(rule)) }},
			claim{id: "nearest/" + rule, text: "smallest distance of a reading of " + rule + " from the printed value", bound: experiments.AtMost(0.02),
				statistic: func(m means) float64 {
					least := math.Inf(1)
					for _, d := range Readings() {
						least = min(least, math.Abs(at(m, openName(rule, d))-published4(rule)))
					}
					return least
				}})
	}
	return claims
}

// allPresent measures the share x/η of a user where all n users of an instance
// are present at once, the mean over them: what the JCT factor would be if
// everybody overlapped with everybody all the time.
func (r *runner) allPresent(out *Results) (samples, error) {
	settings := []Setting{n4(10), n4(15), n4(20)}
	outcomes, err := r.every("all-present", settings, r.Scale.Table4, r.shares)
	if err != nil {
		return nil, err
	}
	for s, setting := range settings {
		for i, instance := range outcomes[s] {
			for k, rule := range rules3 {
				out.Rows["table4-options"] = append(out.Rows["table4-options"], r.rows("all-present", setting, i, rule, instance[k])...)
			}
		}
	}
	return collect(settings, rules3, outcomes, metricShare), nil
}

// metricShare is the mean of x/η over the users, in [0, 1].
const metricShare = "share"

// shares divides the cluster among all users of an instance at once.
func (r *runner) shares(s Setting, instance int) ([]*experiments.Outcome, error) {
	jobs, mhz, err := r.draw(s.N, instance)
	if err != nil {
		return nil, err
	}
	var users []cluster.User
	for i, j := range jobs {
		if j.CPU > 0 || j.Mem > 0 {
			u := cluster.NewUser(j.ID, []float64{j.CPU, j.Mem})
			u.LinkDemand = mhz[i : i+1]
			users = append(users, u)
		}
	}
	env := Cluster(s.Rho, s.Bandwidth).With(users)
	eta := env.Etas(nil)
	var outcomes []*experiments.Outcome
	for _, rule := range rules3 {
		policy, err := policies.New(rule)
		if err != nil {
			return nil, err
		}
		a, err := policy.Allocate(env)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for i := range users {
			sum += a.Tasks[i] / eta[i]
		}
		value := experiments.Measure{Metric: metricShare, Value: sum / float64(max(1, len(users))), Unit: plots.UnitRatio}
		outcomes = append(outcomes, &experiments.Outcome{Measures: []experiments.Measure{value}})
	}
	return outcomes, nil
}

// presentEntries compares those shares with the printed JCT factors. No tally
// counts them: they explain, they do not reproduce.
func (r *runner) presentEntries(values samples) []experiments.Entry {
	var entries []experiments.Entry
	for c := range 3 {
		column := table4[c]
		for k, rule := range rules3[1:] {
			e := r.entry("table4-options", fmt.Sprintf("all-present/%s/n=%d#reading", rule, column.N),
				"mean x/η, all users present at once")
			ours := values.estimate(r.Seed, e.ID, func(m means) float64 { return m(column.Setting, rule) })
			entries = append(entries, e.Value(column.values[k+1], ours))
		}
	}
	return entries
}
