package synthetic

// The tables of this file describe the first 1,000 job submissions at or
// after 600 s of the Google cluster-usage traces of 2011 (Reiss, Wilkes,
// Hellerstein; CC-BY 4.0) in aggregate; no row of the trace is here. They are
// made from all 1,000 jobs, as package google2011 imports them when it keeps
// zero requests. A test makes the tables again from the official files, where
// they are at hand, and compares.
//
// 117 of the 1,000 jobs request memory but no cpu. They are in the tables
// because the statistics that are published of these submissions (81% with one
// task, 225 distinct requests) count them, and because the model allows a zero
// demand, which never constrains: such a job needs memory alone, no bandwidth.

// knot is a point of a quantile function: the value at probability p.
type knot struct{ p, value float64 }

// cell is a group of jobs with similar requests per task: their geometric
// mean, rounded, as fractions of the largest machine, and how
// many of the jobs with one and with several tasks are in the group.
type cell struct {
	cpu, mem      float64
	single, multi int
}

// singleTaskShare is the share of jobs with one task. Of the 883 jobs with a
// cpu request it is 0.788, of the 117 without one 0.991.
const singleTaskShare = 0.812

// multiTasks are the task counts of the jobs with more than one task.
var multiTasks = []knot{
	{0, 2}, {0.1, 2}, {0.2, 5}, {0.3, 9}, {0.4, 14}, {0.5, 28}, {0.6, 45}, {0.7, 70}, {0.8, 405}, {0.9, 1050}, {0.95, 1050}, {0.99, 2100}, {1, 2100},
}

// singleDurations are the durations, in s, of the jobs with one task. The
// shortest 5% are drawn as the 5% quantile.
var singleDurations = []knot{
	{0, 22}, {0.05, 22}, {0.1, 25}, {0.25, 32}, {0.5, 110}, {0.75, 360}, {0.9, 980}, {0.95, 2600}, {0.99, 13000}, {1, 50000},
}

// multiDurations are those of the jobs with more than one task.
var multiDurations = []knot{
	{0, 65}, {0.05, 65}, {0.1, 76}, {0.25, 110}, {0.5, 210}, {0.75, 440}, {0.9, 3200}, {0.95, 6400}, {0.99, 23000}, {1, 44000},
}

// submissions are the times of submission, in s, on the clock of the trace.
var submissions = []knot{
	{0, 604}, {0.1, 1119}, {0.2, 1522}, {0.3, 2072}, {0.4, 2449}, {0.5, 3080}, {0.6, 3908}, {0.7, 4539}, {0.8, 5123}, {0.9, 5560}, {1, 6003},
}

// cells is the joint distribution of the cpu and memory requests: the jobs
// grouped by half octaves of both, groups of fewer than six jobs added to the
// nearest one. The jobs without cpu are grouped apart, by memory, not merged,
// and rounded to three digits, as nearly all of them request the same.
var cells = []cell{
	{0, 0.000155, 113, 0},
	{0, 0.00155, 2, 0},
	{0, 0.00249, 1, 0},
	{0, 0.0151, 0, 1},
	{0.00062, 0.0034, 6, 0},
	{0.0031, 0.0032, 5, 1},
	{0.0057, 9.8e-05, 11, 0},
	{0.0061, 0.011, 28, 8},
	{0.0062, 0.0016, 22, 13},
	{0.0062, 0.0019, 24, 6},
	{0.0062, 0.0028, 50, 2},
	{0.0062, 0.0046, 31, 0},
	{0.0062, 0.015, 14, 2},
	{0.0062, 0.021, 6, 0},
	{0.0062, 0.032, 16, 0},
	{0.0064, 0.048, 33, 1},
	{0.0074, 0.002, 0, 15},
	{0.0078, 0.0045, 7, 1},
	{0.0094, 0.0027, 0, 11},
	{0.0096, 0.002, 1, 10},
	{0.0099, 0.011, 26, 5},
	{0.011, 0.016, 13, 1},
	{0.012, 0.0052, 14, 24},
	{0.012, 0.031, 8, 0},
	{0.013, 0.004, 9, 0},
	{0.025, 0.0023, 6, 3},
	{0.025, 0.025, 11, 9},
	{0.025, 0.033, 23, 23},
	{0.027, 0.0078, 11, 6},
	{0.03, 0.027, 7, 2},
	{0.031, 0.0042, 10, 0},
	{0.031, 0.0048, 6, 5},
	{0.031, 0.011, 30, 7},
	{0.031, 0.016, 57, 1},
	{0.032, 0.003, 8, 6},
	{0.033, 0.072, 11, 2},
	{0.047, 0.0061, 10, 2},
	{0.062, 0.0078, 17, 0},
	{0.062, 0.017, 12, 1},
	{0.062, 0.033, 10, 0},
	{0.062, 0.064, 8, 0},
	{0.063, 0.0055, 23, 2},
	{0.063, 0.012, 53, 1},
	{0.063, 0.048, 32, 0},
	{0.064, 0.0026, 16, 2},
	{0.065, 0.1, 6, 2},
	{0.093, 0.02, 2, 5},
	{0.16, 0.069, 3, 8},
}
