package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// Two jobs of one task each on one core, one after the other: the second is served
// at half the rate at once with fluid tasks, and starts when the first is done with
// whole ones. The third wants
// memory, of which there is none: nothing but what it wanted is said of it, as 0
// would be read as a time. The trace says nothing of GPUs.
func TestExportCompletions(t *testing.T) {
	jobs := []traces.Job{
		{ID: "a, b", Priority: 7, Tasks: 1, DurationUS: 8, CPU: 1},
		{ID: "=c", User: "someone", Tasks: 1, SubmitUS: 4, DurationUS: 8, CPU: 1},
		{ID: "large", Tasks: 3, SubmitUS: 5, DurationUS: 9, Mem: .5},
	}
	one := &cluster.Environment{Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1, 0}, Count: 1}}}
	linked := &cluster.Environment{Resources: one.Resources, Servers: one.Servers, Links: []cluster.Link{{Name: "l", Capacity: 9}}}
	cases := []Case{
		{Cluster: one, Jobs: jobs, Policy: "tsf"},
		{Cluster: linked, Jobs: jobs, Policy: "fifo", Bandwidth: []float64{0, 1.5, 2}},
	}
	fluid, err := cases[0].Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Whole{Case: cases[1]}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "completions.parquet")
	workload := &Workload{Label: "real", Marked: "real; ignored: gpu (2 jobs)", Units: "cpu: cores; mem: GB"}
	if err := WriteCompletions(path, workload, cases, []*Outcome{fluid, &whole.Outcome}); err != nil {
		t.Fatal(err)
	}
	const header = "policy,job_id,user,weight,submit_us,tasks,duration_us,cpu,mem,gpu,bandwidth_mhz,first_start_us,completion_us,standalone_us,jct_factor,refused,workload,tenant,priority,constraints\n"
	first := func(policy, link, outcome string) string {
		return fmt.Sprintf("%s,\"a, b\",\"a, b\",1,0,1,8,1,0,,%s,%s,false,%%,\"a, b\",7,\n", policy, link, outcome)
	}
	second := func(policy, link, outcome string) string {
		return fmt.Sprintf("%s,'=c,'=c,1,4,1,8,1,0,,%s,%s,false,%%,someone,0,\n", policy, link, outcome)
	}
	third := func(policy, link string) string {
		return fmt.Sprintf("%s,large,large,1,5,3,9,0,0.5,,%s,,,,,true,%%,large,0,\n", policy, link)
	}
	for _, c := range []struct {
		where map[string]string
		want  string // what the error says, where it does not begin with the header
	}{
		{nil, header + first("tsf", "", "0,12,8,0.6666666666666666") + second("tsf", "", "4,16,8,0.6666666666666666") + third("tsf", "") +
			first("fifo", "0", "0,8,8,1") + second("fifo", "1.5", "8,16,8,0.6666666666666666") + third("fifo", "2")},
		{map[string]string{"policy": "fifo", "job_id": "=c"}, header + second("fifo", "1.5", "8,16,8,0.6666666666666666")},
		{map[string]string{"policy": "r"}, "no row has all"},
		{map[string]string{"colour": "red"}, `unknown column "colour" (known: policy`},
	} {
		c.want = strings.ReplaceAll(c.want, "%", "real; ignored: gpu (2 jobs)")
		var b strings.Builder
		err := ExportCompletions(&b, path, CompletionColumns(), c.where)
		switch {
		case strings.HasPrefix(c.want, header) && (err != nil || b.String() != c.want):
			t.Errorf("%v: %v\n%s\nwant\n%s", c.where, err, &b, c.want)
		case !strings.HasPrefix(c.want, header) && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: error %v, want %q", c.where, err, c.want)
		}
	}
}
