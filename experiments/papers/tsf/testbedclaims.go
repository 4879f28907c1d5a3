package tsf

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	mean := each(v, func(n []float64) float64 { return (n[0] + n[1]) / 2 }, three, four)
	return []judge{
		plateau("job1/alone", "job 1 alone", "job 1", 1),
		plateau("job1/with-job2", "jobs 1 and 2", "job 1", 2.0/3),
		plateau("job2/with-job1", "jobs 1 and 2", "job 2", 1.0/2),
		plateau("job1/after-job2", "job 1 after job 2", "job 1", 1),
		plateau("job1/with-jobs34", "jobs 1, 3 and 4", "job 1", 3.0/5, slip),
		{item: "fig5", id: "jobs34", claim: "task share of jobs 3 and 4, their mean", says: `"equalizing their task shares to 1/5" (VI-A2), one entry since stage 9`, published: published(1.0 / 5), numbers: mean, known: []string{whole}},
		{item: "fig5", id: "jobs34/equal", claim: "difference of the task shares of jobs 3 and 4", says: `"they should receive the same task share" (VI-A2); the bound, two tasks, is ours`,
			bound: ledger.AtMost(0.03), numbers: each(v, func(n []float64) float64 { return math.Abs(n[0] - n[1]) }, three, four)},
		plateau("jobs34/job3#by-job", "jobs 1, 3 and 4", "job 3", 1.0/5, whole),
		plateau("jobs34/job4#by-job", "jobs 1, 3 and 4", "job 4", 1.0/5, whole),
		{item: "fig5", id: "jobs34#range", claim: "mean of the task shares of jobs 3 and 4: between 0.20 and 0.23 as whole tasks allow",
			bound: ledger.Bound{Min: 0.195, Max: 0.235}, numbers: mean},
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

// poolReading is a reading of figure 6: two runs, of a scenario.
type poolReading struct {
	name, static, shared string
	known                []string
}

// poolReadings are those with job 1's tasks of table II, the one that counts first.
func poolReadings() []poolReading {
	const bestFit = "theorem 1 is about divisible tasks: on-line, best fit packs jobs 3 and 4, which may run anywhere, onto nodes 1–25, the only ones of job 2; " +
		"with the large nodes first nobody is slower (#large-first)"
	return []poolReading{
		{"", runStatic, runShared, []string{bestFit}},
		{"large-first", runStatic, runPlaced, nil},
		{"weights-1", runStatic, runEqual, []string{"with equal weights theorem 1 promises nothing"}},
		{"starts-of-table2", runStaticLater, runSharedLater,
			[]string{"without preemption a job that starts later waits for a task of job 1 to end, up to 28 s of the 102 s of job 2"}},
	}
}

// fewReadings are those with 75 tasks of job 1, as many as all nodes hold at once.
func fewReadings() []poolReading {
	return []poolReading{{"75-tasks", runStatic, runShared, nil}, {"75-tasks-large-first", runStatic, runPlaced, nil}}
}

// poolJudges are the claims of figure 6 in some readings: that no job is slower and the
// largest speedup; then each job.
func poolJudges(v measured, readings []poolReading) []judge {
	const long = "the text takes demands and run times from table II and does not say how many tasks job 1 has: with the 1,000 of table II it has more than 1,000 s of work " +
		"when the others have ended, and then has 25 nodes instead of 10; with about 75 and the large nodes first the largest speedup is 22% and nobody is slower " +
		"(#75-tasks-large-first, found with our numbers known, and so counted for nothing)"
	var list []judge
	for _, r := range readings {
		id := func(id, what string) string {
			if name := strings.Trim(what+"-"+r.name, "-"); name != "" {
				return again(id, name)
			}
			return id
		}
		var pairs [][]float64
		var byJob []judge
		for _, b := range tableII() {
			one := each(v, speedup, completionOf(r.static, b.name), completionOf(r.shared, b.name))
			pairs = append(pairs, one)
			byJob = append(byJob, judge{item: "fig6", id: id("slowest/"+b.name, "by-job"), claim: "speedup of the job over its static pool",
				bound: ledger.AtLeast(0), numbers: one, known: r.known})
		}
		list = append(list,
			judge{item: "fig6", id: id("slowest", ""), claim: "smallest speedup of any job over its static pool", says: `"jobs […] finish faster than if they were run in dedicated resource pools" (VI-A3)`,
				bound: ledger.AtLeast(0), numbers: across(slices.Min[[]float64], pairs), known: r.known},
			judge{item: "fig6", id: id("largest", ""), claim: "largest speedup of any job", says: `"speeds up job completion by up to 22%" (VI-A3)`, published: published(0.22),
				numbers: across(slices.Max[[]float64], pairs), known: []string{long}},
			judge{item: "fig6", id: id("largest", "jobs-2-to-4"), claim: "largest speedup of jobs 2 to 4", published: published(0.22),
				numbers: across(slices.Max[[]float64], pairs[1:])})
		list = append(list, byJob...)
	}
	return list
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

// micePart is how much slower a job may be and count as unaffected, elephantPart from
// where it is significantly delayed; the paper has no numbers.
const (
	micePart     = 0.05
	elephantPart = 0.5
)

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
	mice := [][]float64{slower("mice 1"), slower("mice 2")}
	elephants := [][]float64{slower("elephant 1"), slower("elephant 2")}
	unaffected := judge{item: "fig7", id: "mice", claim: "how much longer a mouse takes with four more elephants, the larger of two", says: `"the two mice have not been affected at all" (VI-A3); the bound is ours`,
		bound: ledger.AtMost(micePart), numbers: across(slices.Max[[]float64], mice), known: []string{known}}
	delayed := judge{item: "fig7", id: "elephants", claim: "how much longer an elephant takes, the smaller of two", says: `"delays the completion of the two elephants significantly" (VI-A3); the bound is ours`,
		bound: ledger.AtLeast(elephantPart), numbers: across(slices.Min[[]float64], elephants)}
	list := []judge{unaffected, delayed}
	for k := range 2 {
		mouse, elephant := unaffected, delayed
		mouse.id, mouse.numbers, mouse.claim = fmt.Sprintf("mice/%d#by-job", k+1), mice[k], "how much longer this mouse takes"
		mouse.says, elephant.says = "", ""
		elephant.id, elephant.numbers, elephant.claim = fmt.Sprintf("elephants/%d#by-job", k+1), elephants[k], "how much longer this elephant takes"
		list = append(list, mouse, elephant)
	}
	return list, err
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
