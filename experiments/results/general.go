package results

import "math"

// Units of metrics.
const (
	UnitRatio   = "1" // a pure number
	UnitPercent = "%"
	UnitSeconds = "s"
	UnitJobs    = "jobs"
	UnitTasks   = "tasks"
	UnitUsers   = "users"
	UnitServers = "servers"
	UnitCount   = "count"
)

// The metrics that are of no single paper. Each is defined where it is registered,
// below.
const (
	MetricJCTFactor       = "jct_factor"
	MetricMinTaskRatio    = "min_restricted_task_ratio"
	MetricSIViolation     = "si_violation_time_ratio"
	MetricMinEFSat        = "min_ef_sat"
	MetricMinSISat        = "min_si_sat"
	MetricDomination      = "domination_factor"
	MetricMeanUtilization = "mean_utilization"
	MetricShare           = "share"
	MetricRefused         = "jobs_refused"
	MetricBeyondClock     = "jobs_beyond_clock"
	MetricPooled          = "servers_pooled"
	MetricReallocations   = "reallocations"
	MetricSuspensions     = "suspensions"
	MetricStalls          = "stalls"
	MetricVerified        = "instants_verified"
	MetricUsersPresent    = "users_present"
	MetricTasksReceived   = "tasks_received"
	MetricTasksDeserved   = "tasks_deserved"
	MetricMinEFSatNow     = "min_ef_sat_now"
	MetricMinSISatNow     = "min_si_sat_now"
	MetricUsedNow         = "utilization_now"
	MetricUtilization     = "utilization"
	MetricWaitingTasks    = "waiting_tasks"
	MetricArrivedTasks    = "arrived_tasks"
	MetricEnviousness     = "enviousness"
	MetricMeanEnviousness = "mean_enviousness"
	MetricMaxEnviousness  = "max_enviousness"
	MetricEnvyTime        = "envy_time_ratio"
	MetricCompletion      = "completion_time"
	MetricMeanCompletion  = "mean_completion_time"
)

const (
	minSI = "min over users present of min(x[j]/ψ[j], 1)"
	minEF = "min over users j, i present of min(u[j] of its own bundle / u[j] of i's bundle, 1), 0/0 = 1"
)

