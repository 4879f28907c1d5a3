package tsf

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// fair are the fair rivals of TSF.
var fair = Rules[2:]

// reading is a scenario of the simulations: the one that counts, or another
// reading of it, whose entries are marked.
type reading struct {
	mark     string // "" for the one that counts
	workload string
	values   measured
	known    []string
}

// id marks an id.
func (r *reading) id(id string) string {
	if r.mark == "" {
		return id
	}
	return again(id, r.mark)
}

// aside marks the id of a number beside the one that is judged.
func (r *reading) aside(id, what string) string {
	if r.mark != "" {
		what += "-" + r.mark
	}
	return again(id, what)
}

// judge makes a judge of a claim in words.
func (r *reading) judge(item, id, claim string, bound ledger.Bound, numbers []float64) judge {
	return judge{item: item, id: r.id(id), claim: claim, bound: bound, numbers: numbers, known: r.known, workload: r.workload}
}

// anyone is a value that no policy decides.
func (r *reading) anyone(metric string) []float64 {
	return r.values[of{policy: everyPolicy, metric: metric}]
}

// by is a value of a policy.
func by(policy, metric string) of { return of{policy: policy, metric: metric} }

// workloadJudges are what the text and figure 8 say of the input.
func (r *reading) workloadJudges() []judge {
	below := ledger.Bound{Max: constraints.EverywhereBelow}
	all := []judge{
		r.judge("fig8", "everywhere", "share of jobs that may run on all machines", below, r.anyone(metricEverywhere)),
		r.judge("fig8", "on-a-fifth", "share of jobs that may run on a fifth of the machines at most: half", ledger.Bound{Min: 0.5, Max: 0.6}, r.anyone(metricFew)),
		r.judge("fig8", "single-task", "share of jobs with one task: over 60%", ledger.AtLeast(0.6), r.anyone(metricSingle)),
		r.judge("fig8", "small", "share of jobs with at most 10 tasks: 86%", ledger.Bound{Min: 0.85, Max: 0.87}, r.anyone(metricSmall)),
	}
	if full := slices.Min(append(r.anyone(metricJobs), fullJobs)); full == fullJobs {
		all = append(all,
			r.judge("fig8", "jobs", "jobs: about 4,500", ledger.Bound{Min: 4450, Max: 4550}, r.anyone(metricJobs)),
			r.judge("fig8", "tasks", "tasks: about 180,000", ledger.Bound{Min: 175e3, Max: 185e3}, r.anyone(metricTasks)),
			r.judge("fig8", "largest", "tasks of the largest job: about 20,000", ledger.Bound{Min: 19.5e3, Max: 20.5e3}, r.anyone(metricLargest)),
			r.judge("fig8", "small-tasks", "tasks of the jobs with at most 10: under 8,000", ledger.AtMost(8000), r.anyone(metricSmallTasks)))
	}
	return all
}

// fullJobs is the number of jobs from which a simulation has the paper's size.
const fullJobs = 4000

// jobJudges are the claims of figure 9.
func (r *reading) jobJudges() []judge {
	var all []judge
	for _, p := range append([]string{"tsf"}, fair...) {
		all = append(all,
			r.judge("fig9", "ahead/"+p, "share of the levels 1% to 100% at which FIFO's quantile of completion times is larger: 80%", ledger.AtLeast(0.8), r.values[by(p, metricAhead)]),
			judge{item: "fig9", id: r.aside("sooner/"+p, "job-by-job"), claim: "share of jobs that complete sooner than under FIFO (ties on neither side)",
				bound: ledger.AtLeast(0.8), numbers: r.values[by(p, metricOverFIFO)], known: []string{"job by job, where figure 9 compares distributions"}, workload: r.workload},
			judge{item: "fig9", id: r.id("gain/" + p), claim: "largest ratio of FIFO's quantile of completion times to the policy's, 5% to 80%",
				published: published(6), numbers: r.values[by(p, metricGain)], known: r.known, workload: r.workload},
			r.judge("fig9", "delayed/"+p, "share of jobs whose first task waits more than a second: 40%", ledger.Bound{Min: 0.35, Max: 0.45}, r.values[by(p, metricDelayed)]))
		if p != "tsf" {
			all = append(all, r.judge("fig9", "similar/"+p, "largest difference of the CDF of completion times to TSF's: similar", ledger.AtMost(0.05), r.values[by(p, metricDistance)]))
		}
	}
	return append(all, r.judge("fig9", "fifo-delays", "share of jobs whose first task waits more than a second: FIFO's less the largest of the others",
		ledger.AtLeast(0), each(r.values, firstLessLargest, r.policies(metricDelayed, append([]string{run.FIFO, "tsf"}, fair...))...)))
}

// policies names a metric of several policies.
func (r *reading) policies(metric string, policies []string) []of {
	var all []of
	for _, p := range policies {
		all = append(all, by(p, metric))
	}
	return all
}

