package synthetic

// The tables of this file describe the first 1,000 job submissions at or
// after 600 s of the Google cluster-usage traces of 2011 (Reiss, Wilkes,
// Hellerstein; CC-BY 4.0) in aggregate; no row of the trace is here. Requests
// and durations are those of the 883 jobs with a cpu request, as package
// google2011 imports them. A test makes the tables again from the official
// files, where they are at hand, and compares.

// knot is a point of a quantile function: the value at probability p.
type knot struct{ p, value float64 }

// cell is a group of jobs with similar requests per task: their geometric
// mean, rounded to two digits, as fractions of the largest machine, and how
// many of the jobs with one and with several tasks are in the group.
type cell struct {
	cpu, mem      float64
	single, multi int
}

// singleTaskShare is the share of jobs with one task among all 1,000. Of the
// 883 jobs with a cpu request it is 0.788.
const singleTaskShare = 0.812

// multiTasks are the task counts of the jobs with more than one task.
var multiTasks = []knot{
	{0, 2}, {0.1, 2}, {0.2, 5}, {0.3, 9}, {0.4, 13}, {0.5, 28}, {0.6, 45}, {0.7, 70}, {0.8, 405}, {0.9, 1050}, {0.95, 1050}, {0.99, 2100}, {1, 2100},
}

// singleDurations are the durations, in s, of the jobs with one task. The
// shortest 5% are drawn as the 5% quantile.
var singleDurations = []knot{
	{0, 25}, {0.05, 25}, {0.1, 30}, {0.25, 47}, {0.5, 160}, {0.75, 470}, {0.9, 1200}, {0.95, 3200}, {0.99, 14000}, {1, 50000},
}

// multiDurations are those of the jobs with more than one task.
var multiDurations = []knot{
	{0, 65}, {0.05, 65}, {0.1, 76}, {0.25, 110}, {0.5, 210}, {0.75, 440}, {0.9, 2800}, {0.95, 6400}, {0.99, 23000}, {1, 44000},
}

// submissions are the times of submission, in s, on the clock of the trace.
var submissions = []knot{
	{0, 604}, {0.1, 1112}, {0.2, 1517}, {0.3, 2018}, {0.4, 2430}, {0.5, 3066}, {0.6, 3927}, {0.7, 4604}, {0.8, 5130}, {0.9, 5564}, {1, 6003},
}

// cells is the joint distribution of the cpu and memory requests: the jobs
// grouped by half octaves of both, groups of fewer than six jobs added to the
// nearest one.
var cells = []cell{
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
