package tsf

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// rivals are the four fair rivals of TSF, and fair are the five fair policies.
var (
	rivals = Rules[2:]
	fair   = append([]string{"tsf"}, rivals...)
)

// reading is a scenario of the simulations: the one that counts, or another
// reading of it, whose entries are marked.
type reading struct {
	mark     string // "" for the one that counts
	workload string
	values   measured
	known    []string
	// madeJobs and madeConstraints say what of the workload is synthetic, fitted to
	// what the text and figure 8 say of it.
	madeJobs, madeConstraints bool
}

// id marks an id.
func (r *reading) id(id string) string {
	if r.mark == "" {
		return id
	}
	return again(id, r.mark)
}

// claim makes a judge of a claim in words; says quotes it.
func (r *reading) claim(id, claim, says string, bound ledger.Bound, numbers []float64, known ...string) judge {
	return judge{id: r.id(id), claim: claim, says: says, bound: bound, numbers: numbers, known: slices.Concat(known, r.known), workload: r.workload}
}

// value makes a judge of a number that the paper prints.
func (r *reading) value(id, claim, says string, want float64, numbers []float64, known ...string) judge {
	j := r.claim(id, claim, says, ledger.Bound{}, numbers, known...)
	j.published = published(want)
	return j
}

// aside makes a judge of a number beside the one that counts, tested as that one
// is: what it is of is added to the id, and to the claim.
func (r *reading) aside(j judge, id, what string, numbers []float64) judge {
	if r.mark != "" {
		what += "-" + r.mark
	}
	j.id, j.numbers, j.says = again(id, what), numbers, what
	return j
}

// by is a value of a policy, and sized one of a policy and of jobs of a size.
func by(policy, metric string) of { return of{policy: policy, metric: metric} }

func sized(policy, metric string, bin Bin) of {
	return of{policy: policy, metric: metric, parameters: "tasks=" + bin.Name}
}

// over combines, in each instance, a value of several policies.
func (r *reading) over(combine func([]float64) float64, policies []string, value func(policy string) of) []float64 {
	var all []of
	for _, p := range policies {
		all = append(all, value(p))
	}
	return each(r.values, combine, all...)
}

// metric is a value of policies as [reading.over] takes it.
func metric(name string) func(string) of { return func(p string) of { return by(p, name) } }

func mean(n []float64) float64 { return stat.Mean(n, nil) }

func firstLessLargest(n []float64) float64 { return n[0] - slices.Max(n[1:]) }

// firstByLargest and firstBySmallest compare the first number with the others.
func firstByLargest(n []float64) float64  { return n[0] / slices.Max(n[1:]) }
func firstBySmallest(n []float64) float64 { return n[0] / slices.Min(n[1:]) }

// anyone is a value that no policy decides.
func (r *reading) anyone(metric string) []float64 { return r.values[by(everyPolicy, metric)] }

// fullJobs is the number of jobs from which a simulation has the paper's size.
const fullJobs = 4000

