package results

import (
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCellsThatASpreadsheetWouldRunAreMarked(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "job-7": "job-7", "a=b": "a=b", "5": "5", "naïve": "naïve", "it's": "it's", " ": " ",
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\tx": "'\tx", "\r=1": "'\r=1", "\n1": "'\n1", " =1": "' =1", "\u00a0=1": "'\u00a0=1", "\u200b=1": "'\u200b=1",
		"＝1": "'＝1", "'=1": "''=1", "'": "''",
	} {
		if got := CSVText(text); got != want {
			t.Errorf("%q is written %q, not %q", text, got, want)
		}
	}
}

// What is written can be read back, and nothing that is written begins like a formula.
func TestMarkedCellsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[=+@'\t -]{0,3}[a-z]?`)).Draw(t, "text")
		cell := CSVText(text)
		if back := strings.TrimPrefix(cell, "'"); back != text {
			t.Fatalf("%q is written %q and read %q", text, cell, back)
		}
		if begin := strings.TrimSpace(cell); begin != "" && strings.ContainsRune("=+-@", rune(begin[0])) {
			t.Fatalf("%q is written %q", text, cell)
		}
	})
}

// Of exported cells texts are marked, and numbers are as they were.
func TestExportedNumbersStayNumbers(t *testing.T) {
	cell := Cell{Key{Policy: "=1+1", Point: pointOf("n=2,a=+x"), Item: "@x", User: "-u", Metric: "\tm", Unit: "=", Workload: "'w"}, Summary{-2, -3, -1, 4}}
	var b strings.Builder
	if err := WriteCells(&b, []Cell{cell}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[1][i]
	}
	for name, want := range map[string]string{"policy": "'=1+1", "item": "'@x", "user": "'-u", "a": "'+x", "metric": "'\tm", "unit": "'=",
		"workload": "''w", "mean": "-2", "low": "-3", "high": "-1", "n": "2", "instances": "4"} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
}

// The means of a time series say of which time they are; the values as they are written
// one by one.
func TestCSVOfATimeSeriesHasItsTimes(t *testing.T) {
	var rows []Row
	for at := range 2 {
		r := Row{Policy: "p", Metric: MetricWaitingTasks, Unit: UnitTasks, Value: float64(at) + 0.5, Workload: "made up"}
		r.At(60 * float64(at))
		rows = append(rows, r)
	}
	cells, err := Summarize(rows)
	if err != nil {
		t.Fatal(err)
	}
	var means, values strings.Builder
	if err := WriteCells(&means, cells); err != nil {
		t.Fatal(err)
	}
	if want := "item,policy,user,workload,metric,time_s,mean,low,high,instances,unit\n,p,,made up,waiting_tasks,0,0.5,,,1,tasks\n,p,,made up,waiting_tasks,60,1.5,,,1,tasks\n"; means.String() != want {
		t.Errorf("%s", means.String())
	}
	if err := WriteValues(&values, rows); err != nil {
		t.Fatal(err)
	}
	if want := "item,policy,user,workload,instance,time_s,metric,value,unit\n,p,,made up,0,0,waiting_tasks,0.5,tasks\n,p,,made up,0,60,waiting_tasks,1.5,tasks\n"; values.String() != want {
		t.Errorf("%s", values.String())
	}
}