func init() {
	RegisterColumns(
		Column{Name: "policy", Label: "Rule"},
		Column{Name: "user", Label: "User"},
		Column{Name: "time_s", Label: "Time", Unit: "s"},
		Column{Name: "n", Label: "Jobs n", Symbol: "n"},
		Column{Name: "rho", Label: "Server heterogeneity ρ", Symbol: "ρ"},
		Column{Name: "bandwidth_mhz", Label: "Bandwidth", Unit: "MHz"},
		Column{Name: "bw", Label: "Bandwidth", Unit: "MHz", Symbol: "BW"}, // in the ids of ledgers
		Column{Name: "slot_s", Label: "Reallocation slot", Unit: "s", Symbol: "Slot"},
		Column{Name: "cpu_ghz", Label: "Cycles a core", Unit: "GHz"},
	)
	RegisterMetrics(
		Metric{Name: MetricJCTFactor, Label: "Mean JCT factor", Unit: UnitRatio, Better: Higher, Formula: "mean over j of standalone JCT[j] / JCT[j]",
			Definition: "Mean over the jobs that were served of the job completion time that the job would have had with all its eligible servers to itself over the one it had. In (0, 1], but for rules that pool the servers (drf) and for whole tasks with slots, which can exceed 1."},
		Metric{Name: MetricMinTaskRatio, Label: "Mean MIN-SI-SAT", Unit: UnitRatio, High: 1, Better: Higher, Property: "sharing incentive", Holds: 1, Formula: minSI,
			Definition: "MIN-SI-SAT: how far the worst-off user is from its tasks in an equal division. Mean over the time with a user."},
		Metric{Name: MetricSIViolation, Label: "SI violation time ratio", Unit: UnitRatio, High: 1, Better: Lower, Property: "sharing incentive", Formula: "time with " + minSI + " < 1 − 1e-6, over the time with a user",
			Definition: "Share of the time with a user in which some user has less than in an equal division."},
		Metric{Name: MetricMinEFSat, Label: "Mean MIN-EF-SAT", Unit: UnitRatio, High: 1, Better: Higher, Property: "envy-freeness", Holds: 1, Formula: minEF,
			Definition: "MIN-EF-SAT: how far the most envious user is from preferring its own bundle. Mean over the time with a user."},
		Metric{Name: MetricMinSISat, Label: "MIN-SI-SAT", Unit: UnitRatio, High: 1, Better: Higher, Property: "sharing incentive", Holds: 1, Formula: minSI,
			Definition: "MIN-SI-SAT of one allocation."},
		Metric{Name: MetricDomination, Label: "Mean domination factor", Unit: UnitRatio, Low: 1, High: math.Inf(1), Better: Lower, Property: "Pareto optimality", Holds: 1, Formula: "max Σx'[j] over feasible x' ≥ x, over Σx[j]",
			Definition: "How many times as many tasks could run without taking one from anybody: 1 exactly where the allocation is Pareto optimal. Mean over the time with a user."},
		Metric{Name: MetricMeanUtilization, Label: "Mean utilization", Unit: UnitRatio, High: 1, Better: Higher, Formula: "used / total",
			Definition: "Mean over the time with a user of what is used: of a resource on all servers (:cpu), of one on a class of servers (:s1/cpu), of a link (:uplink)."},
		Metric{Name: MetricShare, Label: "Mean share", Unit: UnitRatio, High: 1, Better: Higher, Formula: "mean over j of x[j]/η[j]",
			Definition: "Mean over the users, all present at once, of what a user gets over what it could run alone."},
		Metric{Name: MetricRefused, Unit: UnitJobs, Better: Lower,
			Definition: "Jobs that nothing could host, or that could not be done on the clock."},
		Metric{Name: MetricBeyondClock, Unit: UnitJobs, Better: Lower,
			Definition: "Of the refused jobs those that could not be done on the clock of 2^63 µs (292,000 years). No row where there are none."},
		Metric{Name: MetricPooled, Unit: UnitServers,
			Definition: "Servers that the rule pools into one (drf), which may not be able to do what it allocates. No row under other rules."},
		Metric{Name: MetricReallocations, Unit: UnitCount,
			Definition: "Slots at which everything was allocated afresh."},
		Metric{Name: MetricSuspensions, Unit: UnitCount, Better: Lower,
			Definition: "Tasks suspended, once for every time."},
		Metric{Name: MetricStalls, Unit: UnitCount, Better: Lower,
			Definition: "Times at which a rule that is rounded had to be started again."},
		Metric{Name: MetricVerified, Unit: UnitCount,
			Definition: "Instants after which every invariant of the replay was checked and held."},
		Metric{Name: MetricUsersPresent, Unit: UnitUsers,
			Definition: "Users in the system, mean over the part of the period with at least one."},
		Metric{Name: MetricTasksReceived, Unit: UnitTasks, Better: Higher, Formula: "x[j]",
			Definition: "Tasks of one user that run, mean over the part of the period in which it is in the system."},
		Metric{Name: MetricTasksDeserved, Unit: UnitTasks, Formula: "ψ[j]",
			Definition: "Tasks of one user in an equal division among those present; with whole tasks at most those that it has left. Mean over the same time as tasks_received."},
		Metric{Name: MetricMinEFSatNow, Label: "MIN-EF-SAT", Unit: UnitRatio, High: 1, Better: Higher, Property: "envy-freeness", Holds: 1, Formula: minEF,
			Definition: "MIN-EF-SAT, mean over the part of the period with a user."},
		Metric{Name: MetricMinSISatNow, Label: "MIN-SI-SAT", Unit: UnitRatio, High: 1, Better: Higher, Property: "sharing incentive", Holds: 1, Formula: minSI,
			Definition: "MIN-SI-SAT, mean over the part of the period with a user."},
		Metric{Name: MetricUsedNow, Label: "Utilization", Unit: UnitRatio, High: 1, Better: Higher, Formula: "used / total",
			Definition: "Utilization of a resource of a class of servers or of a link, by its name behind the colon; mean over the part of the period with a user."},
		Metric{Name: MetricUtilization, Unit: UnitRatio, High: 1, Better: Higher, Formula: "used / total",
			Definition: "Utilization at a time of the resource or link behind the colon; in figure 6 of the TSF-ER paper the mean over the past hour."},
		Metric{Name: MetricWaitingTasks, Unit: UnitTasks, Better: Lower,
			Definition: "Tasks that wait at an instant."},
		Metric{Name: MetricArrivedTasks, Unit: UnitTasks,
			Definition: "Tasks that were submitted in the past hour."},
		Metric{Name: MetricEnviousness, Label: "Max enviousness", Unit: UnitPercent, Better: Lower, Property: "envy-freeness", Formula: "100·(max over j, i of u[j] of i's bundle / u[j] of its own − 1), at least 0",
			Definition: "By how much more tasks the most envious user could run in another's bundle, mean over a period."},
		Metric{Name: MetricMeanEnviousness, Unit: UnitPercent, Better: Lower, Property: "envy-freeness",
			Definition: "The enviousness, mean over all time with a user."},
		Metric{Name: MetricMaxEnviousness, Unit: UnitPercent, Better: Lower, Property: "envy-freeness",
			Definition: "The largest enviousness at any time."},
		Metric{Name: MetricEnvyTime, Label: "Share of time with envy", Unit: UnitRatio, High: 1, Better: Lower, Property: "envy-freeness",
			Definition: "Share of the time with a user in which somebody envies somebody."},
		Metric{Name: MetricCompletion, Unit: UnitSeconds, Better: Lower,
			Definition: "Time from the submission of a job to the end of its last task."},
		Metric{Name: MetricMeanCompletion, Unit: UnitSeconds, Better: Lower,
			Definition: "The completion time, mean over the jobs that were served."},
	)
}
