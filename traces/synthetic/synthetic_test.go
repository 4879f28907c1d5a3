package synthetic

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces"
)

// moments sums up the logarithms of requests.
type moments struct{ n, x, y, xx, yy, xy float64 }

func (m *moments) add(cpu, mem, weight float64) {
	x, y := math.Log(cpu), math.Log(mem)
	m.n += weight
	m.x, m.y = m.x+weight*x, m.y+weight*y
	m.xx, m.yy, m.xy = m.xx+weight*x*x, m.yy+weight*y*y, m.xy+weight*x*y
}

// requests sums up requests: those of the jobs with cpu, and the logarithm of
// memory of those without.
type requests struct{ some, none moments }

func (r *requests) add(cpu, mem, weight float64) {
	if cpu > 0 {
		r.some.add(cpu, mem, weight)
	} else {
		r.none.add(1, mem, weight)
	}
}

var momentNames = [...]string{"mean ln cpu", "mean ln mem", "sd ln cpu", "sd ln mem", "correlation",
	"share without cpu", "mean ln mem without cpu", "sd ln mem without cpu"}

// values returns what momentNames names, in its order.
func (r *requests) values() [8]float64 {
	some, none := r.some.values(), r.none.values()
	return [8]float64{some[0], some[1], some[2], some[3], some[4],
		r.none.n / (r.none.n + r.some.n), none[1], none[3]}
}

// values returns the means of ln cpu and ln mem, their deviations and their
// correlation.
func (m *moments) values() [5]float64 {
	mx, my := m.x/m.n, m.y/m.n
	sx, sy := math.Sqrt(m.xx/m.n-mx*mx), math.Sqrt(m.yy/m.n-my*my)
	return [5]float64{mx, my, sx, sy, (m.xy/m.n - mx*my) / (sx * sy)}
}

// many is a number of jobs at which sampling errors are small.
const many = 20000

func generate(t *testing.T, o Options) []traces.Job {
	t.Helper()
	jobs, err := Generate(o, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && jobs[i].SubmitUS < jobs[i-1].SubmitUS {
			t.Fatal("jobs are not in order of submission")
		}
	}
	return jobs
}

func large(o Options) Options {
	o.Jobs = many
	return o
}

// The facts: 81.2% of the first 1,000 real jobs have one task, the 99th
// percentile of the task counts is 1,050, the largest is 2,100.
func TestTaskCountsAreTheRealOnes(t *testing.T) {
	d := traces.Describe(generate(t, large(Fitted())))
	// Five standard errors of a share.
	if slack := 5 * math.Sqrt(0.812*0.188/many); math.Abs(d.SingleTask-0.812) > slack {
		t.Errorf("share of jobs with one task %v, want 0.812 ± %v", d.SingleTask, slack)
	}
	// The 99th percentile of a sample is, within five standard errors, between
	// the quantiles at 0.9865 and 0.9935: 1,050 and about 1,350.
	if d.Tasks.Q[6] < 1050 || d.Tasks.Q[6] > 1350 || d.Tasks.Q[7] != 2100 {
		t.Errorf("99th percentile %v, maximum %v; want 1050 … 1350 and 2100", d.Tasks.Q[6], d.Tasks.Q[7])
	}
}

// requestErrors are bounds of the standard errors of what momentNames names,
// times the root of the number of jobs: σ/√share of a mean (that of a deviation
// is smaller), √(p(1−p)) of a share, and σ·√((κ−1)/4)/√share of the deviation
// of ln mem without cpu, whose kurtosis κ is 40.
var requestErrors = [8]float64{1.064, 1.278, 1.064, 1.278, 1.065, 0.322, 1.667, 5.21}

// The facts: moments of the requests of the 883 real jobs with a cpu request,
// and of the 117 without one. The tolerance is five standard errors of the
// sample and 0.01 for the grouping into cells.
func TestRequestsAreLikeTheRealOnes(t *testing.T) {
	want := [8]float64{-4.0196, -4.6959, 0.9994, 1.2008, 0.4188, 0.117, -8.6673, 0.5702}
	var m requests
	for _, j := range generate(t, large(Fitted())) {
		m.add(j.CPU, j.Mem, 1)
	}
	got := m.values()
	for i := range got {
		if slack := 5*requestErrors[i]/math.Sqrt(many) + 0.01; math.Abs(got[i]-want[i]) > slack {
			t.Errorf("%s %.4f, want %.4f ± %.4f", momentNames[i], got[i], want[i], slack)
		}
	}
}

