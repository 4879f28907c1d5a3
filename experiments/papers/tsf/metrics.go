package tsf

import (
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Distribution functions: the share of jobs or tasks with a value of at most the
// column x.
const (
	MetricEligible      = metricCDF + ":eligible_machines"   // jobs; x: machines on which a job may run, as a share of all
	MetricSize          = metricCDF + ":tasks"               // jobs; x: tasks of a job
	MetricJobDelay      = metricCDF + ":job_queueing_delay"  // jobs; x: time from the submission to the start of the first task, in s
	MetricJobCompletion = metricCDF + ":job_completion_time" // jobs; x: time from the submission to the end of the last task, in s
	MetricTaskDelay     = metricCDF + ":task_queueing_delay" // tasks; x: time from the submission to the start, in s
	MetricTaskGain      = metricCDF + ":task_speedup"        // tasks; x: by how much less a task waits under TSF, in s
	metricCDF           = "cdf"
)

// Metrics of figures 5 to 7 and 10.
const (
	MetricTaskShare    = "task_share"
	MetricCPUShare     = "cpu_share"
	MetricMemShare     = "mem_share"
	MetricJobSpeedup   = "job_speedup"
	MetricJobSpeedupSD = "job_speedup_sd"
	metricPlateau      = "plateau_task_share"
)

// Metrics of one simulation. Shares are of all jobs, or of all tasks, that were not
// refused; what compares policies is of the row's policy against TSF or FIFO, on the
// same jobs.
const (
	metricJobs       = "jobs"
	metricTasks      = "tasks"
	metricLargest    = "largest_job"
	metricSingle     = "single_task_jobs"
	metricSmall      = "small_jobs"
	metricSmallTasks = "tasks_of_small_jobs"
	metricEverywhere = "jobs_everywhere"
	metricFew        = "jobs_on_a_fifth"
	metricRefused    = results.MetricRefused
	metricLoad       = "load"

	metricDelayed    = "delayed_jobs"
	metricAhead      = "levels_ahead_of_fifo"
	metricOverFIFO   = "faster_than_fifo"
	metricGain       = "gain_over_fifo"
	metricDistance   = "distance_to_tsf"
	metricSpeedup    = MetricJobSpeedup
	metricSpeedupSD  = MetricJobSpeedupSD
	metricMedian     = "job_speedup_median"
	metricByOther    = "job_speedup_by_alternative"
	metricFaster     = "faster_jobs"
	metricSlower     = "slower_jobs"
	metricRatio      = "quantile_ratio"
	metricMeanDelay  = "mean_task_delay"
	metricTaskFaster = "tasks_with_less"
	metricTaskSlower = "tasks_with_more"
	metricTaskBest   = "tasks_best_in_tsf"

	metricJobTasks = "job_tasks"
	metricStarts   = "task_starts"
)

func init() {
	of := func(name, definition string) results.Metric {
		return results.Metric{Name: name, Unit: results.UnitRatio, High: 1, Definition: definition}
	}
	better := func(direction results.Better, m results.Metric) results.Metric {
		m.Better = direction
		return m
	}
	number := func(name, unit, definition string) results.Metric {
		return results.Metric{Name: name, Unit: unit, Definition: definition}
	}
	speedup := func(name, formula, definition string) results.Metric {
		return results.Metric{Name: name, Unit: results.UnitRatio, Low: math.Inf(-1), High: math.Inf(1), Better: results.Higher,
			Formula: formula, Definition: definition}
	}
	const baseline, other = "(JCT − TSF's JCT) / TSF's JCT", "(JCT − TSF's JCT) / JCT"
	results.RegisterMetrics(
		of(metricCDF, "Distribution function: the share of jobs or tasks whose value, named behind the colon, is at most the column x."),
		of(MetricTaskShare, "Running tasks of a job over those that all machines could run with its constraints removed."),
		of(MetricCPUShare, "The cpu that a job holds over all there is."),
		of(MetricMemShare, "The memory that a job holds over all there is."),
		of(metricPlateau, "Task share of a job, mean over the time of the phase in the column phase, in which shares are stable. No row where there is no such phase."),
		speedup(MetricJobSpeedup, baseline, "By how much shorter jobs of the sizes in the column tasks complete under TSF, which is the baseline; mean over the jobs."),
		results.Metric{Name: MetricJobSpeedupSD, Unit: results.UnitRatio, Definition: "Standard deviation of job_speedup within the jobs of a size."},
		speedup(metricMedian, baseline, "The same as job_speedup, median over the jobs."),
		speedup(metricByOther, other, "The same as job_speedup, in parts of the completion time under the row's policy."),
		of(metricFaster, "Share of jobs of the sizes in the column tasks that complete sooner under TSF."),
		of(metricSlower, "Share of jobs of the sizes in the column tasks that complete later under TSF."),
		number(metricJobs, results.UnitJobs, "Jobs of the simulation."),
		number(metricTasks, results.UnitTasks, "Tasks of all jobs."),
		number(metricLargest, results.UnitTasks, "Tasks of the largest job."),
		of(metricSingle, "Share of jobs with one task."),
		of(metricSmall, "Share of jobs with at most 10 tasks."),
		number(metricSmallTasks, results.UnitTasks, "Tasks of all jobs with at most 10."),
		of(metricEverywhere, "Share of jobs that may run on all machines."),
		of(metricFew, "Share of jobs that may run on a fifth of the machines at most."),
		number(metricLoad, results.UnitRatio, "Work of all jobs, tasks times run time times request, over what the machines can do in an hour, of cpu or of memory, whichever is larger."),
		better(results.Lower, of(metricDelayed, "Share of jobs whose first task waits more than a second.")),
		better(results.Higher, of(metricAhead, "Share of the levels 1% … 100% at which FIFO's quantile of completion times is larger.")),
		better(results.Higher, of(metricOverFIFO, "Share of jobs that complete sooner than under FIFO.")),
		better(results.Higher, number(metricRatio, results.UnitRatio, "FIFO's quantile of completion times over the policy's, at the level in the column level.")),
		better(results.Higher, number(metricGain, results.UnitRatio, "Largest ratio of FIFO's quantile of completion times to the policy's, at levels up to 80%.")),
		of(metricDistance, "Largest difference of the distribution function of completion times to TSF's."),
		better(results.Lower, number(metricMeanDelay, results.UnitSeconds, "Time from the submission of a task to its start, mean over all tasks.")),
		of(metricTaskFaster, "Share of tasks that wait less under TSF."),
		of(metricTaskSlower, "Share of tasks that wait more under TSF."),
		of(metricTaskBest, "Share of tasks that wait less under TSF than under each other fair policy."),
		number(metricJobTasks, results.UnitTasks, "Tasks of a job."),
		number(metricStarts, results.UnitTasks, "Tasks of a job that start at the time in the column start_s, counted from its submission."),
	)
}
