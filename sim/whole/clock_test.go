package whole

import (
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// cores is a cluster of one server with so many cores.
func cores(n float64) *cluster.Environment {
	return &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{n}, Count: 1}}}
}

// results replays jobs and returns what became of them.
func results(t *testing.T, r *Replay) (*sim.Result, []sim.JobResult) {
	t.Helper()
	r.Verify = true
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result, result.Jobs
}

const year event.Time = 365 * 86400e6

// On one core: jobs that alone end at the last instant of the clock or beyond it.
func TestAJobBeyondTheClockIsRefused(t *testing.T) {
	last := event.Horizon(0)
	user := cluster.NewUser("u", []float64{1})
	for _, c := range []struct {
		name    string
		cores   float64
		job     sim.Job
		refused bool
		jct     event.Time
	}{
		{"to the last instant", 1, sim.Job{Arrival: last - 10e6, Tasks: 10, Duration: 1e6}, false, 10e6},
		{"1 µs beyond it", 1, sim.Job{Arrival: last - 10e6 + 1, Tasks: 10, Duration: 1e6}, true, 0},
		{"one task beyond it", 1, sim.Job{Arrival: last - 10e6, Tasks: 11, Duration: 1e6}, true, 0},
		{"500 tasks of 1,000 years", 1, sim.Job{Tasks: 500, Duration: 1000 * year}, true, 0},
		{"the same on two cores", 2, sim.Job{Tasks: 500, Duration: 1000 * year}, false, 250_000 * year},
		{"a product of 2^64 and a bit", 1, sim.Job{Tasks: 1 << 44, Duration: 1<<20 + 1}, true, 0},
		{"the longest task", 1, sim.Job{Tasks: 1, Duration: last}, false, last},
		{"the most tasks", 1, sim.Job{Tasks: math.MaxInt64, Duration: 2}, true, 0},
		{"tasks that differ", 2, sim.Job{Arrival: last - 5e6, Tasks: 3, Duration: 2e6, Each: []event.Time{1e6, 1e6, 4e6}}, false, 5e6},
		{"tasks that differ, beyond it", 2, sim.Job{Arrival: last - 5e6, Tasks: 3, Duration: 2e6, Each: []event.Time{1e6, 1e6 + 1, 4e6 + 1}}, true, 0},
		{"from before 0", 1, sim.Job{Arrival: -20e6, Tasks: 10, Duration: 1e6}, false, 10e6},
		{"the longest from before 0", 1, sim.Job{Arrival: -20e6, Tasks: 1, Duration: math.MaxInt64}, false, math.MaxInt64},
	} {
		c.job.User = user
		// More tasks than can be replayed are looked at when they arrive alone.
		if c.job.Tasks < 1000 {
			r := &Replay{Env: cores(c.cores), Jobs: []sim.Job{c.job}, Rule: mustOrdered(t, "tsf-er")}
			result, jobs := results(t, r)
			if jobs[0].Refused != c.refused || jobs[0].BeyondClock != c.refused || !c.refused && (jobs[0].JCT() != c.jct || jobs[0].Factor() != 1) {
				t.Errorf("%s: %+v", c.name, jobs[0])
			}
			if want := map[bool]int{true: 1}[c.refused]; result.Refused != want || result.BeyondClock != want || c.refused && result.Placements > 0 {
				t.Errorf("%s: %d refused, %d beyond the clock, %d tasks started", c.name, result.Refused, result.BeyondClock, result.Placements)
			}
			continue
		}
		if _, ok := standalone(&c.job, c.cores, last-c.job.Arrival); ok == c.refused {
			t.Errorf("%s: refused %v", c.name, !ok)
		}
	}
	early := &Replay{Env: cores(1), Jobs: []sim.Job{{User: user, Arrival: event.Earliest - 1, Tasks: 1, Duration: 1}}, Rule: FIFO()}
	if _, err := early.Run(t.Context()); err == nil {
		t.Error("a job that arrives before the clock: no error")
	}
}

