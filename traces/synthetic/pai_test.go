package synthetic

import (
	"math"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/traces"
)

func paiJobs(t *testing.T, o PAI, seedNumber int64) []traces.Job {
	t.Helper()
	seq, err := o.Generate(seedNumber)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(seq)
}

// values returns a quantity of the jobs that keep holds for, sorted.
func values(jobs []traces.Job, keep func(*traces.Job) bool, value func(*traces.Job) float64) []float64 {
	var v []float64
	for i := range jobs {
		if keep(&jobs[i]) {
			v = append(v, value(&jobs[i]))
		}
	}
	slices.Sort(v)
	return v
}

func all(*traces.Job) bool       { return true }
func withGPU(j *traces.Job) bool { return j.GPU > 0 }

// wantNear wants got within a share of want.
func wantNear(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s is %v, want %v ± %v%%", what, got, want, 100*share)
	}
}

func TestPAIHasThePublishedStatistics(t *testing.T) {
	jobs := paiJobs(t, PAI{Jobs: 400_000, SpanS: 64 * 86400}, 1)
	durations := values(jobs, withGPU, func(j *traces.Job) float64 { return float64(j.DurationUS) / 1e6 })
	gangs := values(jobs, withGPU, func(j *traces.Job) float64 { return float64(j.Tasks) * max(1, j.GPU) })
	for _, q := range []struct{ p, duration, gang float64 }{{0.5, 614, 1}, {0.9, 12390, 10}, {0.99, 67166, 60}} {
		wantNear(t, "a duration", traces.Quantile(durations, q.p), q.duration, 0.05)
		if got := traces.Quantile(gangs, q.p); got != q.gang {
			t.Errorf("gangs: %v GPUs at p = %v, want %v", got, q.p, q.gang)
		}
	}
	if largest := gangs[len(gangs)-1]; largest > 800 || largest < 400 {
		t.Errorf("the largest gang has %v GPUs", largest)
	}
	cpu := values(jobs, all, func(j *traces.Job) float64 { return j.CPU })
	for _, p := range []float64{0.25, 0.5, 0.75} {
		if got := traces.Quantile(cpu, p); got != 6 {
			t.Errorf("quartile %v of the cores is %v, want 6", p, got)
		}
	}
	share := func(f func(*traces.Job) bool) float64 {
		return float64(len(values(jobs, f, func(*traces.Job) float64 { return 0 }))) / float64(len(jobs))
	}
	if got := share(func(j *traces.Job) bool { return j.Mem == 29.296875 }); got < 0.5 {
		t.Errorf("only %v of the tasks have 29.3 GB", got)
	}
	wantNear(t, "share without a GPU", share(func(j *traces.Job) bool { return j.GPU == 0 }), 223965.0/1261050, 0.02)
	wantNear(t, "share with one instance", share(func(j *traces.Job) bool { return j.Tasks == 1 }), 963703.0/1261050, 0.01)
	// The published counts are of 989,438 of the 1,037,085 tasks with a GPU.
	for gpu, count := range map[float64]float64{1: 442591, 0.25: 272243, 0.5: 136701, 0.1: 116648, 2: 16312, 8: 4943} {
		got := share(func(j *traces.Job) bool { return j.GPU == gpu })
		wantNear(t, "share of a plan_gpu", got, count/989438*(1-223965.0/1261050), 0.06)
	}
}

func TestPAIArrivesInOrderThroughTheWholeSpan(t *testing.T) {
	const days = 10
	jobs := paiJobs(t, PAI{Jobs: 100_000, SpanS: days * 86400}, 3)
	if len(jobs) != 100_000 {
		t.Fatalf("%d jobs", len(jobs))
	}
	byDay, byHour := [days]float64{}, [24]float64{}
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && jobs[i].SubmitUS < jobs[i-1].SubmitUS {
			t.Fatalf("job %d before its predecessor", i)
		}
		s := jobs[i].SubmitUS / 1e6
		byDay[s/86400]++
		byHour[s%86400/3600]++
	}
	for _, n := range byDay {
		wantNear(t, "submissions of a day", n, 10_000, 0.05)
	}
	total := 0
	for _, w := range paiHours {
		total += w
	}
	for h, n := range byHour {
		wantNear(t, "submissions of an hour", n, 100_000*float64(paiHours[h])/float64(total), 0.08)
	}
}

func TestPAIOfPartOfADay(t *testing.T) {
	jobs := paiJobs(t, PAI{Jobs: 1000, SpanS: 5400}, 1)
	last := jobs[len(jobs)-1].SubmitUS
	if last >= 5_400_000_000 || last < 5_300_000_000 {
		t.Errorf("the last submission is at %d µs", last)
	}
}

func TestDailyIsTheInverseOfSubmitted(t *testing.T) {
	for _, span := range []float64{1, 3600, 86400, 100000, 64 * 86400} {
		for _, u := range []float64{0, 0.1, 0.5, 0.99} {
			if back := submitted(daily(u, span)) / submitted(span); math.Abs(back-u) > 1e-9 {
				t.Errorf("span %v: %v comes back as %v", span, u, back)
			}
		}
	}
}

func TestPAIIsDecidedByTheSeed(t *testing.T) {
	o := PAI{Jobs: 500, SpanS: 86400}
	a, b, c := paiJobs(t, o, 1), paiJobs(t, o, 1), paiJobs(t, o, 2)
	if !slices.Equal(a, b) {
		t.Error("the same seed gives other jobs")
	}
	if slices.Equal(a, c) {
		t.Error("another seed gives the same jobs")
	}
	if got := o.Meta(1).Label; got != "pai (synthetic)" {
		t.Errorf("label %q", got)
	}
}

func TestPAIRefusesWhatIsNone(t *testing.T) {
	for _, o := range []PAI{{0, 1}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if _, err := o.Generate(1); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func BenchmarkPAI(b *testing.B) {
	b.ReportAllocs()
	seq, err := PAI{Jobs: b.N, SpanS: 64 * 86400}.Generate(1)
	if err != nil {
		b.Fatal(err)
	}
	for range seq {
	}
}
