//go:build long

package whole

import (
	"iter"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// paiRate is by how much submissions are denser than in the trace. At the
// trace's own rate this workload holds 60% of the GPUs on average, 40% of the
// link and 30% of the cores, and no task waits at any full hour; half as many
// jobs again make it 90% of the GPUs, and users queue by day.
const paiRate = 1.5

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

// paiFile writes the synthetic PAI workload to a file and returns its path.
func paiFile(t *testing.T, options synthetic.PAI) string {
	jobs, err := options.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	if err := traces.WriteJobStream(path, jobs, options.Meta(1)); err != nil {
		t.Fatal(err)
	}
	return path
}

// paiFeed streams the jobs of a file, with a bandwidth each, and counts their tasks.
func paiFeed(t *testing.T, in *parquet.Reader, tasks *int64) *sim.Feed {
	rng, bandwidth := rand.New(rand.NewPCG(1, 2)), traces.DefaultBandwidth()
	next, stop := iter.Pull2(parquet.RowsOf[traces.Job](in))
	t.Cleanup(stop)
	number := -1
	return &sim.Feed{Next: func() (*sim.Job, int, error) {
		j, err, more := next()
		if err != nil || !more {
			return nil, 0, err
		}
		number++
		*tasks += j.Tasks
		link := bandwidth.MHz(j.CPU, bandwidth.CyclesPerBit(rng))
		return &sim.Job{
			User:    cluster.NewUser(j.ID, []float64{j.CPU, j.Mem, j.GPU}, link),
			Arrival: event.Time(j.SubmitUS), Tasks: j.Tasks, Duration: event.Time(j.DurationUS),
		}, number, nil
	}}
}

// TestFullSizeReplay replays the synthetic PAI workload whole from a file, on
// one core:
//
//	GOMAXPROCS=1 GOMEMLIMIT=48MiB go test -tags long -timeout 0 -run FullSizeReplay -v ./sim/whole
func TestFullSizeReplay(t *testing.T) {
	options := synthetic.DefaultPAI()
	options.Jobs = int(paiRate * float64(options.Jobs))
	in, err := parquet.Open(paiFile(t, options), parquet.LayoutOf[traces.Job]().Columns)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	waiting, present, jobs, done, hours, queued := int64(0), 0, 0, 0, 0, 0
	tasks := int64(0)
	r := &Replay{
		Env: paiCluster(), Feed: paiFeed(t, in, &tasks), Rule: mustOrdered(t, "tsf-er"), Slot: 3600e6, SampleEvery: 3600e6,
		OnSample: func(s *Sample) error {
			waiting, present = max(waiting, s.Waiting), max(present, s.Present)
			if hours++; s.Waiting > 0 {
				queued++
			}
			return nil
		},
		OnJob: func(_ int, j *sim.JobResult) error {
			if jobs++; !j.Refused {
				done++
			}
			return nil
		},
	}
	before, written := resources(t)
	begin := time.Now()
	result, err := r.Run(t.Context())
	wall := time.Since(begin).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	after, peak := resources(t)
	if jobs != options.Jobs || done != jobs-result.Refused || result.Refused == 0 && tasks != result.Tasks || result.Placements != result.Tasks+result.Suspensions {
		t.Errorf("%d of %d jobs, %d done, %d refused, %d of %d tasks, %d placements, %d suspensions",
			jobs, options.Jobs, done, result.Refused, result.Tasks, tasks, result.Placements, result.Suspensions)
	}
	if queued*10 < hours {
		t.Errorf("tasks wait at %d of %d hours: this load does not queue", queued, hours)
	}
	cpu := after - before
	factor, _ := result.MeanFactor()
	t.Logf("%d jobs, %d refused, %d tasks, %d placements, %d reallocations, end at %.1f days, mean JCT factor %.3f",
		jobs, result.Refused, result.Tasks, result.Placements, result.Allocations, float64(result.End)/86400e6, factor)
	t.Logf("%.1f s of processor time (%.1f s wall): %.0f placements/s, %.0f tasks/s, %.0f times as fast as the simulated time",
		cpu, wall, float64(result.Placements)/cpu, float64(result.Tasks)/cpu, float64(result.End)/1e6/cpu)
	t.Logf("tasks wait at %d of %d hours, at most %d; at most %d users present; peak memory %d MB, %d MB of it before the replay",
		queued, hours, waiting, present, peak>>10, written>>10)
}