// 500 jobs of one task of 1,000 years each, on one core: as many are done as the
// clock has room for, one after the other, and the others are refused.
func TestJobsThatWaitTooLongAreRefused(t *testing.T) {
	var jobs []sim.Job
	for j := range 500 {
		jobs = append(jobs, sim.Job{User: cluster.NewUser(fmt.Sprint("u", j), []float64{1}), Tasks: 1, Duration: 1000 * year})
	}
	for _, rule := range []string{"fifo", "tsf-er"} {
		result, _ := results(t, &Replay{Env: cores(1), Jobs: jobs, Rule: mustOrdered(t, rule), Fairness: []*Fairness{{}}})
		if len(result.Jobs) != 500 || result.Refused != 208 || result.BeyondClock != 208 || result.End != 292*1000*year {
			t.Errorf("%s: %d of %d jobs refused, %d beyond the clock, the last task ends after %d years", rule, result.Refused, len(result.Jobs), result.BeyondClock, result.End/year)
		}
		if mean, ok := result.MeanFactor(); !ok || math.Abs(mean-harmonic(292)/292) > 1e-9 {
			t.Errorf("%s: mean factor %g, want %g", rule, mean, harmonic(292)/292)
		}
		if u := result.Utilization; u.Rows[0] != 1 {
			t.Errorf("%s: utilization %g, want 1", rule, u.Rows[0])
		}
	}
}

func harmonic(n int) float64 {
	sum := 0.0
	for k := range n {
		sum += 1 / float64(k+1)
	}
	return sum
}

// A job of two tasks, of which one has to wait until it is too late: the other
// runs to its end and gives its core back, and the job is refused.
func TestALateJobEndsWhatItHasStarted(t *testing.T) {
	u := func(name string) cluster.User { return cluster.NewUser(name, []float64{1}) }
	jobs := []sim.Job{
		{User: u("first"), Tasks: 1, Duration: 50},
		{User: u("late"), Tasks: 2, Duration: 60},
		{User: u("next"), Tasks: 1, Duration: 40, Arrival: 55},
		{User: u("last"), Tasks: 1, Duration: 40, Arrival: 56},
	}
	result, done := results(t, &Replay{Env: cores(2), Jobs: jobs, Rule: FIFO(), end: 100})
	want := []sim.JobResult{
		{Completion: 50, Standalone: 50},
		{Refused: true, BeyondClock: true},
		{Arrival: 55, FirstStart: 55, Completion: 95, Standalone: 40},
		{Arrival: 56, FirstStart: 60, Completion: 100, Standalone: 40},
	}
	if d := cmp.Diff(want, done); d != "" {
		t.Error(d)
	}
	// Two cores of 2·100: 50 + 60 + 40 + 40.
	if got := result.Utilization.Rows[0]; got != 190./200 {
		t.Errorf("utilization %g, want 0.95", got)
	}
}

// A reallocation adds 0.25 s to what is left of a task: then it would end beyond
// the clock. Another one takes its place.
func TestASuspensionCanMakeAJobLate(t *testing.T) {
	jobs := []sim.Job{
		{User: cluster.NewUser("a", []float64{1}), Tasks: 1, Duration: 10e6},
		{User: cluster.NewUser("b", []float64{1}), Tasks: 1, Duration: 1e6, Arrival: 3e6},
	}
	for end, refused := range map[event.Time]bool{10e6: true, 10_250_000 - 1: true, 10_250_000: false} {
		_, done := results(t, &Replay{Env: cores(2), Jobs: jobs, Rule: FIFO(), Slot: 4e6, end: end})
		if done[0].Refused != refused || done[1].Refused {
			t.Errorf("end at %d: %+v", end, done)
		}
	}
	// One that is suspended 0.1 s after its start has more left than it had: it
	// would end at 14.15 s, and after the slot at 8 s at 14.4 s.
	late := []sim.Job{jobs[0], jobs[1]}
	late[0].Arrival, late[1].Arrival = 3.9e6, 3.95e6
	for end, refused := range map[event.Time]bool{13.9e6: true, 14_150_000 - 1: true, 14_400_000 - 1: true, 14_400_000: false} {
		_, done := results(t, &Replay{Env: cores(2), Jobs: late, Rule: FIFO(), Slot: 4e6, end: end})
		if done[0].Refused != refused || done[1].Refused {
			t.Errorf("end at %d: %+v", end, done)
		}
	}
}

