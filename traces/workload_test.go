package traces

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestReportIsSortedAndComplete(t *testing.T) {
	var r Report
	r.LeaveOut("rows", "zero cpu request", 3)
	r.LeaveOut("jobs", "no end", 1)
	r.AddRead("task_events", 10)
	r.LeaveOut("rows", "missing info", 2)
	r.LeaveOut("rows", "zero cpu request", 4)
	r.AddRead("job_events", 5)
	r.Note("jobs", "censored", 1)
	r.LeaveOut("rows", "never happens", 0)
	r.AddKept("jobs", "jobs", 2)
	want := `read
             5 rows   job_events
            10 rows   task_events
kept
             2 jobs   jobs
left out
             1 jobs   no end
             2 rows   missing info
             7 rows   zero cpu request
noted
             1 jobs   censored
`
	if got := r.String(); got != want {
		t.Errorf("text:\n%s\nwant:\n%s", got, want)
	}
	got, err := json.Marshal(&r)
	wantJSON := `{"read":[{"unit":"rows","what":"job_events","count":5},{"unit":"rows","what":"task_events","count":10}],` +
		`"kept":[{"unit":"jobs","what":"jobs","count":2}],` +
		`"left_out":[{"unit":"jobs","what":"no end","count":1},{"unit":"rows","what":"missing info","count":2},{"unit":"rows","what":"zero cpu request","count":7}],` +
		`"noted":[{"unit":"jobs","what":"censored","count":1}]}`
	if err != nil || string(got) != wantJSON {
		t.Errorf("JSON %s (%v), want %s", got, err, wantJSON)
	}
}

func TestSampleIsUniformWithoutReplacement(t *testing.T) {
	jobs := someJobs(10)
	rng := source(1)
	const draws = 20000
	pairs := map[[2]string]int{}
	for range draws {
		s, err := Sample(rng, jobs, 2)
		if err != nil {
			t.Fatal(err)
		}
		if s[0].SubmitUS > s[1].SubmitUS || s[0].ID == s[1].ID {
			t.Fatalf("sample %s, %s: not two jobs in order of submission", s[0].ID, s[1].ID)
		}
		pairs[[2]string{s[0].ID, s[1].ID}]++
	}
	// 45 pairs, equally likely: five standard deviations of a binomial count.
	p := 1.0 / 45
	slack := 5 * math.Sqrt(draws*p*(1-p))
	if len(pairs) != 45 {
		t.Errorf("%d different pairs, want 45", len(pairs))
	}
	for pair, n := range pairs {
		if math.Abs(float64(n)-draws*p) > slack {
			t.Errorf("pair %v drawn %d times, want %.0f ± %.0f", pair, n, draws*p, slack)
		}
	}
}

func TestSampleDependsOnTheSourceAlone(t *testing.T) {
	jobs := someJobs(100)
	a, _ := Sample(source(3), jobs, 30)
	b, _ := Sample(source(3), jobs, 30)
	c, _ := Sample(source(4), jobs, 30)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("a sample does not follow its source")
	}
	all, err := Sample(source(5), jobs, 100)
	if err != nil || !slices.Equal(all, jobs) {
		t.Errorf("a sample of all jobs is not all jobs (%v)", err)
	}
}

func TestImpossibleSamples(t *testing.T) {
	if _, err := Sample(source(1), nil, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("error %v, want ErrEmpty", err)
	}
	for _, n := range []int{-1, 0, 4} {
		if _, err := Sample(source(1), someJobs(3), n); err == nil {
			t.Errorf("%d from 3 jobs: no error", n)
		}
	}
}

func TestBandwidthFormula(t *testing.T) {
	// 1 unit at 2.6 GHz and 800 cycles a bit: 3.25 Mbit/s over 3.5 bit/s/Hz.
	if got, want := DefaultBandwidth().MHz(1, 800), 3.25/3.5; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v MHz, want %v", got, want)
	}
}

func TestBandwidthReadings(t *testing.T) {
	const n = 200000
	for _, c := range []struct {
		reading  GammaParameter
		mean, sd float64 // of Gamma(4, ·)
	}{{GammaScale, 800, 400}, {GammaRate, 0.02, 0.01}} {
		b := DefaultBandwidth()
		b.Parameter = c.reading
		rng := source(7)
		sum := 0.0
		for range n {
			sum += b.CyclesPerBit(rng)
		}
		// Five standard errors of a mean of n draws.
		if slack := 5 * c.sd / math.Sqrt(n); math.Abs(sum/n-c.mean) > slack {
			t.Errorf("%s: mean %v cycles a bit, want %v ± %v", c.reading, sum/n, c.mean, slack)
		}
	}
}

