package mapped

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

const csvRows = "job,owner,at,runtime,n,bytes,mcpu\nb,x,20.5,2, 3 ,1024,500\na,\"y,z\",10,0.5,1,2048,1500\n"

// check checks an import: every row becomes a job or is left out for a reason.
func check(t *testing.T, res *traces.Imported, err error) {
	t.Helper()
	tracetest.Check(t, res, err)
	if res == nil {
		return
	}
	if n, left := tracetest.Total(res.Report.Read(), "rows"), tracetest.Total(res.Report.LeftOut(), "rows"); n != int64(len(res.Jobs))+left {
		t.Errorf("%d rows, %d jobs, %d left out\n%s", n, len(res.Jobs), left, res.Report)
	}
}

// FuzzCSV imports any text by any mapping.
func FuzzCSV(f *testing.F) {
	dates := "columns:\n  submit: {column: at, unit: rfc3339}\n  end: {column: to, unit: rfc3339}\n  gpu: {value: \"50\", unit: percent}\ncsv: {delimiter: \";\", comment: \"#\"}\n"
	for _, mark := range []string{"", "\ufeff", "\xff\xfe"} {
		f.Add(seconds, mark+csvRows)
		f.Add(mark+seconds, csvRows)
		f.Add(mark+dates, "at;to\n# a remark\n2026-10-01T00:00:00+02:00;2026-10-01T01:00:00+02:00\n9999-12-31T23:59:59Z;0000-01-01T00:00:00Z\n")
	}
	f.Add(seconds, "job,at,runtime,n,bytes,mcpu\na,1e300,1,1,1,1\n\x1b[2J,1,1,1,1e-320,1\n\xff,1,1,1,1,1\n\"")
	f.Add("columns:\n  submit: {column: a, unit: s}\n  duration: {value: \"1e9\", unit: h}\n  cpu: {value: \"1e-150\", unit: millicores}\norigin: none\n", "a\n-1\n")
	f.Fuzz(func(t *testing.T, mapping, table string) {
		m, err := parseMapping("map.yaml", []byte(mapping))
		if err != nil {
			tracetest.Check(t, nil, err)
			return
		}
		path := filepath.Join(t.TempDir(), "jobs.csv")
		if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := Import(path, m)
		check(t, res, err)
	})
}

// FuzzParquet imports any bytes as Parquet.
func FuzzParquet(f *testing.F) {
	for _, pattern := range []string{"case-*", "*duck-nulls*", "*rust-nulls*"} {
		files, err := filepath.Glob("../parquet/testdata/foreign/" + pattern + ".parquet")
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	var mappings []*Mapping
	for _, text := range []string{
		"columns:\n  submit: {column: submitted, unit: s}\n  duration: {value: \"1\", unit: s}\n  cpu: {value: \"1\", unit: cores}\n",
		"columns:\n  id: {column: txt}\n  submit: {column: ts, unit: rfc3339}\n  duration: {column: f64, unit: s}\n  tasks: {column: i32}\n  cpu: {column: d64, unit: cores}\n  mem: {column: u64, unit: B}\n",
		"columns:\n  id: {column: id}\n  submit: {column: i64, unit: us}\n  duration: {column: f32, unit: s}\n  tasks: {column: u32}\n  cpu: {column: f64, unit: cores}\n  constraints: {column: zone}\n",
	} {
		m, err := parseMapping("map.yaml", []byte(text))
		if err != nil {
			f.Fatal(err)
		}
		mappings = append(mappings, m)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "jobs.parquet")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, m := range mappings {
			res, err := Import(path, m)
			check(t, res, err)
		}
	})
}
