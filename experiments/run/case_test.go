package run

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// halves gives every user an equal part of its η on the first server. It is
// feasible where one server is all there is.
type halves struct{ seen **cluster.Environment }

func (h halves) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	*h.seen = env
	a := &cluster.Allocation{Region: env, Share: make([]float64, len(env.Users))}
	for _, eta := range env.Etas(nil) {
		a.Tasks = append(a.Tasks, eta/float64(len(env.Users)))
	}
	a.X = a.Tasks
	return a, nil
}

// seen is the environment that the test rule was asked about last.
var seen *cluster.Environment

func init() {
	policies.Register(policies.Meta{Name: "test-halves", New: func(policies.Params) (policies.Policy, error) {
		return halves{&seen}, nil
	}})
}

// smallCase: two jobs at once on one server of (2 gpu, 4 cpu) behind a link of
// 10 MHz, the second bound by the link.
func smallCase() Case {
	return Case{
		Cluster: &cluster.Environment{
			Resources: []string{"gpu", "cpu"},
			Servers:   []cluster.Server{{Name: "s", Capacity: []float64{2, 4}, Count: 1}},
			Links:     []cluster.Link{{Name: "bw", Capacity: 10}},
		},
		Jobs: []traces.Job{
			{ID: "a", Tasks: 4, DurationUS: 1e6, CPU: 1, Mem: 9, GPU: 0.5},
			{ID: "b", Tasks: 1, DurationUS: 1e6, CPU: 1},
		},
		Bandwidth: []float64{0, 5},
		Policy:    "test-halves",
		Ignore:    []string{"mem"},
		Want:      []string{Utilization, TaskRatio, Envy, Domination},
	}
}

func TestCaseByHand(t *testing.T) {
	// η = 4, 2. Both present at rates 2, 1: b is done at 1 s, a has 2 left and
	// goes on at 4, done at 1.5 s. Standalone: 1 s, 0.5 s.
	o, err := smallCase().Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if o.Jobs[0].Completion != 1.5e6 || o.Jobs[1].Completion != 1e6 {
		t.Errorf("completions %d, %d µs", o.Jobs[0].Completion, o.Jobs[1].Completion)
	}
	want := map[string]float64{
		results.MetricJCTFactor:                  (1/1.5 + 0.5) / 2,
		results.MetricMeanUtilization + ":gpu":   (0.5 + 0.5*1) / 1.5,
		results.MetricMeanUtilization + ":cpu":   (0.75 + 0.5*1) / 1.5,
		results.MetricMeanUtilization + ":s/gpu": (0.5 + 0.5*1) / 1.5,
		results.MetricMeanUtilization + ":s/cpu": (0.75 + 0.5*1) / 1.5,
		results.MetricMeanUtilization + ":bw":    0.5 / 1.5,
		results.MetricMinTaskRatio:               1,
		results.MetricSIViolation:                0,
		results.MetricMinEFSat:                   1,
		// While both are there a can grow to 3 (cpu bound by 4 − 1): 4/3.
		results.MetricDomination: (4.0/3 + 0.5) / 1.5,
	}
	for _, m := range o.Measures {
		if math.Abs(m.Value-want[m.Metric]) > 1e-9 {
			t.Errorf("%s is %g, want %g", m.Metric, m.Value, want[m.Metric])
		}
		delete(want, m.Metric)
	}
	for name := range want {
		t.Errorf("%s was not measured", name)
	}
}

func TestCaseReadsRequestsByTheNamesOfTheResources(t *testing.T) {
	c := smallCase()
	c.Jobs, c.Bandwidth = c.Jobs[:1], c.Bandwidth[:1]
	c.Ignore = nil
	if _, err := c.Run(context.Background()); err == nil || err.Error() != `job "a" requests mem, which the cluster has not` {
		t.Errorf("error %v", err)
	}
	c.Ignore = []string{"mem"}
	if _, err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{0.5, 1}, seen.Users[0].Demand); d != "" {
		t.Errorf("gpu, cpu: %s", d)
	}
	c.Cluster.Resources = []string{"gpu", "disk"}
	if _, err := c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "not disk") {
		t.Errorf("error %v", err)
	}
}