// workloadJudges are what section VI-B1 and figure 8 say of the input. Numbers of jobs
// and tasks are compared at the precision at which they are printed.
func (r *reading) workloadJudges() []judge {
	all := []judge{
		r.claim("everywhere", "share of jobs that may run on all machines", `"less than 20% of jobs can run on all 1000 machines" (VI-B1)`, ledger.Bound{Max: constraints.EverywhereBelow}, r.anyone(metricEverywhere)),
		r.value("on-a-fifth", "share of jobs that may run on a fifth of the machines at most", `"50% can run on 200" (VI-B1)`, constraints.HalfOnFew, r.anyone(metricFew)),
		r.claim("single-task", "share of jobs with one task", `"over 60% of jobs have only one task" (VI-B2)`, ledger.AtLeast(0.6), r.anyone(metricSingle)),
		r.claim("small", "share of jobs with at most 10 tasks", `"account for 86% of job population" (VI-B3), as printed`, ledger.Bound{Min: 0.855, Max: 0.865}, r.anyone(metricSmall)),
	}
	if full := slices.Min(append(r.anyone(metricJobs), fullJobs)); full == fullJobs {
		all = append(all,
			r.claim("jobs", "jobs", `"180k tasks across 4,500 jobs" (VI-B1), as printed`, ledger.Bound{Min: 4450, Max: 4550}, r.anyone(metricJobs)),
			r.claim("tasks", "tasks", `"180k tasks across 4,500 jobs" (VI-B1), as printed`, ledger.Bound{Min: 175e3, Max: 185e3}, r.anyone(metricTasks)),
			r.claim("largest", "tasks of the largest job", `"the biggest job consists of 20k tasks" (VI-B3), as printed`, ledger.Bound{Min: 19.5e3, Max: 20.5e3}, r.anyone(metricLargest)),
			r.claim("small-tasks", "tasks of the jobs with at most 10", `"less than 8k" (VI-B3)`, ledger.AtMost(8000), r.anyone(metricSmallTasks)))
	}
	for k := range all {
		all[k].fitted = r.madeJobs
		if k < 2 {
			all[k].fitted = r.madeConstraints
		}
	}
	return all
}

// What is known of figure 9.
const (
	knownLoad = "the share that waits is a matter of load: docs/tsf.md has it against capacity and run times"
	knownLow  = "at levels below 50% the ratio is in the thousands as the trace has it (#levels-5-to-80), where short jobs wait behind services of weeks; " +
		"the levels 50 to 80% count since stage 9, and were chosen with these numbers known"
)

// jobJudges are the claims of figure 9, a sentence or a printed number each; a policy
// apart is beside them.
func (r *reading) jobJudges() []judge {
	ratio := func(level string) func(string) of {
		return func(p string) of { return of{policy: p, metric: metricRatio, parameters: "level=" + level} }
	}
	levels := []string{"0.5", "0.6", "0.7", "0.8"}
	var ratios [][]float64 // by level, the mean over the policies
	var all []of
	for _, l := range levels {
		ratios = append(ratios, r.over(mean, fair, ratio(l)))
		for _, p := range fair {
			all = append(all, ratio(l)(p))
		}
	}
	delayed := r.value("delayed", "share of jobs whose first task waits more than a second, mean over the fair policies", `"there remain 40% of jobs suffering from salient queueing delay" (VI-B2)`, 0.4, r.over(mean, fair, metric(metricDelayed)), knownLoad)
	ahead := r.value("ahead", "share of the levels 1% to 100% at which FIFO's quantile of completion times is larger, mean over the fair policies", `"speeding up the completion of 80% of jobs" (VI-B2, of figure 9b)`, 0.8, r.over(mean, fair, metric(metricAhead)))
	upTo := r.value("up-to", "largest ratio of FIFO's quantile of completion times to a fair policy's at 50, 60, 70, 80%, mean over the policies", `"by up to 6×" (VI-B2); these levels since stage 9, chosen with our numbers known`, 6, across(slices.Max[[]float64], ratios), knownLow)
	similar := r.claim("similar", "largest difference of the CDF of completion times to TSF's, of the four rivals", `"jobs experienced similar completion time across all fair sharing algorithms" (VI-B2); the bound is ours`, ledger.AtMost(0.05), r.over(slices.Max[[]float64], rivals, metric(metricDistance)))
	list := []judge{
		r.claim("fifo-delays", "share of jobs whose first task waits more than a second: FIFO's less the largest of the others", `"FIFO suffers from job starvation with intolerably long queueing delay" (VI-B2)`, ledger.AtLeast(0),
			r.over(firstLessLargest, append([]string{run.FIFO}, fair...), metric(metricDelayed))),
		delayed, ahead, upTo, similar,
		r.claim("unanimous", "smallest ratio of FIFO's quantile of completion times to any fair policy's at 50, 60, 70, 80%", `"fair sharing algorithms outperform FIFO unanimously" (VI-B2)`, ledger.AtLeast(1), each(r.values, slices.Min[[]float64], all...)),
		r.aside(ahead, "ahead", "job-by-job", r.over(mean, fair, metric(metricOverFIFO))),
		r.aside(upTo, "up-to", "levels-5-to-80", r.over(mean, fair, metric(metricGain))),
	}
	for k, l := range levels {
		list = append(list, r.aside(upTo, "up-to/"+l, "by-level", ratios[k]))
	}
	for _, p := range fair {
		list = append(list, r.aside(delayed, "delayed/"+p, "by-policy", r.values[by(p, metricDelayed)]), r.aside(ahead, "ahead/"+p, "by-policy", r.values[by(p, metricAhead)]))
		if p != "tsf" {
			list = append(list, r.aside(similar, "similar/"+p, "by-policy", r.values[by(p, metricDistance)]))
		}
	}
	return list
}

