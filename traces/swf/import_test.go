package swf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// official is a small log in the layout of the archive. In the order of its records:
// a job of 4 processors with memory requested and used, submitted last; one of which
// only the allocated processors are known; a failed one that had 2 of the 3
// processors it requested; a cancelled one that never ran; one that ran for no time;
// a suspended job and its two bursts; a job's number again; one that waited for job 2,
// with decimals.
const official = `; Version: 2.2
; Computer: Toy (made up)
; Installation: Nowhere
; UnixStartTime: 1000000000
; MaxRecords: 12
; MaxNodes: 4
; MaxProcs: 8
; Note: nothing in here
;       is real
; Queue: 1 short
;
  1  60  5  100   4   90.5 1048576   4  200 2097152  1  7 1 3 1 1 -1 -1

  2   0 -1   30   2     -1  524288  -1   -1      -1  1  7 1 -1 1 1 -1 -1
  3  10  0   40   2     -1      -1   3   50      -1  0  8 1 -1 1 1 -1 -1
  4  20 -1   -1  -1     -1      -1   2   50      -1  5  8 1 -1 1 1 -1 -1
  5  25  0    0   1     -1      -1   1   50      -1  1  8 2 -1 1 1 -1 -1
  6  30  0   50   1     -1       0   1   99       0  1  8 2 -1 1 1 -1 -1
  6  -1  0   20   1     -1       0   1   -1       0  2  8 2 -1 1 1 -1 -1
  6  -1  9   30   1     -1       0   1   -1       0  3  8 2 -1 1 1 -1 -1
  1  70  0   10   1     -1       0   1   -1       0  1  8 2 -1 1 1 -1 -1
  9  80  0  1.5   16    -1    1024  16   -1      64 -1 -1 2 -1 1 1  2 10
`

func imported(t *testing.T, text string, o Options) *traces.Imported {
	t.Helper()
	res, err := Import(tracetest.File(t, "toy.swf", text), o)
	return tracetest.Must(t, res, err)
}

func TestProcessorsAlone(t *testing.T) {
	for _, name := range []string{"toy.swf", "toy.swf.gz"} {
		res, err := Import(tracetest.File(t, name, official), Options{Memory: "none"})
		tracetest.Must(t, res, err)
		want := []traces.Job{
			{ID: "2", User: "7", SubmitUS: 0, Tasks: 2, DurationUS: 30e6, CPU: 1},
			{ID: "3", User: "8", SubmitUS: 10e6, Tasks: 3, DurationUS: 40e6, CPU: 1},
			{ID: "6", User: "8", SubmitUS: 30e6, Tasks: 1, DurationUS: 50e6, CPU: 1},
			{ID: "1", User: "7", SubmitUS: 60e6, Tasks: 4, DurationUS: 100e6, CPU: 1},
			{ID: "9", SubmitUS: 80e6, Tasks: 16, DurationUS: 1.5e6, CPU: 1},
		}
		wantReport := `read
            10 rows   ` + name + `
kept
             5 jobs   jobs
             4 machines  machines of the header
            26 tasks  tasks
left out
             2 rows   a burst of a suspended job (status 2, 3 or 4): the job's own record counts
             1 rows   a job a second time: the first record counts
             1 rows   a run time of 0 s
             1 rows   no run time
noted
             1 jobs   more processors than the header's MaxProcs
             1 jobs   no user stated: a tenant of its own
             1 jobs   not in order of submission in the log
             1 jobs   processors allocated count: those requested are not known
             1 jobs   requested another number of processors than were allocated
             1 jobs   status failed
             1 jobs   status not known
             1 jobs   waited for a preceding job: submitted when the log says
             1 lines  header: nothing in here
             2 rows   that the header promises (MaxRecords) and the file has not
`
		tracetest.Same(t, res, want, wantReport)
		m := res.Meta
		if m.Label != "real" || m.Units != "cpu: cores" || m.Source != "Standard Workload Format; Toy (made up); Nowhere" ||
			!strings.Contains(m.Options, `"UnixStartTime":"1000000000"`) || !strings.Contains(m.Options, `"memory":"none"`) {
			t.Errorf("%+v", m)
		}
		if len(res.Machines) != 4 || res.Machines[3] != (traces.Machine{ID: "node-4", CPU: 2, Class: "node"}) {
			t.Errorf("%+v", res.Machines)
		}
	}
}

