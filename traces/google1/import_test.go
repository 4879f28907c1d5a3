package google1

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

const header = "Time ParentID TaskID JobType NrmlTaskCores NrmlTaskMem \n"

// official is a small file in the official layout: job 7 has two tasks, of
// three and one periods; job 8 ran before the file begins, job 9 when it
// ends; a task of job 7 used no cpu; of job 10 nothing is known but zeros.
const official = header +
	"90000 8 80 3 0.1 0.1\n" +
	"90300 7 70 0 0.01 0.03\n" +
	"90300 7 71 0 0.04 0.01\n" +
	"90300 10 100 2 0 0\n" +
	"90600 8 80 3 0.1 0.1\n" +
	"90900 7 70 0 0.03 0.05\n" +
	"90900 7 72 0 0 0.05\n" +
	"91200 9 90 1 0.5 0.25\n"

func TestImport(t *testing.T) {
	for _, name := range []string{FileName, FileName + ".gz"} {
		path := tracetest.File(t, name, official)
		for _, from := range []string{path, filepath.Dir(path)} {
			res, err := Import(from, Options{})
			tracetest.Must(t, res, err)
			want := []traces.Job{
				// Task 70: (0.02, 0.04) over 900 s; task 71: (0.04, 0.01) over 300 s.
				{ID: "7", SubmitUS: 90300e6, Tasks: 2, DurationUS: 600e6, CPU: 0.03, Mem: 0.025},
				{ID: "9", SubmitUS: 91200e6, Tasks: 1, DurationUS: 300e6, CPU: 0.5, Mem: 0.25, Censored: true},
			}
			wantReport := `read
             8 rows   google-cluster-data-1.csv
kept
             2 jobs   jobs
             3 tasks  tasks
left out
             1 jobs   none of its tasks is usable
             1 jobs   ran in the first period: began before the trace at an unknown time
             2 tasks  used no cpu or no memory
noted
             1 jobs   ran in the last period: ends at an unknown time (censored)
             1 tasks  did not run in every period between its first and last
`
			tracetest.Same(t, res, want, wantReport)
			if res.Meta.Label != "real" || len(res.Meta.Checksum) != 64 || !strings.Contains(res.Meta.Units, "not requests") {
				t.Errorf("%+v", res.Meta)
			}
		}
	}
}