func TestCaseEndsWithItsContext(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := smallCase().Run(ctx); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestUnknownPolicy(t *testing.T) {
	c := smallCase()
	c.Policy = "test-thirds"
	var unknown *policies.UnknownError
	if _, err := c.Run(context.Background()); !errors.As(err, &unknown) {
		t.Errorf("error %v", err)
	}
}

func TestFit(t *testing.T) {
	c := smallCase().Cluster
	for _, tc := range []struct {
		job         traces.Job
		needs, fits bool
	}{
		{traces.Job{CPU: 4, GPU: 2}, true, true},
		{traces.Job{CPU: 4.1}, true, false},
		{traces.Job{CPU: 1, GPU: 2.1}, true, false},
		{traces.Job{Mem: 100}, false, true},
	} {
		if needs, fits := Fit(&tc.job, c, nil); needs != tc.needs || fits != tc.fits {
			t.Errorf("%+v: needs %v, fits %v", tc.job, needs, fits)
		}
	}
	// Two servers, each short of something else.
	c.Servers = []cluster.Server{{Capacity: []float64{1, 9}, Count: 1}, {Capacity: []float64{9, 1}, Count: 5}}
	if _, fits := Fit(&traces.Job{CPU: 5, GPU: 5}, c, nil); fits {
		t.Error("a task was spread over two servers")
	}
}

func TestTraceWorkload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	p, err := NamedWorkload("fitted")
	if err != nil {
		t.Fatal(err)
	}
	if err := traces.WriteJobs(path, p.Jobs, traces.Meta{Source: "here", Label: "real", Checksum: "c"}); err != nil {
		t.Fatal(err)
	}
	q, err := TraceWorkload(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.Jobs, q.Jobs); d != "" {
		t.Error(d)
	}
	if q.Label != "real" || q.Source != "here" || q.SourceChecksum != "c" || q.File != "jobs.parquet" || len(q.Checksum) != 64 {
		t.Errorf("%+v", q.Workload)
	}
	FirstSubmissions(q, 10)
	if len(q.Jobs) != 10 || q.LeftOut["after the first 10 submissions"] != len(p.Jobs)-10 {
		t.Errorf("%d jobs, left out %v", len(q.Jobs), q.LeftOut)
	}
	for i, j := range q.Jobs {
		if j.ID != p.Jobs[i].ID {
			t.Errorf("job %d is %s, want %s", i, j.ID, p.Jobs[i].ID)
		}
	}
}

// A job's demand may differ between links; then there is no one bandwidth.
func TestLinkDemandsOfTheirOwn(t *testing.T) {
	c := smallCase()
	c.Cluster.Links = append(c.Cluster.Links, cluster.Link{Name: "second", Capacity: 4})
	c.Bandwidth, c.LinkDemand, c.Want = nil, [][]float64{{0, 0.25}, {5, 1}}, nil
	watched, region := int64(0), (*cluster.Environment)(nil)
	c.Observers = []sim.Observer{watch(func(iv *sim.Interval) { watched, region = watched+iv.Span(), iv.Allocation.Region })}
	out, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range c.LinkDemand {
		for e, d := range want {
			if got := region.LinkDemand(j, e); got != d {
				t.Errorf("job %d needs %g of link %d, want %g", j, got, e, d)
			}
		}
	}
	if last := max(out.Jobs[0].Completion, out.Jobs[1].Completion); watched != int64(last) {
		t.Errorf("observed %d µs, want %d", watched, last)
	}
	defer func() {
		if recover() == nil {
			t.Error("both bandwidths and link demands: no panic")
		}
	}()
	c.Bandwidth = []float64{0, 5}
	_, _ = c.Run(context.Background())
}

// watch is an observer that only looks.
type watch func(*sim.Interval)

// Observe implements [sim.Observer].
func (w watch) Observe(iv *sim.Interval) error {
	w(iv)
	return nil
}
