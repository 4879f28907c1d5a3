package synthetic

// The tables of this file describe the 4,510 jobs of the Google cluster-usage
// traces of 2011 (Reiss, Wilkes, Hellerstein; CC-BY 4.0) that are submitted
// before 3,600 s and request cpu or memory, in aggregate; no row of the trace is
// here. A test compares them with the official files, where they are at hand.

const (
	hourJobs        = 4510
	hourEarly       = 0.8745 // share of the jobs that are there at time 0
	hourEarlySingle = 0.5953 // share of these that have one task
	// The shares that run on at the end of the trace, of the jobs of time 0 with
	// one task and with several.
	hourSingleOpen = 0.569
	hourMultiOpen  = 0.601
	traceEndUS     = 2_506_200_000_000
)

// hourTasks are the task counts of the jobs of time 0 with more than one.
var hourTasks = []knot{
	{0, 2}, {0.2, 2}, {0.25, 3}, {0.4, 4}, {0.5, 6}, {0.6, 10}, {0.7, 20}, {0.75, 30}, {0.8, 49}, {0.85, 75}, {0.9, 128},
	{0.95, 300}, {0.975, 500}, {0.99, 1300}, {0.995, 3000}, {0.999, 5000}, {1, 20000},
}

// hourSingleDurations and hourMultiDurations are the durations, in s, of the jobs
// of time 0 that end within the trace. The shortest 1% are drawn as the 1%
// quantile.
var (
	hourSingleDurations = []knot{
		{0, 700}, {0.01, 700}, {0.05, 2600}, {0.1, 14000}, {0.2, 84000}, {0.25, 125000}, {0.3, 166000}, {0.4, 167000}, {0.5, 278000},
		{0.6, 634000}, {0.7, 843000}, {0.8, 1310000}, {0.9, 1730000}, {0.95, 2000000}, {1, 2490000},
	}
	hourMultiDurations = []knot{
		{0, 750}, {0.01, 750}, {0.05, 5600}, {0.1, 45000}, {0.2, 110000}, {0.25, 151000}, {0.3, 159000}, {0.4, 166000}, {0.5, 178000},
		{0.6, 390000}, {0.7, 810000}, {0.8, 1400000}, {0.9, 1940000}, {0.95, 2050000}, {1, 2490000},
	}
)

// hourCells is the joint distribution of the requests, grouped by octaves;
// groups of fewer than eight jobs are left out.
var hourCells = []cell{
	{0, 0.00016, 62, 0}, {0, 0.0039, 7, 2}, {0, 0.015, 7, 2}, {0.00062, 0.00081, 14, 0}, {0.00062, 0.0016, 21, 2},
	{0.00062, 0.0039, 61, 6}, {0.0019, 0.0075, 6, 5}, {0.0032, 0.00078, 11, 0}, {0.0033, 0.002, 5, 7}, {0.0031, 0.0033, 51, 11},
	{0.0032, 0.0081, 14, 5}, {0.0036, 0.016, 6, 4}, {0.0031, 0.033, 4, 5}, {0.0031, 0.065, 12, 6}, {0.0062, 0.00086, 20, 6},
	{0.0066, 0.0019, 94, 78}, {0.0064, 0.0037, 199, 74}, {0.0065, 0.0077, 98, 39}, {0.0066, 0.015, 110, 38}, {0.0065, 0.031, 74, 15},
	{0.007, 0.054, 59, 16}, {0.0067, 0.14, 6, 16}, {0.014, 0.00092, 11, 1}, {0.014, 0.0019, 23, 20}, {0.016, 0.0036, 81, 131},
	{0.015, 0.0077, 71, 61}, {0.015, 0.015, 66, 42}, {0.013, 0.029, 50, 23}, {0.015, 0.054, 19, 6}, {0.014, 0.13, 8, 10},
	{0.03, 0.0019, 16, 6}, {0.031, 0.004, 51, 22}, {0.032, 0.0084, 68, 104}, {0.031, 0.015, 135, 57}, {0.03, 0.028, 131, 88},
	{0.032, 0.063, 56, 48}, {0.033, 0.12, 3, 7}, {0.063, 0.0021, 13, 8}, {0.058, 0.0039, 58, 28}, {0.062, 0.0077, 77, 39},
	{0.061, 0.016, 142, 99}, {0.062, 0.03, 156, 108}, {0.064, 0.059, 179, 119}, {0.065, 0.11, 55, 55}, {0.062, 0.22, 14, 1},
	{0.061, 0.41, 9, 0}, {0.12, 0.0084, 11, 5}, {0.11, 0.018, 23, 30}, {0.12, 0.031, 49, 49}, {0.12, 0.06, 57, 65},
	{0.13, 0.12, 78, 28}, {0.11, 0.22, 12, 1}, {0.22, 0.03, 10, 13}, {0.21, 0.062, 23, 31}, {0.23, 0.12, 8, 22}, {0.44, 0.13, 6, 2},
}

// googleMachines are the published configurations of the Google cluster's
// machines, with their numbers.
var googleMachines = []struct {
	cpu, mem float64
	count    int
}{
	{0.5, 0.5, 6732}, {0.5, 0.25, 3863}, {0.5, 0.75, 1001}, {1, 1, 795}, {0.25, 0.25, 126}, {0.5, 0.12, 52},
	{0.5, 0.03, 5}, {0.5, 0.97, 5}, {1, 0.5, 3}, {0.5, 0.06, 1},
}