// almostCertain is the share of jobs from which a speedup is; the paper has no number.
const almostCertain = 0.9

// binJudges are the claims of figure 10. Speedups are in parts of TSF's completion
// time: "we use TSF as the baseline".
func (r *reading) binJudges() []judge {
	sizes := func(policies []string, metric string, bin Bin) []float64 {
		return r.over(mean, policies, func(p string) of { return sized(p, metric, bin) })
	}
	small, medium, big, huge := Bins[0], Bins[1], Bins[2], Bins[3]
	bySize := [][]float64{sizes(rivals, metricSpeedup, small), sizes(rivals, metricSpeedup, medium), sizes(rivals, metricSpeedup, big)}
	little := r.claim("small", "mean speedup under TSF of jobs of up to 10 tasks, over the four rivals, in parts of TSF's completion time", `"TSF provides little speedup for small jobs" (VI-B2); the bound is ours`, ledger.Bound{Min: -0.05, Max: 0.05}, bySize[0])
	tenth := r.value("medium-and-big", "mean speedup under TSF of jobs of 11 to 500 tasks, over the four rivals, in parts of TSF's completion time", `"For medium and big jobs, the speedup […] is on average of 10% faster"; "we use TSF as the baseline" (VI-B2): since stage 9, until then in parts of the alternative's`, 0.1, sizes(rivals, metricSpeedup, mediumAndBig))
	certain := r.claim("certain", "share of the jobs of 11 to 500 tasks that are faster under TSF, mean over the four rivals", `"For medium and big jobs, the speedup is almost certain" (VI-B2); the bound is ours`, ledger.AtLeast(almostCertain),
		sizes(rivals, metricFaster, mediumAndBig))
	list := []judge{
		little, tenth, certain,
		r.claim("salient", "mean speedup of medium or big jobs, the smaller, less that of small ones", `"as the job size increases, the speedup of TSF becomes more salient" (VI-B2)`, ledger.AtLeast(0),
			across(func(n []float64) float64 { return min(n[1], n[2]) - n[0] }, bySize)),
		r.claim("huge", "the smaller of the shares of jobs of more than 500 tasks that are faster and slower, mean over the four rivals", `"For huge jobs, however, both speedup and slowdown have been observed" (VI-B2); the bound is ours`, ledger.AtLeast(0.01),
			across(slices.Min[[]float64], [][]float64{sizes(rivals, metricFaster, huge), sizes(rivals, metricSlower, huge)})),
		r.aside(tenth, "medium-and-big", "of-alternative", sizes(rivals, metricByOther, mediumAndBig)),
		r.aside(tenth, "medium-and-big", "median", sizes(rivals, metricMedian, mediumAndBig)),
		r.aside(tenth, "medium-and-big/"+medium.Name, "by-size", bySize[1]),
		r.aside(tenth, "medium-and-big/"+big.Name, "by-size", bySize[2]),
	}
	for _, p := range rivals {
		one := []string{p}
		list = append(list,
			r.aside(little, "small/"+p, "by-policy", sizes(one, metricSpeedup, small)),
			r.aside(tenth, "medium-and-big/"+p+"/"+medium.Name, "by-policy", sizes(one, metricSpeedup, medium)),
			r.aside(tenth, "medium-and-big/"+p+"/"+big.Name, "by-policy", sizes(one, metricSpeedup, big)),
			r.aside(certain, "certain/"+p, "by-policy", sizes(one, metricFaster, mediumAndBig)))
	}
	return list
}

