package alibaba

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

const sampleText = `job_id,arrival_s,service_sec,gpu_count
b,200.0,60.0,4
a,100.0,172800.0,1
c,300.0,0.0,1
d,300.0,5.0,0
b,200.0,60.0,4
`

func sampleFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(folder{"sample.csv": sampleText}.write(t), "sample.csv")
}

func TestHybridKeepsWhatIsRealAndImputesTheRest(t *testing.T) {
	res, err := Hybrid(sampleFile(t), HybridOptions{GPUs: WholeGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Jobs {
		if j := &res.Jobs[i]; j.CPU <= 0 || j.Mem <= 0 {
			t.Errorf("%+v", j)
		} else {
			j.CPU, j.Mem = 0, 0
		}
	}
	want := []traces.Job{
		{ID: "a", SubmitUS: 100e6, Tasks: 1, DurationUS: 172800e6, GPU: 1, Censored: true},
		{ID: "b", SubmitUS: 200e6, Tasks: 4, DurationUS: 60e6, GPU: 1},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	if res.Meta.Label != "hybrid" {
		t.Errorf("label %q", res.Meta.Label)
	}
	wantLeftOut(t, res.Report, "jobs", "zero duration", 1)
	wantLeftOut(t, res.Report, "jobs", "no GPU", 1)
	wantLeftOut(t, res.Report, "jobs", "a task a second time: the first row counts", 1)
}

func TestHybridRefuses(t *testing.T) {
	if _, err := Hybrid(sampleFile(t), HybridOptions{GPUs: "half"}); err == nil || !strings.Contains(err.Error(), `"half"`) {
		t.Errorf("error %v", err)
	}
	if _, err := Hybrid(filepath.Join(t.TempDir(), "sample.csv"), HybridOptions{GPUs: WholeGPUs}); !errors.Is(err, ErrNoTable) {
		t.Errorf("error %v", err)
	}
}

func TestTheRealSample(t *testing.T) {
	path := realFile(t, "pai2020/derived_gpu_tasks_sample.csv")
	whole, err := Hybrid(path, HybridOptions{GPUs: WholeGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := Hybrid(path, HybridOptions{GPUs: SharedGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Jobs) != 30174 {
		t.Fatalf("%d jobs", len(whole.Jobs))
	}
	gpus := map[float64]int{}
	for i := range whole.Jobs {
		a, b := whole.Jobs[i], shared.Jobs[i]
		gpus[b.GPU]++
		a.GPU, b.GPU = 0, 0
		if a != b {
			t.Fatalf("the readings differ in more than the GPUs: %+v, %+v", a, b)
		}
	}
	if len(gpus) != 4 || gpus[1] < 12000 || gpus[1] > 15500 {
		t.Errorf("parts of a GPU: %v", gpus)
	}
	t.Logf("mean load of GPUs over 64 days: whole %.0f, shared %.0f", meanGPUs(whole.Jobs), meanGPUs(shared.Jobs))
}

// meanGPUs is Σ tasks·duration·gpu over 64 days.
func meanGPUs(jobs []traces.Job) float64 {
	sum := 0.0
	for _, j := range jobs {
		sum += float64(j.Tasks) * float64(j.DurationUS) / 1e6 * j.GPU
	}
	return sum / (64 * 86400)
}

// The generator's tables of gangs and durations are the sample's.
func TestTheGeneratorResemblesTheRealSample(t *testing.T) {
	res, err := Hybrid(realFile(t, "pai2020/derived_gpu_tasks_sample.csv"), HybridOptions{GPUs: WholeGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	seq, err := synthetic.PAI{Jobs: 300_000, SpanS: 64 * 86400}.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	generated := slices.Collect(seq)
	for _, multi := range []bool{false, true} {
		keep := func(j *traces.Job) bool { return j.Tasks > 1 == multi }
		for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.99} {
			for _, q := range []struct {
				name      string
				value     func(*traces.Job) float64
				tolerance float64
			}{
				{"duration", func(j *traces.Job) float64 { return float64(j.DurationUS) / 1e6 }, 0.06},
				{"tasks", func(j *traces.Job) float64 { return float64(j.Tasks) }, 0.06},
			} {
				got, want := quantile(generated, keep, q.value, p), quantile(res.Jobs, keep, q.value, p)
				if got < want*(1-q.tolerance) || got > want*(1+q.tolerance) {
					t.Errorf("several tasks %v: %s at %v is %v, in the sample %v", multi, q.name, p, got, want)
				}
			}
		}
	}
}

func quantile(jobs []traces.Job, keep func(*traces.Job) bool, value func(*traces.Job) float64, p float64) float64 {
	var v []float64
	for i := range jobs {
		if keep(&jobs[i]) {
			v = append(v, value(&jobs[i]))
		}
	}
	slices.Sort(v)
	return traces.Quantile(v, p)
}

func TestDrawTakesWholeSubmissions(t *testing.T) {
	var jobs []traces.Job
	for i := range 100 {
		name := "j" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		for _, role := range []string{"/ps", "/worker"} {
			jobs = append(jobs, traces.Job{ID: name + role, SubmitUS: int64(i) * 10, Tasks: 1, DurationUS: 1, CPU: 1})
		}
	}
	s := Selection{Window: Window{FromUS: 200, ToUS: 700}, Fraction: 0.04} // 50 submissions
	got, err := s.Draw(stream.New("test"), jobs)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 {
		t.Fatalf("%d jobs, want two submissions of two", len(got))
	}
	for i, j := range got {
		if j.SubmitUS < 0 || j.SubmitUS >= 500 || Submission(j.ID) != Submission(got[i/2*2].ID) {
			t.Errorf("%+v", j)
		}
	}
	again, err := s.Draw(stream.New("test"), jobs)
	if err != nil || !slices.Equal(got, again) {
		t.Errorf("another draw: %v, %v", again, err)
	}
	everything, err := Selection{Fraction: 1}.Draw(stream.New("test"), jobs)
	if err != nil || !slices.Equal(everything, jobs) {
		t.Errorf("%d of all jobs, %v", len(everything), err)
	}
	for _, s := range []Selection{{Fraction: 0}, {Fraction: 1.1}, {Fraction: 0.5, Window: Window{FromUS: -1}}} {
		if _, err := s.Draw(stream.New("test"), jobs); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if _, err := (Selection{Fraction: 1, Window: Window{FromUS: 5000}}).Draw(stream.New("test"), jobs); !errors.Is(err, traces.ErrEmpty) {
		t.Errorf("error %v", err)
	}
}

func TestThePaperCluster(t *testing.T) {
	env := PaperCluster()
	var sum [3]float64
	count := 0
	for _, s := range env.Servers {
		count += s.Count
		for r := range sum {
			sum[r] += float64(s.Count) * s.Capacity[r]
		}
	}
	if count != 20 || sum != [3]float64{1632, 9728, 82} || env.Links[0].Capacity != 1500 {
		t.Errorf("%d servers, %v, link of %v MHz", count, sum, env.Links[0].Capacity)
	}
}