func TestChoices(t *testing.T) {
	res := imported(t, official, Options{})
	want := []traces.Job{
		{ID: "1", User: "7", SubmitUS: 60e6, Tasks: 4, DurationUS: 100e6, CPU: 1, Mem: 2},
		{ID: "9", SubmitUS: 80e6, Tasks: 16, DurationUS: 1.5e6, CPU: 1, Mem: 1. / 16384},
	}
	if d := diff.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	if n := res.Report.LeftOutFor("rows", "no requested memory (column 10)"); n != 2 || res.Meta.Units != "cpu: cores; mem: GiB" {
		t.Errorf("%d without, %+v", n, res.Meta)
	}
	if n := res.Report.LeftOutFor("rows", "0 KB of requested memory (column 10)"); n != 1 || res.Machines != nil || res.NoMachines == "" {
		t.Errorf("%d of zero, machines %v", n, res.Machines)
	}
	res = imported(t, official, Options{Memory: "used", Task: "job"})
	want = []traces.Job{
		{ID: "2", User: "7", SubmitUS: 0, Tasks: 1, DurationUS: 30e6, CPU: 2, Mem: 1},
		{ID: "1", User: "7", SubmitUS: 60e6, Tasks: 1, DurationUS: 100e6, CPU: 4, Mem: 4},
		{ID: "9", SubmitUS: 80e6, Tasks: 1, DurationUS: 1.5e6, CPU: 16, Mem: 1. / 64},
	}
	if d := diff.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	res = imported(t, official, Options{Memory: "none", Processors: "allocated", Label: "mine (synthetic)"})
	if j := res.Jobs[1]; j.ID != "3" || j.Tasks != 2 || res.Meta.Label != "mine (synthetic)" {
		t.Errorf("%+v", res.Jobs)
	}
	for tenant, want := range map[string]string{"group": "1 1 2 1 2", "executable": " 3", "queue": "1 1 1 1 1", "partition": "1 1 1 1 1"} {
		got := ""
		for _, j := range imported(t, official, Options{Memory: "none", Tenant: tenant}).Jobs {
			got += " " + j.User
		}
		if strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("by %s: %q", tenant, got)
		}
	}
	if _, err := Import(tracetest.File(t, "toy.swf", official), Options{Memory: "all"}); err == nil || !strings.Contains(err.Error(), `"all"`) {
		t.Errorf("memory all: %v", err)
	}
}

// A log without memory is imported on processors alone only if that is asked for.
func TestNoMemoryIsSaid(t *testing.T) {
	res, err := Import(tracetest.File(t, "toy.swf", "1 0 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"), Options{})
	if !errors.Is(err, traces.ErrEmpty) || res == nil || !strings.Contains(err.Error(), "1 records lack only the requested memory: --memory none") {
		t.Errorf("%v", err)
	}
}

