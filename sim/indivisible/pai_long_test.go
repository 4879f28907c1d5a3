//go:build long

package indivisible

import (
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// paiCluster has the 1,897 machines of the PAI trace's table, in classes of
// equal capacity, and the paper's link in proportion.
func paiCluster() *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
	for _, c := range []struct {
		name     string
		capacity []float64
		count    int
	}{
		{"P100", []float64{64, 512, 2}, 798}, {"T4", []float64{96, 512, 2}, 497}, {"MISC", []float64{96, 512, 8}, 280},
		{"V100M32", []float64{96, 384, 8}, 135}, {"V100", []float64{96, 512, 8}, 59}, {"V100/384", []float64{96, 384, 8}, 45},
		{"CPU", []float64{96, 512, 0}, 83},
	} {
		env.Servers = append(env.Servers, cluster.Server{Name: c.name, Capacity: c.capacity, Count: c.count})
	}
	env.Links = []cluster.Link{{Name: "bw", Capacity: 1500.0 / 20 * 1897}}
	return env
}

// paiStream turns the synthetic PAI workload into jobs, one at a time.
func paiStream(t *testing.T, options synthetic.PAI) func(yield func(Job, error) bool) {
	jobs, err := options.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(Job, error) bool) {
		rng, bandwidth := rand.New(rand.NewPCG(1, 2)), traces.DefaultBandwidth()
		for j := range jobs {
			link := bandwidth.MHz(j.CPU, bandwidth.CyclesPerBit(rng))
			job := Job{
				User:    cluster.NewUser(j.ID, []float64{j.CPU, j.Mem, j.GPU}, link),
				Arrival: event.Time(j.SubmitUS), Tasks: j.Tasks, Duration: event.Time(j.DurationUS),
			}
			if !yield(job, nil) {
				return
			}
		}
	}
}

// TestFullSizeReplay replays the synthetic PAI workload whole, on one core:
//
//	GOMAXPROCS=1 go test -tags long -timeout 0 -run FullSizeReplay -v ./sim/indivisible
func TestFullSizeReplay(t *testing.T) {
	options := synthetic.DefaultPAI()
	waiting, present, ended := int64(0), 0, int64(0)
	r := &Replay{
		Env: paiCluster(), Jobs: paiStream(t, options), Rule: mustOrdered(t, "tsf-er"), Slot: 3600e6, SampleEvery: 3600e6,
		OnSample: func(s *Sample) error {
			waiting, present = max(waiting, s.Waiting), max(present, s.Present)
			return nil
		},
		OnDone: func(j *JobResult) error {
			if !j.Refused {
				ended += j.Tasks
			}
			return nil
		},
	}
	begin := time.Now()
	result, err := r.Run()
	took := time.Since(begin).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	if result.Jobs != options.Jobs || ended != result.Tasks || result.Placements != result.Tasks+result.Suspensions {
		t.Errorf("%d of %d jobs, %d of %d tasks, %d placements, %d suspensions",
			result.Jobs, options.Jobs, ended, result.Tasks, result.Placements, result.Suspensions)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Log(err)
	}
	factor, _ := result.MeanFactor()
	t.Logf("%d jobs, %d refused, %d tasks, %d placements, %d reallocations, end at %.1f days, mean JCT factor %.3f",
		result.Jobs, result.Refused, result.Tasks, result.Placements, result.Reallocations, float64(result.End)/86400e6, factor)
	t.Logf("%.1f s, %.0f placements/s, %.0f tasks/s, %.0f times as fast as the simulated time",
		took, float64(result.Placements)/took, float64(result.Tasks)/took, float64(result.End)/1e6/took)
	t.Logf("at most %d users present and %d tasks waiting at the hour; %s; Go runtime %d MB",
		present, waiting, regexp.MustCompile(`VmHWM.*`).Find(status), memory.Sys>>20)
}
