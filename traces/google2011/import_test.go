package google2011

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// folder is a trace that a test writes: the text of each part by its name.
type folder map[string]string

const (
	jobPart  = "job_events/part-00000-of-00001.csv"
	taskPart = "task_events/part-00000-of-00001.csv"
	machPart = "machine_events/part-00000-of-00001.csv"
)

// write creates the folder; parts that end in .gz are compressed.
func (f folder) write(t *testing.T) string {
	t.Helper()
	return tracetest.Folder(t, f)
}

// jobRows writes job events: "time id event" each; a time with a * has
// missing info.
func jobRows(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		f := strings.Fields(e)
		sec, starred := strings.CutSuffix(f[0], "*")
		fmt.Fprintf(&b, "%s,%s,%s,%s,u,0,n,l\n", us(sec), map[bool]string{true: "1"}[starred], f[1], f[2])
	}
	return b.String()
}

// taskRows writes task events: "time id index event [cpu mem]" each.
func taskRows(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		f := append(strings.Fields(e), "", "")
		sec, starred := strings.CutSuffix(f[0], "*")
		fmt.Fprintf(&b, "%s,%s,%s,%s,,%s,u,0,0,%s,%s,0.001,0\n", us(sec), map[bool]string{true: "2"}[starred],
			f[1], f[2], f[3], strings.Trim(f[4], "-"), strings.Trim(f[5], "-"))
	}
	return b.String()
}

// us writes seconds as µs.
func us(sec string) string {
	if sec == "0" {
		return sec
	}
	return sec + "000000"
}

// normal is a trace of one job with one task: 1,000–1,010 s.
func normal() folder {
	return folder{
		jobPart:  jobRows("1000 1 0", "1000 1 1", "1010 1 4"),
		taskPart: taskRows("1000 1 0 0 0.5 0.25", "1000 1 0 1", "1010 1 0 4"),
	}
}

func importAll(t *testing.T, f folder) *traces.Imported {
	t.Helper()
	res, err := Import(f.write(t), Options{})
	if err != nil && !errors.Is(err, traces.ErrEmpty) {
		t.Fatal(err)
	}
	return res
}

func TestOneJob(t *testing.T) {
	res := importAll(t, normal())
	want := []traces.Job{{ID: "1", User: "u", SubmitUS: 1000e6, Tasks: 1, DurationUS: 10e6, CPU: 0.5, Mem: 0.25}}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if len(res.Report.LeftOut()) != 0 || res.Meta.Label != "real" || len(res.Meta.Checksum) != 64 {
		t.Errorf("left out %v, metadata %+v", res.Report.LeftOut(), res.Meta)
	}
}

// The user is that of the job's submission, the priority the highest of its tasks'
// first usable SUBMIT rows.
func TestUserAndPriority(t *testing.T) {
	f := normal()
	f[jobPart] = strings.Replace(f[jobPart], ",u,", ",someone=,", 1)
	f[taskPart] = strings.NewReplacer("0,u,0,0,0.5", "0,u,0,9,0.5").Replace(f[taskPart]) +
		"1002000000,,1,1,,0,u,0,4,0.5,0.25,0.001,0\n1003000000,,1,1,,0,u,0,11,0.5,0.25,0.001,0\n"
	res := importAll(t, f)
	if j := res.Jobs[0]; j.User != "someone=" || j.Priority != 9 || j.Tasks != 2 {
		t.Errorf("%+v", j)
	}
	if !strings.Contains(res.Report.String(), "tasks of several priorities: the highest counts") {
		t.Error(res.Report)
	}
}

func TestRowsAreCountedByReason(t *testing.T) {
	f := normal()
	f[taskPart] += taskRows("1020 1 1 0 0 1", "1020 1 2 0 0 0", "1020* 1 3 0 1 1", "1021 1 1 1", "1022 9 0 0")
	got := importAll(t, f).Report
	want := []traces.Count{
		{Unit: "rows", What: "task_events: event of a task without a usable SUBMIT row", N: 1},
		{Unit: "rows", What: "task_events: missing info", N: 1},
		{Unit: "rows", What: "task_events: zero cpu request", N: 2},
	}
	if d := cmp.Diff(want, got.LeftOut()); d != "" {
		t.Errorf("left out (-want +got):\n%s", d)
	}
	read := []traces.Count{{Unit: "rows", What: "job_events", N: 3}, {Unit: "rows", What: "task_events", N: 8}}
	if d := cmp.Diff(read, got.Read()); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
}

// threeJobs is a trace of jobs 7, 5 and 6, submitted at 100, 600 and 600 s.
func threeJobs() folder {
	var jobs, tasks []string
	for _, e := range []string{"100 7", "600 5", "600 6"} {
		sec, id, _ := strings.Cut(e, " ")
		jobs = append(jobs, e+" 0", e+" 1", "900 "+id+" 4")
		tasks = append(tasks, e+" 0 0 1 1", sec+" "+id+" 0 1", "900 "+id+" 0 4")
	}
	return folder{jobPart: jobRows(jobs...), taskPart: taskRows(tasks...)}
}

