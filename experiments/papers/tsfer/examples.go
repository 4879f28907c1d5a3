package tsfer

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// exact is the accuracy to which a worked example is compared.
const exact = 1e-6

// server is a server of the worked examples, by its capacity.
func server(name string, capacity ...float64) cluster.Server {
	return cluster.Server{Name: name, Capacity: capacity, Count: 1}
}

// figure2 is the environment of figure 2.
func figure2() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{server("s1", 5, 10), server("s2", 10, 5)},
		Links:     []cluster.Link{{Name: "bw", Capacity: 15}},
		Users: []cluster.User{
			cluster.NewUser("u1", []float64{2, 1}, 2.5),
			cluster.NewUser("u2", []float64{1, 2}, 0.5),
		},
	}
}

// appendix91 is the environment of appendices 9.1 and 9.2. User B needs
// (2, 9) of cpu and link; lying, it asks for (4, 7).
func appendix91(lying bool) *cluster.Environment {
	b := cluster.NewUser("B", []float64{2}, 9)
	if lying {
		b = cluster.NewUser("B", []float64{4}, 7)
	}
	return &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{server("s", 10)},
		Links:     []cluster.Link{{Name: "bw", Capacity: 10}},
		Users:     []cluster.User{cluster.NewUser("A", []float64{6}, 3), b},
	}
}

// truth is how many of its true tasks user B can run on what it is given for
// one of the tasks that it lies about: min(4/2, 7/9).
var truth = math.Min(4.0/2, 7.0/9)

// answer is the answer to one worked example: the tasks of each user.
type answer struct {
	rules []string
	tasks []float64
}

// figure2Answers are the allocations of figure 2. The paper prints them as
// areas and, for TSF-α and DRF-α with the link split by cpu, as shares; the
// numbers of tasks follow from its definitions.
var figure2Answers = []answer{
	{[]string{"tsf-er", "drf-er"}, []float64{30.0 / 7, 75.0 / 14}},
	{[]string{"mnw", "cru"}, []float64{5, 5}},
	{[]string{"drf-eq"}, []float64{140.0 / 39, 175.0 / 39}},
	{[]string{"tsf-eq"}, []float64{385.0 / 111, 175.0 / 37}},
	{[]string{"tsf-cpu", "drf-cpu"}, []float64{160.0 / 39, 200.0 / 39}},
	{[]string{"tsf-mem"}, []float64{30.0 / 11, 50.0 / 11}},
	{[]string{"drf-mem"}, []float64{40.0 / 13, 50.0 / 13}},
}

// example starts the entry of a worked example.
func example(id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: "examples", ID: "examples/" + id, Claim: claim}
}

// Examples computes the worked examples of the paper: figure 2 and the lies
// of appendices 9.1 and 9.2. No trace is involved.
func Examples() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, part := range []func() ([]ledger.Entry, error){
		standalone, figure2Tasks, figure2Claims, figure2Shares, lies, tsferLie,
	} {
		more, err := part()
		if err != nil {
			return nil, fmt.Errorf("worked examples: %w", err)
		}
		entries = append(entries, more...)
	}
	return entries, nil
}

func standalone() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for j, eta := range figure2().Etas(nil) {
		entries = append(entries, example(fmt.Sprintf("fig2/eta/u%d", j+1), "tasks of the user that has everything").
			Value([]float64{6, 7.5}[j], ledger.Computed(eta, exact)))
	}
	return entries, nil
}

func figure2Tasks() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, answer := range figure2Answers {
		for _, rule := range answer.rules {
			a, err := policies.AllocateBy(rule, figure2())
			if err != nil {
				return nil, err
			}
			for j, want := range answer.tasks {
				entries = append(entries, example(fmt.Sprintf("fig2/%s/u%d", rule, j+1), "tasks of the user").
					Value(want, ledger.Computed(a.Tasks[j], exact)))
			}
		}
	}
	return entries, nil
}

// figure2Claims are what section 3.3 says in words of figure 2: of two rules, which
// gives both users more tasks.
func figure2Claims() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, c := range []struct{ id, text, more, fewer string }{
		{"cru-above-drf-eq", "3.3, by CRU and MNW \"both users can execute more tasks\" than by DRF-eq", "cru", "drf-eq"},
		{"tsf-er-above-tsf-cpu", "3.3, \"both users execute a fewer number of tasks\" with TSF-cpu than with TSF-ER", "tsf-er", "tsf-cpu"},
	} {
		more, err := policies.AllocateBy(c.more, figure2())
		if err != nil {
			return nil, err
		}
		fewer, err := policies.AllocateBy(c.fewer, figure2())
		if err != nil {
			return nil, err
		}
		entries = append(entries, both("fig2/claim/"+c.id, c.text, more, fewer))
	}
	return entries, nil
}