// What logs of the archive and elsewhere have: blanks, tabs and line ends of other
// systems, comments in the middle, Latin-1 and remarks in headers, columns beyond
// the 18th, negative numbers of any size, a submission before the log's beginning.
func TestOddities(t *testing.T) {
	text := "\ufeff;Computer:  \xc5ke's\r\n; MaxProcs: 8 (and 2 for logins)\r\n\t1\t0\t0\t10.25\t1\t-1\t-1\t1\t-1\t-1\t6\t1\t1\t1\t1\t1\t-1\t-1\r\n" +
		" ; Note: a comment below\r\n\r\n" +
		"2 5 0 10 9 -1 -1 9 -1 -1 1 1 1 1 1 1 -1 -1 77 x\r\n" +
		"3 5 0 -7 9 -1 -1 9 -1 -1 1 1 1 1 1 1 -1 -1\r\n" +
		"4 -12 0 7 9 -1 -1 9 -1 -1 1 1 1 1 1 1 -1 -1\r\n" +
		"5 9 0 7 0 -1 -1 0 -1 -1 1 1 1 1 1 1 -1 -1\r\n" +
		"6 9 0 7 2.5 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\r\n" +
		"7 9 0 7 -1 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\r\n"
	res := imported(t, text, Options{Memory: "none"})
	want := []traces.Job{
		{ID: "1", User: "1", SubmitUS: 0, Tasks: 1, DurationUS: 10.25e6, CPU: 1},
		{ID: "2", User: "1", SubmitUS: 5e6, Tasks: 9, DurationUS: 10e6, CPU: 1},
	}
	if d := diff.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	tracetest.LeftOutOnce(t, res, "rows", "no run time", "no submission time", "0 processors", "a number of processors that is not whole", "no number of processors")
	for _, note := range []string{"more than 18 columns", "a status that the format does not have", "more processors than the header's MaxProcs", "header: a comment below"} {
		if !strings.Contains(res.Report.String(), note) {
			t.Errorf("no %q:\n%s", note, res.Report)
		}
	}
	if !strings.Contains(res.Meta.Source, "\ufffdke's") || res.Meta.Label != "unlabelled" || !strings.Contains(res.NoMachines, "MaxNodes") {
		t.Errorf("%+v, %s", res.Meta, res.NoMachines)
	}
}

func TestRowsThatAreNotInTheFormat(t *testing.T) {
	const rest = " 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
	tracetest.RefusedTexts(t, "toy.swf", [][2]string{
		{"; a header\n1 0" + rest + "\n2 0 1\n", "toy.swf:row 4: 3 columns instead of 18"},
		{"x 0" + rest, `row 1, column 1 (job number): "x": invalid syntax`},
		{"-1 0" + rest, `column 1 (job number): "-1": negative`},
		{"1 0" + rest + "2 NaN" + rest, `row 2, column 2 (submit time): "NaN": not finite`},
		{"1 1e11" + rest, `column 2 (submit time): "1e11": beyond any log`},
		{"1 0 0 10 1 -1 -1 1 -1 -1 1 \x1b[2J 1 1 1 1 -1 -1\n", `column 12 (user): "\x1b[2J": invalid syntax`},
		{"1 \xff" + rest, "not UTF-8"},
		{"\xff\xfe1\x000", "UTF-16"},
	}, func(path string) (*traces.Imported, error) { return Import(path, Options{}) })
	if _, err := Import(tracetest.File(t, "toy.swf", "; nothing\n"), Options{}); !errors.Is(err, traces.ErrEmpty) {
		t.Errorf("no records: %v", err)
	}
	if _, err := Import(filepath.Join(t.TempDir(), "absent.swf"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestMachinesOfTheHeader(t *testing.T) {
	const job = "1 0 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
	for header, want := range map[string]string{
		"; MaxNodes: 3\n; MaxProcs: 8\n":           "not a multiple",
		"; MaxNodes: -3\n; MaxProcs: 8\n":          "no MaxNodes and MaxProcs",
		"; MaxNodes: x\n":                          "no MaxNodes and MaxProcs",
		"; MaxNodes: 2097152\n; MaxProcs: 2097152": "beyond any machine",
	} {
		if res := imported(t, header+"\n"+job, Options{Memory: "none"}); res.Machines != nil || !strings.Contains(res.NoMachines, want) {
			t.Errorf("%q: %d machines, %q", header, len(res.Machines), res.NoMachines)
		}
	}
}

// twin reads a log in the obvious way: all numbers of a line at once.
func twin(text string) map[string][3]int64 {
	jobs, seen := map[string][3]int64{}, map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), ";") || strings.TrimSpace(line) == "" {
			continue
		}
		var f [18]float64
		for i, word := range strings.Fields(line) {
			f[i], _ = strconv.ParseFloat(word, 64)
		}
		id := fmt.Sprint(f[0])
		if seen[id] || f[10] == 2 || f[10] == 3 || f[10] == 4 {
			continue
		}
		seen[id] = true
		processors := f[7]
		if processors <= 0 {
			processors = f[4]
		}
		if f[1] >= 0 && f[3] > 0 && processors > 0 {
			jobs[id] = [3]int64{int64(f[1] * 1e6), int64(processors), int64(f[3] * 1e6)}
		}
	}
	return jobs
}

