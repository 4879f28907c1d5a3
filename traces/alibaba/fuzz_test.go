package alibaba

import (
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/traces/tracetest"
)

// FuzzPAI imports any texts as the tables of PAI: every task row becomes a job or
// is left out for a reason.
func FuzzPAI(f *testing.F) {
	b := basic()
	for _, mark := range []string{"", "\ufeff", paiJobNames + "\n", "\xff\xfe"} {
		f.Add(mark+b["pai_job_table.csv"], mark+b["pai_task_table.csv"], mark+b["pai_instance_table.csv"], mark+"i1,u,T4,g,w\n", mark+"m1,T4,64,512,2\n")
	}
	f.Add("j,i,u,Running,1,\n", "j,t,1,Running,1,,1e-320,1e300,,\n", "\"", ",,,,\n", ",T4,64,512,2\n")
	f.Fuzz(func(t *testing.T, jobs, tasks, instances, tags, machines string) {
		res, err := ImportPAI(folder{"pai_job_table.csv": jobs, "pai_task_table.csv": tasks, "pai_instance_table.csv": instances,
			"pai_group_tag_table.csv": tags, "pai_machine_spec.csv": machines}.write(t), Window{})
		tracetest.Check(t, res, err)
		if res == nil {
			return
		}
		rows := int64(0)
		for _, c := range res.Report.Read() {
			if c.What == "pai_task_table" {
				rows = c.N
			}
		}
		if left := tracetest.Total(res.Report.LeftOut(), "jobs"); rows != int64(len(res.Jobs))+left {
			t.Errorf("%d task rows, %d jobs, %d left out\n%s", rows, len(res.Jobs), left, res.Report)
		}
	})
}

// FuzzGPU2023 imports any texts as the lists of pods and nodes: every pod becomes a
// job or is left out for a reason.
func FuzzGPU2023(f *testing.F) {
	const pods, nodes = "p0,12000,16384,1,460,,LS,Running,100,500,150\np1,6500,1024,0,0,,BE,Succeeded,0,300,0\n", "n0,32000,262144,0,\n"
	for _, mark := range []string{"", "\ufeff", podHeader + "\n", "\xff\xfe"} {
		f.Add(mark+pods, mark+nodes)
	}
	f.Add(",1,1,1,1,,,,1,2,1\n", ",1,1,1,\n")
	f.Fuzz(func(t *testing.T, pods, nodes string) {
		o := DefaultGPU2023()
		res, err := ImportGPU2023(folder{o.Pods + ".csv": pods, o.Nodes + ".csv": nodes}.write(t), o)
		tracetest.Check(t, res, err)
		if res == nil {
			return
		}
		rows := int64(0)
		for _, c := range res.Report.Read() {
			if c.What == o.Pods {
				rows = c.N
			}
		}
		if left := tracetest.Total(res.Report.LeftOut(), "jobs"); rows != int64(len(res.Jobs))+left {
			t.Errorf("%d pods, %d jobs, %d left out\n%s", rows, len(res.Jobs), left, res.Report)
		}
	})
}

// FuzzHybrid imports any text as the sample of GPU tasks.
func FuzzHybrid(f *testing.F) {
	for _, text := range []string{"job_id,arrival_s,service_sec,gpu_count\na,1,2,3\n", "\ufeffa,1,2,3\nb,1,200000,1\n", ",1,1,1\n", "a,1e308,1,1\n"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, shared bool) {
		o := HybridOptions{GPUs: WholeGPUs, Seed: 1}
		if shared {
			o.GPUs = SharedGPUs
		}
		res, err := Hybrid(filepath.Join(folder{"sample.csv": text}.write(t), "sample.csv"), o)
		tracetest.Check(t, res, err)
		if res != nil && tracetest.Total(res.Report.Read(), "rows") != int64(len(res.Jobs))+tracetest.Total(res.Report.LeftOut(), "jobs") {
			t.Errorf("%d jobs\n%s", len(res.Jobs), res.Report)
		}
	})
}
