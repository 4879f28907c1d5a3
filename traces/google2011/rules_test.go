package google2011

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
)

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
		{"an evicted job that is submitted again and runs on is censored",
			jobRows("1000 1 0", "1200 1 1", "1300 1 2", "1300 1 0", "1400 1 1"),
			taskRows("1000 1 0 0 1 1", "1200 1 0 1"),
			traces.Job{Tasks: 1, CPU: 1, Mem: 1, DurationUS: (2506200 - 1200) * 1e6, Censored: true}},
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
			c.want.ID, c.want.User, c.want.SubmitUS = "1", "u", 1000e6
			if d := cmp.Diff([]traces.Job{c.want}, res.Jobs); d != "" {
				t.Errorf("jobs (-want +got):\n%s\n%s", d, res.Report)
			}
		})
	}
}

// TestZeroRequestsKept holds what KeepZero changes: one job, numbered 1, in a
// complete trace, as it comes out and what the report notes of it.
func TestZeroRequestsKept(t *testing.T) {
	sound := jobRows("1000 1 0", "1000 1 1", "1010 1 4")
	for _, c := range []struct {
		name, tasks string
		count       int64
		cpu, mem    float64
		note        string
	}{
		{"no cpu", taskRows("1000 1 0 0 0 0.5"), 1, 0, 0.5, "kept with a zero cpu request"},
		{"no memory", taskRows("1000 1 0 0 0.5 0.0"), 1, 0.5, 0, "kept with a zero memory request"},
		{"a task without any request is left out, the other stays",
			taskRows("1000 1 0 0 0 0", "1000 1 1 0 0 0.25"), 1, 0, 0.25, "kept with a zero cpu request"},
		{"a minority without cpu does not make a job without cpu",
			taskRows("1000 1 0 0 0 0.5", "1000 1 1 0 0.2 0.5", "1000 1 2 0 0.4 0.5"), 3, 0.2, 0.5, ""},
		{"without cpu here, without memory there: the medians are not both zero",
			taskRows("1000 1 0 0 0 0.5", "1000 1 1 0 0 0.5", "1000 1 2 0 0.5 0"), 3, 0, 0.5, "kept with a zero cpu request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Import(folder{jobPart: sound, taskPart: c.tasks}.write(t), Options{ZeroRequests: KeepZero})
			if err != nil {
				t.Fatal(err)
			}
			want := []traces.Job{{ID: "1", User: "u", SubmitUS: 1000e6, Tasks: c.count, DurationUS: 10e6, CPU: c.cpu, Mem: c.mem}}
			if d := cmp.Diff(want, res.Jobs); d != "" {
				t.Errorf("jobs (-want +got):\n%s\n%s", d, res.Report)
			}
			var zero []string
			for _, n := range res.Report.Notes() {
				if strings.Contains(n.What, "zero") {
					zero = append(zero, n.What)
				}
			}
			if got := strings.Join(zero, "; "); got != c.note {
				t.Errorf("noted %q, want %q", got, c.note)
			}
		})
	}
}

// A job without any request is left out whatever the option says.
func TestZeroRequestsBothAreNeverKept(t *testing.T) {
	dir := folder{jobPart: jobRows("1000 1 0", "1000 1 1", "1010 1 4"), taskPart: taskRows("1000 1 0 0 0 0")}.write(t)
	for zero, want := range map[ZeroRequests]string{DropZero: "zero cpu request", KeepZero: "zero cpu and memory request"} {
		res, err := Import(dir, Options{ZeroRequests: zero})
		if !errors.Is(err, traces.ErrEmpty) {
			t.Fatalf("%v: error %v, want ErrEmpty", zero, err)
		}
		if res.Report.LeftOutFor("jobs", want) != 1 || res.Report.LeftOutFor("rows", "task_events: "+want) != 1 {
			t.Errorf("%v: the report has no %q:\n%s", zero, want, res.Report)
		}
	}
}

func TestZeroRequestsAreRecorded(t *testing.T) {
	dir := normal().write(t)
	for zero, want := range map[ZeroRequests]string{DropZero: `"zero_requests":"drop"`, KeepZero: `"zero_requests":"keep"`} {
		res, err := Import(dir, Options{ZeroRequests: zero})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(res.Meta.Options, want) {
			t.Errorf("options %s, want %s in them", res.Meta.Options, want)
		}
	}
	if DefaultOptions().ZeroRequests != DropZero {
		t.Error("zero requests are kept by default")
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
