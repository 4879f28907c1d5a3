package google2011

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
)

// hybridOptions want what is submitted in 1,000–9,000 s and takes under 500 s.
func hybridOptions(nearest int) HybridOptions {
	return HybridOptions{FromUS: 1000e6, ToUS: 9000e6, LongestUS: 500e6, Nearest: nearest, Seed: 1}
}

// beyond is a trace whose task rows end before jobs 4, 5 and 6 are submitted:
// jobs 1 and 2 have rows, job 3 requests no cpu, job 6 takes too long.
func beyond() folder {
	return folder{
		jobPart: jobRows("1000 1 0", "1001 1 1", "1011 1 4", "2000 2 0", "2000 2 1", "2300 2 5", "3000 3 0", "3000 3 1", "3100 3 4",
			"5000 4 0", "5002 4 1", "5011 4 4", "6000 5 0", "6000 5 1", "6290 5 3", "7000 6 0", "7100 6 1", "7500 6 4", "9500 7 0"),
		taskPart: taskRows("1000 1 0 0 0.5 0.25", "1001 1 0 1", "1006 1 0 4",
			"2000 2 0 0 0.1 0.2", "2000 2 1 0 0.1 0.2", "2000 2 0 1", "2000 2 1 1", "3000 3 0 0 0 0.5"),
	}
}

func TestHybridTakesTheNearestDonor(t *testing.T) {
	res, err := Hybrid(beyond().write(t), hybridOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "1", User: "u", SubmitUS: 1000e6, Tasks: 1, DurationUS: 5e6, CPU: 0.5, Mem: 0.25}, // its task's time
		{ID: "2", User: "u", SubmitUS: 2000e6, Tasks: 2, DurationUS: 300e6, CPU: 0.1, Mem: 0.2},
		{ID: "4", User: "u", SubmitUS: 5000e6, Tasks: 1, DurationUS: 9e6, CPU: 0.5, Mem: 0.25}, // 9 s, the donor 10 s
		{ID: "5", User: "u", SubmitUS: 6000e6, Tasks: 2, DurationUS: 290e6, CPU: 0.1, Mem: 0.2},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	if res.Meta.Label != "hybrid" || !strings.Contains(res.Meta.Source, "drawn") || len(res.Meta.Checksum) != 64 {
		t.Errorf("%+v", res.Meta)
	}
	for what, n := range map[string]int64{"does not end in the time asked for": 1, "zero cpu request": 1, "submitted outside the time asked for": 1} {
		if got := res.Report.LeftOutFor("jobs", what); got != n {
			t.Errorf("%d jobs left out: %s; want %d", got, what, n)
		}
	}
}

// Without a limit long jobs are there too, and one without an end runs to that of the
// trace; if all parts of job_events are at hand.
func TestHybridWithoutALimit(t *testing.T) {
	o := hybridOptions(1)
	o.LongestUS, o.ToUS = 0, 10000e6
	f := beyond()
	f[jobPart] += jobRows("9500 7 1")
	part := folder{"job_events/part-00000-of-00500.csv": f[jobPart], taskPart: f[taskPart]}
	res, err := Hybrid(part.write(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := res.Report.LeftOutFor("jobs", "no end in the job_events parts at hand"); n != 1 || len(res.Jobs) != 5 {
		t.Errorf("%d left out, %d jobs", n, len(res.Jobs))
	}
	if res, err = Hybrid(f.write(t), o); err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "6", User: "u", SubmitUS: 7000e6, Tasks: 2, DurationUS: 400e6, CPU: 0.1, Mem: 0.2},
		{ID: "7", User: "u", SubmitUS: 9500e6, Tasks: 2, DurationUS: TraceEndUS - 9500e6, CPU: 0.1, Mem: 0.2, Censored: true},
	}
	if d := cmp.Diff(want, res.Jobs[len(res.Jobs)-2:]); d != "" || len(res.Jobs) != 6 {
		t.Errorf("%d jobs: %s", len(res.Jobs), d)
	}
}

