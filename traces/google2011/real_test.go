package google2011

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// realTrace returns the folder of the official files that hold what the tests import, or skips the test.
func realTrace(tb testing.TB) string {
	tb.Helper()
	return tracetest.GoogleFirst1000(tb)
}

func realFolder() string { return filepath.Join(tracetest.PublishedDir(), "google2011") }

// firstThousand follows the first 1,000 submissions, once for all tests, for
// each choice of what becomes of zero requests.
var firstThousand = map[ZeroRequests]func() (*importer, error){DropZero: follow1000, KeepZero: sync.OnceValues(tasksAgain)}

// jobParts is the folder of the test that asks first.
var jobParts string

var follow1000 = sync.OnceValues(func() (*importer, error) {
	o := DefaultOptions()
	o.First, o.ZeroRequests = 1000, DropZero
	im := &importer{options: o}
	return im, im.follow(jobParts)
})

// tasksAgain follows the tasks of the same jobs with zero requests kept, which is for the
// rows of tasks alone: the 500 parts of job_events are not read again.
func tasksAgain() (*importer, error) {
	dropped, err := follow1000()
	if err != nil {
		return nil, err
	}
	o := dropped.options
	o.ZeroRequests = KeepZero
	im := &importer{options: o, completeJobs: dropped.completeJobs, byID: map[int64]*job{}}
	for _, j := range dropped.wanted {
		again := &job{id: j.id, submitUS: j.submitUS, user: j.user, life: j.life, missing: j.missing}
		im.wanted, im.byID[j.id] = append(im.wanted, again), again
	}
	im.alive = slices.Clone(im.wanted)
	parts, err := findParts(realFolder(), taskEvents)
	if err != nil {
		return nil, err
	}
	return im, errors.Join(im.followTasks(parts), im.followConstraints(realFolder()))
}

func real1000(t *testing.T, zero ZeroRequests) (*importer, []traces.Job) {
	t.Helper()
	jobParts = realTrace(t)
	im, err := firstThousand[zero]()
	if err != nil {
		t.Fatal(err)
	}
	im.report = traces.Report{} // conversion counts anew
	return im, im.jobs()
}

// What is known of the first 1,000 submissions at or after 600 s: they arrive
// within 604.0–6,003.3 s and have 47,929 tasks; 81% have one task, the 99th
// percentile is 1,050, the largest 2,100; 700 finish, 293 are killed, 7 fail.
func TestFirstThousandSubmissions(t *testing.T) {
	im, _ := real1000(t, DropZero)
	if len(im.wanted) != 1000 {
		t.Fatalf("%d jobs", len(im.wanted))
	}
	first, last := im.wanted[0].submitUS, im.wanted[999].submitUS
	if first != 604_046_279 || last != 6_003_342_170 {
		t.Errorf("submitted within %d–%d µs", first, last)
	}
	ends := map[string]int{}
	for _, j := range im.wanted {
		ends[endText[j.life.how]]++
	}
	if want := map[string]int{"FINISH": 700, "KILL": 293, "FAIL": 7}; !maps.Equal(ends, want) {
		t.Errorf("ends %v, want %v", ends, want)
	}
}

// Of these 1,000 jobs, 117 with 166 tasks request no cpu at all and are left
// out, so that the import holds 883 jobs with 47,763 = 47,929 − 166 tasks. The
// 81% with one task become 78.8%, and of the 225 distinct requests (over all
// task rows) 182 remain as medians of jobs.
func TestFirstThousandImported(t *testing.T) {
	im, jobs := real1000(t, DropZero)
	d := traces.Describe(jobs)
	if d.Jobs != 883 || d.TotalTasks != 47929-166 || d.RequestPairs != 182 || d.Censored != 0 {
		t.Errorf("%d jobs, %d tasks, %d distinct requests, %d censored", d.Jobs, d.TotalTasks, d.RequestPairs, d.Censored)
	}
	if n := im.report.LeftOutFor("jobs", "zero cpu request"); n != 117 || len(im.report.LeftOut()) != 1 {
		t.Errorf("left out %v, want 117 jobs for their zero cpu request alone", im.report.LeftOut())
	}
	if d.Tasks.Q[6] != 1050 || d.Tasks.Q[7] != 2100 || math.Abs(d.SingleTask-696.0/883) > 1e-12 {
		t.Errorf("tasks %+v, %v with one", d.Tasks, d.SingleTask)
	}
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			t.Error(err)
		}
	}
}

