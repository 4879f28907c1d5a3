package philly

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// official is in the layout of the log: a job of two attempts on 8 GPUs; one of 3 GPUs on
// two servers, submitted first; one without attempts; one that runs on; one whose first
// attempt has no end; one whose attempts have no GPUs; one without a submission; one a
// second time; one that ends before it starts.
const official = `[
{"status": "Pass", "vc": "ee9e8c", "jobid": "a1", "attempts": [
   {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0","gpu1","gpu2","gpu3","gpu4","gpu5","gpu6","gpu7"]}]},
   {"start_time": "2017-10-07 01:13:30", "end_time": "2017-10-09 06:53:12", "detail": [{"ip": "m412", "gpus": ["gpu0","gpu1","gpu2","gpu3","gpu4","gpu5","gpu6","gpu7"]}]}],
 "submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"},
{"status": "Killed", "vc": "v2", "jobid": "a2", "attempts": [
   {"start_time": "2017-10-07 01:00:10", "end_time": "2017-10-07 01:00:40", "detail": [{"ip": "m1", "gpus": ["gpu0","gpu1"]}, {"ip": "m2", "gpus": ["gpu0"]}, {"ip": "m3", "gpus": []}]}],
 "submitted_time": "2017-10-07 01:00:00", "user": "u2"},
{"status": "Failed", "vc": "v2", "jobid": "a3", "attempts": [], "submitted_time": "2017-10-07 01:20:00", "user": "u2"},
{"status": "Running", "vc": "v2", "jobid": "a4", "attempts": [
   {"start_time": "2017-10-09 06:53:00", "end_time": null, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}],
 "submitted_time": "2017-10-07 01:30:00", "user": null},
{"status": "Pass", "vc": "v2", "jobid": "a5", "attempts": [
   {"start_time": "2017-10-07 01:40:00", "end_time": "None", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
   {"start_time": "2017-10-07 01:50:00", "end_time": "2017-10-07 01:50:05", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]}],
 "submitted_time": "2017-10-07 01:40:00", "user": "u2"},
{"status": "Pass", "vc": "v2", "jobid": "a6", "attempts": [{"start_time": "2017-10-07 01:40:00", "end_time": "2017-10-07 01:41:00", "detail": []}],
 "submitted_time": "2017-10-07 01:40:00", "user": "u2"},
{"status": "Pass", "vc": "v2", "jobid": "a7", "attempts": [], "user": "u2"},
{"status": "Pass", "vc": "v2", "jobid": "a1", "attempts": [], "submitted_time": "2017-10-07 01:40:00", "user": "u2"},
{"status": "Pass", "vc": "v2", "jobid": "a8", "attempts": [{"start_time": "2017-10-07 01:42:00", "end_time": "2017-10-07 01:41:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}],
 "submitted_time": "2017-10-07 01:40:00", "user": "u2"}
]
`

const machineList = "machineId, number of GPUs, single GPU mem\nm31,8, 24GB\nm32,2, 12GB\nm31,8, 24GB\nm33,0, 12GB\n"

func folder(t *testing.T, log, machines string) string {
	t.Helper()
	return tracetest.Folder(t, map[string]string{LogName: log, MachinesName: machines})
}

