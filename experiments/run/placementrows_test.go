package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// tableOf replays cases with whole tasks, or fluid ones, and writes the table of who ran
// where.
func tableOf(t *testing.T, whole bool, cases ...Case) string {
	t.Helper()
	var outcomes []*Outcome
	for i := range cases {
		cases[i].Placements = &Placements{}
		t.Cleanup(cases[i].Placements.Discard)
		if whole {
			out, err := Whole{Case: cases[i], Random: rand.NewPCG(1, 2)}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			outcomes = append(outcomes, &out.Outcome)
			continue
		}
		out, err := cases[i].Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, out)
	}
	path := filepath.Join(t.TempDir(), "placements.parquet")
	if err := WritePlacements(path, &Workload{Label: "made up (synthetic)"}, cases, outcomes); err != nil {
		t.Fatal(err)
	}
	return path
}

// Job a holds half of both servers' cpu for 20 s; job b comes at 10 s and holds a quarter
// of the first one's cpu and all of its memory for 10 s.
func TestPlacementRowsAreKnown(t *testing.T) {
	c := Case{Policy: FIFO, Cluster: &cluster.Environment{Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{
		{Name: "s", Capacity: []float64{4, 4}, Count: 2}, {Name: "idle", Capacity: []float64{1, 1}, Count: 1}}},
		Jobs: []traces.Job{{ID: "a", Tasks: 2, DurationUS: 20e6, CPU: 2, Mem: 2.5}, {ID: "b", SubmitUS: 10e6, Tasks: 1, DurationUS: 10e6, CPU: 2, Mem: 1}},
	}
	rows, err := PlacementRows(tableOf(t, true, c), PlacementView{Who: "user"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %s %g..%s: %.4g on %.3g, lane %s", r.User, r.Is("server"), r.TimeS, r.Is("until_s"), r.Value, r.Point.Number("base"), r.Is("lane")))
	}
	// b's cpu of 1/2 and a's memory of 5/8 are the largest of each; what is in use most
	// is the cpu, all of it.
	want := []string{"a s/0 0..10: 0.625 on 0, lane 0", "a s/0 10..20: 0.5556 on 0, lane 0", "b s/0 10..20: 0.4444 on 0.556, lane 0", "a s/1 0..20: 0.625 on 0, lane 1", "a idle 0..20: 0 on 0, lane 2"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows, err = PlacementRows(tableOf(t, true, c), PlacementView{Who: "user", Where: map[string]string{"time_s": "5..10", "server": "1"}})
	if err != nil || len(rows) != 1 || rows[0].TimeS != 5 || rows[0].Is("until_s") != "10" || rows[0].Is("server") != "s" {
		t.Errorf("cut to a time and a server: %v, %+v", err, rows)
	}
	c.Jobs[0].User, c.Jobs[1].User = "ann", "ann"
	if rows, err = PlacementRows(tableOf(t, true, c), PlacementView{Who: "tenant"}); err != nil || len(rows) != 4 || rows[1].User != "ann" || rows[1].Value != 1 {
		t.Errorf("by tenant: %v, %+v", err, rows)
	}
	for of, want := range map[string]map[string]string{
		"no placement has all": {"user": "nobody"}, `unknown column "colour"`: {"colour": "red"}, "a range of times is needed": {"time_s": "5"},
	} {
		if _, err := PlacementRows(tableOf(t, true, c), PlacementView{Where: want}); err == nil || !strings.Contains(err.Error(), of) {
			t.Errorf("%v: %v", want, err)
		}
	}
}

// What the rows say together is what the table says: of each lane the time for which
// it is in use, however many servers and users there are.
func TestPlacementRowsHoldTheTable(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, of := range []struct {
		servers, jobs int
		whole         bool
		lanes         int
		who           bool
	}{{3, 5, true, 3, true}, {100, 40, true, 100, false}, {101, 8, true, 51, true}, {999, 9, true, 100, false}, {3, 5, false, 1, true}, {50, 30, false, 1, false}} {
		c := Case{Policy: "drfh", Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: of.servers}}}}
		for i := range of.jobs {
			c.Jobs = append(c.Jobs, traces.Job{ID: fmt.Sprintf("j%d", i), SubmitUS: random.Int64N(60e6), Tasks: int64(of.servers), DurationUS: 1 + random.Int64N(20e6), CPU: float64(1 + random.IntN(4))})
		}
		path := tableOf(t, of.whole, c)
		rows, err := PlacementRows(path, PlacementView{Who: "user"})
		if err != nil {
			t.Fatal(err)
		}
		area, lanes, ofUser, servers := 0.0, map[string]int{}, map[string]float64{}, 0
		for _, r := range rows {
			part := r.Value * (r.Point.Number("until_s") - r.TimeS) * r.Point.Number("servers")
			area, ofUser[r.User] = area+part, ofUser[r.User]+part
			if top := r.Point.Number("base") + r.Value; top > 1+1e-9 {
				t.Fatalf("%+v reaches to %g", r, top)
			}
			if lanes[r.Is("server")] == 0 {
				lanes[r.Is("server")] = int(r.Point.Number("servers"))
				servers += lanes[r.Is("server")]
			}
		}
		want, wantOf := 0.0, map[string]float64{}
		for _, p := range rowsOf[Placement](t, path, PlacementColumns()) {
			part := p.Tasks * float64(p.EndUS-p.StartUS) / 1e6 * c.Jobs[slices.IndexFunc(c.Jobs, func(j traces.Job) bool { return j.ID == p.JobID })].CPU / 4
			want, wantOf[p.User] = want+part, wantOf[p.User]+part
		}
		if math.Abs(area-want) > 1e-6*want || len(lanes) != of.lanes || servers != of.servers {
			t.Errorf("%+v: %g server·s in %d lanes of %d servers, want %g", of, area, len(lanes), servers, want)
		}
		if _, apart := ofUser["j0"]; apart != of.who || !of.who && rows[0].Is("users") != fmt.Sprint(of.jobs) {
			t.Errorf("%+v: users apart: %v, all of them: %s", of, apart, rows[0].Is("users"))
		}
		for user, w := range wantOf {
			if of.who && math.Abs(ofUser[user]-w) > 1e-6*w {
				t.Errorf("%+v: %s holds %g server·s, want %g", of, user, ofUser[user], w)
			}
		}
	}
}

func TestWantedValues(t *testing.T) {
	for _, c := range []struct {
		wanted, value string
		is            bool
	}{{"a", "a", true}, {"a,b", "b", true}, {"a,b", "c", false}, {"1..3", "2", true}, {"1..3", "4", false}, {"x..y", "x..y", true}, {"3..", "x", false}} {
		if got := results.Wanted(c.wanted, c.value); got != c.is {
			t.Errorf("%q of %q: %v", c.value, c.wanted, got)
		}
	}
}
