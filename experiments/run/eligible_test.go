package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// placed is a cluster of three classes and jobs that constraints and taints place.
func placed() (*cluster.Environment, []traces.Job) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{
		{Name: "a", Capacity: []float64{4}, Count: 2, Attributes: map[string]string{"zone": "1"}},
		{Name: "b", Capacity: []float64{4}, Count: 1, Attributes: map[string]string{}},
		{Name: "c", Capacity: []float64{8}, Count: 1, Attributes: map[string]string{"zone": "1"}, Taints: []cluster.Taint{{Key: "t", Effect: "NoSchedule"}}},
	}}
	job := func(id, text string, cpu float64) traces.Job {
		return traces.Job{ID: id, Tasks: 4, DurationUS: 1e6, CPU: cpu, Constraints: text}
	}
	return env, []traces.Job{
		job("anywhere", "", 1),
		job("zone", `[["zone","=","1"]]`, 1),
		job("tolerant", `[{"key":"t"},["zone","=","1"]]`, 1),
		job("strange", "the fast ones", 1),
		job("large", `[["zone","=","1"]]`, 8), // only c holds it, whose taint it does not tolerate
		job("nowhere", `[["zone","=","2"]]`, 1),
		job("huge", "", 9),
	}
}

func TestJobsRunWhereTheyMay(t *testing.T) {
	env, jobs := placed()
	users, err := Case{Cluster: env, Jobs: jobs}.Environment()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"anywhere": "a b", "zone": "a", "tolerant": "a c", "strange": "a b", "large": "a", "nowhere": "", "huge": "a b"}
	for j, user := range users.Users {
		var may []string
		for s := range env.Servers {
			if users.MayRun(j, s) {
				may = append(may, env.Servers[s].Name)
			}
		}
		if got := strings.Join(may, " "); got != want[user.Name] {
			t.Errorf("%s may run on %q, not %q", user.Name, got, want[user.Name])
		}
	}
	if got := MayRun(env, jobs); !slices.Equal(got, []int{4, 2, 1}) {
		t.Errorf("jobs that may run on each class: %v", got)
	}

	// What does not fit where it may run is not drawn, and counted by its reason.
	s := Setup{Population: &Population{Jobs: jobs}, Cluster: env, Bandwidth: traces.DefaultBandwidth()}
	c, left, err := s.Draw(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Jobs) != 4 || left[NoPlace] != 2 || left[TooLarge] != 1 {
		t.Errorf("%d jobs are drawn; %v", len(c.Jobs), left)
	}
}

// With whole tasks, and with fluid ones, a job that may run on one class of three takes
// as long as that class alone takes.
func TestBothModelsKeepToTheServers(t *testing.T) {
	env, jobs := placed()
	only := jobs[1:2] // 4 tasks of a second, which two servers of 4 hold at once: 1 s
	only[0].Tasks = 16
	for name, run := range map[string]func() (*Outcome, error){
		"fluid": func() (*Outcome, error) { return Case{Cluster: env, Jobs: only, Policy: "tsf"}.Run(t.Context()) },
		"whole": func() (*Outcome, error) {
			o, err := Whole{Case: Case{Cluster: env, Jobs: only, Policy: "tsf"}}.Run(t.Context())
			if err != nil {
				return nil, err
			}
			return &o.Outcome, nil
		},
	} {
		o, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Jobs[0].Completion; got != 2e6 {
			t.Errorf("%s: done at %v µs, want 2 s: 16 tasks, 8 at once", name, got)
		}
	}
}

// What is not applied, and what stands idle, is said with its numbers.
func TestWhatPlacementLeavesOutIsSaid(t *testing.T) {
	env, jobs := placed()
	p := &Population{Jobs: jobs}
	notes := func() string {
		t.Helper()
		met, err := p.On(env, "cluster", nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(met.Notes, "\n")
	}
	const strange = `placement constraints of 1 of 7 jobs are not applied: they are in the trace's own words, as "the fast ones" (docs/clusters.md says how they are written)`
	if got := notes(); !strings.Contains(got, strange) || strings.Contains(got, "taint") || strings.Contains(got, "no attributes") {
		t.Error(got)
	}
	p.Jobs = slices.Delete(slices.Clone(jobs), 2, 3)
	if got := notes(); !strings.Contains(got, "no job tolerates the taint t:NoSchedule: 1 servers stand idle, and count in every total") {
		t.Error(got)
	}
	env.Servers[0].Attributes, env.Servers[2].Attributes = map[string]string{}, map[string]string{}
	if got := notes(); !strings.Contains(got, `attribute "zone", which constraints of 3 jobs name, is on no server`) {
		t.Error(got)
	}
	for s := range env.Servers {
		env.Servers[s].Attributes = nil
	}
	if got := notes(); !strings.Contains(got, "placement constraints of 3 of 6 jobs are not applied: the cluster states no attributes of its servers") {
		t.Error(got)
	}
}
