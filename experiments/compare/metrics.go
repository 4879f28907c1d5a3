package compare

import (
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
)

// Metrics of comparisons, beside those of moments.
const (
	MetricChange     = "completion_change"
	MetricNodeChange = "one_node_completion_change"
	MetricNodeWait   = "one_node_waiting_difference"
	MetricPrice      = "price_of_fairness"
	MetricWork       = "work_throughput"
	MetricScarce     = "price_share"
	MetricUsedUp     = "moments_used_up"
	// Of allocations, behind the colon the property.
	MetricAllocations = "allocations"
	MetricLooked      = "allocations_looked_at"
	MetricViolations  = "allocations_violated"
	MetricViolated    = "time_violated"
	MetricUnfilled    = "time_unfilled"
	MetricReplayPrice = "replay_price_of_fairness"
)

// What stands behind the name of a metric that is compared with the baseline: the difference
// to it. Low and high are the ends of an interval, for it and for what has one itself.
const (
	less = "_difference"
	low  = "_low"
	high = "_high"
)

func init() {
	results.RegisterColumns(results.Column{Name: "of", Label: "Whose bundle"}, results.Column{Name: "at_s", Label: "Moment", Unit: "s"}, results.Column{Name: "baseline", Label: "Baseline"}, results.Column{Name: "block_s", Label: "Length of a block", Unit: "s"})
	one := func(name, label, definition, formula string, high float64, better results.Better) results.Metric {
		return results.Metric{Name: name, Label: label, Unit: results.UnitRatio, High: high, Better: better, Definition: definition, Formula: formula}
	}
	inf := math.Inf(1)
	moments := []results.Metric{
		one(MetricUsed, "Utilization at moments", "Utilization of the resource or link behind the colon at a moment of a replay; without a time the mean over the moments with a user.", "used / total", 1, results.Higher),
		one(MetricEFSat, "MIN-EF-SAT at moments", "The smallest EF-SAT of a user at a moment; in violations.parquet user is who envies and of whose bundle. Without a time the mean over the moments with a user.", "min over j, i of min(x[j] / what j can run with i's bundle, 1)", 1, results.Higher),
		one(MetricSISat, "MIN-SI-SAT at moments", "The smallest SI-SAT of a user at a moment; in violations.parquet user is whose. Without a time the mean over the moments with a user.", "min over j of min(x[j]/ψ[j], 1)", 1, results.Higher),
		one(MetricJain, "Jain's index at moments", "Jain's index of the shares of the users present at a moment. Without a time the mean over the moments with a user.", "(Σ r[j])² / (n·Σ r[j]²), r[j] = x[j]/(w[j]·η'[j]), 0/0 = 1", 1, results.Higher),
	}
	results.RegisterMetrics(moments...)
	results.RegisterMetrics(
		results.Metric{Name: MetricDomination, Label: "Domination factor at moments", Unit: results.UnitRatio, Low: 1, High: inf, Better: results.Lower,
			Definition: "The domination factor at a moment, fluid tasks only: what the users could have in all without anybody having less.", Formula: "max Σx' over feasible x' >= x / Σx"},
		results.Metric{Name: MetricTasks, Unit: results.UnitTasks, Better: results.Higher, Formula: "Σ w[j]·x[j]",
			Definition: "Weighted tasks that run at a moment."},
		results.Metric{Name: MetricBestTasks, Unit: results.UnitTasks, Formula: "max Σ w[j]·x[j]",
			Definition: "Weighted tasks that utilitarian would give the same users at that moment."},
		results.Metric{Name: MetricShares, Unit: results.UnitRatio, High: inf, Better: results.Higher, Formula: "Σ w[j]·x[j]/η'[j]",
			Definition: "Weighted tasks at a moment, each user's in parts of what it could run alone."},
		results.Metric{Name: MetricBestShares, Unit: results.UnitRatio, High: inf, Formula: "Σ w[j]·x[j]/η'[j] under cru",
			Definition: "The same for what cru would give the same users at that moment."},
		results.Metric{Name: MetricPrice, Label: "Price of fairness", Unit: results.UnitRatio, Low: -inf, High: 1, Better: results.Lower,
			Formula: "1 − Σ of what the rule gives / Σ of the optimum", Definition: "What is lost at the moments, behind the colon against what: of weighted tasks against utilitarian, of normalised ones against cru, each for the users who were there."},
		results.Metric{Name: MetricWork, Label: "Throughput", Unit: "task·s/s", Better: results.Higher, Formula: "Σ n[j]·t[j] / makespan",
			Definition: "Work of the jobs that were served over the time from the first submission to the last completion."},
		one(MetricScarce, "Share of all prices", "What the capacity behind the colon costs at a moment under mnw, in parts of what all capacities cost: 0 for one of which there is enough. Without a time the mean over the moments at which anything is scarce.", "price·capacity / Σ price·capacity", 1, results.Neither),
		one(MetricUsedUp, "Moments at which it is used up", "Share of the moments with a user at which less than 1e-9 of the capacity behind the colon is free.", "", 1, results.Neither),
		results.Metric{Name: MetricReplayPrice, Label: "Price of fairness in the replay", Unit: results.UnitRatio, Low: -inf, High: 1, Better: results.Lower,
			Formula: "1 − throughput / throughput of the rule behind the colon", Definition: "Work over the makespan less than in the replay under the rule behind the colon, where that is compared too."},
		results.Metric{Name: MetricAllocations, Unit: results.UnitCount,
			Definition: "Allocations with a user present, each in force from one instant with an event to the next."},
		results.Metric{Name: MetricLooked, Unit: results.UnitCount,
			Definition: "Allocations of which it is known whether the property behind the colon held."},
		results.Metric{Name: MetricViolations, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Allocations that violated the property behind the colon, by more than 1e-6; of Pareto optimality of whole tasks those during which a task waited that fitted somewhere."},
		one(MetricViolated, "Time with a violation", "The share of their time, of the allocations that were looked at, for which the property behind the colon was violated.", "", 1, results.Lower),
		results.Metric{Name: MetricUnfilled, Label: "Time in which a waiting task fits", Unit: results.UnitSeconds, High: inf, Better: results.Lower,
			Definition: "Whole tasks: the longest time without a break in which some task waited that fitted on a server that may run it. The column user names the job of the first of them, of the class of the server, at_s when it began."},
	)
	change := func(name, definition string) {
		for _, end := range []string{"", low, high} {
			results.RegisterMetrics(results.Metric{Name: name + end, Label: "Change of the completion time", Unit: results.UnitRatio, Low: -inf, High: inf, Better: results.Lower,
				Formula: "Σ completion time / Σ completion time under the baseline − 1", Definition: ends[end] + definition})
		}
	}
	change(MetricChange, "How much longer than under the baseline the jobs of the user take, or with :size those of the class of size and with :tenant of the tenant that the column user names.")
	change(MetricNodeChange, "How much longer the jobs take, under the baseline, with one more node of the class that the column user names.")
	of := map[string]string{MetricNodeWait: results.UnitSeconds}
	for _, m := range jobValues {
		of[m.metric+less] = results.UnitOf(m.metric)
	}
	for _, m := range moments {
		of[m.Name+less] = results.UnitRatio
	}
	for _, end := range []string{low, high} {
		results.RegisterMetrics(results.Metric{Name: MetricPrice + end, Unit: results.UnitRatio, Low: -inf, High: inf, Better: results.Neither, Definition: ends[end] + "What is lost at the moments."})
	}
	for name, unit := range of {
		definition := "The value of the rule less that of the baseline, over the same jobs or moments."
		if name == MetricNodeWait {
			definition = "Mean waiting time with one more node of the class that the column user names less that without, under the baseline."
		}
		for _, end := range []string{"", low, high} {
			results.RegisterMetrics(results.Metric{Name: name + end, Unit: unit, Low: -inf, High: inf, Better: results.Neither, Definition: ends[end] + definition})
		}
	}
}

// ends say what an end of an interval is.
var ends = map[string]string{"": "", low: "Lower end of the 95% interval over blocks (docs/compare.md). ", high: "Upper end of the 95% interval over blocks (docs/compare.md). "}

// The metrics of jobs are registered by package run.
var _ = run.Waiting
