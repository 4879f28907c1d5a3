package synthetic

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// hourStatistics are what the hour is recognised by.
type hourStatistics struct{ early, single, small, censored, tasks, cpu, mem, medianS float64 }

func statisticsOf(jobs []traces.Job) hourStatistics {
	var s hourStatistics
	var durations []float64
	for i := range jobs {
		j := &jobs[i]
		for _, c := range []struct {
			of  *float64
			yes bool
		}{{&s.early, j.SubmitUS == 0}, {&s.single, j.Tasks == 1}, {&s.small, j.Tasks <= 10}, {&s.censored, j.Censored}} {
			if c.yes {
				*c.of += 1 / float64(len(jobs))
			}
		}
		s.tasks += float64(min(j.Tasks, 2000)) / float64(len(jobs))
		s.cpu += j.CPU / float64(len(jobs))
		s.mem += j.Mem / float64(len(jobs))
		if !j.Censored {
			durations = append(durations, float64(j.DurationUS)/1e6)
		}
	}
	slices.Sort(durations)
	s.medianS = traces.Quantile(durations, 0.5)
	return s
}

// checkHour compares with the statistics of the trace's own hour: shares to 3
// points, means (of task counts up to 2,000) to 15%, the median duration of jobs
// that end to 25%.
func checkHour(t *testing.T, got, want hourStatistics) {
	t.Helper()
	share := func(what string, a, b float64) {
		if math.Abs(a-b) > 0.03 {
			t.Errorf("%s: %.3f, want %.3f", what, a, b)
		}
	}
	ratio := func(what string, a, b, off float64) {
		if math.Abs(a/b-1) > off {
			t.Errorf("%s: %.4g, want %.4g", what, a, b)
		}
	}
	share("there at time 0", got.early, want.early)
	share("one task", got.single, want.single)
	share("at most 10 tasks", got.small, want.small)
	share("censored", got.censored, want.censored)
	ratio("tasks", got.tasks, want.tasks, 0.15)
	ratio("cpu", got.cpu, want.cpu, 0.15)
	ratio("mem", got.mem, want.mem, 0.15)
	ratio("median duration", got.medianS, want.medianS, 0.25)
}

// trueHour are the statistics of the official files; a test below compares.
var trueHour = hourStatistics{early: 0.8745, single: 0.6226, small: 0.8568, censored: 0.5091, tasks: 28.5, cpu: 0.04405, mem: 0.03157, medianS: 166200}

func TestHourHasTheStatisticsOfTheTrace(t *testing.T) {
	jobs, err := Hour{Jobs: 40000}.Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	checkHour(t, statisticsOf(jobs), trueHour)
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && jobs[i].SubmitUS < jobs[i-1].SubmitUS {
			t.Fatalf("job %d is submitted before the one ahead of it", i)
		}
		if s := jobs[i].SubmitUS; s != 0 && s < 600e6 || s >= 3600e6 {
			t.Fatalf("job %d is submitted at %d µs", i, s)
		}
	}
}

// Of the jobs of before the trace all 500 parts hold something: 3.4 s of processor time.
func TestHourOfTheOfficialFiles(t *testing.T) {
	if os.Getenv("LEONTIEF_LONG") == "" {
		t.Skip("reads all of job_events (LEONTIEF_LONG)")
	}
	res, err := google2011.Import(tracetest.AtHand(t, "google2011"), google2011.Options{ToUS: 3600e6, ZeroRequests: google2011.KeepZero})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Jobs) != hourJobs {
		t.Errorf("%d jobs, the table says %d", len(res.Jobs), hourJobs)
	}
	checkHour(t, trueHour, statisticsOf(res.Jobs))
	full, of := 0.0, 0.0
	for _, m := range res.Machines {
		if m.CPU == 0.5 {
			full++
		}
		of++
	}
	if share := full / of; math.Abs(share-0.926) > 0.005 {
		t.Errorf("%.3f of the machines have a cpu of 0.5", share)
	}
}

func TestHourIsDecidedByItsSeed(t *testing.T) {
	a, _ := DefaultHour().Generate(1)
	b, _ := DefaultHour().Generate(1)
	c, _ := DefaultHour().Generate(2)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the seed does not decide the jobs")
	}
	if _, err := (Hour{}).Generate(1); err == nil {
		t.Error("a workload without jobs passes")
	}
}

func TestGoogleMachines(t *testing.T) {
	machines := GoogleMachines(rand.New(rand.NewPCG(1, 2)), 10000)
	cpu := map[float64]int{}
	for i := range machines {
		if err := machines[i].Validate(); err != nil {
			t.Fatal(err)
		}
		cpu[machines[i].CPU]++
	}
	if len(machines) != 10000 || cpu[0.5] < 9100 || cpu[0.5] > 9400 || cpu[1] < 550 || cpu[1] > 720 {
		t.Errorf("%d machines, by cpu %v", len(machines), cpu)
	}
}