// taskJudges are the claims of figure 11.
func (r *reading) taskJudges() []judge {
	ratio := func(id, claim, says string, bound ledger.Bound, combine func([]float64) float64, policies ...string) judge {
		return r.claim(id, "mean task queueing delay: "+claim, says+" (VI-B3)", bound, r.over(combine, policies, metric(metricMeanDelay)))
	}
	faster := r.value("faster", "share of tasks that wait less under TSF, mean over the four rivals", `"results in 60% of tasks with longer queueing delays than TSF" (VI-B3); "TSF speeds up 60% of tasks over existing fair schedulers" (abstract)`, 0.6, r.over(mean, rivals, metric(metricTaskFaster)))
	list := []judge{
		ratio("fifo-longest", "FIFO's in parts of the largest of the fair policies'", `"FIFO suffers from the longest queueing delay"`, ledger.AtLeast(1), firstByLargest, append([]string{run.FIFO}, fair...)...),
		ratio("tsf-least", "TSF's in parts of the least of the other fair policies'", `"Among the five fair sharing algorithms, TSF has the least queueing delay"`, ledger.AtMost(1), firstBySmallest, fair...),
		ratio("cdrf-worst", "CDRF's in parts of the largest of the other fair policies'", `"CDRF performs the worst"`, ledger.AtLeast(1), firstByLargest, "cdrf", "tsf", "drf", "cmmf-cpu", "cmmf-mem"),
		r.value("cdrf/faster", "share of tasks that wait less under TSF than under CDRF", `"the substantial slowdown of the other 60%" (VI-B3), a value since stage 9 and no bound`, 0.6, r.values[by("cdrf", metricTaskFaster)]),
		r.value("cdrf/slower", "share of tasks that wait more under TSF than under CDRF", `"the speedup of 30% of tasks" (VI-B3), a value since stage 9 and no bound`, 0.3, r.values[by("cdrf", metricTaskSlower)]),
		ratio("mem-before-cdrf", "CMMF-mem's in parts of CDRF's", `"Mem […] is better than CDRF"`, ledger.AtMost(1), firstBySmallest, "cmmf-mem", "cdrf"),
		ratio("cpu-before-mem", "CMMF-cpu's in parts of CMMF-mem's", `"fairly sharing CPU would be more efficient than Mem"`, ledger.AtMost(1), firstBySmallest, "cmmf-cpu", "cmmf-mem"),
		ratio("drf-near-cpu", "DRF's in parts of CMMF-cpu's", `"the performance of DRF and CPU are very close to each other"; the bound is ours`, ledger.Bound{Min: 0.95, Max: 1.05}, firstBySmallest, "drf", "cmmf-cpu"),
		faster,
		r.aside(faster, "faster", "than-under-all", r.values[by("tsf", metricTaskBest)]),
	}
	for _, p := range rivals {
		list = append(list, r.aside(faster, "faster/"+p, "by-policy", r.values[by(p, metricTaskFaster)]))
	}
	return list
}

// judges are those of an item; of other readings figure 8 says the same.
func (r *reading) judges(item string) []judge {
	var list []judge
	switch {
	case item == "fig9":
		list = r.jobJudges()
	case item == "fig10":
		list = r.binJudges()
	case item == "fig11":
		list = r.taskJudges()
	case r.mark == "":
		list = r.workloadJudges()
	}
	for k := range list {
		list[k].item = item
	}
	return list
}
