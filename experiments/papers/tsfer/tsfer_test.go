package tsfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
)

func fitted(t *testing.T) *Workload {
	t.Helper()
	w, err := NamedWorkload(fittedName)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// paper is the paper as it is registered.
func paper(t *testing.T) papers.Paper {
	t.Helper()
	for _, p := range papers.Papers() {
		if p.Name == Paper {
			return p
		}
	}
	t.Fatal("the paper is not registered")
	return papers.Paper{}
}

// checked completes a request.
func checked(t *testing.T, r papers.Request) papers.Request {
	t.Helper()
	p := paper(t)
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// reproduce runs a request.
func reproduce(t *testing.T, r papers.Request, workers int) *papers.Findings {
	t.Helper()
	p := paper(t)
	found, err := p.Reproduce(context.Background(), checked(t, r), run.InMemory(workers, nil))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// same compares what was found but for how it was made.
func same(a, b *papers.Findings) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(papers.Findings{}))
}

func TestWorkedExamplesAreReproduced(t *testing.T) {
	entries, err := Examples()
	if err != nil {
		t.Fatal(err)
	}
	refuted := 0
	for _, e := range entries {
		switch e.Verdict {
		case ledger.Reproduced:
		case ledger.Refuted:
			refuted++
			if math.Abs(*e.Ours-1) > exact || *e.Published != 0.832 {
				t.Errorf("%s: refuted with %g against %g", e.ID, *e.Ours, *e.Published)
			}
		default:
			t.Errorf("%s: %s: %s", e.ID, e.Verdict, e.Why)
		}
	}
	if refuted != 1 {
		t.Errorf("%d entries are refuted, want the 0.832 of appendix 9.1 alone", refuted)
	}
	if len(entries) < 30 {
		t.Errorf("only %d entries", len(entries))
	}
}

func TestServersKeepTheAggregateCapacity(t *testing.T) {
	for _, rho := range figureRhos {
		env := Cluster(rho, 2)
		for r := range env.Resources {
			if got := env.TotalCapacity(r); math.Abs(got-3) > 1e-12 {
				t.Errorf("ρ = %g: %s totals %g, want 3", rho, env.Resources[r], got)
			}
		}
	}
}

func TestTable3HasOneEntryAPublishedValue(t *testing.T) {
	results := reproduce(t, papers.Request{Items: []string{"table3"}, Seed: 1, Instances: 6}, 2)
	if _, err := results.Ledger.JSON(); err != nil {
		t.Error(err)
	}
	published, starred := 0, []string(nil)
	for _, e := range results.Ledger.Entries {
		if e.Published != nil {
			published++
		}
		if e.FittedTo {
			starred = append(starred, e.ID)
		}
		if e.Workload != "fitted (synthetic)" {
			t.Errorf("%s: workload %q", e.ID, e.Workload)
		}
	}
	if published != 27 {
		t.Errorf("%d published values, want 27", published)
	}
	const id = "table3/tsf-er/n=15,rho=0.7,bw=2"
	if d := cmp.Diff([]string{id, id + "#5", id + "#8"}, starred); d != "" {
		t.Errorf("marked as fitted: %s", d)
	}
	// 8 settings (one beyond the table), 3 rules, 6 instances.
	if rows := results.Tables["table3"].Len(); rows != 8*3*6 {
		t.Errorf("%d rows", rows)
	}
	other := reproduce(t, papers.Request{Items: []string{"table3"}, Seed: 1, Instances: 2, Options: map[string]string{"gamma": "rate"}}, 2)
	for _, e := range other.Ledger.Entries {
		if e.FittedTo {
			t.Errorf("%s is marked as fitted with another bandwidth", e.ID)
		}
	}
}

func TestResultsDoNotDependOnTheWorkers(t *testing.T) {
	r := papers.Request{Items: []string{"table3", "fig3", "fig4"}, Seed: 1, Instances: 1}
	one, two := reproduce(t, r, 1), reproduce(t, r, 2)
	if d := same(one, two); d != "" {
		t.Error(d)
	}
	r.Seed = 2
	if cmp.Equal(one.Tables, reproduce(t, r, 2).Tables) {
		t.Error("another seed gives the same rows")
	}
}

func TestEveryRuleAndClusterFacesTheSameJobs(t *testing.T) {
	d := &direct{workload: fitted(t), bandwidth: traces.DefaultBandwidth(), seed: 1}
	jobs, mhz, err := d.draw(15, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, mhzAgain, err := d.draw(15, 3)
	if err != nil || !cmp.Equal(jobs, again) || !cmp.Equal(mhz, mhzAgain) {
		t.Errorf("drawn again, the jobs are others (%v)", err)
	}
	other, _, err := d.draw(15, 4)
	if err != nil || cmp.Equal(jobs, other) {
		t.Errorf("instances 3 and 4 are the same (%v)", err)
	}
}

func TestTSFERHasSIAndPOInTheFigures(t *testing.T) {
	results := reproduce(t, papers.Request{Items: []string{"fig3", "fig4"}, Seed: 1, Instances: 2}, 2)
	checked := 0
	for _, e := range results.Ledger.Entries {
		if strings.Contains(e.ID, "/tsf-er") || strings.HasPrefix(e.ID, "fig4/domination-is-1") {
			checked++
			if e.Verdict != ledger.Reproduced {
				t.Errorf("%s: %s", e.ID, e.Why)
			}
		}
	}
	if checked != 5 {
		t.Errorf("%d entries were checked, want 5", checked)
	}
	if results.Tables["fig3"].Len() != 2*2*3*8 || results.Tables["fig4"].Len() != 2*3*8 {
		t.Errorf("%d and %d rows", results.Tables["fig3"].Len(), results.Tables["fig4"].Len())
	}
}

// What can not be run is refused before anything is, as what was given.
func TestRequestsThatCanNotRun(t *testing.T) {
	dir := t.TempDir()
	few := func(n int) string {
		path := filepath.Join(dir, fmt.Sprint(n, ".parquet"))
		if err := traces.WriteJobs(path, fitted(t).Population.Jobs[:n], traces.Meta{Source: "a test", Label: "made up"}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for want, r := range map[string]papers.Request{
		"has 99 jobs, and for fig3 and fig4 100 are drawn": {Options: map[string]string{"trace": few(99)}},
		"has 19 jobs, and for table3 20 are drawn":         {Items: []string{"table3"}, Options: map[string]string{"trace": few(19)}},
		"has 18 jobs, and for table4 20 are drawn":         {Items: []string{"table4"}, Options: map[string]string{"trace": few(18)}},
		"exclude each other":                               {Options: map[string]string{"trace": few(19), "workload": "google"}},
		"nowhere.parquet":                                  {Options: map[string]string{"trace": "nowhere.parquet"}},
		"holds no derived_gpu_tasks_sample":                {Options: map[string]string{"alibaba": dir}},
	} {
		_, err := newPlan(checked(t, r))
		var input spec.InputError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &input) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestPaperScaleIsThePublishedNumberOfInstances(t *testing.T) {
	r := checked(t, papers.Request{Items: []string{"table3"}, Scale: "paper"})
	p := &plan{Request: r, workload: fitted(t)}
	all, err := p.scenarios()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range all {
		if s.Number("bandwidth") != beyond3MHz.Bandwidth && s.Text("policy") == rules3[0] {
			n += s.Instances
		}
	}
	if n <= 10000 {
		t.Errorf("%d instances in table 3, the paper has over 10,000", n)
	}
}

func TestPairedEstimate(t *testing.T) {
	a, b := fluid(1, 0, 0), fluid(2, 0, 0)
	s := samples{{a, "x"}: {1, 2, 3, 4}, {b, "x"}: {2, 3, 4, 5}}
	e := s.estimate(func(m means) float64 { return m(b, "x") - m(a, "x") })
	if e != (ledger.Estimate{Value: 1, Low: 1, High: 1, Instances: 4}) {
		t.Errorf("the difference of paired values is %+v, want exactly 1", e)
	}
	e = s.estimate(func(m means) float64 { return m(a, "x") })
	if e.Value != 2.5 || !(e.Low < 2.5 && 2.5 < e.High) {
		t.Errorf("mean %+v", e)
	}
}

// A job that requests memory alone needs no link either, and does not get in
// the way of one that requests cpu alone: under every rule of table 3 and of
// the figures that does not split the link each is served as if it were alone.
func TestJobsWithoutCPUNeedMemoryAlone(t *testing.T) {
	jobs := []traces.Job{
		{ID: "memory", Tasks: 3, DurationUS: 5e6, Mem: 0.5},
		{ID: "cpu", Tasks: 7, DurationUS: 9e6, CPU: 0.25},
	}
	env := Cluster(0.7, 2)
	for i := range jobs {
		if needs, fits := run.Fit(&jobs[i], env, nil); !needs || !fits {
			t.Errorf("%s: needs %v, fits %v", jobs[i].ID, needs, fits)
		}
	}
	mhz := traces.DefaultBandwidth().Synthesize(rand.New(rand.NewPCG(1, 2)), jobs)
	if mhz[0] != 0 || mhz[1] <= 0 {
		t.Fatalf("bandwidths %v, want 0 and a positive one", mhz)
	}
	for _, rule := range []string{"tsf-er", "mnw", "cru", "drf-er"} {
		o, err := run.Case{Cluster: env, Jobs: jobs, Bandwidth: mhz, Policy: rule,
			Want: []string{run.TaskRatio, run.Envy, run.Domination}}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		// 3 tasks of 5 s at 3/0.5 = 6 tasks at once. A completion is rounded up
		// to whole µs, and rates have the accuracy of the solvers.
		if o.Refused != 0 || math.Abs(o.Jobs[0].Standalone-2.5e6) > 1 || math.Abs(float64(o.Jobs[0].JCT())-2.5e6) > 1 {
			t.Errorf("%s: %d refused, job without cpu %+v, want 2.5 s", rule, o.Refused, o.Jobs[0])
		}
		for _, m := range o.Measures {
			if want := map[bool]float64{false: 1}[m.Metric == results.MetricSIViolation]; math.Abs(m.Value-want) > 1e-6 {
				t.Errorf("%s: %s is %g, want %g", rule, m.Metric, m.Value, want)
			}
		}
	}
}

func TestAPrintedLedgerFitsA150ColumnTerminal(t *testing.T) {
	entries := reproduce(t, papers.Request{Items: Items[:5], Seed: 1, Instances: 1}, 2).Ledger.Entries
	w, err := CloudWorkload("")
	if err != nil {
		t.Fatal(err)
	}
	p, rows := someDays(t, w, "1", []int{1, 24}, cloudItems, nil, 2)
	var b strings.Builder
	if err := ledger.NewLedger(append(entries, p.cloudEntries(rows)...)).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	_, notes, found := strings.Cut(b.String(), "\n\n")
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > 150 {
			t.Errorf("%d letters: %s", n, line)
		}
	}
	if !found || strings.Count(strings.Join(strings.Fields(notes), " "), oneRealisation) != 1 {
		t.Errorf("the notes do not say once that one realisation is used:\n%s", notes)
	}
}
