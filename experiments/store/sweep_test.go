package store

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/stream"
)

// notesVariable names the file in which instances of the kind noting note that
// they were run.
const notesVariable = "LEONTIEF_TEST_NOTES"

// rowsVariable is the number of rows of an instance of [testSweep].
const rowsVariable = "LEONTIEF_TEST_ROWS"

// inBothForms runs a test with results that have a folder each, and with some that are
// lines of the journal.
func inBothForms(t *testing.T, test func(t *testing.T)) {
	for form, rows := range map[string]string{"folders": "20", "lines": "2"} {
		t.Run(form, func(t *testing.T) {
			t.Setenv(rowsVariable, rows)
			test(t)
		})
	}
}

// asLines reports whether the results of [testSweep] are lines of the journal.
func asLines() bool { return os.Getenv(rowsVariable) == "2" }

// noting is a kind that takes a little time and notes what it does.
type noting struct{ s spec.Scenario }

func (n noting) Instance(_ context.Context, i int) ([]results.Row, error) {
	if path := os.Getenv(notesVariable); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(f, n.s.ID(), i)
		f.Close()
	}
	time.Sleep(time.Duration(n.s.Number("ms") * float64(time.Millisecond)))
	rng := stream.New("noting", n.s.Seed, n.s.Text("point"), i)
	var rows []results.Row
	for range n.s.WholeNumber("rows") {
		rows = append(rows, results.Row{Policy: "p" + n.s.Text("point"), Metric: results.MetricJCTFactor, Value: rng.Float64()})
	}
	return rows, nil
}

func (n noting) Source() run.Workload {
	return run.Workload{Label: "made up (synthetic)", Checksum: "c", LeftOut: map[string]int{"odd": int(n.s.WholeNumber("point"))}}
}

func init() {
	// The checksum of the test's own binary takes longer than all else.
	ThisProgram = func() (ProgramID, error) { return ProgramID{Packages: "test"}, nil }
	spec.RegisterKind(spec.Kind{
		Name: "noting (test)", Title: "instances that note that they were run",
		Parameters: []spec.Parameter{
			{Name: "point", Unit: "1", Doc: "Number.", Required: true, Canonical: spec.WholeNumber(0, 1000)},
			{Name: "rows", Unit: "1", Doc: "Rows of an instance.", Default: "20", Canonical: spec.WholeNumber(1, 1000)},
			{Name: "ms", Unit: "ms", Doc: "Time an instance takes.", Default: "1", Canonical: spec.Number(0, 10000)},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return noting{s}, nil },
	})
}

// testSweep is a plan of scenarios of three instances each, in two tables.
func testSweep(t testing.TB, points int, ms float64) *Sweep {
	var first, second []string
	for i := range points {
		if i%2 == 0 {
			first = append(first, fmt.Sprint(i))
		} else {
			second = append(second, fmt.Sprint(i))
		}
	}
	rows := cmp.Or(os.Getenv(rowsVariable), "20")
	text := fmt.Sprintf(`name: survival
seed: 5
blocks:
  - {name: even, experiment: noting (test), instances: 3, set: {ms: %g, rows: %s}, axes: {point: [%s]}}
  - {name: odd, experiment: noting (test), instances: 3, set: {ms: %g, rows: %s}, axes: {point: [%s]}}
`, ms, rows, strings.Join(first, ", "), ms, rows, strings.Join(second, ", "))
	return sweepOf(t, text)
}

func init() {
	results.RegisterMetrics(results.Metric{Name: "m", Unit: results.UnitRatio, Definition: "Made up for tests."})
}

func sweepOf(t testing.TB, text string) *Sweep {
	spec, err := spec.ParseSpec("test.yaml", []byte(text), spec.Choice{})
	if err == nil {
		var p *Sweep
		if p, err = NewSweep(spec); err == nil {
			return p
		}
	}
	if t == nil {
		panic(err)
	}
	t.Fatal(err)
	return nil
}

// bytesOf returns the files of a finished folder but what was found damaged.
func bytesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	return resulttest.Files(t, folder, damagedDir)
}

// Rows have the parameters of their scenario, and its seed.
func TestRowsHaveTheParametersOfTheirScenario(t *testing.T) {
	for text, want := range map[string][]string{
		"{axes: {point: [1, 2], seed: [8, 9]}, experiment: noting (test)}": {"ms=1.0,point=1,rows=20,seed=8", "ms=1.0,point=1,rows=20,seed=9", "ms=1.0,point=2,rows=20,seed=8", "ms=1.0,point=2,rows=20,seed=9"},
		"{axes: {point: [1, 2]}, experiment: noting (test)}":               {"ms=1.0,point=1,rows=20,seed=1", "ms=1.0,point=2,rows=20,seed=1"},
	} {
		plan := sweepOf(t, "blocks: ["+text+"]")
		folder := filepath.Join(t.TempDir(), "out")
		if _, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 2}); err != nil {
			t.Fatal(err)
		}
		rows, err := results.ReadTable(filepath.Join(folder, "results.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got := rows[20*i].Point; got != resulttest.Point(want[i]) {
				t.Errorf("scenario %d: parameters %v, want %q", i, got, want[i])
			}
		}
	}
}
