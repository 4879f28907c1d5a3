package slurm

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

const names = "JobID|JobName|User|Group|Account|Partition|QOS|Priority|Submit|Start|End|Elapsed|State|NNodes|ReqCPUS|AllocCPUS|ReqMem|ReqTRES|AllocTRES|Constraints\n"

// official is in the form that sacct of Slurm 22.05 writes: a job of three
// processors; one of two nodes with GPUs; its steps; one cancelled before it
// started, and one before anything was looked at; two elements of an array, and those that have not started; a job of six
// processors that asked for no nodes and got two; a component of a heterogeneous job;
// one that is alone on its node; one that runs on; one without memory.
const official = names +
	"1|wrap|ann|g|physics|main|normal|4294901759|2026-10-01T08:01:00|2026-10-01T08:02:00|2026-10-01T08:04:00|00:02:00|COMPLETED|1|3|3|600M|billing=3,cpu=3,mem=600M,node=1|billing=3,cpu=3,mem=600M,node=1|\n" +
	"1.batch|batch|||physics||||2026-10-01T08:02:00|2026-10-01T08:02:00|2026-10-01T08:04:00|00:02:00|COMPLETED|1|3|3|||cpu=3,mem=600M,node=1|\n" +
	"2|train|bob|g|physics|gpu|high|7|2026-10-01T08:00:00|2026-10-01T08:00:00|2026-10-02T10:03:04|1-02:03:04|TIMEOUT|2|4|4|2G|billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=2G,node=2|billing=4,cpu=4,gres/gpu=2,mem=2G,node=2|a100&ib\n" +
	"2.extern|extern|||physics||||2026-10-01T08:00:00|2026-10-01T08:00:00|2026-10-02T10:03:04|1-02:03:04|COMPLETED|2|4|4|||cpu=4,mem=2G,node=2|\n" +
	"2.0|python|||physics||||2026-10-01T08:00:00|2026-10-01T08:00:00|2026-10-02T10:03:04|1-02:03:04|COMPLETED|2|4|4|||cpu=4,mem=2G,node=2|\n" +
	"4|wrap|ann|g|physics|main|normal|1|2026-10-01T08:05:00|None|2026-10-01T08:06:00|00:00:00|CANCELLED by 1000|1|1|1|100M|billing=1,cpu=1,mem=100M,node=1||\n" +
	"3_1|wrap|ann|g|chem|main|normal|1|2026-10-01T08:05:00|2026-10-01T08:06:00|2026-10-01T08:06:10|00:00:10|COMPLETED|1|1|1|500M|billing=1,cpu=1,mem=500M,node=1|billing=1,cpu=1,mem=500M,node=1|\n" +
	"3_2|wrap|ann|g|chem|main|normal|1|2026-10-01T08:05:00|2026-10-01T08:06:00|2026-10-01T08:06:20|00:00:20|FAILED|1|1|1|500M|billing=1,cpu=1,mem=500M,node=1|billing=1,cpu=1,mem=500M,node=1|\n" +
	"3_[3-10%2]|wrap|ann|g|chem|main|normal|1|2026-10-01T08:05:00|Unknown|Unknown|00:00:00|PENDING|1|1|1|500M|billing=1,cpu=1,mem=500M,node=1||\n" +
	"17|wrap|bob|g|chem|main|normal|1|2026-10-01T08:10:00|2026-10-01T08:10:00|2026-10-01T08:10:05|00:05|OUT_OF_MEMORY|2|6|6|600M|billing=6,cpu=6,mem=600M,node=1|billing=6,cpu=6,mem=600M,node=2|\n" +
	"7+1|het|bob|g|chem|main|normal|1|2026-10-01T08:11:00|2026-10-01T08:11:00|2026-10-01T08:11:05|00:00:05|COMPLETED|1|1|1|1T|billing=1,cpu=1,mem=1T,node=1|billing=1,cpu=1,mem=1T,node=1|\n" +
	"9|alone||g|chem|main|normal|1|2026-10-01T08:12:00|2026-10-01T08:12:00|2026-10-01T08:12:05|00:00:05|CANCELLED by 0|1|2|4|300M|billing=2,cpu=2,mem=300M,node=1|billing=4,cpu=4,gres/gpu=2,mem=300M,node=1|\n" +
	"18|on|bob|g|chem|main|normal|1|2026-10-01T08:13:00|2026-10-01T08:13:00|Unknown|00:01:40|RUNNING|1|1|1|524288K|billing=1,cpu=1,mem=524288K,node=1|billing=1,cpu=1,mem=524288K,node=1|\n" +
	"19|nomem|bob|g|chem|main|normal|1|2026-10-01T08:14:00|2026-10-01T08:14:00|2026-10-01T08:15:00|00:01:00|COMPLETED|1|1|1|0|billing=1,cpu=1,node=1|billing=1,cpu=1,node=1|\n" +
	"20|soon|ann|g|physics|main|normal|1|2026-10-01T08:05:00|2026-10-01T08:05:00|2026-10-01T08:05:00|00:00:00|CANCELLED by 0|1|1|1|100M|billing=1,cpu=1,mem=100M,node=1||\n" +
	"1|again|ann|g|physics|main|normal|1|2026-10-01T09:01:00|2026-10-01T09:02:00|2026-10-01T09:04:00|00:02:00|COMPLETED|1|3|3|600M|billing=3,cpu=3,mem=600M,node=1|billing=3,cpu=3,mem=600M,node=1|\n"

