package run

import (
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// One job of 3 tasks waits for 2 s and takes 10 s; another is refused.
func TestCompletionRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "completions.parquet")
	start, end, factor, alone := int64(3_000_000), int64(11_000_000), 0.8, 8e6
	err := parquet.WriteRows(path, func(yield func(Completion, error) bool) {
		_ = yield(Completion{Policy: "p", JobID: "a", Tasks: 3, Refused: true}, nil) &&
			yield(Completion{Policy: "p", JobID: "b", Tasks: 3, SubmitUS: 1_000_000, FirstStartUS: &start, CompletionUS: &end, JCTFactor: &factor, StandaloneUS: &alone, Workload: "made up"}, nil)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, refused, err := CompletionRows(path, []string{"tasks", "policy"})
	if err != nil || refused != 1 || len(rows) != 5 {
		t.Fatalf("%v, %d refused, %d rows", err, refused, len(rows))
	}
	want := map[string]float64{results.MetricJCTFactor: 0.8, results.MetricCompletion: 10, MetricWaiting: 2}
	for _, r := range rows[:3] {
		if r.Value != want[r.Metric] || r.User != "1" || r.Point.Number("tasks") != 3 || r.Timed {
			t.Errorf("%+v", r)
		}
	}
	if s, e := rows[3], rows[4]; s.TimeS != 3 || s.Value != 1 || e.TimeS != 11 || e.Value != 0 || s.Metric != MetricRunning {
		t.Errorf("%+v, %+v", s, e)
	}
	if _, _, err := CompletionRows(path, []string{"colour"}); err == nil {
		t.Error("a column that is not there")
	}
}
