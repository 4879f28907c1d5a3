package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

func newBench(t *testing.T, seed uint64) *bench { return &bench{folder: t.TempDir(), seed: seed} }

// kept is what a redrawn job keeps.
type kept struct {
	id       string
	tasks    int64
	cpu, mem float64
}

func keptOf(jobs []traces.Job) []kept {
	var all []kept
	for _, j := range jobs {
		all = append(all, kept{j.ID, j.Tasks, j.CPU, j.Mem})
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.id, b.id) })
	return all
}

func realised(t *testing.T, of realiser, medianS float64, seed int) ([]traces.Job, traces.Meta) {
	t.Helper()
	jobs, meta, err := of(medianS, seed)
	if err != nil {
		t.Fatal(err)
	}
	return jobs, meta
}

func google(t *testing.T, seed int64) []traces.Job {
	t.Helper()
	jobs, err := synthetic.Generate(synthetic.Google(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func TestRedrawnJobsKeepRequestsAndTaskCounts(t *testing.T) {
	jobs := google(t, 3)
	of, n := redrawn(jobs, traces.Meta{Source: "test"})
	one, meta := realised(t, of, 1e5, 1)
	other, _ := realised(t, of, 2e5, 2)
	if d := diff.Diff(keptOf(jobs), keptOf(one), diff.AllowUnexported(kept{})); d != "" || n != len(jobs) {
		t.Errorf("%d jobs; requests or task counts changed:\n%s", n, d)
	}
	fitted, _ := realised(t, fittedWith, 1e5, 1)
	moved := 0
	for i, j := range one {
		if f := fitted[i]; j.SubmitUS != f.SubmitUS || j.DurationUS != f.DurationUS {
			t.Fatalf("job %d: %d µs, %d µs; the fitted workload has %d, %d", i, j.SubmitUS, j.DurationUS, f.SubmitUS, f.DurationUS)
		}
		if j.ID != other[i].ID {
			moved++
		}
	}
	if moved < 900 {
		t.Errorf("%d jobs have another place in another realisation", moved)
	}
	if meta.Label != "redrawn (hybrid)" || jobs[0].DurationUS == one[0].DurationUS {
		t.Errorf("label %q, or the jobs were not redrawn", meta.Label)
	}
}

// Longer durations make jobs overlap more, on redrawn jobs as on drawn ones.
func TestTheFactorOfRedrawnJobsFallsWithTheMedian(t *testing.T) {
	of, _ := redrawn(google(t, run.PopulationSeed), traces.Meta{Label: "google (synthetic)"})
	last := 2.0
	for _, median := range []float64{1e4, 1e5, 1e6} {
		factors, err := newBench(t, 5).factors(of, median, 1, central("tsf-er", 15, 0), 60)
		if err != nil {
			t.Fatal(err)
		}
		factor := stat.Mean(factors, nil)
		if factor >= last-0.05 {
			t.Errorf("median %g s: factor %g after %g", median, factor, last)
		}
		last = factor
	}
}

// The first realisation is the embedded workload.
func TestRealisationsDiffer(t *testing.T) {
	numbers, err := newBench(t, 5).realisations(fittedWith, synthetic.FittedMedianS, 3, 40)
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := run.NamedWorkload("fitted")
	if err != nil {
		t.Fatal(err)
	}
	if jobs, _ := realised(t, fittedWith, synthetic.FittedMedianS, 1); !diff.Equal(jobs, embedded.Jobs) {
		t.Error("realisation 1 is not the embedded workload")
	}
	for k := range 3 {
		for i := range users {
			factor, drop := numbers[2*i], numbers[2*i+1]
			if drop[k] < 0 || drop[k] > 0.2 || i > 0 && factor[k] >= numbers[2*i-2][k] || k > 0 && factor[k] == factor[k-1] {
				t.Errorf("realisation %d, n=%d: factor %g, drop %g", k+1, users[i], factor[k], drop[k])
			}
		}
	}
}

// several is n in make test-long, and half of it in make test.
func several(n int) int {
	if os.Getenv("LEONTIEF_LONG") != "" {
		return n
	}
	return n / 2
}

// TestTheSpreadIsTheNotedOne repeats what the note of the ledger says of 8
// realisations, on fewer instances: the mean drop within half a point (its
// standard error is 0.1 with 250), the deviations of the factor, to which the fewer
// instances add, within a factor of two.
func TestTheSpreadIsTheNotedOne(t *testing.T) {
	numbers, err := newBench(t, 7).realisations(fittedWith, synthetic.FittedMedianS, 8, several(250))
	if err != nil {
		t.Fatal(err)
	}
	if drop := stat.Mean(numbers[5], nil); math.Abs(drop-0.076) > 0.005 {
		t.Errorf("TSF-ER's drop below CRU at n = 20 is %.4f, noted as 0.076", drop)
	}
	for i, noted := range []float64{0.012, 0.012, 0.015} {
		if deviation := stat.StdDev(numbers[2*i], nil); deviation < noted/2 || deviation > noted*2 {
			t.Errorf("the factor's deviation at n = %d is %.4f, noted as %g", users[i], deviation, noted)
		}
	}
}

// TestTheConstantsAreFitted repeats the fits on fewer instances. The constants must
// agree within the sampling error: each mean JCT factor at them lies within four
// standard errors of its target.
func TestTheConstantsAreFitted(t *testing.T) {
	for _, c := range []struct {
		name             string
		of               realiser
		medianS          float64
		slotS, instances int
		seed             uint64
		target, most     float64
	}{
		{"fitted", fittedWith, synthetic.FittedMedianS, 0, several(2000), 7, fluidTarget, 0.006},
		{"two-parameter, fluid", twoParameters(synthetic.TwoParameterTasks), synthetic.TwoParameterMedianS, 0, 200, 11, fluidTarget, 0.015},
		{"two-parameter, whole", twoParameters(synthetic.TwoParameterTasks), synthetic.TwoParameterMedianS, 256, 200, 11, wholeTarget, 0.015},
	} {
		factors, err := newBench(t, c.seed).factors(c.of, c.medianS, 1, central("tsf-er", 15, c.slotS), c.instances)
		if err != nil {
			t.Fatal(err)
		}
		mean, deviation := stat.PopMeanStdDev(factors, nil)
		standardError := deviation / math.Sqrt(float64(c.instances))
		if math.Abs(mean-c.target) > 4*standardError {
			t.Errorf("%s: %.4f ± %.4f, not %g: repeat the fit (go run ./scripts/fit)", c.name, mean, standardError, c.target)
		}
		if standardError > c.most {
			t.Errorf("%s: standard error %g: this test says nothing", c.name, standardError)
		}
	}
}

// With requests k times as large and a link and durations to match, the factors are
// what they were: only the bandwidth beside cpu and memory makes a difference.
func TestScarcerJobsNeedTheSameBandwidth(t *testing.T) {
	jobs, _ := realised(t, fittedWith, 1e5, 1)
	scarcer, _ := realised(t, scarce(fittedWith, 1.5), 1e5, 1)
	for i := range jobs {
		if want := jobs[i]; scarcer[i].CPU != 1.5*want.CPU || scarcer[i].Mem != 1.5*want.Mem || scarcer[i].DurationUS != want.DurationUS {
			t.Fatalf("job %d: %+v beside %+v", i, scarcer[i], want)
		}
	}
	b := traces.DefaultBandwidth()
	plain := b.Synthesize(stream.New("test"), jobs)
	b.GammaSecond *= 1.5
	for i, mhz := range b.Synthesize(stream.New("test"), scarcer) {
		if math.Abs(mhz-plain[i]) > 1e-12*plain[i] {
			t.Fatalf("job %d needs %g MHz, not %g", i, mhz, plain[i])
		}
	}
	var out bytes.Buffer
	if err := newBench(t, 5).scarcer(&out, 1.5, 0, 40, 3); err != nil || !strings.Contains(out.String(), "cpu and memory times 1.5, 3 instances: RMS ") {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := newBench(t, 5).scarcer(&out, 1.5, 2, 40, 3); err != nil || !strings.Contains(out.String(), "population 2   n=10: 0.") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// The fits end where the factor is the published one, and say so.
func TestFits(t *testing.T) {
	var b bytes.Buffer
	median, err := newBench(t, seed).fit(&b, fittedWith, 1, 40)
	if err != nil {
		t.Fatal(err)
	}
	if err := newBench(t, seed).fit4(&b, 0, 6); err != nil {
		t.Fatal(err)
	}
	if err := newBench(t, seed).fit4(&b, 1.5, 6); err != nil {
		t.Fatal(err)
	}
	if err := newBench(t, seed).compare(&b, fittedWith, synthetic.FittedMedianS, 2, 5); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("median %.4g s: mean JCT factor 0.49", median), "fluid, 0.8", "population 2   n=10: 0."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	if _, err := bisect(1, 10, 0.1, 5, func(float64) (float64, error) { return 1, nil }); err == nil {
		t.Error("a target that is not reached is no error")
	}
}
