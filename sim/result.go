package sim

import (
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// JobResult is what became of one job.
type JobResult struct {
	// Refused is set for a job that nothing in the cluster can host or that
	// cannot be done on the clock; the other fields but Arrival and BeyondClock
	// are 0.
	Refused bool
	// BeyondClock is set for a refused job whose completion would lie beyond the
	// clock ([event.Horizon]). If even alone it would, the job left at once. If
	// that turned out later, what it held until then counts in the observers.
	BeyondClock bool
	Arrival     event.Time
	// FirstStart is when its first task starts; with fluid tasks, when it is first
	// served at a positive rate.
	FirstStart event.Time
	// Completion is when its last task ends; with fluid tasks it is rounded up to a
	// whole microsecond.
	Completion event.Time
	// Standalone is the standalone JCT in microseconds: the time that the job
	// takes alone in the cluster, on the servers on which it may run. That is
	// n·t/η' with fluid tasks. With whole ones it is ceil(n/K)·t, K being the tasks
	// of it that the empty cluster holds at once, or with [Job.Each] the time that
	// they take there in their order.
	//
	// Reference: TSF-ER, section 6.2: "A user's standalone JCT is defined as its
	// JCT if it had received all resources of all servers." The paper has no
	// placement constraints. A constrained user that has received everything
	// still runs on its eligible servers only, so η' and not the η of rules that
	// ignore eligibility is what bounds it, and its JCT factor is 1 when it is
	// alone.
	Standalone float64
	// Suspensions counts how often a task of it was suspended. Whole tasks only.
	Suspensions int64
}

// JCT returns the job completion time in microseconds.
func (r *JobResult) JCT() event.Time { return r.Completion - r.Arrival }

// Factor returns the JCT factor: standalone JCT over JCT; 0 for a refused job.
//
// With fluid tasks it is at most 1 but for rounding, or for a rule that allocates
// from another cluster ([Result.Pooled]). With whole tasks it is at most 1 without
// slots and less than 2 with them: tasks that are suspended take turns, so a job
// whose last round is not full can be done before ceil(n/K)·t has passed. Three
// tasks of 4 s on two cores take 8 s in their order, and little more than 6 s in
// turns.
func (r *JobResult) Factor() float64 {
	if r.Refused {
		return 0
	}
	return r.Standalone / float64(r.JCT())
}

// Result is what became of a replay.
type Result struct {
	Jobs        []JobResult // in the order of the jobs; nil where they are not held
	Refused     int         // how many jobs were refused
	BeyondClock int         // how many of them since they could not be done on the clock
	// Allocations counts how often the policy was asked; with whole tasks, how
	// often everything was allocated afresh.
	Allocations int
	// Pooled is the number of servers of a cluster that the rule does not
	// allocate from: it pools them into others, as drf does into one. A job may
	// then be done faster than the servers themselves could, and its JCT factor
	// exceed 1. It is 0 for every other rule, and with whole tasks.
	Pooled int
	Counts // whole tasks only

	counted int     // jobs
	factors float64 // Σ of the JCT factors, in the order in which they were counted
}

// Counts is what a replay of whole tasks counts besides.
type Counts struct {
	Tasks int64 // of the jobs that were let in
	// Placements counts the starts of tasks, those after a suspension
	// included.
	Placements, Suspensions int64
	// Stalls counts how often a rule left the cluster idle with tasks waiting
	// and nothing to come, so that it had to be started again.
	Stalls int
	// Inexact counts the demands and capacities that are no whole number of
	// units of the ledger.
	Inexact int
	// Verified counts the instants after which every invariant was checked.
	Verified int
	End      event.Time // of the last task
	// Utilization is that of the whole replay; nil if nobody ever was in the
	// system.
	Utilization *cluster.MeanUtilization
}

// Count adds a job that has left to the sums. A task model calls it once a job.
func (r *Result) Count(j *JobResult) {
	r.counted++
	if !j.Refused {
		r.factors += j.Factor()
		return
	}
	r.Refused++
	if j.BeyondClock {
		r.BeyondClock++
	}
}

// MeanFactor returns the mean JCT factor over the jobs that were served; false
// if there were none.
func (r *Result) MeanFactor() (float64, bool) {
	n := r.counted - r.Refused
	if n == 0 {
		return 0, false
	}
	return r.factors / float64(n), true
}

// StarvedError says that users were left whom the rule gives nothing, although a
// server could host them.
type StarvedError struct{ Users []string }

func (e *StarvedError) Error() string {
	return "never served to the end, since the policy gives them no tasks: users " + someOf(e.Users)
}

// someOf lists the first few names and counts the others.
func someOf(users []string) string {
	const most = 5
	names := strings.Join(users[:min(most, len(users))], ", ")
	if len(users) > most {
		names += fmt.Sprintf(" and %d others", len(users)-most)
	}
	return names
}
