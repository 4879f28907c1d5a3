package alibaba

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// basic is a submission with one task of two instances.
func basic() folder {
	return folder{
		"pai_job_table.csv":      lines("j1,i1,u1,Terminated,1000.0,1300.0"),
		"pai_task_table.csv":     lines("j1,worker,2.0,Terminated,1010.0,1290.0,600.0,29.296875,50.0,T4"),
		"pai_instance_table.csv": lines("j1,worker,n1,w1,i1,Terminated,1010.0,1110.0,m1", "j1,worker,n2,w2,i1,Terminated,1020.0,1290.0,m1"),
	}
}

func importPAI(t *testing.T, f folder) *traces.Imported {
	t.Helper()
	res, err := ImportPAI(f.write(t), Window{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestATaskRowBecomesAJob(t *testing.T) {
	res := importPAI(t, basic())
	want := []traces.Job{{ID: "j1/worker", User: "u1", SubmitUS: 1000e6, Tasks: 2, DurationUS: 185e6, CPU: 6, Mem: 29.296875, GPU: 0.5}}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	if res.Meta.Label != "real" || res.Meta.Checksum == "" {
		t.Errorf("%+v", res.Meta)
	}
}

func TestPackedTablesAndHeadersReadTheSame(t *testing.T) {
	plain := importPAI(t, basic())
	f := basic()
	packed := folder{
		"pai_job_table.tar.gz":    f["pai_job_table.csv"],
		"pai_task_table.csv.gz":   f["pai_task_table.csv"],
		"pai_instance_table.csv":  f["pai_instance_table.csv"],
		"pai_job_table.header":    "job_name,inst_id,user,status,start_time,end_time\n",
		"pai_task_table.header":   "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n",
		"pai_group_tag_table.csv": lines("inst_id,user,gpu_type_spec,group,workload", "i1,u1,,g,w", "i1,u1,V100,g,w", "i2,u1,T4,g,w"),
	}
	res := importPAI(t, packed)
	plain.Jobs[0].Constraints = `[["gpu_type","=","V100"]]`
	if d := cmp.Diff(plain.Jobs, res.Jobs); d != "" {
		t.Error(d)
	}
}

func TestColumnsAreFoundByName(t *testing.T) {
	f := basic()
	f["pai_job_table.header"] = "start_time,job_name,inst_id,user,extra,status,end_time\n"
	f["pai_job_table.csv"] = lines("1000.0,j1,i1,u1,x,Terminated,1300.0")
	if res := importPAI(t, f); res.Jobs[0].SubmitUS != 1000e6 {
		t.Errorf("%+v", res.Jobs[0])
	}
	f["pai_job_table.header"] = "job_name,inst_id,user,status,end_time\n"
	_, err := ImportPAI(f.write(t), Window{})
	if err == nil || !strings.Contains(err.Error(), "pai_job_table.header: no column start_time") {
		t.Errorf("error %v", err)
	}
}

func TestUnequalTasksOfASubmissionAreJobsOfTheirOwn(t *testing.T) {
	res := importPAI(t, folder{
		"pai_job_table.csv": lines("j1,i1,u1,Terminated,1000.0,1300.0", "j0,i0,u1,Terminated,900,1300.0"),
		"pai_task_table.csv": lines("j1,ps,1,Terminated,1010,1290,600,10,,", "j1,worker,4,Terminated,1010,1110,400,20,200.0,P100",
			"j0,worker,1,Failed,1000,1001,100,1,0,"),
	})
	want := []traces.Job{
		{ID: "j0/worker", User: "u1", SubmitUS: 900e6, Tasks: 1, DurationUS: 1e6, CPU: 1, Mem: 1},
		{ID: "j1/ps", User: "u1", SubmitUS: 1000e6, Tasks: 1, DurationUS: 280e6, CPU: 6, Mem: 10},
		{ID: "j1/worker", User: "u1", SubmitUS: 1000e6, Tasks: 4, DurationUS: 100e6, CPU: 4, Mem: 20, GPU: 2},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	for _, note := range []string{"no plan_gpu: without a GPU", "status Failed", "pai_instance_table is not at hand: durations are those of the task rows"} {
		if !strings.Contains(res.Report.String(), note) {
			t.Errorf("the report does not say %q:\n%s", note, res.Report)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, tc := range []struct {
		name      string
		task      string // status,start,end
		instances []string
		wantUS    int64
		censored  bool
	}{
		{"mean over the instances", "Terminated,1010,1290", []string{"Terminated,1000,1100", "Terminated,1000,1200"}, 150e6, false},
		{"an instance is missing", "Terminated,1010,1290", []string{"Terminated,1000,1100"}, 280e6, false},
		{"an instance failed", "Terminated,1010,1290", []string{"Terminated,1000,1100", "Failed,1000,1100"}, 280e6, false},
		{"an instance ends before it starts", "Terminated,1010,1290", []string{"Terminated,1000,1100", "Terminated,1100,1000"}, 280e6, false},
		{"an instance ends at 0", "Failed,1010,1290", []string{"Terminated,1000,1100", "Terminated,1000,0"}, 280e6, false},
		{"more instances than planned", "Terminated,1010,1290", []string{"Terminated,1000,1100", "Terminated,1000,1200", "Terminated,1000,1300"}, 200e6, false},
		{"running to the latest time", "Running,1010,", nil, 990e6, true},
		{"running, end 0", "Running,1010,0.0", nil, 990e6, true},
		{"running, but its instances ended", "Running,1010,", []string{"Terminated,1000,1100", "Terminated,1000,1200"}, 150e6, false},
		{"half a second", "Terminated,1010.25,1010.75", nil, 5e5, false},
	} {
		f := folder{
			"pai_job_table.csv":      lines("j1,i1,u1,Running,1000.0,", "j2,i2,u1,Terminated,1500,2000"),
			"pai_task_table.csv":     lines("j1,worker,2," + tc.task + ",600,20,100,T4"),
			"pai_instance_table.csv": "",
		}
		for _, i := range tc.instances {
			f["pai_instance_table.csv"] += lines("j1,worker,n,w,i1," + i + ",m")
		}
		got := importPAI(t, f).Jobs[0]
		if got.DurationUS != tc.wantUS || got.Censored != tc.censored {
			t.Errorf("%s: %d µs, censored %v; want %d µs, %v", tc.name, got.DurationUS, got.Censored, tc.wantUS, tc.censored)
		}
	}
}

func TestWhatIsLeftOutIsCountedByReason(t *testing.T) {
	f := folder{
		"pai_job_table.csv": lines("good,i0,u,Terminated,1000,2000", "good,i0,u,Terminated,1500,2000", "timeless,i1,u,Failed,,",
			"zero,i2,u,Failed,0.0,10", "empty,i3,u,Waiting,1000,"),
		"pai_task_table.csv": lines(
			"good,a,1,Terminated,1000,2000,100,1,,",
			"good,a,1,Terminated,1000,3000,100,1,,",
			"orphan,a,1,Terminated,1000,2000,100,1,,",
			"timeless,a,1,Terminated,1000,2000,100,1,,",
			"good,b,1,Waiting,,,100,1,,",
			"good,c,1,Lost,1000,2000,100,1,,",
			"good,d,0,Terminated,1000,2000,100,1,,",
			"good,e,,Terminated,1000,2000,100,1,,",
			"good,f,1,Terminated,1000,2000,,1,,",
			"good,g,1,Terminated,1000,2000,100,,,",
			"good,h,1,Terminated,1000,2000,0,1,,",
			"good,i,1,Terminated,1000,2000,100,0.0,,",
			"good,j,1,Terminated,2000,1000,100,1,,",
			"good,k,1,Terminated,1000,1000,100,1,,",
			"good,l,1,Failed,1000,0,100,1,,",
			"good,m,1,Terminated,,1000,100,1,,",
		),
		"pai_instance_table.csv": lines("orphan,a,n,w,i,Terminated,1,2,m", "good,zzz,n,w,i,Terminated,1,2,m",
			"good,a,n,w,i,Terminated,1000,,m", "good,a,n,w,i,Terminated,1000,900,m"),
		"pai_machine_spec.csv": lines("m1,T4,96,512,2", "m2,CPU,0,512,0", "m3,CPU,96,,0"),
	}
	res := importPAI(t, f)
	r := res.Report
	if len(res.Jobs) != 1 || res.Jobs[0].DurationUS != 1000e6 {
		t.Errorf("%+v", res.Jobs)
	}
	for _, c := range []struct {
		unit, reason string
		n            int64
	}{
		{"submissions", "no submission time", 2},
		{"submissions", "no task row that could be used", 1},
		{"rows", "pai_job_table: a submission a second time: the first row counts", 1},
		{"jobs", "a task a second time: the first row counts", 1},
		{"jobs", "its submission is not in pai_job_table", 1},
		{"jobs", "its submission is left out", 1},
		{"jobs", "never started (Waiting)", 1},
		{"jobs", "a status that is not known", 1},
		{"jobs", "no instances", 2},
		{"jobs", "no cpu request", 1},
		{"jobs", "no memory request", 1},
		{"jobs", "zero cpu request", 1},
		{"jobs", "zero memory request", 1},
		{"jobs", "ends before it starts", 1},
		{"jobs", "zero duration", 1},
		{"jobs", "no end, and not Running", 1},
		{"jobs", "no start", 1},
		{"rows", "pai_instance_table: its submission is not in pai_job_table", 1},
		{"rows", "pai_instance_table: its task is left out or not in pai_task_table", 1},
		{"rows", "pai_instance_table: Terminated without a start or an end", 1},
		{"rows", "pai_instance_table: ends before it starts", 1},
		{"rows", "pai_machine_spec: no cpu or no memory", 2},
	} {
		wantLeftOut(t, r, c.unit, c.reason, c.n)
	}
	// Every task row is either a job or counted.
	if got := tracetest.Total(r.LeftOut(), "jobs") + int64(len(res.Jobs)); got != 16 {
		t.Errorf("%d task rows accounted for, want 16", got)
	}
	if len(res.Machines) != 1 || res.Machines[0].Class != "T4-cpu96-mem512-gpu2" {
		t.Errorf("%+v", res.Machines)
	}
}

func TestTheWindowIsOfSubmissions(t *testing.T) {
	f := folder{
		"pai_job_table.csv": lines("a,i,u,Terminated,999,5000", "b,i,u,Terminated,1000,5000", "c,i,u,Terminated,2000,5000"),
		"pai_task_table.csv": lines("a,t,1,Terminated,1500,1600,100,1,,", "b,t,1,Terminated,3000,3100,100,1,,",
			"c,t,1,Terminated,2000,2100,100,1,,"),
	}
	res, err := ImportPAI(f.write(t), Window{FromUS: 1000e6, ToUS: 2000e6})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Jobs) != 1 || res.Jobs[0].ID != "b/t" {
		t.Errorf("%+v", res.Jobs)
	}
	wantLeftOut(t, res.Report, "submissions", outside, 2)
	if _, err := ImportPAI(f.write(t), Window{FromUS: 5, ToUS: 5}); err == nil {
		t.Error("an empty window is accepted")
	}
}

func TestUnreadableRowsNameFileRowAndColumn(t *testing.T) {
	for _, tc := range []struct {
		table, row, want string
		all              bool // the row replaces the table
	}{
		{"pai_job_table", "j2,i,u,Terminated,soon,1", `pai_job_table.csv:row 2, column 5 (start_time): "soon": invalid syntax`, false},
		{"pai_job_table", "j2,i,u,Terminated,1", "pai_job_table.csv:row 2: 5 columns instead of 6", false},
		{"pai_job_table", "j2,i,u,Terminated,-1,1", `row 2, column 5 (start_time): "-1": negative`, false},
		{"pai_job_table", "j2,i,u,Terminated,1,1e10", `row 2, column 6 (end_time): "1e10": later than 1e+09 s`, false},
		{"pai_task_table", "j1,t,1.5,Terminated,1,2,1,1,1,", `row 2, column 3 (inst_num): "1.5": not a whole number`, false},
		{"pai_task_table", "j1,t,1,Terminated,1,2,NaN,1,1,", `row 2, column 7 (plan_cpu): "NaN": not finite`, false},
		{"pai_task_table", "j1,t,1,Terminated,1,2,1,1,x,", `row 2, column 9 (plan_gpu): "x": invalid syntax`, false},
		{"pai_instance_table", "j1,worker,n,w,i,Terminated,1,2x,m", `row 3, column 8 (end_time): "2x": invalid syntax`, false},
		{"pai_task_table", "job_name,task_name", "pai_task_table.csv: no column inst_num", true},
	} {
		f := basic()
		if tc.all {
			f[tc.table+".csv"] = ""
		}
		f[tc.table+".csv"] += lines(tc.row)
		_, err := ImportPAI(f.write(t), Window{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v\n  does not say %s", err, tc.want)
		}
	}
}

func TestMissingDamagedAndDoubleFiles(t *testing.T) {
	f := basic()
	delete(f, "pai_task_table.csv")
	if _, err := ImportPAI(f.write(t), Window{}); !errors.Is(err, ErrNoTable) || !strings.Contains(err.Error(), "pai_task_table") {
		t.Errorf("without pai_task_table: error %v", err)
	}
	f = basic()
	f["pai_job_table.tar.gz"] = f["pai_job_table.csv"]
	if _, err := ImportPAI(f.write(t), Window{}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a table twice: error %v", err)
	}
	for _, suffix := range []string{".csv.gz", ".tar.gz"} {
		f = basic()
		f["pai_job_table"+suffix] = f["pai_job_table.csv"]
		delete(f, "pai_job_table.csv")
		dir := f.write(t)
		path := dir + "/pai_job_table" + suffix
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)-12], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ImportPAI(dir, Window{}); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), path) {
			t.Errorf("truncated %s: error %v", suffix, err)
		}
	}
}

func TestNothingLeftIsErrEmptyWithAReport(t *testing.T) {
	f := basic()
	f["pai_task_table.csv"] = lines("j1,worker,2.0,Waiting,,,600,20,50,T4")
	res, err := ImportPAI(f.write(t), Window{})
	if !errors.Is(err, traces.ErrEmpty) {
		t.Fatalf("error %v", err)
	}
	wantLeftOut(t, res.Report, "jobs", "never started (Waiting)", 1)
}

func TestTheRealMachines(t *testing.T) {
	realFile(t, "pai2020/pai_machine_spec.csv")
	f := basic()
	data, err := os.ReadFile(realFile(t, "pai2020/pai_machine_spec.csv"))
	if err != nil {
		t.Fatal(err)
	}
	f["pai_machine_spec.csv"] = string(data)
	for _, name := range []string{"pai_job_table", "pai_task_table", "pai_instance_table", "pai_group_tag_table", "pai_machine_spec"} {
		header, err := os.ReadFile(realFile(t, "pai2020/"+name+".header"))
		if err != nil {
			t.Fatal(err)
		}
		f[name+".header"] = string(header)
	}
	res := importPAI(t, f)
	if len(res.Machines) != 1897 {
		t.Errorf("%d machines", len(res.Machines))
	}
	want := []machineClass{
		{Name: "P100-cpu64-mem512-gpu2", CPU: 64, Mem: 512, GPU: 2, Count: 798},
		{Name: "T4-cpu96-mem512-gpu2", CPU: 96, Mem: 512, GPU: 2, Count: 497},
		{Name: "MISC-cpu96-mem512-gpu8", CPU: 96, Mem: 512, GPU: 8, Count: 280},
		{Name: "V100M32-cpu96-mem384-gpu8", CPU: 96, Mem: 384, GPU: 8, Count: 135},
		{Name: "CPU-cpu96-mem512-gpu0", CPU: 96, Mem: 512, Count: 83},
		{Name: "V100-cpu96-mem512-gpu8", CPU: 96, Mem: 512, GPU: 8, Count: 59},
		{Name: "V100-cpu96-mem384-gpu8", CPU: 96, Mem: 384, GPU: 8, Count: 45},
	}
	if d := cmp.Diff(want, classesOf(res.Machines)); d != "" {
		t.Error(d)
	}
}

// machineClass counts the machines of one class.
type machineClass struct {
	Name          string
	CPU, Mem, GPU float64 // of one machine
	Count         int
}

// classesOf counts machines by class and capacity, the most frequent first.
func classesOf(machines []traces.Machine) []machineClass {
	count := map[machineClass]int{}
	for _, m := range machines {
		count[machineClass{Name: m.Class, CPU: m.CPU, Mem: m.Mem, GPU: m.GPU}]++
	}
	classes := make([]machineClass, 0, len(count))
	for c, n := range count {
		c.Count = n
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b machineClass) int { return b.Count - a.Count })
	return classes
}
