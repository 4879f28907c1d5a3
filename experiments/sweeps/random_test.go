package sweeps

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// randomly opens a scenario of random environments.
func randomly(t *testing.T, values map[string]string) *random {
	t.Helper()
	if values[policy] == "" {
		values[policy] = "eq"
	}
	s, err := spec.NewScenario(Random, values, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openRandom(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// measured runs one instance.
func measured(t *testing.T, r *random, i int) map[string]float64 {
	t.Helper()
	rows, err := r.Instance(context.Background(), i)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]float64{}
	for _, row := range rows {
		m[row.Metric] = row.Value
	}
	return m
}

// A feature is there where it is asked for, and changes nothing else.
func TestRandomFeatures(t *testing.T) {
	strip := map[string]func(env *cluster.Environment){
		linked: func(env *cluster.Environment) {
			env.Links = nil
			each(env, func(u *cluster.User) { u.LinkDemand = nil })
		},
		placed:   func(env *cluster.Environment) { each(env, func(u *cluster.User) { u.Eligible = nil }) },
		weighted: func(env *cluster.Environment) { each(env, func(u *cluster.User) { u.Weight = 1 }) },
		capped:   func(env *cluster.Environment) { each(env, func(u *cluster.User) { u.Tasks = cluster.Inf }) },
		unlike:   func(env *cluster.Environment) { each(env, func(u *cluster.User) { u.DemandOn = nil }) },
	}
	for name, value := range map[string]string{linked: "shared", placed: "yes", weighted: "yes", capped: "yes", unlike: "by-server"} {
		want := map[string]cluster.Feature{placed: cluster.Eligibility, weighted: cluster.Weights, capped: cluster.Caps, unlike: cluster.DemandOn}[name]
		for i := range 20 {
			plain, env := randomly(t, map[string]string{}).draw(i), randomly(t, map[string]string{name: value}).draw(i)
			if err := cluster.Validate(env); err != nil {
				t.Fatal(name, err)
			}
			if cluster.Features(env)&want != want || name == linked && len(env.Links) != 1 {
				t.Errorf("%s, instance %d: the environment lacks it", name, i)
			}
			if strip[name](env); !reflect.DeepEqual(env, plain) {
				t.Errorf("%s, instance %d: more than that differs", name, i)
			}
		}
	}
}

func each(env *cluster.Environment, f func(u *cluster.User)) {
	for j := range env.Users {
		f(&env.Users[j])
	}
}

// What is said of one division is what its definitions give, written out: envy and equal
// shares without links.
func TestRandomMeasures(t *testing.T) {
	for _, rule := range []string{"eq", "egalitarian", "utilitarian", "mnw", "ps-dsf"} {
		r := randomly(t, map[string]string{policy: rule, placed: "yes", weighted: "yes"})
		for i := range 30 {
			env, m := r.draw(i), measured(t, r, i)
			a, err := policies.Allocate(r.rule.Policy, env)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]float64{results.MetricMinEFSat: slowEF(env, a), results.MetricMinSISat: slowSI(env, a)} {
				if math.Abs(m[name]-want) > 1e-9 {
					t.Errorf("%s, instance %d: %s is %v, by its definition %v", rule, i, name, m[name], want)
				}
			}
			for kept, lacking := range map[string]float64{metricEFKept: 1 - m[results.MetricMinEFSat], metricSIKept: 1 - m[results.MetricMinSISat], metricPOKept: m[results.MetricDomination] - 1} {
				if (m[kept] == 1) != (lacking <= 1e-6) {
					t.Errorf("%s, instance %d: %s is %v and %v is lacking", rule, i, kept, m[kept], lacking)
				}
			}
		}
	}
}

func slowEF(env *cluster.Environment, a *cluster.Allocation) float64 {
	least := 1.0
	for j, u := range env.Users {
		for i, v := range env.Users {
			bundle := 0.0
			for s, x := range a.On(i) {
				if env.MayRun(j, s) {
					bundle += x * min(v.Demand[0]/u.Demand[0], v.Demand[1]/u.Demand[1]) * u.Weight / v.Weight
				}
			}
			if bundle > 0 {
				least = min(least, a.Tasks[j]/bundle)
			}
		}
	}
	return least
}

func slowSI(env *cluster.Environment, a *cluster.Allocation) float64 {
	least, weights := 1.0, 0.0
	for _, u := range env.Users {
		weights += u.Weight
	}
	for j, u := range env.Users {
		alone := 0.0
		for s, server := range env.Servers {
			if env.MayRun(j, s) {
				alone += min(server.Capacity[0]/u.Demand[0], server.Capacity[1]/u.Demand[1])
			}
		}
		least = min(least, a.Tasks[j]/(alone*u.Weight/weights))
	}
	return least
}

// A rule that refuses says so and nothing else; lies that pay are found where they are easy and
// none where a proof says that there is none.
func TestRandomLiesAndRefusals(t *testing.T) {
	if m := measured(t, randomly(t, map[string]string{policy: "ps-dsf", linked: "shared"}), 0); len(m) != 1 || m[metricDefined] != 0 {
		t.Errorf("ps-dsf with a link: %v", m)
	}
	for rule, pays := range map[string]bool{"utilitarian": true, "egalitarian": true, "tsf-er": false, "eq": false} {
		r, found := randomly(t, map[string]string{policy: rule, reports: "40"}), 0.0
		for i := range 10 {
			m := measured(t, r, i)
			if (m[metricLiePart] > 0) != (m[metricLiars] > 0) || m[metricLiePart] > 1+1e-9 {
				t.Errorf("%s, instance %d: %v", rule, i, m)
			}
			found += m[metricLiars]
		}
		if (found > 0) != pays {
			t.Errorf("%s: lies pay %v users", rule, found)
		}
	}
}
