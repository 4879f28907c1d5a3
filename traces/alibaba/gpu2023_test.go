package alibaba

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

const podHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"

func TestAPodBecomesAJob(t *testing.T) {
	dir := folder{
		"openb_pod_list_default.csv": lines(podHeader,
			"p0,12000,16384,1,460,,LS,Running,100,500,150",
			"p1,6500,1024,0,0,,BE,Succeeded,0,300,0",
			"p2,1000,1024,8,1000,V100M16|V100M32,LS,Running,200,900,300",
			"p3,1000,1024,1,1000,,LS,Failed,210,900,300",
			"p4,1000,1024,1,1000,,LS,Pending,220,800,",
			"p5,1000,0,1,1000,,LS,Running,230,800,300",
			"p6,0,1024,1,1000,,LS,Running,230,800,300",
			"p7,1000,1024,1,0,,LS,Running,230,800,300",
			"p8,1000,1024,1,100,,LS,Running,230,300,301",
			"p9,1000,1024,1,100,,LS,Running,230,300,300",
			"p10,1000,1024,1,100,,LS,Running,230,,300",
			"p11,1000,1024,1,100,,LS,Running,,400,300",
			"p0,1000,1024,1,100,,LS,Running,230,400,300"),
		"openb_node_list_all_node.csv": lines("sn,cpu_milli,memory_mib,gpu,model", "n0,32000,262144,0,", "n1,96000,393216,8,G2", "n2,96000,,8,G2"),
	}.write(t)
	res, err := ImportGPU2023(dir, DefaultGPU2023())
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "p1", SubmitUS: 0, Tasks: 1, DurationUS: 300e6, CPU: 6.5, Mem: 1},
		{ID: "p0", SubmitUS: 100e6, Tasks: 1, DurationUS: 350e6, CPU: 12, Mem: 16, GPU: 0.46},
		{ID: "p2", SubmitUS: 200e6, Tasks: 1, DurationUS: 600e6, CPU: 1, Mem: 1, GPU: 8, Censored: true, Constraints: `[["model","in",["V100M16","V100M32"]]]`},
		{ID: "p3", SubmitUS: 210e6, Tasks: 1, DurationUS: 600e6, CPU: 1, Mem: 1, GPU: 1},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	for _, reason := range []string{"never scheduled", "zero memory request", "zero cpu request", "GPUs requested, but nothing of them",
		"ends before it starts", "zero duration", "no deletion time", "no creation time", "a pod a second time: the first row counts"} {
		wantLeftOut(t, res.Report, "jobs", reason, 1)
	}
	machines := []traces.Machine{
		{ID: "n0", CPU: 32, Mem: 256, Class: "CPU-cpu32-mem256-gpu0"},
		{ID: "n1", CPU: 96, Mem: 384, GPU: 8, Class: "G2-cpu96-mem384-gpu8", Attributes: `{"model":"G2"}`},
	}
	if d := cmp.Diff(machines, res.Machines); d != "" {
		t.Error(d)
	}
}

func TestUnreadablePods(t *testing.T) {
	for row, want := range map[string]string{
		"p0,12000,16384,1,460,,LS,Running,100,500":          "row 2: 10 columns instead of 11",
		"p0,12000,16384,one,460,,LS,Running,100,500,150":    `row 2, column 4 (num_gpu): "one": invalid syntax`,
		"p0,12000,16384,1,460,,LS,Running,100,500,-150":     `row 2, column 11 (scheduled_time): "-150": negative`,
		"p0,12000,16384,1,460.5,,LS,Running,100,500,-150":   `row 2, column 5 (gpu_milli): "460.5": not a whole number in range`,
		"p0,12000,16384,1,460,,LS,Running,100,5e99,1500000": `row 2, column 10 (deletion_time): "5e99": later than 1e+09 s`,
	} {
		_, err := ImportGPU2023(folder{"openb_pod_list_default.csv": lines(podHeader, row)}.write(t), DefaultGPU2023())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\n  does not say %s", err, want)
		}
	}
	o := DefaultGPU2023()
	o.Pods = "../openb_pod_list_default"
	if _, err := ImportGPU2023(t.TempDir(), o); err == nil {
		t.Error("a list outside the folder is accepted")
	}
}

func TestTheRealPodsAndNodes(t *testing.T) {
	dir := filepath.Dir(realFile(t, "gpu2023/openb_pod_list_default.csv"))
	res, err := ImportGPU2023(dir, DefaultGPU2023())
	if err != nil {
		t.Fatal(err)
	}
	if read := tracetest.Total(res.Report.Read(), "rows"); read != 8152+1523 {
		t.Errorf("%d rows", read)
	}
	if len(res.Machines) != 1523 {
		t.Errorf("%d nodes", len(res.Machines))
	}
	wantLeftOut(t, res.Report, "jobs", "never scheduled", 897)
	if accounted := tracetest.Total(res.Report.LeftOut(), "jobs") + int64(len(res.Jobs)); accounted != 8152 {
		t.Errorf("%d pods accounted for", accounted)
	}
	late := 0
	for _, j := range res.Jobs {
		if j.SubmitUS >= 124*86400*1e6 {
			late++
		}
	}
	if 2*late < len(res.Jobs) {
		t.Errorf("only %d of %d pods arrive after day 124", late, len(res.Jobs))
	}
	gpus := 0.0
	for _, m := range res.Machines {
		gpus += m.GPU
	}
	if gpus != 6212 {
		t.Errorf("%v GPUs", gpus)
	}
	first := byID(t, res.Jobs, "openb-pod-0001")
	want := traces.Job{ID: "openb-pod-0001", SubmitUS: 427061e6, Tasks: 1, DurationUS: (12902960 - 427061) * 1e6, CPU: 6, Mem: 12, GPU: 0.46, Censored: true}
	if d := cmp.Diff(want, first); d != "" {
		t.Error(d)
	}
	t.Logf("\n%s", res.Report)
}
