package mtp

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// exact is the accuracy to which a worked example is compared.
const exact = 1e-6

// entry starts a ledger entry that no trace is involved in.
func entry(item, id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Name, Item: item, ID: item + "/" + id, Claim: claim}
}

// airtime returns access points with bandwidth only, of capacity 1 each:
// needs[j][e] of it a task.
func airtime(needs ...[]float64) *cluster.Environment {
	points := len(needs[0])
	env := &cluster.Environment{Resources: []string{"cpu"}}
	for e := range points {
		name := string(rune('a' + e))
		env.Servers = append(env.Servers, cluster.Server{Name: name, Capacity: []float64{1}, Count: 1})
		env.Links = append(env.Links, cluster.Link{Name: "bw-" + name, Capacity: 1, Servers: cluster.NewSet(points, e)})
	}
	for j, d := range needs {
		env.Users = append(env.Users, cluster.NewUser(string(rune('i'+j)), []float64{0}, d...))
	}
	return env
}

// section42 is the example of section 4.2: two allocations with the same
// dominant shares.
func section42() ([]ledger.Entry, error) {
	env := airtime([]float64{1, 0.1}, []float64{0.1, 1})
	points, err := fair.NewAccessPoints(env)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for _, c := range []struct {
		id, text        string
		x               []float64
		dominated, envy ledger.Bound
	}{
		{"first", "a to i, b to j", []float64{1, 0, 0, 1}, ledger.AtLeast(1 + exact), ledger.AtLeast(exact)},
		{"second", "b to i, a to j", []float64{0, 10, 10, 0}, ledger.AtMost(1 + exact), ledger.AtMost(exact)},
	} {
		a := &cluster.Allocation{Region: env, X: c.x, Tasks: []float64{c.x[0] + c.x[1], c.x[2] + c.x[3]}, Share: make([]float64, 2)}
		if err := a.Feasible(exact); err != nil {
			return nil, err
		}
		factor, _, err := solve.Domination(env, a.Tasks)
		if err != nil {
			return nil, err
		}
		entries = append(entries,
			entry("sec4.2", c.id+"/domination", c.text+": domination factor").Words(ledger.Computed(factor, exact), c.dominated),
			entry("sec4.2", c.id+"/enviousness", c.text+": largest enviousness in percent").Words(ledger.Computed(points.Max(a, nil).Percent, exact), c.envy))
	}
	return entries, nil
}

// figure2Environment is the example of section 4.3, in which user i says that
// it needs so much of b.
func figure2Environment(b float64) *cluster.Environment {
	return airtime([]float64{1, b}, []float64{6. / 20, 3. / 20}, []float64{13. / 20, 7. / 20})
}

// figure2 judges what section 4.3 says of TSF, and envy under MTP.
func figure2() ([]ledger.Entry, error) {
	truth := figure2Environment(1. / 160)
	tsf, err := policies.AllocateBy("tsf", truth)
	if err != nil {
		return nil, err
	}
	lying, err := policies.AllocateBy("tsf", figure2Environment(0.5))
	if err != nil {
		return nil, err
	}
	mtp, err := policies.AllocateBy("mtp", truth)
	if err != nil {
		return nil, err
	}
	points, err := fair.NewAccessPoints(truth)
	if err != nil {
		return nil, err
	}
	factor, _, err := solve.Domination(truth, tsf.Tasks)
	if err != nil {
		return nil, err
	}
	words := func(id, claim string, value float64, bound ledger.Bound) ledger.Entry {
		return entry("fig2", id, claim).Words(ledger.Computed(value, exact), bound)
	}
	spread := slices.Max(tsf.Share)/slices.Min(tsf.Share) - 1
	lie := fair.Worth(lying, 0, truth.Users[0])
	return []ledger.Entry{
		words("tsf/equal", "TSF equalises the relative numbers of tasks: largest over smallest, less 1", spread, ledger.AtMost(exact)),
		words("tsf/po", "TSF is Pareto optimal: domination factor", factor, ledger.AtMost(1+exact)),
		words("tsf/si", "TSF has the sharing incentive: MIN-SI-SAT", fair.NewJudge(truth).MinSISat(tsf, nil).Sat, ledger.AtLeast(1-exact)),
		words("tsf/envy", "under TSF i gains by exchanging allocations with j: enviousness in percent", points.Between(0, 1, tsf).Percent, ledger.AtLeast(leastGain)),
		words("tsf/lie", "under TSF i gains by reporting 1/2 on b: percent of its tasks", 100*(lie/tsf.Tasks[0]-1), ledger.AtLeast(leastGain)),
		words("mtp/envy", "MTP in its place: largest enviousness in percent", points.Max(mtp, nil).Percent, ledger.AtMost(exact)),
	}, nil
}
