package tsf

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
)

// tableIIEntries judges the row h of table II.
func tableIIEntries() []ledger.Entry {
	var all []ledger.Entry
	env := nodes()
	for k, b := range tableII() {
		all = append(all, entry("table2", "h/"+b.name, "tasks of the job that has all nodes, constraints removed").
			Value([]float64{75, 100, 100, 75}[k], ledger.Computed(b.alone(env, nil), exact)))
	}
	return all
}

// shareOf names the plateau of a job in a phase.
func shareOf(phase, job string) of {
	return of{"tsf", metricPlateau, "phase=" + phase, job}
}

// shareJudges are the claims of figure 5.
func shareJudges(v measured) []judge {
	const slip = "the text's 2·30/100 is a slip: of the 30 nodes left to job 1, 15 hold one of its tasks and 15 two, which makes 45 of 75"
	const whole = "with divisible tasks the shares are 0.2286; whole tasks make of it what fits on 20 nodes"
	plateau := func(id, phase, job string, want float64, known ...string) judge {
		return judge{item: "fig5", id: id, claim: "task share of " + job + ": " + phase, published: published(want),
			numbers: v[shareOf(phase, job)], known: known}
	}
	three, four := shareOf("jobs 1, 3 and 4", "job 3"), shareOf("jobs 1, 3 and 4", "job 4")
	return []judge{
		plateau("job1/alone", "job 1 alone", "job 1", 1),
		plateau("job1/with-job2", "jobs 1 and 2", "job 1", 2.0/3),
		plateau("job2/with-job1", "jobs 1 and 2", "job 2", 1.0/2),
		plateau("job1/after-job2", "job 1 after job 2", "job 1", 1),
		plateau("job1/with-jobs34", "jobs 1, 3 and 4", "job 1", 3.0/5, slip),
		plateau("job3/with-job4", "jobs 1, 3 and 4", "job 3", 1.0/5, whole),
		plateau("job4/with-job3", "jobs 1, 3 and 4", "job 4", 1.0/5, whole),
		{item: "fig5", id: "jobs34#range", claim: "mean of the task shares of jobs 3 and 4: between 0.20 and 0.23 as whole tasks allow",
			bound: ledger.Bound{Min: 0.195, Max: 0.235}, numbers: each(v, func(n []float64) float64 { return (n[0] + n[1]) / 2 }, three, four)},
		{item: "fig5", id: "jobs34/equal", claim: "difference of the task shares of jobs 3 and 4: about two tasks at most",
			bound: ledger.AtMost(0.03), numbers: each(v, func(n []float64) float64 { return math.Abs(n[0] - n[1]) }, three, four)},
	}
}

// divisible gives the divisible optimum of jobs 1, 3 and 4, worked by hand. The
// paper does not print it, so that the entries count for nothing.
func divisible() ([]ledger.Entry, error) {
	env := nodes()
	var h []float64
	for _, k := range []int{0, 2, 3} {
		b := tableII()[k]
		env.Users = append(env.Users, b.user())
		h = append(h, b.alone(env, nil))
	}
	a, err := policies.AllocateBy("tsf", env)
	if err != nil {
		return nil, err
	}
	var all []ledger.Entry
	for k, want := range []float64{3.0 / 5, 0.2286, 0.2286} {
		all = append(all, entry("fig5", fmt.Sprintf("job%d#divisible", []int{1, 3, 4}[k]), "task share of the job with divisible tasks").
			Words(ledger.Computed(a.Tasks[k]/h[k], 0), ledger.Bound{Min: want - 5e-5, Max: want + 5e-5}))
	}
	return all, nil
}

// completionOf names the completion time of a job in a run.
func completionOf(run, job string) of {
	return of{"tsf", results.MetricCompletion, "run=" + run, job}
}

// speedup is (a − b)/a of a pair.
func speedup(n []float64) float64 { return (n[0] - n[1]) / n[0] }