func TestChoiceOfSubmissions(t *testing.T) {
	dir := threeJobs().write(t)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "7 5 6"},
		{DefaultOptions(), "5 6"},
		{Options{FromUS: 600e6, First: 1}, "5"},
		{Options{First: 2}, "7 5"},
		{Options{ToUS: 600e6}, "7"},
		{Options{FromUS: 100e6 + 1, ToUS: 600e6 + 1}, "5 6"},
	} {
		res, err := Import(dir, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, j := range res.Jobs {
			ids = append(ids, j.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: jobs %s, want %s", c.o, got, c.want)
		}
		left := int64(0)
		for _, l := range res.Report.LeftOut() {
			if l.Unit == "jobs" {
				left += l.N
			}
		}
		if int(left)+len(ids) != 3 {
			t.Errorf("%+v: %d kept and %d left out of 3:\n%s", c.o, len(ids), left, res.Report)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{FromUS: -1}, {FromUS: 5, ToUS: 5}, {ToUS: -1}, {First: -1}, {MachinesAtUS: -1}} {
		if _, err := Import("nowhere", o); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: error %v, want one about the options", o, err)
		}
	}
}

// TestPartsAreReadInOrderOfTheirNumbers gives a job whose rows are spread over
// parts, some compressed.
func TestPartsAreReadInOrderOfTheirNumbers(t *testing.T) {
	f := folder{
		"job_events/part-00009-of-00020.csv":     jobRows("1030 1 4"),
		"job_events/part-00010-of-00020.csv.gz":  jobRows("2000 1 0"),
		"job_events/part-00002-of-00020.csv.gz":  jobRows("1000 1 0", "1000 1 1"),
		"task_events/part-00001-of-00002.csv":    taskRows("1030 1 0 4"),
		"task_events/part-00000-of-00002.csv.gz": taskRows("1000 1 0 0 0.5 0.5", "1010 1 0 1"),
		"task_events/README":                     "not a part",
	}
	res := importAll(t, f)
	if len(res.Jobs) != 1 || res.Jobs[0].DurationUS != 20e6 || res.Jobs[0].SubmitUS != 1000e6 {
		t.Errorf("jobs %+v", res.Jobs)
	}
}

// TestClosedJobsKeepTheirSums ends a job in the first part and lets another
// row of it come in the last one.
func TestClosedJobsKeepTheirSums(t *testing.T) {
	f := folder{
		jobPart:                               jobRows("1000 1 0", "1000 1 1", "1010 1 4"),
		"task_events/part-00000-of-00002.csv": taskRows("1000 1 0 0 0.5 0.5", "1000 1 0 1", "1008 1 0 4", "1020 2 0 4"),
		"task_events/part-00001-of-00002.csv": taskRows("1030 1 1 0 0.9 0.9"),
	}
	res := importAll(t, f)
	if len(res.Jobs) != 1 || res.Jobs[0].Tasks != 1 || res.Jobs[0].DurationUS != 8e6 {
		t.Errorf("jobs %+v", res.Jobs)
	}
	if n := res.Report.LeftOutFor("rows", "task_events: after the end of the row's job"); n != 1 {
		t.Errorf("the late row is not counted:\n%s", res.Report)
	}
}

// TestEndMayBeInAMissingPart: with parts of job_events missing, a job without
// an end is not taken for one that runs to the end of the trace.
func TestEndMayBeInAMissingPart(t *testing.T) {
	res := importAll(t, folder{
		"job_events/part-00000-of-00002.csv": jobRows("1000 1 0", "1000 1 1"),
		taskPart:                             taskRows("1000 1 0 0 0.5 0.5", "1000 1 0 1"),
	})
	if n := res.Report.LeftOutFor("jobs", "no end in the job_events parts at hand"); n != 1 || len(res.Jobs) != 0 {
		t.Errorf("jobs %+v\n%s", res.Jobs, res.Report)
	}
}

func TestMachinesAtATime(t *testing.T) {
	f := normal()
	f[machPart] = "0,5,0,pB,1,1\n0,6,0,pA,0.5,0.25\n0,7,0,pA,,\n0,8,0,pA,0,1\n50,6,2,pA,0.5,0.5\n60,5,1,pB,1,1\n70,5,0,pB,1,1\n80,9,2,pA,1,1\n"
	dir := f.write(t)
	for _, c := range []struct {
		at   int64
		want []traces.Machine
	}{
		{0, []traces.Machine{{ID: "5", CPU: 1, Mem: 1, Class: "platform2-cpu1-mem1"}, {ID: "6", CPU: 0.5, Mem: 0.25, Class: "platform1-cpu0.5-mem0.25"}}},
		{60, []traces.Machine{{ID: "6", CPU: 0.5, Mem: 0.5, Class: "platform1-cpu0.5-mem0.5"}}},
		{100, []traces.Machine{{ID: "5", CPU: 1, Mem: 1, Class: "platform2-cpu1-mem1"}, {ID: "6", CPU: 0.5, Mem: 0.5, Class: "platform1-cpu0.5-mem0.5"}}},
	} {
		res, err := Import(dir, Options{MachinesAtUS: c.at})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, res.Machines); d != "" {
			t.Errorf("at %d µs (-want +got):\n%s", c.at, d)
		}
		if res.Report.LeftOutFor("rows", "machine_events: no capacity") != 1 || res.Report.LeftOutFor("rows", "machine_events: zero capacity") != 1 {
			t.Errorf("rows without capacity are not counted:\n%s", res.Report)
		}
	}
}

// TestImportIsDeterministic compares two imports down to the bytes of their
// files.
func TestImportIsDeterministic(t *testing.T) {
	dir, out := threeJobs().write(t), t.TempDir()
	var files, reports [2][]byte
	for i := range files {
		res, err := Import(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, fmt.Sprint(i))
		if err := traces.WriteJobs(path, res.Jobs, res.Meta); err != nil {
			t.Fatal(err)
		}
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if reports[i], err = json.Marshal(res.Report); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) || !bytes.Equal(reports[0], reports[1]) {
		t.Error("two imports of the same files differ")
	}
}
