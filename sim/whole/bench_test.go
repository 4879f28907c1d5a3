package whole

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// benchCluster has servers of the four configurations of the paper's table 5,
// in its proportions, and a link that holds about what the servers do.
func benchCluster(servers int) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
	for i, c := range [][4]float64{{64, 512, 2, 9}, {96, 512, 2, 4}, {96, 512, 8, 3}, {96, 384, 8, 4}} {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("c", i), Capacity: c[:3], Count: max(1, servers*int(c[3])/20)})
	}
	env.Links = []cluster.Link{{Name: "bw", Capacity: 1.5e9 * float64(servers) / 20}}
	return env
}

// benchUser has a demand of its own: nothing is shared between users.
func benchUser(rng *rand.Rand, i int) cluster.User {
	cpu := 2 + 10*rng.Float64()
	return cluster.NewUser(fmt.Sprint("u", i), []float64{cpu, 8 + 40*rng.Float64(), float64(rng.IntN(3)) / 2},
		cpu*2.6e9/(800*(0.25+1.5*rng.Float64()))/3.5)
}

// BenchmarkPlacement measures the cost of a placement in a full cluster with a
// given number of waiting users: one operation is the end of a task and the
// start of the next. Users all stay, each with more tasks than will ever end.
func BenchmarkPlacement(b *testing.B) {
	for _, size := range []struct{ users, servers int }{
		{100, 20}, {1000, 20}, {10000, 20}, {100000, 20},
		{100, 100}, {1000, 100}, {10000, 100}, {100000, 100}, {1000, 600},
		{100, 1800}, {1000, 1800}, {10000, 1800}, {100000, 1800}, {10000, 12000}, {100000, 12000},
	} {
		b.Run(fmt.Sprintf("users=%d/servers=%d", size.users, size.servers), func(b *testing.B) {
			benchPlacement(b, size.users, size.servers)
		})
	}
}

func benchPlacement(b *testing.B, users, servers int) {
	rng := rand.New(rand.NewPCG(41, 42))
	jobs := make([]sim.Job, users)
	for i := range jobs {
		jobs[i] = sim.Job{User: benchUser(rng, i), Tasks: math.MaxInt32, Duration: event.Time(1e6 + rng.IntN(1e8))}
	}
	r := &Replay{Env: benchCluster(servers), Jobs: jobs, Rule: mustOrdered(b, "tsf-er")}
	e, err := r.start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	advance := func(placements int64) {
		for want := e.result.Placements + placements; e.result.Placements < want; {
			if _, err := step(e); err != nil {
				b.Fatal(err)
			}
		}
	}
	advance(int64(20 * servers)) // fills the cluster
	b.ReportAllocs()
	b.ResetTimer()
	begin := processorTime(b)
	advance(int64(b.N))
	reportPlacements(b, int64(b.N), processorTime(b)-begin)
	b.ReportMetric(float64(e.queued)/math.MaxInt32, "waiting-users")
}

// reportPlacements reports placements by processor time, and what one costs in pushes and
// pops of an event queue with 1,000 events: that ratio is the same on most machines.
func reportPlacements(b *testing.B, placements int64, cpu float64) {
	b.ReportMetric(float64(placements)/cpu, "placements/cpu-s")
	b.ReportMetric(cpu/float64(placements)/holdCost(b), "holds/placement")
}

// holdCost returns the processor time of a pop and a push in the hold model
// (BenchmarkHold of package event), in s.
func holdCost(b *testing.B) float64 {
	const holds = 2_000_000
	rng := rand.New(rand.NewPCG(1, 2))
	var q event.Queue[int32]
	for range 1000 {
		q.Push(event.Time(rng.Int64N(1e6)), 0, 0)
	}
	begin := processorTime(b)
	for range holds {
		e, _ := q.Pop()
		q.Push(e.At+event.Time(rng.Int64N(1e6)), 0, e.Payload)
	}
	return (processorTime(b) - begin) / holds
}

// BenchmarkBestFit compares the boxes with a scan of all servers, in a cluster
// filled at random.
func BenchmarkBestFit(b *testing.B) {
	for _, servers := range []int{3, 20, 100, 1800, 12000} {
		for _, index := range []bool{false, true} {
			b.Run(fmt.Sprintf("servers=%d/index=%v", servers, index), func(b *testing.B) {
				benchBestFit(b, servers, index)
			})
		}
	}
}

func benchBestFit(b *testing.B, servers int, index bool) {
	rng := rand.New(rand.NewPCG(43, 44))
	p := waiting.NewServersIndexed(benchCluster(servers), index)
	var ks []*waiting.Kind
	for i := range 64 {
		u := benchUser(rng, i)
		u.LinkDemand = nil
		ks = append(ks, p.Kind(&u))
	}
	for range 6 * servers {
		if s := int32(rng.IntN(p.Servers())); p.Fits(ks[rng.IntN(64)], s) {
			if k := ks[rng.IntN(64)]; p.Fits(k, s) {
				p.Take(k, s)
			}
		}
	}
	i := 0
	for b.Loop() {
		k := ks[i%64]
		if s := p.BestFit(k); s >= 0 {
			p.Take(k, s)
			p.Give(k, s, 1)
		}
		i++
	}
}