// both judges whether every user has more tasks of one allocation than of another.
func both(id, claim string, more, fewer *cluster.Allocation) ledger.Entry {
	least := math.Inf(1)
	for j, tasks := range more.Tasks {
		least = min(least, tasks-fewer.Tasks[j])
	}
	return example(id, claim+": the lesser of the differences").Words(ledger.Computed(least, exact), rises)
}

// label is a percentage that figure 2(c) prints, cut off after one decimal: how much
// of all of a resource (0 cpu, 1 memory, 2 the link) a user holds on a server, both
// counted from 0, under TSF-cpu.
type label struct {
	id                     string
	user, server, resource int
	published              float64
}

var labels2 = []label{
	{"cpu", 0, 1, 0, 51.8}, {"mem", 0, 1, 1, 25.9}, {"bw", 0, 1, 2, 64.8},
	{"u1/s1/cpu", 0, 0, 0, 2.8}, {"u1/s1/mem", 0, 0, 1, 1.4}, {"u1/s1/bw", 0, 0, 2, 3.5}, {"u2/s2/bw", 1, 1, 2, 1.8},
}

// figure2Shares checks the seven percentages that figure 2(c) prints.
func figure2Shares() ([]ledger.Entry, error) {
	env := figure2()
	a, err := policies.AllocateBy("tsf-cpu", env)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for _, l := range labels2 {
		entries = append(entries, l.entry(env, a))
	}
	return entries, nil
}

// entry judges a label: what it stands for lies less than a decimal above it.
func (l label) entry(env *cluster.Environment, a *cluster.Allocation) ledger.Entry {
	user, of, total := &env.Users[l.user], "bw", env.Links[0].Capacity
	demand := user.LinkDemand[0]
	if l.resource < len(env.Resources) {
		of, total, demand = env.Resources[l.resource], env.TotalCapacity(l.resource), user.Demand[l.resource]
	}
	const lastDecimal = 0.1
	percent := 100 * a.On(l.user)[l.server] * demand / total
	e := example("fig2/share/"+l.id, fmt.Sprintf("percent of all %s that user %d holds on server %d under tsf-cpu, cut off after one decimal", of, l.user+1, l.server+1))
	return e.Value(l.published, ledger.Estimate{Value: percent, Low: percent - lastDecimal, High: percent, Instances: 1})
}

// lies are appendices 9.1 and 9.2: under CRU and MNW a lie pays.
func lies() ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, rule := range []string{"cru", "mnw"} {
		honest, err := policies.AllocateBy(rule, appendix91(false))
		if err != nil {
			return nil, err
		}
		lied, err := policies.AllocateBy(rule, appendix91(true))
		if err != nil {
			return nil, err
		}
		given := ledger.Computed(lied.Tasks[1], exact)
		lie := example("app9/"+rule+"/lie/B", "tasks of B when it lies")
		if rule == "cru" {
			lie = refuted91(lie, given)
		} else {
			lie = lie.Value(1, given)
		}
		entries = append(entries,
			example("app9/"+rule+"/honest/A", "tasks of A, B being honest").Value(35.0/24, ledger.Computed(honest.Tasks[0], exact)),
			example("app9/"+rule+"/honest/B", "tasks of B, being honest").Value(0.625, ledger.Computed(honest.Tasks[1], exact)),
			lie, gain("app9/"+rule+"/gain", "true tasks that B gains by lying", honest, lied, ledger.AtLeast(exact)))
	}
	return entries, nil
}

// refuted91 refutes what appendix 9.1 prints for CRU, unless it is what CRU gives.
func refuted91(e ledger.Entry, given ledger.Estimate) ledger.Entry {
	const printed = 0.832
	if judged := e.Value(printed, given); judged.Verdict == ledger.Reproduced {
		return judged
	}
	return e.Refute(printed, given, fmt.Sprintf(
		"the program that defines CRU has its optimum at %.6g; the conclusion (not strategy-proof) stands all the more", given.Value))
}

// tsferLie is the same lie under TSF-ER, which is strategy-proof.
func tsferLie() ([]ledger.Entry, error) {
	honest, err := policies.AllocateBy("tsf-er", appendix91(false))
	if err != nil {
		return nil, err
	}
	lied, err := policies.AllocateBy("tsf-er", appendix91(true))
	if err != nil {
		return nil, err
	}
	return []ledger.Entry{
		example("app9/tsf-er/honest/B", "tasks of B, being honest").Value(20.0/27, ledger.Computed(honest.Tasks[1], exact)),
		example("app9/tsf-er/lie/B", "true tasks of B when it lies").Value(10.0/11*truth, ledger.Computed(lied.Tasks[1]*truth, exact)),
		gain("app9/tsf-er/gain", "true tasks that B gains by lying", honest, lied, ledger.AtMost(0)),
	}, nil
}

// gain judges what B's lie is worth in true tasks.
func gain(id, claim string, honest, lied *cluster.Allocation, bound ledger.Bound) ledger.Entry {
	return example(id, claim).Words(ledger.Computed(lied.Tasks[1]*truth-honest.Tasks[1], exact), bound)
}
