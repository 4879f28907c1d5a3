package run

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// held is what an observer saw of one interval: the tasks of who was there, by name.
type held struct {
	from, to int64
	tasks    map[string]float64
}

type holdings struct {
	names []string
	all   []held
}

func (h *holdings) Observe(iv *sim.Interval) error {
	one := held{int64(iv.From), int64(iv.To), map[string]float64{}}
	for _, j := range iv.Present {
		one.tasks[h.names[j]] = iv.Allocation.Tasks[j]
	}
	h.all = append(h.all, one)
	return nil
}

// What the table of completions says of a time is who was there, and what the rule makes
// of them is what it allocated then: at the beginning, in the middle and at the end of
// every interval.
func TestAMomentIsWhatTheReplayHad(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := Case{
		Cluster: &cluster.Environment{
			Resources: []string{"gpu", "cpu"},
			Servers: []cluster.Server{
				{Name: "s", Capacity: []float64{2, 4}, Count: 2, Attributes: map[string]string{"zone": "a"}},
				{Name: "t", Capacity: []float64{0, 8}, Count: 1, Attributes: map[string]string{"zone": "b"}},
			},
			Links: []cluster.Link{{Name: "bw", Capacity: 10}},
		},
	}
	for range 40 {
		c.Jobs = append(c.Jobs, traces.Job{ID: "job-" + string(rune('A'+len(c.Jobs))), SubmitUS: int64(rng.IntN(20)) * 3e6, Tasks: 1 + rng.Int64N(9),
			DurationUS: 1 + rng.Int64N(2e7), CPU: 0.5 + rng.Float64(), GPU: float64(rng.IntN(2))})
		if rng.IntN(3) == 0 {
			c.Jobs[len(c.Jobs)-1].Constraints = `[["zone","=","a"]]`
		}
		c.Bandwidth = append(c.Bandwidth, rng.Float64())
	}
	names := make([]string, len(c.Jobs))
	for j := range names {
		names[j] = c.Jobs[j].ID
	}
	for _, rule := range []string{"tsf-er", "mnw"} {
		c.Policy = rule
		seen := &holdings{names: names}
		c.Observers = []sim.Observer{seen}
		out, err := c.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "completions.parquet")
		other := c
		other.Policy = "ru"
		if err := WriteCompletions(path, &Workload{Units: "cpu: cores"}, []Case{other, c}, []*Outcome{out, out}); err != nil {
			t.Fatal(err)
		}
		for _, iv := range seen.all {
			for _, at := range []int64{iv.from, (iv.from + iv.to) / 2, iv.to - 1} {
				compareMoment(t, path, &c, at, iv.tasks)
			}
		}
		end := seen.all[len(seen.all)-1].to
		if m, err := MomentOf(path, rule, c.Cluster, end, false); err != nil || len(m.Environment.Users) != 0 || m.Jobs != len(c.Jobs) {
			t.Errorf("at the end there are %d users of %d: %v", len(m.Environment.Users), m.Jobs, err)
		}
	}
}

func compareMoment(t *testing.T, path string, c *Case, at int64, want map[string]float64) {
	t.Helper()
	m, err := MomentOf(path, c.Policy, c.Cluster, at, false)
	if err != nil {
		t.Fatal(err)
	}
	a, err := policies.AllocateBy(c.Policy, m.Environment)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Tasks) != len(want) {
		t.Errorf("at %d µs there are %d users, want %d", at, len(a.Tasks), len(want))
	}
	for j, u := range m.Environment.Users {
		if x, was := want[u.Name]; !was || math.Abs(a.Tasks[j]-x) > 1e-7*x {
			t.Errorf("%s at %d µs: %s has %g tasks, want %g", c.Policy, at, u.Name, a.Tasks[j], x)
		}
	}
}

func TestAMomentNeedsWhatTheClusterDivides(t *testing.T) {
	c := smallCase()
	c.Policy = "tsf-er"
	out, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "completions.parquet")
	if err := WriteCompletions(path, &Workload{}, []Case{c}, []*Outcome{out}); err != nil {
		t.Fatal(err)
	}
	env := *c.Cluster
	env.Resources = []string{"gpu", "disk"}
	if _, err := MomentOf(path, c.Policy, &env, 0, false); err == nil || !strings.Contains(err.Error(), `job "a": the table has no requests of disk`) {
		t.Error(err)
	}
}

// Two jobs of one tenant and one of another: half the weight each, and all of it; a job
// that is done or not yet there takes no part.
func TestAMomentDividesTheWeightsOfTenants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "completions.parquet")
	cpu, end := 1.0, int64(10)
	rows := []Completion{{JobID: "a", Tenant: "x"}, {JobID: "b", Tenant: "y"}, {JobID: "c", Tenant: "x"}, {JobID: "d", Tenant: "x", SubmitUS: 6}}
	err := parquet.WriteRows(path, func(yield func(Completion, error) bool) {
		for _, c := range rows {
			c.Policy, c.User, c.Weight, c.CPU, c.CompletionUS = "p", c.JobID, 3, &cpu, &end
			if !yield(c, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	for tenants, want := range map[bool][]float64{false: {3, 3, 3}, true: {1.5, 3, 1.5}} {
		m, err := MomentOf(path, "p", env, 5, tenants)
		if err != nil {
			t.Fatal(err)
		}
		for j, u := range m.Environment.Users {
			if u.Weight != want[j] || len(m.Environment.Users) != len(want) {
				t.Errorf("tenants %v: %s has the weight %g, want %g", tenants, u.Name, u.Weight, want[j])
			}
		}
	}
}
