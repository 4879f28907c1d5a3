package whole

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// A feed of jobs gives what the same jobs give that are held, event by event: with
// tenants, priorities and slots, and with jobs that are refused.
func TestAFeedIsTheJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(161, 162))
	refused, shared := 0, 0
	for k := range 60 {
		env := randomEnv(rng, k%2 == 0)
		jobs := randomJobs(rng, env, 30, k%2 == 0)
		if k%3 > 0 {
			jobs = tenanted(rng, jobs)
		}
		for i := range jobs {
			jobs[i].Priority = int64(rng.IntN(3)) - 1
		}
		jobs[rng.IntN(len(jobs))].User.Demand[0] = 1e9
		rule := []Rule{mustOrdered(t, "tsf"), ByPriority(), FIFO()}[k%3]
		replay := func(feed bool) (log []string, results []sim.JobResult, counts sim.Counts) {
			r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: event.Time(k%4) * 20e6, OnEvent: logger(jobs, &log), Fairness: []*Fairness{{}}}
			if feed {
				results = make([]sim.JobResult, len(jobs))
				var err error
				if r.Feed, err = sim.FeedOf(jobs); err != nil {
					t.Fatal(err)
				}
				r.Jobs, r.OnJob = nil, func(number int, j *sim.JobResult) error { results[number] = *j; return nil }
				if r.Feed.Shared {
					shared++
				}
			}
			out, err := r.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			refused += out.Refused
			if !feed {
				results = out.Jobs
			} else if out.Jobs != nil {
				t.Error("the results are held")
			}
			log = append(log, fmt.Sprint(out.MeanFactor()), fmt.Sprint(r.Fairness[0].EF.Mean()), fmt.Sprint(r.Fairness[0].SI.Mean()))
			return log, results, out.Counts
		}
		log, results, counts := replay(true)
		wantLog, want, wantCounts := replay(false)
		if diff := logDiff(wantLog, log); diff != "" {
			t.Fatalf("workload %d:\n%s", k, diff)
		}
		if diff := cmp.Diff(want, results); diff != "" {
			t.Fatalf("workload %d:\n%s", k, diff)
		}
		if diff := cmp.Diff(wantCounts, counts); diff != "" {
			t.Fatalf("workload %d:\n%s", k, diff)
		}
	}
	if refused < 60 || shared < 20 {
		t.Errorf("%d jobs were refused, %d workloads have tenants", refused, shared)
	}
}

// A job of a feed that can not be, or that comes after a later one, ends the replay.
func TestAFeedIsChecked(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	for want, change := range map[string]func(jobs []sim.Job){
		"arrives at 1 µs, after":                    func(jobs []sim.Job) { jobs[2].Arrival = 1 },
		"at least one is needed":                    func(jobs []sim.Job) { jobs[2].Tasks = 0 },
		"the weight of a tenant is one":             func(jobs []sim.Job) { jobs[1].Tenant, jobs[2].Tenant, jobs[2].User.Weight = "ann", "ann", 2 },
		"job 0: tasks of 0 µs: at least 1 µs is ne": func(jobs []sim.Job) { jobs[0].Duration = 0 },
	} {
		var jobs []sim.Job
		for i := range 3 {
			jobs = append(jobs, sim.Job{User: cluster.NewUser(fmt.Sprint(i), []float64{1}), Arrival: event.Time(i) * 10, Tasks: 1, Duration: 5})
		}
		change(jobs)
		feed := &sim.Feed{Shared: true, Next: func() (*sim.Job, int, error) {
			if len(jobs) == 0 {
				return nil, 0, nil
			}
			j := &jobs[0]
			jobs = jobs[1:]
			return j, 3 - len(jobs) - 1, nil
		}}
		_, err := (&Replay{Env: env, Feed: feed, Rule: FIFO()}).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What a replay holds at its last arrival does not grow with the jobs that came before,
// whoever they are of: with 8 times the jobs it is what it was, but for chance.
func TestMemoryIsThatOfTheJobsInTheSystem(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{8, 8}, Count: 10}}}
	for name, rule := range map[string]func() Rule{
		"share":    func() Rule { return mustOrdered(t, "tsf") },
		"fifo":     FIFO,
		"priority": ByPriority,
	} {
		for _, tenants := range []bool{false, true} {
			few, many := held(t, env, rule(), tenants, 2000), held(t, env, rule(), tenants, 16_000)
			if many > few+few/4+(64<<10) {
				t.Errorf("%s, tenants %v: %d bytes are held with 2,000 jobs, %d with 16,000", name, tenants, few, many)
			}
		}
	}
}

// held returns how many bytes a replay of n jobs at 80% load holds when the last one has
// come.
func held(t *testing.T, env *cluster.Environment, rule Rule, tenants bool, n int) int64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(163, 164))
	begin, end, came, at := live(), int64(0), 0, event.Time(0)
	feed := &sim.Feed{Shared: tenants, Priorities: map[int64]int{0: (n + 1) / 2, 1: n / 2}}
	feed.Next = func() (*sim.Job, int, error) {
		if came == n {
			end = live()
			return nil, 0, nil
		}
		// 4 tasks of 10 s and a core on the mean of 1.25 and .75, 80 cores.
		at += event.Time(rng.ExpFloat64() * 0.625e6)
		j := &sim.Job{Arrival: at, Tasks: 1 + rng.Int64N(7), Duration: event.Time(1 + rng.Int64N(20e6)), Priority: int64(came % 2)}
		j.User = cluster.NewUser(fmt.Sprint("job ", came), []float64{0.5 + rng.Float64(), 0.5 + rng.Float64()})
		if tenants && rng.IntN(2) == 0 {
			j.Tenant = fmt.Sprint("tenant ", rng.IntN(20))
		}
		came++
		return j, came - 1, nil
	}
	left := 0
	r := &Replay{Env: env, Rule: rule, Feed: feed, Fairness: []*Fairness{{}}, OnJob: func(int, *sim.JobResult) error { left++; return nil }}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left != n {
		t.Errorf("%d of %d jobs have left", left, n)
	}
	return end - begin
}

// live returns the bytes that are in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