// With zero requests kept, all 1,000 jobs and their 47,929 tasks are there, and
// the share with one task is the published 81%.
func TestFirstThousandImportedWithZeroRequests(t *testing.T) {
	im, jobs := real1000(t, KeepZero)
	d := traces.Describe(jobs)
	if d.Jobs != 1000 || d.TotalTasks != 47929 || d.SingleTask != 0.812 || len(im.report.LeftOut()) != 0 {
		t.Errorf("%d jobs, %d tasks, %v with one, left out %v", d.Jobs, d.TotalTasks, d.SingleTask, im.report.LeftOut())
	}
	noted := traces.Count{Unit: "jobs", What: "kept with a zero cpu request", N: 117}
	if !slices.Contains(im.report.Notes(), noted) || strings.Contains(im.report.String(), "zero memory") {
		t.Errorf("want 117 jobs without cpu, none without memory:\n%s", im.report.String())
	}
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			t.Error(err)
		}
	}
}

// The 225 distinct requests are counted over task rows: the median over a
// job's tasks has fewer. Four of them have no cpu.
func TestDistinctRequestsOfTheTasks(t *testing.T) {
	for zero, want := range map[ZeroRequests]int{DropZero: 221, KeepZero: 225} {
		im, _ := real1000(t, zero)
		if got := distinctRequests(im.wanted); got != want {
			t.Errorf("%v: %d distinct requests, want %d", zero, got, want)
		}
	}
}

// distinctRequests counts the (cpu, mem) pairs over the tasks of the jobs.
func distinctRequests(jobs []*job) int {
	pairs := map[[2]float64]bool{}
	for _, j := range jobs {
		for _, q := range j.tasks.requests {
			pairs[[2]float64{q.cpu, q.mem}] = true
		}
	}
	return len(pairs)
}

func TestRealMachines(t *testing.T) {
	im := &importer{options: DefaultOptions()}
	machines, err := im.machines(realTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	type class struct {
		name     string
		cpu, mem float64
	}
	classes := map[class]int{}
	for _, m := range machines {
		classes[class{m.Class, m.CPU, m.Mem}]++
	}
	most := func(cpu, mem float64) (n int) {
		for c, count := range classes {
			if c.cpu == cpu && c.mem == mem {
				n = max(n, count)
			}
		}
		return n
	}
	if len(machines) != 12477 || len(classes) != 10 || im.report.Read()[0].N != 37780 {
		t.Errorf("%d machines of %d classes from %d rows, want 12477 of 10 from 37780",
			len(machines), len(classes), im.report.Read()[0].N)
	}
	if most(0.5, 0.4995) != 6672 || most(1, 1) != 788 {
		t.Errorf("classes of machines: %v", classes)
	}
}

// BenchmarkImport reports the peak of the process's memory beside the time.
func BenchmarkImport(b *testing.B) {
	dir := tracetest.AtHand(b, "google2011")
	for _, first := range []int{1000, 0} {
		b.Run(fmt.Sprintf("first=%d", first), func(b *testing.B) {
			for b.Loop() {
				o := DefaultOptions()
				o.FromUS, o.First = 0, first
				res, err := Import(dir, o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(res.Jobs)), "jobs")
			}
			b.ReportMetric(peakMB(b), "MB-peak")
		})
	}
}

// peakMB reads the high-water mark of the resident set, in MB.
func peakMB(b *testing.B) float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return math.NaN()
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	return math.NaN()
}