// Among two donors either is drawn, and one that cannot be used leaves out the
// job that draws it: with many jobs about half are left out.
func TestHybridLeavesOutWhatItsDonorIsLeftOutFor(t *testing.T) {
	rows := []string{"1000 1 0", "1000 1 1", "1010 1 4", "1000 2 0", "1000 2 1", "1010 2 4"}
	for k := range 400 {
		rows = append(rows, fmt.Sprintf("2000 %d 0", 10+k), fmt.Sprintf("2000 %d 1", 10+k), fmt.Sprintf("2010 %d 4", 10+k))
	}
	dir := folder{jobPart: jobRows(rows...), taskPart: taskRows("1000 1 0 0 0.5 0.25", "1000 2 0 0 0 0.5")}.write(t)
	res, err := Hybrid(dir, hybridOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	out := res.Report.LeftOutFor("jobs", "its donor: zero cpu request")
	if out < 150 || out > 250 || int64(len(res.Jobs)) != 401-out {
		t.Errorf("%d of 400 left out, %d kept", out, len(res.Jobs))
	}
	again, err := Hybrid(dir, hybridOptions(2))
	if err != nil || cmp.Diff(res.Jobs, again.Jobs) != "" {
		t.Errorf("another draw the second time: %v", err)
	}
	other := hybridOptions(2)
	other.Seed = 2
	if again, err = Hybrid(dir, other); err != nil || cmp.Equal(res.Jobs, again.Jobs) {
		t.Errorf("another seed draws the same: %v", err)
	}
}

func TestHybridNeedsTaskRows(t *testing.T) {
	f := beyond()
	f[taskPart] = taskRows("100 99 0 0 1 1")
	if _, err := Hybrid(f.write(t), hybridOptions(1)); err == nil || !strings.Contains(err.Error(), "no job in the window has rows") {
		t.Errorf("%v", err)
	}
	f[taskPart] = taskRows("3000 3 0 0 0 0.5")
	if res, err := Hybrid(f.write(t), hybridOptions(1)); !errors.Is(err, traces.ErrEmpty) || res == nil {
		t.Errorf("%v", err)
	}
	for _, bad := range []HybridOptions{{}, {ToUS: 1}, {ToUS: 1, LongestUS: -1, Nearest: 1}, {ToUS: 1, LongestUS: 1}, {FromUS: 2, ToUS: 1, LongestUS: 1, Nearest: 1}} {
		if _, err := Hybrid(t.TempDir(), bad); err == nil || !strings.Contains(err.Error(), "hybrid") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The real first seven hours: 5,674 jobs are submitted within them and end in
// under two hours, 1,908 of them with task rows in the two parts at hand. The
// durations of the others are as real, so that the tasks that are drawn for
// them must grow with the duration as those of the donors do.
func TestRealSevenHours(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all of job_events")
	}
	res, err := Hybrid(realTrace(t), SevenHours())
	if err != nil {
		t.Fatal(err)
	}
	var drawn int64
	for _, c := range res.Report.Notes() {
		if strings.HasPrefix(c.What, "tasks and requests drawn") {
			drawn = c.N
		}
	}
	left := int64(0)
	for _, reason := range []string{"zero cpu request", "its donor: zero cpu request"} {
		left += res.Report.LeftOutFor("jobs", reason)
	}
	if total := int64(len(res.Jobs)) + left; math.Abs(float64(total-5674)) > 60 {
		t.Errorf("%d jobs end in under two hours, want about 5,674", total)
	}
	if known := int64(len(res.Jobs)) - drawn; known < 1500 || known > 1908 {
		t.Errorf("%d jobs with task rows of their own", known)
	}
	mean := func(jobs []traces.Job) float64 {
		var n int64
		for _, j := range jobs {
			n += j.Tasks
		}
		return float64(n) / float64(len(jobs))
	}
	slices.SortFunc(res.Jobs, func(a, b traces.Job) int { return int(a.DurationUS - b.DurationUS) })
	short, long := mean(res.Jobs[:len(res.Jobs)/2]), mean(res.Jobs[len(res.Jobs)/2:])
	if long < 2*short {
		t.Errorf("the shorter half has %.1f tasks a job, the longer %.1f", short, long)
	}
}
