package formats

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// format returns the import of a format with its defaults, after set was called with
// its options by name.
func format(t *testing.T, name string, set func(options map[string]any)) Import {
	t.Helper()
	for _, f := range All() {
		if f.Name != name {
			continue
		}
		options, read := f.New()
		byName := map[string]any{}
		for _, o := range options {
			byName[o.Name] = o.Value
		}
		if set != nil {
			set(byName)
		}
		return read
	}
	t.Fatalf("no format %s", name)
	return nil
}

// Rows as the table of 2018 has them: two tasks of a job, one that failed, one that
// runs on, one that waits, one without a request, one that ended in its first second.
const batch2018 = `M1,5,j_1,12,Terminated,87076,87086,100.0,0.39
R2_1,1,j_1,12,Terminated,87086,87100,50,0.5
M1,2,j_2,1,Failed,87000,87001,150,17.17
M1,2,j_3,1,Running,87000,0,150,1
M1,2,j_4,1,Waiting,0,0,150,1
M1,2,j_5,1,Terminated,87000,87005,,1
M1,2,j_6,1,Terminated,87000,87000,100,1
`

func TestAlibaba2018(t *testing.T) {
	names := "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n"
	for _, text := range []string{batch2018, names + batch2018} {
		res, err := format(t, "alibaba2018", nil)(tracetest.File(t, "batch_task.csv", text))
		tracetest.Must(t, res, err)
		percent := 1e-2 // a variable: the product is one of doubles
		want := []traces.Job{
			{ID: "j_2/M1", User: "j_2", SubmitUS: 87000e6, Tasks: 2, DurationUS: 1e6, CPU: 1.5, Mem: percent * 17.17},
			{ID: "j_1/M1", User: "j_1", SubmitUS: 87076e6, Tasks: 5, DurationUS: 10e6, CPU: 1, Mem: percent * 0.39},
			{ID: "j_1/R2_1", User: "j_1", SubmitUS: 87086e6, Tasks: 1, DurationUS: 14e6, CPU: 0.5, Mem: percent * 0.5},
		}
		wantReport := `read
             7 rows   batch_task.csv
kept
             3 jobs   jobs
left out
             1 rows   a duration of less than 1 µs
             1 rows   no cpu request
             1 rows   no end
             1 rows   the status is not one that counts
`
		tracetest.Same(t, res, want, wantReport)
		if m := res.Meta; m.Label != "real" || m.Units != "cpu: cores; mem: fraction of the largest machine" {
			t.Errorf("%+v", m)
		}
	}
	for text, want := range map[string]string{
		"M1,5,j_1,12,Terminated,1,2,100\n":          "row 1: wrong number of fields",
		"M1,x,j_1,12,Terminated,1,2,100,0.39\n":     `row 1: column "instance_num": "x": not a number`,
		"M1,5,j_1,12,Terminated,1,2,100,0.39,9,9\n": "wrong number of fields",
	} {
		res, err := format(t, "alibaba2018", nil)(tracetest.File(t, "batch_task.csv", text))
		tracetest.Refused(t, res, err, want)
	}
	if _, err := format(t, "alibaba2018", nil)(tracetest.File(t, "batch_task.tar.gz", "")); err == nil || !strings.Contains(err.Error(), "unpack it first") {
		t.Errorf("an archive: %v", err)
	}
}

func TestAlibaba2017(t *testing.T) {
	text := `59581,59592,12702,79304,29,Terminated,100,0.005404705821447985
0,59592,12702,79305,29,Terminated,100,0.005
-5,59592,12702,79306,29,Terminated,100,0.005
59581,59592,12702,79307,29,Waiting,100,0.005
`
	res, err := format(t, "alibaba2017", nil)(tracetest.File(t, "batch_task.csv", text))
	tracetest.Must(t, res, err)
	want := []traces.Job{{ID: "12702/79304", User: "12702", SubmitUS: 59581e6, Tasks: 29, DurationUS: 11e6, CPU: 1, Mem: 0.005404705821447985}}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	tracetest.LeftOutOnce(t, res, "rows", "no submission time", "submitted before the clock's zero", "the status is not one that counts")
	read := format(t, "alibaba2017", func(o map[string]any) { *o["cpu"].(*string) = "cores" })
	if res, err := read(tracetest.File(t, "batch_task.csv", text)); err != nil || res.Jobs[0].CPU != 100 {
		t.Errorf("in cores: %v", err)
	}
}

// FuzzShipped imports any text by the shipped mappings: every row becomes a job or is
// left out.
func FuzzShipped(f *testing.F) {
	f.Add(batch2018, uint8(0))
	f.Add("\ufeff1,2,3,4,5,Failed,7,8\n\"", uint8(1))
	f.Add(heliosLog, uint8(2))
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		name := []string{"alibaba2018", "alibaba2017", "helios"}[which%3]
		res, err := format(t, name, nil)(tracetest.File(t, "table.csv", text))
		tracetest.Check(t, res, err)
		tracetest.Accounted(t, res)
	})
}

// machine_meta has a row for each state of a machine, in the columns of the schema.
func TestAlibaba2018Machines(t *testing.T) {
	dir := tracetest.Folder(t, map[string]string{"batch_task.csv": batch2018,
		"machine_meta.csv.gz": "m_1932,0,1,5,96,100,USING\nm_1932,386640,1,5,96,100,USING\nm_2,0,2,a,64,50,USING\nm_3,0,2,a,,100,IMPORT\n"})
	res, err := format(t, "alibaba2018", nil)(filepath.Join(dir, "batch_task.csv"))
	tracetest.Must(t, res, err)
	want := []traces.Machine{{ID: "m_1932", CPU: 96, Mem: 1, Class: "CPU-cpu96-mem1-gpu0"}, {ID: "m_2", CPU: 64, Mem: 0.5, Class: "CPU-cpu64-mem0.5-gpu0"}}
	if d := cmp.Diff(want, res.Machines); d != "" {
		t.Error(d)
	}
	tracetest.LeftOutOnce(t, res, "rows", "machine_meta: a machine a second time: the first row counts", "machine_meta: no cpu or no memory")
	dir = tracetest.Folder(t, map[string]string{"batch_task.csv": batch2018, "machine_meta.csv": "m_1,0,1,5,ninety,100,USING\n"})
	res, err = format(t, "alibaba2018", nil)(filepath.Join(dir, "batch_task.csv"))
	tracetest.Refused(t, res, err, `machine_meta.csv:row 1, column 5 (cpu_num): "ninety"`)
	alone, err := format(t, "alibaba2018", nil)(tracetest.File(t, "batch_task.csv", batch2018))
	if tracetest.Must(t, alone, err); alone.Machines != nil || alone.NoMachines != "no machine_meta.csv beside the table" {
		t.Errorf("%+v, %s", alone.Machines, alone.NoMachines)
	}
}