func imported(t *testing.T, text string, o Options) *traces.Imported {
	t.Helper()
	res, err := Import(tracetest.File(t, "sacct.txt", text), o)
	return tracetest.Must(t, res, err)
}

const day = 26*3600 + 3*60 + 4 // 1-02:03:04

func TestImport(t *testing.T) {
	for _, name := range []string{"sacct.txt", "sacct.txt.gz"} {
		res, err := Import(tracetest.File(t, name, official), Options{})
		tracetest.Must(t, res, err)
		want := []traces.Job{
			{ID: "2", User: "bob", Priority: 7, SubmitUS: 0, Tasks: 2, DurationUS: day * 1e6, CPU: 2, Mem: 1, GPU: 1},
			{ID: "1", User: "ann", Priority: 4294901759, SubmitUS: 60e6, Tasks: 1, DurationUS: 120e6, CPU: 3, Mem: 600. / 1024},
			{ID: "3_1", User: "ann", Priority: 1, SubmitUS: 300e6, Tasks: 1, DurationUS: 10e6, CPU: 1, Mem: 500. / 1024},
			{ID: "3_2", User: "ann", Priority: 1, SubmitUS: 300e6, Tasks: 1, DurationUS: 20e6, CPU: 1, Mem: 500. / 1024},
			{ID: "17", User: "bob", Priority: 1, SubmitUS: 600e6, Tasks: 2, DurationUS: 5e6, CPU: 3, Mem: 300. / 1024},
			{ID: "7+1", User: "bob", Priority: 1, SubmitUS: 660e6, Tasks: 1, DurationUS: 5e6, CPU: 1, Mem: 1024},
			{ID: "9", Priority: 1, SubmitUS: 720e6, Tasks: 1, DurationUS: 5e6, CPU: 2, Mem: 300. / 1024},
			{ID: "18", User: "bob", Priority: 1, SubmitUS: 780e6, Tasks: 1, DurationUS: 100e6, CPU: 1, Mem: 0.5, Censored: true},
		}
		wantReport := `read
            16 rows   ` + name + `
kept
             8 jobs   jobs
            10 tasks  tasks
left out
             1 rows   0 of memory
             1 rows   a JobID a second time (requeued): the first row counts
             3 rows   a step (as 123.batch): its job has a row of its own
             2 rows   never started: state CANCELLED
             1 rows   never started: state PENDING
noted
             1 jobs   asked for features of nodes (Constraints): not looked at
             1 jobs   components of heterogeneous jobs: they started together
             1 jobs   no user stated: a tenant of its own
             1 jobs   runs on: its duration is that so far (censored)
             1 jobs   state CANCELLED
             1 jobs   state FAILED
             1 jobs   state OUT_OF_MEMORY
             1 jobs   state RUNNING
             1 jobs   state TIMEOUT
             8 jobs   times without a zone: read in UTC
`
		tracetest.Same(t, res, want, wantReport)
		if m := res.Meta; m.Units != "cpu: cores; mem: GiB; gpu: GPUs" || m.Label != "real" || !strings.Contains(m.Options, `"origin":"2026-10-01T08:00:00Z"`) {
			t.Errorf("%+v", m)
		}
	}
}