func TestImport(t *testing.T) {
	dir := folder(t, official, machineList)
	for _, path := range []string{dir, filepath.Join(dir, LogName)} {
		res, err := Import(path, Options{})
		tracetest.Must(t, res, err)
		want := []traces.Job{
			{ID: "a2", User: "u2", SubmitUS: 0, Tasks: 3, DurationUS: 30e6, GPU: 1},
			{ID: "a1", User: "ce2f4c", SubmitUS: 699e6, Tasks: 8, DurationUS: (74 + 2*86400 + 5*3600 + 39*60 + 42) * 1e6, GPU: 1},
			{ID: "a4", SubmitUS: 1800e6, Tasks: 1, DurationUS: 12e6, GPU: 1, Censored: true},
			{ID: "a5", User: "u2", SubmitUS: 2400e6, Tasks: 2, DurationUS: 5e6, GPU: 1},
		}
		wantReport := `read
             9 rows   cluster_job_log
             4 rows   cluster_machine_list
kept
             4 jobs   jobs
             2 machines  machines
            14 tasks  tasks
left out
             1 attempts  ends before it starts
             1 attempts  no start, or no end and not the last
             1 rows   a jobid a second time: the first one counts
             1 rows   cluster_machine_list: a machine without an id, or a second time
             1 rows   cluster_machine_list: no GPUs
             1 rows   never scheduled: no attempts
             1 rows   no GPU in any attempt
             1 rows   no attempt with a start and a later end
             1 rows   no submitted_time
noted
             1 jobs   no user stated: a tenant of its own
             1 jobs   ran on when the log was made (censored)
             1 jobs   status Killed
             1 jobs   status is another one
`
		tracetest.Same(t, res, want, wantReport)
		if d := cmp.Diff([]traces.Machine{{ID: "m31", GPU: 8, Class: "8 GPUs of 24GB"}, {ID: "m32", GPU: 2, Class: "2 GPUs of 12GB"}}, res.Machines); d != "" {
			t.Error(d)
		}
		if res.Meta.Units != "gpu: GPUs" || !strings.Contains(res.Meta.Options, `"origin":"2017-10-07T01:00:00Z"`) {
			t.Errorf("%+v", res.Meta)
		}
	}
}