// The facts: of the real jobs with a cpu request, medians of the requests of
// those with one task 0.025 and 0.0124, of those with several 0.0125 and 0.0062:
// the smaller tasks are those of the larger jobs. A median is within a factor
// 1.25: the width of a cell. 116 of the 812 jobs with one task request no cpu,
// and 1 of the 188 others, up to five standard errors.
func TestLargerJobsHaveSmallerTasks(t *testing.T) {
	var single, multi []traces.Job
	var none, all [2]float64 // with one task, with several
	for _, j := range generate(t, large(Fitted())) {
		several := min(j.Tasks-1, 1)
		all[several]++
		switch {
		case j.CPU == 0:
			none[several]++
		case j.Tasks == 1:
			single = append(single, j)
		default:
			multi = append(multi, j)
		}
	}
	for i, p := range []float64{116.0 / 812, 1.0 / 188} {
		if got := none[i] / all[i]; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/all[i]) {
			t.Errorf("share without cpu, one task or several [%d]: %v, want %v", i, got, p)
		}
	}
	s, m := traces.Describe(single), traces.Describe(multi)
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"cpu, one task", s.CPU.Q[3], 0.025}, {"mem, one task", s.Mem.Q[3], 0.0124},
		{"cpu, several", m.CPU.Q[3], 0.0125}, {"mem, several", m.Mem.Q[3], 0.0062}} {
		if r := c.got / c.want; r < 1/1.25 || r > 1.25 {
			t.Errorf("median of %s: %v, want %v within a factor 1.25", c.what, c.got, c.want)
		}
	}
}

// kolmogorov returns the largest distance between the distribution of the
// values and cdf, times √n: above 1.95 with probability 0.001. Of equal values
// (those moved to a limit) the last is compared.
func kolmogorov(values []float64, cdf func(float64) float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := float64(len(values))
	worst := 0.0
	for i, v := range values {
		if i+1 < len(values) && values[i+1] == v {
			continue
		}
		worst = max(worst, math.Abs(cdf(v)-float64(i+1)/n))
	}
	return worst * math.Sqrt(n)
}

// clippedLognormal returns the distribution function of l, taken from the
// right: 1 at Max.
func clippedLognormal(l *Lognormal) func(float64) float64 {
	return func(v float64) float64 {
		if v >= l.Max {
			return 1
		}
		return 0.5 * math.Erfc(-math.Log(v/l.Median)/(l.Sigma*math.Sqrt2))
	}
}

func TestArrivalsAreUniformOver48Hours(t *testing.T) {
	var at []float64
	for _, j := range generate(t, large(Fitted())) {
		at = append(at, float64(j.SubmitUS))
	}
	if k := kolmogorov(at, func(v float64) float64 { return v / (48 * 3600e6) }); k > 1.95 {
		t.Errorf("√n·D = %v", k)
	}
}

func TestDurationsAreLognormal(t *testing.T) {
	o := large(Fitted())
	var seconds []float64
	shortest := 0.0
	for _, j := range generate(t, o) {
		s := float64(j.DurationUS) / 1e6
		if s < 15 || s > 28*86400 {
			t.Fatalf("a task of %v s", s)
		}
		if s == 15 {
			shortest++
		}
		seconds = append(seconds, s)
	}
	if k := kolmogorov(seconds, clippedLognormal(o.Durations)); k > 1.95 {
		t.Errorf("√n·D = %v", k)
	}
	// P(X <= 15 s) = Φ(ln(15/4.32e5)/3) = 0.000310.
	if math.Abs(shortest/many-0.000310) > 5*math.Sqrt(0.000310/many) {
		t.Errorf("%v of the durations are at 15 s, want 0.000310", shortest/many)
	}
}

// The facts: the 1,000 real jobs have durations (per task) of 25.3, 36.0, 133,
// 375, 1,192 and 13,651 s at 10, 25, 50, 75, 90 and 99%, at most 50,346 s
// (14 h), and are submitted within 604–6,003 s. The share of generated
// durations up to such a value is that probability, up to five standard errors
// and 0.015 for the rounding of the tables and the straight lines between their
// knots.
func TestGoogleIsLikeTheTrace(t *testing.T) {
	jobs := generate(t, large(Google()))
	for i, value := range []float64{25.3, 36.0, 133, 375, 1192, 13651} {
		p := traces.Levels[i+1]
		below := 0.0
		for _, j := range jobs {
			if float64(j.DurationUS)/1e6 <= value {
				below++
			}
		}
		if slack := 0.015 + 5*math.Sqrt(p*(1-p)/many); math.Abs(below/many-p) > slack {
			t.Errorf("%v of the durations are up to %v s, want %v ± %v", below/many, value, p, slack)
		}
	}
	d := traces.Describe(jobs)
	if d.DurationS.Q[7] > 50346 || d.FirstSubmitS < 604 || d.LastSubmitS > 6004 {
		t.Errorf("longest task %v s, submissions within %v–%v s", d.DurationS.Q[7], d.FirstSubmitS, d.LastSubmitS)
	}
}

