package alibaba

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// places returns for each job the machines where it may run.
func places(t *testing.T, res *traces.Imported) map[string][]string {
	t.Helper()
	matcher, err := constraints.NewMatcher(res.Machines)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, j := range res.Jobs {
		set, err := matcher.Eligible(j.Constraints)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range res.Machines {
			if set.Has(i) {
				all[j.ID] = append(all[j.ID], m.ID)
			}
		}
	}
	return all
}

// Submissions ask for types of GPU; a task with a GPU may run exactly on the machines of
// such a type, one without on all, in both traces.
func TestWhichTaskMayRunWhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 23))
	types := []string{"V100", "V100M32", "P100", "T4", "MISC"}
	for range 40 {
		var jobs, tasks, tags, machines, pods, nodes []string
		kind, want := map[string]string{}, map[string][]string{}
		for m := range 8 {
			id, of := fmt.Sprint("m", m), append([]string{"CPU"}, types...)[rng.IntN(6)]
			kind[id] = of
			machines = append(machines, fmt.Sprintf("%s,%s,96,512,%d", id, of, 8*min(1, len(of)%3)))
			nodes = append(nodes, fmt.Sprintf("%s,96000,393216,8,%s", id, strings.ReplaceAll(of, "CPU", "")))
		}
		for k := range 10 {
			asked := slices.Clone(types)
			rng.Shuffle(len(asked), func(i, k int) { asked[i], asked[k] = asked[k], asked[i] })
			asked = asked[:rng.IntN(4)]
			gpu := []string{"", "0", "50.0", "200.0"}[rng.IntN(4)]
			jobs = append(jobs, fmt.Sprintf("j%d,i%d,u,Terminated,1000,2000", k, k))
			tasks = append(tasks, fmt.Sprintf("j%d,w,1,Terminated,1000,2000,600,10,%s,T4", k, gpu))
			tags = append(tags, fmt.Sprintf("i%d,u,%s,g,w", k, strings.Join(asked, "/")))
			pods = append(pods, fmt.Sprintf("j%d/w,1000,1024,1,500,%s,LS,Running,1,3,2", k, strings.Join(asked, "|")))
			for m := range 8 {
				id := fmt.Sprint("m", m)
				fits := len(asked) == 0 || slices.Contains(asked, kind[id])
				if fits || gpu == "" || gpu == "0" {
					want[fmt.Sprintf("pai j%d/w", k)] = append(want[fmt.Sprintf("pai j%d/w", k)], id)
				}
				if fits {
					want[fmt.Sprintf("2023 j%d/w", k)] = append(want[fmt.Sprintf("2023 j%d/w", k)], id)
				}
			}
		}
		pai, err := ImportPAI(folder{"pai_job_table.csv": lines(jobs...), "pai_task_table.csv": lines(tasks...), "pai_group_tag_table.csv": lines(tags...), "pai_machine_spec.csv": lines(machines...)}.write(t), Window{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := ImportGPU2023(folder{"openb_pod_list_default.csv": lines(append([]string{podHeader}, pods...)...),
			"openb_node_list_all_node.csv": lines(append([]string{"sn,cpu_milli,memory_mib,gpu,model"}, nodes...)...)}.write(t), DefaultGPU2023())
		if err != nil {
			t.Fatal(err)
		}
		for name, res := range map[string]*traces.Imported{"pai": pai, "2023": list} {
			got := places(t, res)
			for k := range 10 {
				id := fmt.Sprintf("j%d/w", k)
				if !slices.Equal(got[id], want[name+" "+id]) {
					t.Fatalf("%s: %s may run on %v, want %v (%s; types %v)\n%s", name, id, got[id], want[name+" "+id], tags[k], kind, res.Report)
				}
			}
		}
	}
}