func TestKeeping(t *testing.T) {
	res, err := Import(tracetest.File(t, FileName, official), Options{KeepZero: true, KeepFirst: true})
	tracetest.Must(t, res, err)
	want := []traces.Job{
		{ID: "8", SubmitUS: 90000e6, Tasks: 1, DurationUS: 900e6, CPU: 0.1, Mem: 0.1},
		{ID: "7", SubmitUS: 90300e6, Tasks: 3, DurationUS: 500e6, CPU: 0.02, Mem: 0.04},
		{ID: "9", SubmitUS: 91200e6, Tasks: 1, DurationUS: 300e6, CPU: 0.5, Mem: 0.25, Censored: true},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
}

// The order of the rows does not matter.
func TestAnyOrderOfRows(t *testing.T) {
	want, err := Import(tracetest.File(t, FileName, official), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rows := strings.SplitAfter(strings.TrimPrefix(official, header), "\n")
		rows = rows[:len(rows)-1]
		rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
		got, err := Import(tracetest.File(t, FileName, header+strings.Join(rows, "")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Jobs, got.Jobs); d != "" {
			t.Fatal(d)
		}
	}
}

func TestTheDocumentationsNameOfTheJob(t *testing.T) {
	if _, err := Import(tracetest.File(t, FileName, strings.Replace(official, "ParentID", "JobID", 1)), Options{}); err != nil {
		t.Error(err)
	}
}

func TestRowsThatAreNotInTheFormat(t *testing.T) {
	tracetest.RefusedTexts(t, FileName, [][2]string{
		{"", "empty, without the names"},
		{"90000 8 80 3 0.1 0.1\n", "row 1: not the names of the columns"},
		{header + "90000 8 80 3 0.1\n", "row 2: 5 columns instead of 6"},
		{header + "90000 8 80 3 0.1 0.1 0.1\n", "row 2: 7 columns"},
		{header + "90000 8 80 3 0.1 0.1\n9x 8 80 3 0.1 0.1\n", `row 3, column 1 (Time): "9x": invalid syntax`},
		{header + "-1 8 80 3 0.1 0.1\n", `column 1 (Time): "-1": negative`},
		{header + "90000 8 80 4 0.1 0.1\n", `column 4 (JobType): "4": not a job type`},
		{header + "90000 8 80 3 -0.1 0.1\n", `column 5 (NrmlTaskCores): "-0.1": negative`},
		{header + "9999999999 8 80 3 0.1 0.1\n", "column 1 (Time): \"9999999999\": beyond any trace"},
		{header + "90000 8 80 3 1e10 0.1\n", "column 5 (NrmlTaskCores): \"1e10\": not a normalised amount"},
		{header + "90000 8 80 3 0.1 NaN\n", `column 6 (NrmlTaskMem): "NaN": not finite`},
		{header + "90000 8 99999999999999999999 3 0.1 0\n", "column 3 (TaskID): \"99999999999999999999\": value out of range"},
	}, func(path string) (*traces.Imported, error) { return Import(path, Options{}) })
}

func TestNothingUsable(t *testing.T) {
	res, err := Import(tracetest.File(t, FileName, header+"90000 8 80 3 0.1 0.1\n"), Options{})
	if !errors.Is(err, traces.ErrEmpty) || res == nil || len(res.Report.LeftOut()) == 0 {
		t.Errorf("%v, %+v", err, res)
	}
	if _, err := Import(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), FileName) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestTruncatedGzip(t *testing.T) {
	path := tracetest.File(t, FileName+".gz", official)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{5, len(data) / 2, len(data) - 4} {
		if err := os.WriteFile(path, data[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Import(path, Options{}); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

// slow is the obvious twin: every task's rows kept and folded at the end.
func slow(rows [][6]float64) map[int64][3]float64 {
	first, byJob := rows[0][0], map[int64]map[int64][][6]float64{}
	for _, r := range rows {
		first = min(first, r[0])
		job := int64(r[1])
		if byJob[job] == nil {
			byJob[job] = map[int64][][6]float64{}
		}
		byJob[job][int64(r[2])] = append(byJob[job][int64(r[2])], r)
	}
	out := map[int64][3]float64{}
	for job, tasks := range byJob {
		var cores []float64
		begin, spans := 1e18, 0.0
		for _, of := range tasks {
			low, high, sum := of[0][0], of[0][0], 0.0
			for _, r := range of {
				low, high, sum = min(low, r[0]), max(high, r[0]), sum+r[4]
			}
			begin, spans = min(begin, low), spans+high+300-low
			cores = append(cores, sum/float64(len(of)))
		}
		if begin == first {
			continue
		}
		slices.Sort(cores)
		n := len(cores)
		out[job] = [3]float64{begin * 1e6, spans / float64(n), (cores[(n-1)/2] + cores[n/2]) / 2}
	}
	return out
}

func TestImportAgreesWithTheTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		var rows [][6]float64
		text := header
		for range 50 + rng.IntN(200) {
			r := [6]float64{float64(300 * rng.IntN(12)), float64(rng.IntN(15)), float64(rng.IntN(4)), 0, float64(1+rng.IntN(9)) / 16, 0.5}
			rows = append(rows, r)
			text += fmt.Sprintln(r[0], r[1], r[2], r[3], r[4], r[5])
		}
		want := slow(rows)
		res, err := Import(tracetest.File(t, FileName, text), Options{})
		if err != nil && len(want) > 0 {
			t.Fatal(err)
		}
		if len(res.Jobs) != len(want) {
			t.Fatalf("%d jobs, want %d", len(res.Jobs), len(want))
		}
		for _, j := range res.Jobs {
			var id int64
			fmt.Sscan(j.ID, &id)
			got := [3]float64{float64(j.SubmitUS), float64(j.DurationUS) / 1e6, j.CPU}
			for k, w := range want[id] {
				if d := got[k] - w; d > 1e-5 || d < -1e-5 {
					t.Fatalf("job %d: %v, want %v", id, got, want[id])
				}
			}
		}
	}
}

// FuzzImport imports any text: every task of a job is kept or left out.
func FuzzImport(f *testing.F) {
	f.Add(official, true, true)
	f.Add("\ufeff"+official, false, false)
	f.Add("\xff\xfeT\x00", false, true)
	f.Add(header+"300 1 1 0 1e-320 1\n300 \x1b[2J 1 0 1 1\n", true, false)
	f.Fuzz(func(t *testing.T, text string, keepZero, keepFirst bool) {
		res, err := Import(tracetest.File(t, FileName, text), Options{KeepZero: keepZero, KeepFirst: keepFirst})
		tracetest.Check(t, res, err)
		if res != nil && tracetest.Total(res.Report.Kept(), "jobs") != int64(len(res.Jobs)) {
			t.Errorf("%d jobs\n%s", len(res.Jobs), res.Report)
		}
	})
}