// The median of a sample is within five standard errors, 1.2533·σ/√n in the
// logarithm, of that of the distribution.
func TestTwoParameterWorkload(t *testing.T) {
	jobs := generate(t, large(TwoParameter()))
	d := traces.Describe(jobs)
	slack := func(sigma float64) float64 { return 5 * 1.2533 * sigma / math.Sqrt(many) }
	if got := math.Abs(math.Log(d.DurationS.Q[3] / TwoParameterMedianS)); got > slack(3) {
		t.Errorf("median duration %v s, want %v", d.DurationS.Q[3], TwoParameterMedianS)
	}
	if d.Tasks.Q[3] != math.Round(TwoParameterTasks) || d.Tasks.Q[0] != 1 || d.Tasks.Q[7] > 2854 {
		t.Errorf("task counts %+v, want 1, median 13, at most 2854", d.Tasks)
	}
	var m, mix requests
	for _, j := range jobs {
		m.add(j.CPU, j.Mem, 1)
	}
	for _, c := range cells {
		mix.add(c.cpu, c.mem, float64(c.single+c.multi))
	}
	got, want := m.values(), mix.values()
	for i := range got {
		if math.Abs(got[i]-want[i]) > 5*requestErrors[i]/math.Sqrt(many) {
			t.Errorf("%s %.4f, want %.4f: the mix of all jobs", momentNames[i], got[i], want[i])
		}
	}
}

// Fitting needs the median of the durations to move the durations alone.
func TestTheMedianMovesTheDurationsAlone(t *testing.T) {
	a := generate(t, Fitted())
	o := Fitted()
	o.Durations.Median *= 2
	scaled := 0
	for i, b := range generate(t, o) {
		if b.DurationUS > 15e6 && b.DurationUS < 28*86400e6 && a[i].DurationUS > 15e6 {
			scaled++
			if r := float64(b.DurationUS) / float64(a[i].DurationUS); math.Abs(r-2) > 1e-6 {
				t.Fatalf("job %d lasts %v times as long, want twice", i+1, r)
			}
		}
		b.DurationUS = a[i].DurationUS
		if a[i] != b {
			t.Fatalf("%+v became %+v", a[i], b)
		}
	}
	if scaled < 500 {
		t.Errorf("only %d durations inside the limits", scaled)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, o Options, seed int64) []byte {
		jobs, err := Generate(o, seed)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := traces.WriteJobs(path, jobs, Meta(o, seed)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, name := range Names() {
		o, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c := file("a", o, 5), file("b", o, 5), file("c", o, 6)
		if !bytes.Equal(a, b) || bytes.Equal(a, c) {
			t.Errorf("%s: the seed does not decide the bytes", name)
		}
	}
}

// The default workload is part of published results: it must not change
// unnoticed.
func TestDefaultWorkloadIsStable(t *testing.T) {
	jobs := generate(t, Fitted())
	d := traces.Describe(jobs)
	got := fmt.Sprintf("%+v %d tasks, %d pairs", jobs[0], d.TotalTasks, d.RequestPairs)
	if want := "{ID:synthetic-000001 SubmitUS:464648313 Tasks:1 DurationUS:2419200000000 CPU:0.0062 Mem:0.0028 GPU:0 Censored:false Constraints: User: Weight:0 Priority:0} 44043 tasks, 47 pairs"; got != want {
		t.Errorf("seed 1 begins with\n%s, want\n%s", got, want)
	}
}

func TestEverythingIsLabelledSynthetic(t *testing.T) {
	for _, name := range Names() {
		o, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := Meta(o, 3); m.Label != name+" (synthetic)" || !strings.Contains(m.Options, `"seed":3`) {
			t.Errorf("%s: metadata %+v", name, m)
		}
	}
	if _, err := Named("gogle"); err == nil || !strings.Contains(err.Error(), "fitted, google, two-parameter") {
		t.Errorf("error %v, want one that lists the workloads", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, f := range map[string]func(*Options){
		"no name":            func(o *Options) { o.Name = "" },
		"0 jobs":             func(o *Options) { o.Jobs = 0 },
		"span_s":             func(o *Options) { o.SpanS = math.NaN() },
		"tasks: median":      func(o *Options) { o.Tasks.Median = 0 },
		"tasks: min":         func(o *Options) { o.Tasks.Min = 0.5 },
		"durations_s: sigma": func(o *Options) { o.Durations.Sigma = -1 },
		"durations_s: max":   func(o *Options) { o.Durations.Max = 1 },
		"durations_s: max ":  func(o *Options) { o.Durations.Max = math.Inf(1) },
	} {
		o := TwoParameter()
		f(&o)
		if _, err := Generate(o, 1); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