func TestChoices(t *testing.T) {
	dir := folder(t, official, machineList)
	for _, c := range []struct {
		o    Options
		want traces.Job // a2
	}{
		{Options{Task: "job", Tenant: "vc"}, traces.Job{ID: "a2", User: "v2", Tasks: 1, DurationUS: 30e6, GPU: 3}},
		{Options{Task: "server", Zone: "America/Los_Angeles"}, traces.Job{ID: "a2", User: "u2", Tasks: 2, DurationUS: 30e6, GPU: 1.5}},
	} {
		res, err := Import(dir, c.o)
		tracetest.Check(t, res, err)
		if err != nil || res.Jobs[0] != c.want {
			t.Errorf("%+v: %v, %+v", c.o, err, res)
		}
	}
	for _, o := range []Options{{Task: "core"}, {Tenant: "group"}, {Zone: "Local"}, {Zone: "Mars"}} {
		if _, err := Import(dir, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	packed := tracetest.File(t, LogName+".gz", official)
	if res, err := Import(packed, Options{}); err != nil || len(res.Jobs) != 4 || res.Machines != nil {
		t.Errorf("packed: %v", err)
	}
}

// What the schema's notes say of attempts: their times may not be there, and they are not
// repaired.
func TestAttempts(t *testing.T) {
	attempt := func(start, end string) string {
		text := map[string]string{"": "null"}
		for _, at := range []string{start, end} {
			if at != "" && at != "None" {
				text[at] = `"2017-10-07 01:` + at + `"`
			}
		}
		text["None"] = `"None"`
		return `{"start_time": ` + text[start] + `, "end_time": ` + text[end] + `, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}`
	}
	for _, c := range []struct {
		attempts string
		seconds  int64 // 0: the job is left out
		censored bool
		left     int64 // of the attempts
	}{
		{attempt("00:00", "00:10") + "," + attempt("01:00", "01:05"), 15, false, 0},
		{attempt("00:00", "00:10") + "," + attempt("01:00", ""), 10 + 59*60, true, 0},
		{attempt("00:00", "") + "," + attempt("01:00", "01:05"), 5, false, 1},
		{attempt("", "00:10") + "," + attempt("01:00", "01:05"), 5, false, 1},
		{attempt("", "") + "," + attempt("None", "None"), 0, false, 2},
		{attempt("00:30", "00:10") + "," + attempt("01:00", "01:05"), 5, false, 1}, // not 5 − 20
		{attempt("00:30", "00:10"), 0, false, 1},
		{attempt("00:10", "00:10"), 0, false, 0},
		{`{"start_time": "2017-10-07 01:00:00", "end_time": "2017-10-07 01:00:09", "detail": null},` + attempt("", ""), 9, false, 1}, // its GPUs are the last one's
		{`{"start_time": "2017-10-07 01:00:00", "end_time": "2017-10-07 01:00:09"}`, 0, false, 0},                                    // no GPU
	} {
		log := `[{"jobid": "a", "submitted_time": "2017-10-07 01:00:00", "attempts": [` + c.attempts + `]},
			{"jobid": "last", "submitted_time": "2017-10-07 02:00:00", "attempts": [{"start_time": "2017-10-07 01:59:00", "end_time": "2017-10-07 02:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
			{"jobid": "none", "submitted_time": "2017-10-07 02:00:00", "attempts": null, "user": "u", "vc": null}]`
		res, err := Import(tracetest.File(t, LogName+".gz", log), Options{})
		tracetest.Must(t, res, err)
		us, censored := int64(0), false
		if len(res.Jobs) == 2 {
			us, censored = res.Jobs[0].DurationUS, res.Jobs[0].Censored
		}
		if us != c.seconds*1e6 || censored != c.censored || tracetest.Total(res.Report.LeftOut(), "attempts") != c.left {
			t.Errorf("%s: %d µs, censored %v\n%s", c.attempts, us, censored, res.Report)
		}
	}
	dir := tracetest.Folder(t, map[string]string{LogName + ".gz": official})
	if res, err := Import(dir, Options{}); err != nil || len(res.Jobs) != 4 {
		t.Errorf("a folder with the log packed: %v", err)
	}
}

func TestLogsThatAreNotInTheFormat(t *testing.T) {
	for _, c := range []struct{ log, machines, want string }{
		{"", "", "not a JSON list of jobs"},
		{"{}", "", "not a JSON list of jobs"},
		{`[{"jobid": "a"}, {"jobid": 5}]`, "", "cluster_job_log: job 2: not a text where one belongs"},
		{`[{"jobid": "a", "submitted_time": "soon"}]`, "", `job 1: "soon": not a time of the form`},
		{`[{"jobid": "a", "attempts": [{"start_time": "2017-10-07"}]}]`, "", `job 1: attempt 1: "2017-10-07": not a time`},
		{`[{"jobid": "a", "attempts": [{}, {"end_time": "2017-10-07"}]}]`, "", `attempt 2: "2017-10-07"`},
		{`[{"jobid": "a", "attempts": 5}]`, "", "job 1: json: cannot unmarshal number"},
		{`[{"jobid": "a"}`, "", "job 2: the file ends in the middle"},
		{`[{"jobid": "a\x1b"}]`, "", "job 1: invalid character"},
		{"[{\"jobid\": \"a\xff\"}]", "", "not UTF-8"},
		{official, "m1,x,2\n", `cluster_machine_list:row 1, column 2 (number of GPUs): "x": invalid syntax`},
		{official, "m1,1\n", "2 columns instead of 3"},
	} {
		res, err := Import(folder(t, c.log, c.machines), Options{})
		tracetest.Refused(t, res, err, c.want)
	}
	if _, err := Import(t.TempDir(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	if res, err := Import(folder(t, "[]", ""), Options{}); !errors.Is(err, traces.ErrEmpty) || res == nil {
		t.Errorf("no jobs: %v", err)
	}
}

// FuzzImport imports any text: every job of the log becomes a job or is left out.
func FuzzImport(f *testing.F) {
	f.Add(official, machineList, true)
	f.Add("\ufeff"+official, "a,1,\x1b\n", false)
	f.Add(`[{"jobid":"x","submitted_time":"9999-12-31 23:59:59","attempts":[{"start_time":"0000-01-01 00:00:00","detail":[{"gpus":[1]}]}]}]`, "", true)
	f.Fuzz(func(t *testing.T, log, machines string, whole bool) {
		o := Options{Task: Grains[1]}
		if whole {
			o.Task = Grains[2]
		}
		res, err := Import(folder(t, log, machines), o)
		tracetest.Check(t, res, err)
		if res == nil {
			return
		}
		left := int64(0)
		for _, c := range res.Report.LeftOut() {
			if c.Unit == "rows" && !strings.HasPrefix(c.What, MachinesName) {
				left += c.N
			}
		}
		for _, c := range res.Report.Read() {
			if c.What == LogName && c.N != int64(len(res.Jobs))+left {
				t.Errorf("%d jobs\n%s", len(res.Jobs), res.Report)
			}
		}
	})
}