func firstLessLargest(n []float64) float64 { return n[0] - slices.Max(n[1:]) }

// firstByLargest and firstBySmallest compare the first number with the others.
func firstByLargest(n []float64) float64  { return n[0] / slices.Max(n[1:]) }
func firstBySmallest(n []float64) float64 { return n[0] / slices.Min(n[1:]) }

// binJudges are the claims of figure 10: little for small jobs, about 10% for
// medium and big ones, both signs for huge ones.
func (r *reading) binJudges() []judge {
	bounds := []ledger.Bound{{Min: -0.05, Max: 0.05}, {Min: 0.05, Max: 0.15}, {Min: 0.05, Max: 0.15}}
	says := []string{"little", "about 10%", "about 10%"}
	var all []judge
	for _, p := range fair {
		for k, b := range bounds {
			numbers := r.values[of{policy: p, metric: MetricJobSpeedup, parameters: "tasks=" + Bins[k].Name}]
			all = append(all, r.judge("fig10", p+"/"+Bins[k].Name, "mean speedup of jobs under TSF: "+says[k], b, numbers))
			all = append(all, judge{item: "fig10", id: r.aside(p+"/"+Bins[k].Name, "median"), claim: "median speedup of jobs under TSF: " + says[k], bound: b,
				numbers: r.values[of{policy: p, metric: metricMedian, parameters: "tasks=" + Bins[k].Name}], workload: r.workload,
				known: []string{"a mean of (alternative − TSF)/alternative hangs on the few jobs that are short under the alternative: it has no lower bound"}})
		}
		huge := Bins[len(bounds)].Name
		numbers := each(r.values, func(n []float64) float64 { return n[1] - max(n[0], -n[0]) },
			of{policy: p, metric: MetricJobSpeedup, parameters: "tasks=" + huge}, of{policy: p, metric: MetricJobSpeedupSD, parameters: "tasks=" + huge})
		all = append(all, r.judge("fig10", p+"/"+huge, "standard deviation of the speedup less its mean's size: both signs occur", ledger.AtLeast(0), numbers))
	}
	return all
}

// taskJudges are the claims of figure 11.
func (r *reading) taskJudges() []judge {
	var all []judge
	for _, p := range fair {
		all = append(all, r.judge("fig11", "faster/"+p, "share of tasks that wait less under TSF: 60%", ledger.AtLeast(0.6), r.values[by(p, metricTaskFaster)]))
	}
	ratio := func(id, claim string, bound ledger.Bound, combine func([]float64) float64, policies ...string) {
		all = append(all, r.judge("fig11", id, claim, bound, each(r.values, combine, r.policies(metricMeanDelay, policies)...)))
	}
	ratio("tsf-least", "mean task queueing delay: TSF's in parts of the least of the other fair policies'", ledger.AtMost(1), firstBySmallest, "tsf", "drf", "cdrf", "cmmf-cpu", "cmmf-mem")
	ratio("cdrf-worst", "mean task queueing delay: CDRF's in parts of the largest of the other fair policies'", ledger.AtLeast(1), firstByLargest, "cdrf", "tsf", "drf", "cmmf-cpu", "cmmf-mem")
	ratio("fifo-longest", "mean task queueing delay: FIFO's in parts of the largest of the fair policies'", ledger.AtLeast(1), firstByLargest, run.FIFO, "tsf", "drf", "cdrf", "cmmf-cpu", "cmmf-mem")
	ratio("mem-before-cdrf", "mean task queueing delay: CMMF-mem's in parts of CDRF's", ledger.AtMost(1), firstBySmallest, "cmmf-mem", "cdrf")
	ratio("cpu-before-mem", "mean task queueing delay: CMMF-cpu's in parts of CMMF-mem's", ledger.AtMost(1), firstBySmallest, "cmmf-cpu", "cmmf-mem")
	ratio("drf-near-cpu", "mean task queueing delay: DRF's in parts of CMMF-cpu's: very close", ledger.Bound{Min: 0.95, Max: 1.05}, firstBySmallest, "drf", "cmmf-cpu")
	return append(all,
		r.judge("fig11", "cdrf/slower", "share of tasks that wait more under TSF than under CDRF: 30%", ledger.Bound{Min: 0.25, Max: 0.35}, r.values[by("cdrf", metricTaskSlower)]),
		r.judge("fig11", "best", "share of tasks that wait less under TSF than under every other fair policy", ledger.AtLeast(0.6), r.values[by("tsf", metricTaskBest)]))
}

// judges are those of an item; of other readings figure 8 says the same.
func (r *reading) judges(item string) []judge {
	switch {
	case item == "fig9":
		return r.jobJudges()
	case item == "fig10":
		return r.binJudges()
	case item == "fig11":
		return r.taskJudges()
	case r.mark != "":
		return nil
	}
	return r.workloadJudges()
}
