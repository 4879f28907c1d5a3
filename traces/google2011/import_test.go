package google2011

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/leontief-sim/leontief/traces"
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
	dir := t.TempDir()
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			data = compressed(t, data)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compressed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

func importAll(t *testing.T, f folder) *Result {
	t.Helper()
	res, err := Import(f.write(t), Options{})
	if err != nil && !errors.Is(err, traces.ErrEmpty) {
		t.Fatal(err)
	}
	return res
}

func TestOneJob(t *testing.T) {
	res := importAll(t, normal())
	want := []traces.Job{{ID: "1", SubmitUS: 1000e6, Tasks: 1, DurationUS: 10e6, CPU: 0.5, Mem: 0.25}}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if len(res.Report.LeftOut()) != 0 || res.Meta.Label != "real" || len(res.Meta.Checksum) != 64 {
		t.Errorf("left out %v, metadata %+v", res.Report.LeftOut(), res.Meta)
	}
}

// TestRules holds the rules for tasks, requests and durations: one job each,
// numbered 1, in a complete trace.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name        string
		jobs, tasks string
		want        traces.Job
	}{
		{"tasks are distinct indices, requests medians, the duration a mean",
			jobRows("1000 1 0", "1000 1 1", "1030 1 4"),
			taskRows("1000 1 0 0 0.1 0.4", "1000 1 1 0 0.3 0.2", "1000 1 2 0 0.9 0.3", "1000 1 0 1", "1001 1 1 1", "1002 1 2 1",
				"1010 1 0 4", "1011 1 1 5", "1022 1 2 3"),
			traces.Job{Tasks: 3, CPU: 0.3, Mem: 0.3, DurationUS: 13_333_333}},
		{"an even number of tasks: the mean of the middle two",
			jobRows("1000 1 0", "1000 1 1", "1030 1 4"),
			taskRows("1000 1 0 0 0.25 0.5", "1000 1 1 0 0.75 0.5", "1000 1 0 1", "1000 1 1 1", "1010 1 0 4", "1010 1 1 4"),
			traces.Job{Tasks: 2, CPU: 0.5, Mem: 0.5, DurationUS: 10e6}},
		{"a failed task that is submitted again and finishes: to its first terminal event",
			jobRows("1000 1 0", "1000 1 1", "1100 1 4"),
			taskRows("1000 1 0 0 1 1", "1000 1 0 1", "1010 1 0 3", "1010 1 0 0 1 1", "1020 1 0 1", "1100 1 0 4"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: 10e6}},
		{"an evicted task that is submitted again goes on",
			jobRows("1000 1 0", "1000 1 1", "1100 1 4"),
			taskRows("1000 1 0 0 1 1", "1000 1 0 1", "1010 1 0 2", "1010 1 0 0 1 1", "1020 1 0 1", "1060 1 0 4"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: 60e6}},
		{"an evicted task that does not come back: the job's own times",
			jobRows("1000 1 0", "1005 1 1", "1100 1 5"),
			taskRows("1000 1 0 0 1 1", "1005 1 0 1", "1010 1 0 2"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: 95e6}},
		{"a task that runs on when the parts end: the job's own times",
			jobRows("1000 1 0", "1005 1 1", "9000 1 4"),
			taskRows("1000 1 0 0 1 1", "1000 1 1 0 1 1", "1005 1 0 1", "1005 1 1 1", "1010 1 0 4"),
			traces.Job{Tasks: 2, CPU: 1, Mem: 1, DurationUS: 7995e6}},
		{"a task killed before it was scheduled: the job's own times",
			jobRows("1000 1 0", "1005 1 1", "1055 1 5"),
			taskRows("1000 1 0 0 1 1", "1000 1 1 0 1 1", "1005 1 0 1", "1010 1 0 4", "1055 1 1 5"),
			traces.Job{Tasks: 2, CPU: 1, Mem: 1, DurationUS: 50e6}},
		{"no end in the trace: to its end, censored",
			jobRows("1000 1 0", "1200 1 1"),
			taskRows("1000 1 0 0 1 1", "1200 1 0 1"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: (2506200 - 1200) * 1e6, Censored: true}},
		{"an evicted job after which nothing follows has ended",
			jobRows("1000 1 0", "1200 1 1", "1300 1 2"),
			taskRows("1000 1 0 0 1 1", "1200 1 0 1"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: 100e6}},
		{"an evicted job that is submitted again has not",
			jobRows("1000 1 0", "1200 1 1", "1300 1 2", "1300 1 0", "1400 1 1", "1500 1 4"),
			taskRows("1000 1 0 0 1 1", "1200 1 0 1"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: 300e6}},
		{"updates change neither requests nor times",
			jobRows("1000 1 0", "1000 1 7", "1000 1 1", "1005 1 8", "1010 1 4"),
			taskRows("1000 1 0 0 0.5 0.5", "1000 1 0 7 0.9 0.9", "1000 1 0 1 0.9 0.9", "1005 1 0 8 0.9 0.9", "1010 1 0 4"),
			traces.Job{Tasks: 1, CPU: 0.5, Mem: 0.5, DurationUS: 10e6}},
		{"tasks with a zero request are left out, the others stay",
			jobRows("1000 1 0", "1000 1 1", "1010 1 4"),
			taskRows("1000 1 0 0 0 0.5", "1000 1 1 0 0.5 0.5", "1000 1 0 1", "1000 1 1 1", "1010 1 1 4", "1090 1 0 4"),
			traces.Job{Tasks: 1, CPU: 0.5, Mem: 0.5, DurationUS: 10e6}},
		{"a job killed in the queue and scheduled later: from its schedule",
			jobRows("1000 1 0", "1001 1 5", "1002 1 0", "1003 1 1", "1010 1 4"),
			taskRows("1000 1 0 0 0.5 0.5"),
			traces.Job{Tasks: 1, CPU: 0.5, Mem: 0.5, DurationUS: 7e6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := importAll(t, folder{jobPart: c.jobs, taskPart: c.tasks})
			c.want.ID, c.want.SubmitUS = "1", 1000e6
			if d := cmp.Diff([]traces.Job{c.want}, res.Jobs); d != "" {
				t.Errorf("jobs (-want +got):\n%s\n%s", d, res.Report)
			}
		})
	}
}