func TestChoices(t *testing.T) {
	find := func(res *traces.Imported, id string) traces.Job {
		for _, j := range res.Jobs {
			if j.ID == id {
				j.Priority, j.DurationUS = 0, 0
				return j
			}
		}
		return traces.Job{}
	}
	res := imported(t, official, Options{Resources: "allocated", Tenant: "account"})
	if got, want := find(res, "9"), (traces.Job{ID: "9", User: "chem", SubmitUS: 720e6, Tasks: 1, CPU: 4, Mem: 300. / 1024, GPU: 2}); got != want {
		t.Errorf("allocated: %+v", got)
	}
	without := strings.Replace(official, "gres/gpu=2,mem=300M,node=1", "gres/gpu=2,node=1", 1)
	if res = imported(t, without, Options{Resources: "allocated"}); find(res, "9").Mem != 300./1024 || !strings.Contains(res.Report.String(), "1 jobs   memory that was requested") {
		t.Errorf("memory is not allocated: %+v\n%s", find(res, "9"), res.Report)
	}
	res = imported(t, official, Options{Task: "job", Tenant: "qos"})
	if got, want := find(res, "2"), (traces.Job{ID: "2", User: "high", Tasks: 1, CPU: 4, Mem: 2, GPU: 2}); got != want {
		t.Errorf("a task a job: %+v", got)
	}
	res = imported(t, official, Options{Task: "cpu", Tenant: "partition"})
	if got, want := find(res, "2"), (traces.Job{ID: "2", User: "gpu", Tasks: 4, CPU: 1, Mem: 0.5, GPU: 0.5}); got != want {
		t.Errorf("a task a processor: %+v", got)
	}
	res = imported(t, official, Options{Memory: "none", Tenant: "group"})
	if got, want := find(res, "19"), (traces.Job{ID: "19", User: "g", SubmitUS: 840e6, Tasks: 1, CPU: 1}); got != want || res.Meta.Units != "cpu: cores; gpu: GPUs" {
		t.Errorf("without memory: %+v, %s", got, res.Meta.Units)
	}
	if res = imported(t, official, Options{Zone: "America/New_York"}); !strings.Contains(res.Meta.Options, "2026-10-01T12:00:00Z") {
		t.Errorf("zone: %s", res.Meta.Options)
	}
	for _, o := range []Options{{Zone: "Local"}, {Zone: "\x1b"}, {Task: "core"}, {Resources: "used"}} {
		if _, err := Import(tracetest.File(t, "sacct.txt", official), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// What versions before 21.08 write: memory per processor (c) or per node (n), no
// trackable resources; the order, the case and the trailing | of the columns; seconds
// since 1970, and times with a zone.
func TestOldVersionsAndOtherColumns(t *testing.T) {
	text := "state|reqmem|NCPUS|ReqCPUS|submit|ElapsedRaw|NNodes|JobID|ReqGRES|\n" +
		"COMPLETED|512Mc|4|4|100|60|2|a||\n" +
		"COMPLETED|1.5Gn|4|4|1970-01-01T01:01:41+01:00|60|2|b|0|\n" +
		"COMPLETED|2048|8|4|1970-01-01T00:01:42.5Z|60|1|c||\n" +
		"COMPLETED|1G|5|5|103|60|2|d||\n" +
		"COMPLETED|1G|5|5|104|60|2|e|gpu:2|\n" +
		"COMPLETED|0n|1|1|104|60|1|f||\n" +
		"CANCELLED+|1G|1|1|104|0|1|g||\n" +
		"COMPLETED|1G|0|0|104|1|1|h||\n" +
		"COMPLETED|1G|1|1|Unknown|1|1|i||\n" +
		"COMPLETED|1G|1||104|1|1|j||\n" +
		"COMPLETED|?|1|1|104|1|1|k||\n" +
		"NEW|1G|1|1|104|7|1|l||\n"
	res := imported(t, text, Options{})
	want := []traces.Job{
		{ID: "a", SubmitUS: 0, Tasks: 2, DurationUS: 60e6, CPU: 2, Mem: 1},
		{ID: "b", SubmitUS: 1e6, Tasks: 2, DurationUS: 60e6, CPU: 2, Mem: 1.5},
		{ID: "c", SubmitUS: 2.5e6, Tasks: 1, DurationUS: 60e6, CPU: 4, Mem: 2},
		{ID: "d", SubmitUS: 3e6, Tasks: 2, DurationUS: 60e6, CPU: 2.5, Mem: 0.5},
		{ID: "l", SubmitUS: 4e6, Tasks: 1, DurationUS: 7e6, CPU: 1, Mem: 1},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	tracetest.LeftOutOnce(t, res, "rows", "GPUs that only ReqGRES tells of: their number is not known", "0 of memory", "never started: state CANCELLED",
		"0 processors", "no submission time", "no number of processors", "no memory")
	if res.Meta.Units != "cpu: cores; mem: GiB" || !strings.Contains(res.Report.String(), "1 jobs   state another one") {
		t.Errorf("%s\n%s", res.Meta.Units, res.Report)
	}
	if res = imported(t, text, Options{Resources: "allocated"}); res.Jobs[2].CPU != 8 || res.Jobs[2].Mem != 2 {
		t.Errorf("allocated: %+v", res.Jobs[2])
	}
}

// Without Elapsed the times of start and end tell, and what runs on is left out.
func TestStartAndEnd(t *testing.T) {
	const head, one = "JobID|Submit|Start|End|ReqTRES\n", "|cpu=1,mem=1G,node=1\n"
	res := imported(t, head+"1|5|10|20"+one+"2|5|20|10"+one+"3|5|20|20"+one+"4|5|20|Unknown"+one+"5|5|Unknown|Unknown"+one, Options{})
	if len(res.Jobs) != 1 || res.Jobs[0].DurationUS != 10e6 {
		t.Errorf("%+v", res.Jobs)
	}
	tracetest.LeftOutOnce(t, res, "rows", "end before start", "ran less than a second", "runs on, and the file has no Elapsed", "never started: state not stated")
	// A night in which the clock goes back: the difference is real time.
	res, err := Import(tracetest.File(t, "sacct.txt", head+"1|2026-10-25T00:30:00|2026-10-25T00:30:00|2026-10-25T04:30:00"+one), Options{Zone: "Europe/Berlin"})
	if err != nil || res.Jobs[0].DurationUS != 5*3600e6 {
		t.Errorf("%v: %+v", err, res.Jobs)
	}
}

func TestNoMemoryIsSaid(t *testing.T) {
	res, err := Import(tracetest.File(t, "sacct.txt", "JobID|Submit|ElapsedRaw|ReqTRES\n1|5|10|cpu=1,node=1\n"), Options{})
	if !errors.Is(err, traces.ErrEmpty) || res == nil || !strings.Contains(err.Error(), "1 rows lack only memory: --memory none") {
		t.Errorf("%v", err)
	}
}

func TestFilesThatAreNotInTheFormat(t *testing.T) {
	const head = "JobID|Submit|ElapsedRaw|ReqTRES\n"
	tracetest.RefusedTexts(t, "sacct.txt", [][2]string{
		{"", "empty, without the names"},
		{"JobID           User    State\n------------ --------- ----------\n", "no column JobID between |: sacct --parsable2"},
		{"1|5|10|cpu=1\n", "no column JobID"},
		{"JobID|ElapsedRaw|ReqTRES\n", "no column Submit"},
		{"JobID|Submit|ReqTRES\n", "no column ElapsedRaw"},
		{"JobID|Submit|End|AllocTRES\n", "no column ReqTRES (what was requested: --resources)"},
		{head + "1|5|10|cpu=1|x\n", "row 2: 5 columns instead of 4 (a | in a job's name?"},
		{head + "\n1|soon|10|cpu=1\n", `row 3, column 2 (Submit): "soon": not a time of the form`},
		{head + "1|5|-1|cpu=1\n", `column 3 (ElapsedRaw): "-1": beyond the clock`},
		{head + "1|5|1|cpu\n", `column 4 (ReqTRES): "cpu": not a list as cpu=4`},
		{head + "1|5|1|cpu=1,cpu=2\n", "not a list"},
		{head + "1|5|1|cpu=1K\n", "not a number (sacct --noconvert"},
		{head + "1|5|1|cpu=-1\n", "negative"},
		{head + "1|5|1|cpu=1,mem=1e-300\n", "must be 0 or from"},
		{head + "1|5|1|cpu=1,mem=1X\n", "not a number"},
		{head + "1\xff|5|1|cpu=1\n", "not UTF-8"},
		{head + "1|5|1|gres/gpu:a=x,cpu=1\n", "not a number"},
	}, func(path string) (*traces.Imported, error) { return Import(path, Options{}) })
	if _, err := Import(tracetest.File(t, "sacct.txt", head), Options{Tenant: "qos"}); err == nil || !strings.Contains(err.Error(), "no column QOS (--tenant)") {
		t.Errorf("no such tenant: %v", err)
	}
}

func TestElapsed(t *testing.T) {
	for text, want := range map[string]int64{"00:00:01": 1e6, "02:03": 123e6, "1-00:00:00": 86400e6, "100-23:59:59": (100*86400 + 86399) * 1e6, "00:01.250": 1.25e6} {
		if got, err := elapsed(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"1", "1-2", "1-2:3", "a:b:c", "1:2:3:4", "1.5-00:00:00", "0x1:2", "-1:00", "99999999999-00:00:00", "1-02:03:", "+1:00"} {
		if got, err := elapsed(text); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
}

func TestMemory(t *testing.T) {
	for text, want := range map[string]float64{"1G": 1, "1024M": 1, "1048576K": 1, "2T": 2048, "1P": 1 << 20, "1024": 1, "7.5G": 7.5, "0": 0} {
		if got, err := memory(text); err != nil || math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "G", "1g", "1GB", "-1G", "NaN", "1e13"} {
		if got, err := memory(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzImport imports any text: every row becomes a job or is left out.
func FuzzImport(f *testing.F) {
	f.Add(official, uint8(0))
	f.Add("\ufeff"+official, uint8(3))
	f.Add("JobID|Submit|ElapsedRaw|ReqCPUS|ReqMem|NNodes\n1\x1b|5|1|1|5Gc|2\n", uint8(1))
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		o := Options{Resources: Resources[choice%2], Memory: Memories[choice/2%2], Task: Grains[choice/4%3], Tenant: Tenants[choice/12%5]}
		res, err := Import(tracetest.File(t, "sacct.txt", text), o)
		tracetest.Check(t, res, err)
		tracetest.Accounted(t, res)
	})
}