// BenchmarkReplay replays jobs in a cluster that is nearly full, each with
// a demand of its own, and reports tasks per second of the whole replay.
func BenchmarkReplay(b *testing.B) {
	for _, servers := range []int{20, 1800} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			placements, begin := int64(0), processorTime(b)
			for b.Loop() {
				r := &Replay{Env: benchCluster(servers), Jobs: benchJobs(100000, servers), Rule: mustOrdered(b, "tsf-er"), Slot: 3600e6}
				result, err := r.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				placements += result.Placements
			}
			reportPlacements(b, placements, processorTime(b)-begin)
		})
	}
}

// benchJobs are jobs of ten tasks of 1,000 s on average, so many that about
// eleven tasks a server are wanted at a time.
func benchJobs(n, servers int) []sim.Job {
	rng := rand.New(rand.NewPCG(45, 46))
	at, jobs := 0.0, make([]sim.Job, n)
	for i := range jobs {
		at += rng.ExpFloat64() * 1000e6 * 10 / (11 * float64(servers))
		jobs[i] = sim.Job{User: benchUser(rng, i), Arrival: event.Time(at), Tasks: 1 + rng.Int64N(19), Duration: event.Time(1 + rng.ExpFloat64()*1000e6)}
	}
	return jobs
}

// constrainedCluster has machines of the mix of the first Google trace, in
// parts of the largest one, each of them a class of its own.
func constrainedCluster(machines int) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for i := range machines {
		capacity := []float64{0.5, 0.5}
		switch c := i % 100; {
		case c >= 99:
			capacity = []float64{0.5, 0.12}
		case c >= 92:
			capacity = []float64{1, 1}
		case c >= 84:
			capacity = []float64{0.5, 0.75}
		case c >= 53:
			capacity = []float64{0.5, 0.25}
		}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("m", i), Capacity: capacity, Count: 1})
	}
	return env
}

// constrainedJobs yields an hour of jobs with about the task counts of the TSF
// paper's: of 4,900 three in five have one task, the largest 20,000, all some
// 200,000. A fifth may run everywhere, half on at most 200 machines.
func constrainedJobs(machines int) []sim.Job {
	const jobs = 4900
	rng := rand.New(rand.NewPCG(47, 48))
	requests := make([][]float64, 225)
	for i := range requests {
		requests[i] = []float64{0.0125 * float64(1+rng.IntN(10)), 0.00625 * float64(1+rng.IntN(20))}
	}
	var all []sim.Job
	for j := range jobs {
		u := cluster.NewUser(fmt.Sprint("j", j), requests[rng.IntN(len(requests))])
		tasks := int64(1)
		switch c := rng.IntN(100); {
		case j == jobs/2:
			tasks = 20000
		case c >= 99:
			tasks = 500 + rng.Int64N(3000)
		case c >= 86:
			tasks = 11 + rng.Int64N(240)
		case c >= 62:
			tasks = 2 + rng.Int64N(9)
		}
		if c := rng.IntN(10); c >= 2 {
			open := 1 + rng.IntN(200)
			if c >= 7 {
				open = 200 + rng.IntN(machines-200)
			}
			u.Eligible = cluster.NewSet(machines, rng.Perm(machines)[:open]...)
		}
		at := event.Time(float64(j) / jobs * 3600e6)
		all = append(all, sim.Job{User: u, Arrival: at, Tasks: tasks, Duration: event.Time(1e6 + rng.ExpFloat64()*300e6)})
	}
	return all
}

// BenchmarkConstrained replays an hour of submissions on 1,000 machines with
// placement constraints, without slots; one operation is the whole simulation.
func BenchmarkConstrained(b *testing.B) {
	env, jobs := constrainedCluster(1000), constrainedJobs(1000)
	for _, rule := range []string{"tsf", "cdrf", "drf", "cmmf-cpu", "cmmf-mem", "fifo"} {
		b.Run(rule, func(b *testing.B) {
			placements, waiting, present := int64(0), int64(0), 0
			begin := processorTime(b)
			for b.Loop() {
				r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(b, rule), SampleEvery: 60e6, OnSample: func(s *Sample) error {
					waiting, present = max(waiting, s.Waiting), max(present, s.Present)
					return nil
				}}
				result, err := r.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				placements += result.Placements
			}
			end, peak := resources(b)
			cpu := end - begin
			b.ReportMetric(float64(peak>>10), "peak-MB")
			b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
			reportPlacements(b, placements, cpu)
			b.ReportMetric(float64(waiting), "waiting-tasks")
			b.ReportMetric(float64(present), "users")
		})
	}
}