func TestScheduledAtTimeZero(t *testing.T) {
	res := importAll(t, folder{
		jobPart:  jobRows("0 1 0", "0 1 1", "700 1 4"),
		taskPart: taskRows("0 1 0 0 1 1", "0 1 0 1", "700 1 0 4"),
	})
	if len(res.Jobs) != 1 || res.Jobs[0].SubmitUS != 0 || res.Jobs[0].DurationUS != 700e6 {
		t.Errorf("jobs %+v", res.Jobs)
	}
	if !strings.Contains(res.Report.String(), "submitted before the trace began (time 0)") {
		t.Errorf("the report does not say that the job is older than the trace:\n%s", res.Report)
	}
}

// TestReasons holds the reasons for which a job, alone in a complete trace, is
// left out.
func TestReasons(t *testing.T) {
	soundJob := jobRows("1000 1 0", "1000 1 1", "1010 1 4")
	for _, c := range []struct{ name, jobs, tasks, reason string }{
		{"no task rows", soundJob, taskRows("1000 2 0 0 1 1"), "no task rows in the parts at hand"},
		{"no SUBMIT row", soundJob, taskRows("1010 1 0 4"), "no SUBMIT row of a task in the parts at hand"},
		{"missing info", soundJob, taskRows("1000* 1 0 0"), "task rows with missing info only"},
		{"no cpu", soundJob, taskRows("1000 1 0 0 - 1"), "no cpu request"},
		{"no memory", soundJob, taskRows("1000 1 0 0 1 -"), "no memory request"},
		{"zero cpu", soundJob, taskRows("1000 1 0 0 0 1"), "zero cpu request"},
		{"zero memory", soundJob, taskRows("1000 1 0 0 1 0.0"), "zero memory request"},
		{"killed in the queue", jobRows("1000 1 0", "1010 1 5"), taskRows("1000 1 0 0 1 1", "1010 1 0 5"), "ended before it was scheduled"},
		{"still in the queue", jobRows("1000 1 0"), taskRows("1000 1 0 0 1 1"), "never scheduled in the job_events parts at hand"},
		{"tasks take no time", soundJob, taskRows("1000 1 0 0 1 1", "1005 1 0 1", "1005 1 0 4"), "zero duration"},
		{"the job takes no time", jobRows("1000 1 0", "1005 1 1", "1005 1 4"), taskRows("1000 1 0 0 1 1"), "zero duration"},
		{"a task ends before it starts", soundJob, taskRows("1000 1 0 0 1 1", "1005 1 0 1", "1004 1 0 4"), "ends before it starts"},
		{"the job ends before it starts", jobRows("1000 1 0", "1005 1 1", "1004 1 4"), taskRows("1000 1 0 0 1 1"), "ends before it starts"},
		{"a job event with missing info", jobRows("1000 1 0", "1000 1 1", "1010* 1 4"), taskRows("1000 1 0 0 1 1"), "one of its job events has missing info"},
		{"a submission with missing info", jobRows("1000* 1 0", "1000 1 1", "1010 1 4"), taskRows("1000 1 0 0 1 1"), "its submission has missing info"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder{jobPart: c.jobs, taskPart: c.tasks}.write(t)
			res, err := Import(dir, Options{})
			if !errors.Is(err, traces.ErrEmpty) || len(res.Jobs) != 0 {
				t.Fatalf("error %v, want ErrEmpty; jobs %+v", err, res.Jobs)
			}
			if n := res.Report.LeftOutFor("jobs", c.reason); n != 1 {
				t.Errorf("%d jobs left out because %q:\n%s", n, c.reason, res.Report)
			}
		})
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
			t.Errorf("%s: jobs %s, want %s", c.o, got, c.want)
		}
		left := int64(0)
		for _, l := range res.Report.LeftOut() {
			if l.Unit == "jobs" {
				left += l.N
			}
		}
		if int(left)+len(ids) != 3 {
			t.Errorf("%s: %d kept and %d left out of 3:\n%s", c.o, len(ids), left, res.Report)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{FromUS: -1}, {FromUS: 5, ToUS: 5}, {ToUS: -1}, {First: -1}, {MachinesAtUS: -1}} {
		if _, err := Import("nowhere", o); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: error %v, want one about the options", o, err)
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

func TestUnreadableRows(t *testing.T) {
	row17 := strings.Repeat(jobRows("1000 1 8"), 16)
	for _, c := range []struct{ name, part, text, want string }{
		{"too few columns", jobPart, "1,,1,0\n", "part-00000-of-00001.csv:row 1: 4 columns instead of 8"},
		{"a non-number in row 17", jobPart, row17 + "x,,1,0,u,0,n,l\n", `part-00000-of-00001.csv:row 17, column 1 (time): "x": invalid syntax`},
		{"a time beyond 64 bits", jobPart, "99999999999999999999,,1,0,u,0,n,l\n", "row 1, column 1 (time): \"99999999999999999999\": value out of range"},
		{"a negative time", jobPart, "-5,,1,0,u,0,n,l\n", `column 1 (time): "-5": negative`},
		{"an empty id", jobPart, "5,,,0,u,0,n,l\n", `column 3 (job ID): "": invalid syntax`},
		{"an unknown event", jobPart, "5,,1,9,u,0,n,l\n", `column 4 (event type): "9": not an event type from 0 to 8`},
		{"a request that is no number", taskPart, "5,,1,0,,0,u,0,0,half,1,1,0\n", `column 10 (CPU request): "half": invalid syntax`},
		{"a negative request", taskPart, "5,,1,0,,0,u,0,0,1,-0.5,1,0\n", `column 11 (memory request): "-0.5": negative`},
		{"a request that is infinite", taskPart, "5,,1,0,,0,u,0,0,Inf,1,1,0\n", `column 10 (CPU request): "Inf": not finite`},
		{"a request that is NaN", taskPart, "5,,1,0,,0,u,0,0,NaN,1,1,0\n", `column 10 (CPU request): "NaN": not finite`},
		{"a quote out of place", taskPart, "5,,1,0,,0,u\"x,0,0,1,1,1,0\n", `part-00000-of-00001.csv:row 1: `},
		{"too many columns", machPart, "0,5,0,p,1,1,1\n", "row 1: 7 columns instead of 6"},
		{"a capacity that is no number", machPart, "0,5,0,p,big,1\n", `column 5 (CPUs): "big": invalid syntax`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := normal()
			f[c.part] = c.text
			_, err := Import(f.write(t), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestTruncatedGzip(t *testing.T) {
	f := normal()
	delete(f, jobPart)
	dir := f.write(t)
	path := filepath.Join(dir, jobPart+".gz")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var long strings.Builder
	for i := range 5000 {
		long.WriteString(jobRows(fmt.Sprintf("%d %d 0", 1000+i, i)))
	}
	whole := compressed(t, []byte(long.String()))
	for _, cut := range []int{0, 5, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Import(dir, Options{})
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), path+":row ") || !strings.Contains(err.Error(), "truncated gzip") {
			t.Errorf("cut to %d of %d bytes: error %v", cut, len(whole), err)
		}
	}
	bad := bytes.Clone(whole)
	bad[len(bad)-8] ^= 1 // the checksum of the content
	if err := os.WriteFile(path, bad, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(dir, Options{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("a wrong checksum: error %v", err)
	}
}

func TestMissingFoldersAndParts(t *testing.T) {
	empty := t.TempDir()
	noTasks := normal()
	delete(noTasks, taskPart)
	twice := normal()
	twice[jobPart+".gz"] = twice[jobPart]
	divisions := normal()
	divisions["job_events/part-00001-of-00500.csv"] = ""
	name := normal()
	name["job_events/part-1.csv"] = ""
	number := normal()
	number["job_events/part-00007-of-00001.csv"] = ""
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(empty, "none"), "job_events: no parts found"},
		{empty, "job_events: no parts found"},
		{noTasks.write(t), "task_events: no parts found"},
		{twice.write(t), "the same part twice"},
		{divisions.write(t), "different divisions of the table"},
		{name.write(t), "part-1.csv: not a name of the form"},
		{number.write(t), "part 7 of only 1"},
	} {
		if _, err := Import(c.dir, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
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