// TestBandwidthMedian fixes the size of demands: with X ~ Gamma(4, scale 200)
// the median of X is 734.4, so a job of one cpu needs 1.0115 MHz in the
// median.
func TestBandwidthMedian(t *testing.T) {
	jobs := make([]Job, 100001)
	for i := range jobs {
		jobs[i].CPU = 1
	}
	mhz := DefaultBandwidth().Synthesize(source(8), jobs)
	slices.Sort(mhz)
	// The standard error of the median of 100,001 draws is 0.0021 MHz.
	if m := mhz[50000]; math.Abs(m-1.0115) > 0.0105 {
		t.Errorf("median %v MHz, want 1.0115 ± 0.0105", m)
	}
}

func TestBandwidthOfOneJobLeavesTheOthersAlone(t *testing.T) {
	jobs := someJobs(10)
	a := DefaultBandwidth().Synthesize(source(9), jobs)
	jobs[3].CPU = 0
	b := DefaultBandwidth().Synthesize(source(9), jobs)
	if b[3] != 0 || !slices.Equal(a[4:], b[4:]) || a[3] == 0 {
		t.Errorf("demands %v became %v", a, b)
	}
}

func TestBandwidthParameters(t *testing.T) {
	for name, f := range map[string]func(*Bandwidth){
		"cpu_hz":        func(b *Bandwidth) { b.CPUHz = 0 },
		"bits_per_hz":   func(b *Bandwidth) { b.BitsPerHz = math.NaN() },
		"gamma_shape":   func(b *Bandwidth) { b.GammaShape = -4 },
		"gamma_second":  func(b *Bandwidth) { b.GammaSecond = math.Inf(1) },
		"gamma_reading": func(b *Bandwidth) { b.Parameter = "shape" },
	} {
		b := DefaultBandwidth()
		f(&b)
		if err := b.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want one that names it", name, err)
		}
	}
}

func TestDescribeUsers(t *testing.T) {
	jobs := []Job{{ID: "1", User: "bob"}, {ID: "2", User: "ann", Weight: 3}, {ID: "3", User: "ann", Priority: -2}, {ID: "4"}, {ID: "5", User: "bob", Priority: 7}}
	d := Describe(jobs)
	if want := (Users{Count: 2, Largest: "ann", Jobs: 2, Unstated: 1, Weights: Range{1, 3}, Priorities: [2]int64{-2, 7}}); d.Users != want {
		t.Errorf("%+v, want %+v", d.Users, want)
	}
	if want := "\n2 users, the largest of whom (ann) has 2 of the jobs; 1 jobs without a user; weights from 1 to 3; priorities from -2 to 7\n"; !strings.Contains(d.String(), want) {
		t.Errorf("no%s in\n%s", want, d)
	}
	jobs[1].User, jobs[2].User = "\x1b[2J", "\x1b[2J"
	jobs[1].ID = ""
	if text := Describe(jobs[:3]).String(); strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

func TestDescribe(t *testing.T) {
	jobs := make([]Job, 100)
	for i := range jobs {
		jobs[i] = Job{ID: "x", SubmitUS: int64(i) * 2e6, Tasks: 1, DurationUS: int64(i+1) * 1e6, CPU: 0.5, Mem: 0.25}
	}
	jobs[7].Tasks, jobs[8].Censored, jobs[9].CPU = 101, true, 1
	d := Describe(jobs)
	if d.Jobs != 100 || d.TotalTasks != 200 || d.FirstSubmitS != 0 || d.LastSubmitS != 198 || d.SingleTask != 0.99 ||
		d.Censored != 1 || d.RequestPairs != 2 || d.Constrained != 0 {
		t.Errorf("described as %+v", d)
	}
	if want := [...]float64{1, 10, 25, 50, 75, 90, 99, 100}; d.DurationS.Mean != 50.5 || d.DurationS.Q != want {
		t.Errorf("durations %+v, want the quantiles %v", d.DurationS, want)
	}
	if d.InterarrivalS.Q[3] != 2 || d.InterarrivalS.Mean != 2 {
		t.Errorf("interarrival times %+v, want 2 s throughout", d.InterarrivalS)
	}
	for _, want := range []string{"100 jobs, 200 tasks", "99.0%", "duration (s)"} {
		if !strings.Contains(d.String(), want) {
			t.Errorf("%q is missing in\n%s", want, d)
		}
	}
	if got := Describe(nil); got.Jobs != 0 || got.Tasks.Mean != 0 || got.SubmitS.Bins != nil {
		t.Error("no jobs have a description")
	}
}
