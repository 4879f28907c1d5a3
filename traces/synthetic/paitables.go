package synthetic

// The tables of this file describe the tasks of Alibaba's PAI trace of 2020
// (Weng et al., NSDI 2022; CC-BY 4.0) in aggregate; no row of the trace is
// here. Counts are those of its 1,261,050 task rows; the order statistics are
// those of a sample of 30,174 GPU tasks, durations rounded to three digits. A
// test of package alibaba compares them with the sample, where it is at hand.

const (
	paiTaskRows   = 1261050
	paiWithoutGPU = 223965 // task rows without plan_gpu
	paiSingle     = 963703 // task rows with one instance
	paiDays       = 64
)

// weighted is a value and how often it occurs.
type weighted struct {
	value  float64
	weight int
}

// paiGPU are the GPUs of one instance, of the tasks that have any: plan_gpu
// of the six most frequent values, in GPUs. The other 5% of the tasks, whose
// values are not published, are spread over these.
var paiGPU = []weighted{{1, 442591}, {0.25, 272243}, {0.5, 136701}, {0.1, 116648}, {2, 16312}, {8, 4943}}

// paiCPU are the cores of one instance, in percent of the tasks. Published is
// that all three quartiles are 6; what lies outside them is an assumption.
var paiCPU = []weighted{{1, 5}, {2, 5}, {4, 10}, {6, 65}, {8, 5}, {10, 3}, {12, 5}, {24, 2}}

// paiMem is the memory of one instance in GB, in percent of the tasks.
// Published is that most have 29.3 (30,000/1,024); the rest is an assumption.
var paiMem = []weighted{{9.765625, 8}, {14.6484375, 10}, {29.296875, 62}, {58.59375, 15}, {117.1875, 5}}

// paiGangs are the instances of the tasks with more than one: the sample's GPUs
// of a task, with the values 10 and 60 widened so that they are the published
// quantiles at 0.9 and 0.99 of all tasks, and the published maximum.
var paiGangs = []knot{
	{0, 2}, {0.14, 2}, {0.15, 3}, {0.2, 3}, {0.25, 4}, {0.3, 5}, {0.35, 7}, {0.4, 8}, {0.45, 10}, {0.6, 10}, {0.62, 12},
	{0.65, 16}, {0.7, 20}, {0.76, 20}, {0.8, 25}, {0.85, 32}, {0.89, 50}, {0.95, 50}, {0.957, 60}, {0.965, 60}, {0.975, 80},
	{0.99, 100}, {0.996, 150}, {0.999, 250}, {0.9999, 400}, {1, 800},
}

// paiLargestGang is the largest number of GPUs of one task.
const paiLargestGang = 800

// paiSingleDurations are the durations, in s, of the tasks with one instance.
var paiSingleDurations = []knot{
	{0, 7}, {0.001, 14}, {0.01, 18}, {0.05, 25}, {0.1, 35}, {0.25, 96}, {0.5, 465}, {0.75, 3140}, {0.85, 6630},
	{0.9, 10700}, {0.925, 13900}, {0.95, 19600}, {0.97, 29400}, {0.98, 40900}, {0.99, 57700}, {0.995, 94900}, {0.999, 166000}, {1, 173000},
}

// paiMultiDurations are those of the tasks with more than one.
var paiMultiDurations = []knot{
	{0, 6}, {0.001, 15}, {0.01, 32}, {0.05, 63}, {0.1, 103}, {0.25, 287}, {0.5, 1360}, {0.75, 5440}, {0.85, 11000},
	{0.9, 18000}, {0.925, 23400}, {0.95, 32200}, {0.97, 46400}, {0.98, 61700}, {0.99, 85600}, {0.995, 139000}, {0.999, 173000}, {1, 173000},
}

// paiHours are the submissions by hour of the day, on the clock of the trace.
var paiHours = [24]int{
	784, 1029, 1106, 1208, 1545, 1150, 1043, 1460, 1625, 1377, 1291, 1202,
	1348, 1317, 1443, 1473, 1191, 1152, 1154, 889, 882, 1884, 1369, 1252,
}