// poolJudges are the claims of figure 6: the speedup of each job, the smallest
// and the largest; then other readings.
func poolJudges(v measured) []judge {
	const bestFit = "theorem 1 is about divisible tasks: on-line, best fit packs jobs 3 and 4, which may run anywhere, onto nodes 1–25, the only ones of job 2; " +
		"with the large nodes first nobody is slower (#large-first)"
	const long = "job 1 alone has more than 1,000 s of work when the others have ended, and then has 25 nodes instead of 10; " +
		"of jobs 2 to 4 the largest speedup is printed beside it"
	var list []judge
	for _, reading := range []struct {
		name, static, shared string
		known                []string
	}{
		{"", runStatic, runShared, []string{bestFit}},
		{"#large-first", runStatic, runPlaced, nil},
		{"#weights-1", runStatic, runEqual, []string{"with equal weights theorem 1 promises nothing"}},
		{"#starts-of-table2", runStaticLater, runSharedLater,
			[]string{"without preemption a job that starts later waits for a task of job 1 to end, up to 28 s of the 102 s of job 2"}},
	} {
		var pairs [][]float64
		for _, b := range tableII() {
			one := each(v, speedup, completionOf(reading.static, b.name), completionOf(reading.shared, b.name))
			pairs = append(pairs, one)
			list = append(list, judge{item: "fig6", id: b.name + reading.name, claim: "speedup of the job over its static pool",
				bound: ledger.AtLeast(0), numbers: one, known: reading.known})
		}
		list = append(list,
			judge{item: "fig6", id: "slowest" + reading.name, claim: "smallest speedup of any job: no job is slower than in its static pool",
				bound: ledger.AtLeast(0), numbers: across(slices.Min[[]float64], pairs), known: reading.known},
			judge{item: "fig6", id: "largest" + reading.name, claim: "largest speedup of any job", published: published(0.22),
				numbers: across(slices.Max[[]float64], pairs), known: []string{long}},
			judge{item: "fig6", id: "largest-of-2-to-4" + orHash(reading.name), claim: "largest speedup of jobs 2 to 4", published: published(0.22),
				numbers: across(slices.Max[[]float64], pairs[1:])})
	}
	return list
}

// orHash marks what is no claim of the paper's, if nothing else marks it.
func orHash(reading string) string {
	if reading == "" {
		return "#short-jobs"
	}
	return reading
}

// across combines the values of several jobs in each instance.
func across(combine func([]float64) float64, jobs [][]float64) []float64 {
	var out []float64
	for i := range jobs[0] {
		var one []float64
		for _, j := range jobs {
			one = append(one, j[i])
		}
		out = append(out, combine(one))
	}
	return out
}

// micePart is how much slower a job may be and count as unaffected.
const micePart = 0.05

// miceJudges are the claims of figure 7.
func miceJudges(v measured) ([]judge, error) {
	few, many := mousetrap()
	quiet, err := miceOptimum(few)
	if err != nil {
		return nil, err
	}
	crowded, err := miceOptimum(many)
	slower := func(job string) []float64 {
		return each(v, func(n []float64) float64 { return n[1]/n[0] - 1 }, completionOf(runQuiet, job), completionOf(runCrowded, job))
	}
	known := fmt.Sprintf("TSF itself gives mice 1 less in the crowd: with divisible tasks %.3g at a time among four jobs and %.3g among eight (its nodes hold 20)", quiet, crowded)
	return []judge{
		{item: "fig7", id: "mice 1", claim: "how much longer mice 1 takes with four more elephants", bound: ledger.AtMost(micePart), numbers: slower("mice 1"), known: []string{known}},
		{item: "fig7", id: "mice 2", claim: "how much longer mice 2 takes with four more elephants", bound: ledger.AtMost(micePart), numbers: slower("mice 2")},
		{item: "fig7", id: "elephant 1", claim: "how much longer elephant 1 takes: significantly", bound: ledger.AtLeast(0.5), numbers: slower("elephant 1")},
		{item: "fig7", id: "elephant 2", claim: "how much longer elephant 2 takes: significantly", bound: ledger.AtLeast(0.5), numbers: slower("elephant 2")},
	}, err
}

// miceOptimum is the number of tasks of mice 1 under TSF with divisible tasks,
// all jobs of a scene being there.
func miceOptimum(batches []batch) (float64, error) {
	env := nodes()
	at := -1
	for k := range batches {
		u := batches[k].user()
		u.Tasks = float64(batches[k].tasks)
		env.Users = append(env.Users, u)
		if u.Name == "mice 1" {
			at = k
		}
	}
	a, err := policies.AllocateBy("tsf", env)
	if err != nil {
		return 0, err
	}
	return a.Tasks[at], nil
}