func same(t *testing.T, text string, jobs []traces.Job) {
	t.Helper()
	want := twin(text)
	if len(jobs) != len(want) {
		t.Errorf("%d jobs, the twin has %d", len(jobs), len(want))
	}
	for _, j := range jobs {
		if got := [3]int64{j.SubmitUS, j.Tasks, j.DurationUS}; got != want[j.ID] {
			t.Errorf("job %s: %v, the twin has %v", j.ID, got, want[j.ID])
		}
	}
}

func TestImportAgreesWithTheTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		var b strings.Builder
		b.WriteString("1 0 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n")
		for range 1 + rng.IntN(60) {
			f := []any{1 + rng.IntN(40), rng.IntN(1000) - 5, 0, float64(rng.IntN(400)-4) / 4, rng.IntN(6) - 1, -1, -1, rng.IntN(6) - 1, -1, -1, rng.IntN(7) - 1, 1, 1, 1, 1, 1, -1, -1}
			fmt.Fprintln(&b, f...)
		}
		same(t, b.String(), imported(t, b.String(), Options{Memory: "none"}).Jobs)
	}
}

// TestHPC2N imports a part of a log of the archive, where it is at hand.
func TestHPC2N(t *testing.T) {
	path := tracetest.AtHand(t, "swf/hpc2n-part.swf")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Import(path, Options{Memory: "none"})
	tracetest.Must(t, res, err)
	same(t, string(text), res.Jobs)
	users := map[string]int{}
	for _, j := range res.Jobs {
		users[j.User]++
	}
	if len(users) != 17 || users[""] != 0 { // the 18th has no job that ran
		t.Errorf("users %v", users)
	}
	read := tracetest.Total(res.Report.Read(), "rows")
	if n := res.Report.LeftOutFor("rows", "no run time"); read != 3170 || n != 25 || len(res.Jobs) != 3145 || len(res.Machines) != 240 {
		t.Errorf("%d machines\n%s", len(res.Machines), res.Report)
	}
	if res, err = Import(path, Options{}); err != nil || len(res.Jobs) != 3 {
		t.Errorf("with memory requested: %v\n%s", err, res.Report)
	}
	if res, err = Import(path, Options{Memory: "used"}); err != nil || len(res.Jobs) != 1038 {
		t.Errorf("with memory used: %v\n%s", err, res.Report)
	}
}

// FuzzImport imports any text: every record becomes a job or is left out.
func FuzzImport(f *testing.F) {
	f.Add(official, uint8(0))
	f.Add("\ufeff"+official, uint8(7))
	f.Add("; Note: \x1b[2J\xff\n1 0 0 1e-7 1 -1 1e-320 1 -1 1e10 1 1 1 1 1 1 -1 -1\n", uint8(2))
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		o := Options{Memory: Memories[choice%3], Processors: Counts[choice/3%2], Task: Grains[choice/6%2], Tenant: Tenants[choice/12%5]}
		res, err := Import(tracetest.File(t, "toy.swf", text), o)
		tracetest.Check(t, res, err)
		tracetest.Accounted(t, res)
		if res != nil && slices.ContainsFunc(res.Machines, func(m traces.Machine) bool { return m.CPU < 1 }) {
			t.Errorf("%+v", res.Machines)
		}
	})
}