// mnw rounds and fills when users come or leave, so the second task of a job that
// is alone waits for the next slot. If that lies beyond the clock the job is
// refused.
func TestAJobThatWaitsForASlotBeyondTheClockIsRefused(t *testing.T) {
	for tasks, refused := range map[int64]bool{1: false, 2: false, 3: true} {
		job := sim.Job{User: cluster.NewUser("a", []float64{1}), Arrival: 5, Tasks: tasks, Duration: 10}
		rule := Rounded(mustPolicy(t, "mnw"), Rounding{Random: rand.NewPCG(1, 1)})
		_, done := results(t, &Replay{Env: cores(1), Jobs: []sim.Job{job}, Rule: rule, Slot: 1 << 62})
		if done[0].Refused != refused || done[0].BeyondClock != refused {
			t.Errorf("%d tasks: %+v", tasks, done[0])
		}
	}
}

// The slow scheduler, with a clock that ends soon.
func TestTheSlowSchedulerRefusesTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	early, late, suspended, served := 0, 0, int64(0), 0
	for k := range 600 {
		env := randomEnv(rng, true)
		jobs := randomJobs(rng, env, 1+rng.IntN(12), true)
		name := []string{"tsf-er", "fifo"}[k%2]
		w := &twin{env: env, ledger: cluster.NewLedger(env), jobs: jobs, suspendedLast: k%7 == 0, clock: event.Time(5+rng.IntN(25)) * 1e6}
		w.slot = []event.Time{0, 2e6, 5e6}[rng.IntN(3)]
		if name != "fifo" {
			for i := range jobs {
				w.norm = append(w.norm, defined(t, name, env, &jobs[i].User))
			}
		}
		w.run()
		for _, scan := range []bool{true, false} {
			var log []string
			r := &Replay{
				Env: env, Jobs: jobs, Rule: mustOrdered(t, name), Slot: w.slot, SuspendedLast: w.suspendedLast,
				OnEvent: logger(jobs, &log), indexed: new(!scan), end: w.clock, Fairness: []*Fairness{{Caps: CapLeft}},
			}
			result, done := results(t, r)
			if diff := logDiff(w.log, log); diff != "" {
				t.Fatalf("workload %d, %s, slot %d, clock %d, scan %v:\n%s", k, name, w.slot, w.clock, scan, diff)
			}
			if result.Refused != w.refused+len(w.late) || result.End > w.clock {
				t.Fatalf("workload %d: %d refused, want %d and %d", k, result.Refused, w.refused, len(w.late))
			}
			for j, r := range done {
				most := 1.0
				if w.slot > 0 {
					most = 2 // see sim.JobResult.Factor
				}
				if w.late[j] && !(r.Refused && r.BeyondClock) || !r.Refused && !(r.Factor() > 0 && r.Factor() <= most) {
					t.Fatalf("workload %d, job %d: %+v", k, j, r)
				}
			}
			early, late = early+result.Refused-len(w.late), late+len(w.late)
			suspended, served = suspended+result.Suspensions, served+len(result.Jobs)-result.Refused
		}
	}
	if early < 500 || late < 500 || suspended < 1000 || served < 1000 {
		t.Errorf("only %d refused at arrival and %d later, %d suspensions, %d served", early, late, suspended, served)
	}
}

// Three tasks of 4 s on two cores: 8 s in their order. In turns, fresh tasks
// first: at 2 the first two have 2.25 s left, the third starts and one of them
// resumes; at 4 the third has 2.25 s left and the other resumes with the first.
func TestTasksInTurnsAreDoneBeforeTheirStandaloneJCT(t *testing.T) {
	job := sim.Job{User: cluster.NewUser("a", []float64{1}), Tasks: 3, Duration: 4e6}
	// Something has to come at each slot, or nothing is suspended.
	tick := func(at event.Time) sim.Job {
		return sim.Job{User: cluster.NewUser("tick", []float64{0.1}), Tasks: 1, Duration: 1e5, Arrival: at}
	}
	jobs := []sim.Job{job, tick(1e6), tick(3e6), tick(5e6)}
	_, done := results(t, &Replay{Env: cores(2.1), Jobs: jobs, Rule: FIFO(), Slot: 2e6, SuspendedLast: true})
	if f := done[0].Factor(); !(f > 1 && f < 2) || done[0].Standalone != 8e6 {
		t.Errorf("%+v: factor %g", done[0], f)
	}
}
