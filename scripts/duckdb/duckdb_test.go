package duckdb

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// column is what is known of a column of a table.
type column struct {
	Name  string
	Type  string
	Rows  int
	Nulls int
	Mean  *float64 // of the numbers that are there, of Booleans as 0 and 1; nil: none, or texts
}

// TestDuckDBReadsEveryTable has leontief write tables of all kinds and compares what
// DuckDB finds in them with what is in them: names, types, rows, nulls, means.
func TestDuckDBReadsEveryTable(t *testing.T) {
	node, modules := needDuckDB(t)
	tables := writeTables(t)
	for _, file := range []string{"jobs", "machines", "run/results", "run/completions", "run/series", "run/placements", "whole/placements", "sweep/block", "paper/fig6"} {
		if !slices.ContainsFunc(tables, func(path string) bool { return strings.HasSuffix(path, "/"+file+".parquet") }) {
			t.Errorf("no table %s among %v", file, tables)
		}
	}
	run := exec.Command(node, append([]string{"read.mjs", modules}, tables...)...)
	run.Stderr = os.Stderr
	text, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found map[string][]column
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	nulls := 0
	for _, file := range tables {
		nulls += compare(t, file, written(t, file), found[file])
	}
	if nulls == 0 {
		t.Error("no value is missing in any table: nothing is said about nulls")
	}
}

// needDuckDB finds Node.js and the package of DuckDB, or skips the test.
func needDuckDB(t *testing.T) (node, modules string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here: install Node.js, then make duckdb-test")
	}
	modules = os.Getenv("LEONTIEF_NODE")
	if _, err := os.Stat(filepath.Join(modules, "node_modules/@duckdb/node-api")); modules == "" || err != nil {
		t.Skip("LEONTIEF_NODE names no folder with DuckDB: npm install --prefix DIR @duckdb/node-api, then LEONTIEF_NODE=DIR")
	}
	return node, modules
}

// writeTables runs commands that write tables and returns the files, in order.
func writeTables(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("cluster.json"), `{"resources": ["cpu", "mem"], "servers": [{"name": "s1", "capacity": [1, 1], "count": 3}]}`)
	write(t, in("linked.json"), `{"resources": ["cpu", "mem"], "servers": [{"name": "s1", "capacity": [1, 1]}], "links": [{"name": "bw", "capacity": 2}]}`)
	write(t, in("spec.yaml"), "name: small\nblocks:\n- name: block\n  experiment: fluid\n  instances: 2\n  set: {n: 3, cluster: three}\n  axes: {policy: [tsf-er, mnw], rho: [0.5, 0.9]}\n")
	machines := []traces.Machine{{ID: "m1", CPU: 1, Mem: .5, Class: "a"}, {ID: "m2", CPU: .5, Mem: .25, GPU: 2, Class: "b"}}
	if err := traces.WriteMachines(in("machines.parquet"), machines, traces.Meta{Label: "made up (synthetic)"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"traces", "generate", "--jobs", "50", "--out", in("jobs.parquet")},
		{"simulate", "--trace", in("jobs.parquet"), "--cluster", in("cluster.json"), "--policies", "tsf,drf", "--series", "1h", "--placements", "--out", in("run")},
		{"simulate", "--trace", in("jobs.parquet"), "--cluster", in("linked.json"), "--policies", "tsf-er,fifo", "--model", "whole", "--placements", "--out", in("whole")},
		{"sweep", in("spec.yaml"), "--out", in("sweep")},
		{"reproduce", "ps-dsf", "--out", in("paper")},
	} {
		var stderr bytes.Buffer
		if status := cli.Main(args, cli.Streams{In: nil, Out: io.Discard, Err: &stderr}); status != 0 {
			t.Fatalf("%v: status %d\n%s", args, status, &stderr)
		}
	}
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".parquet" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// types are the names that DuckDB has for the kinds of columns.
var types = map[parquet.Kind]string{parquet.Int64: "BIGINT", parquet.Float64: "DOUBLE", parquet.Bool: "BOOLEAN", parquet.String: "VARCHAR"}

// written returns what is in a table, as our own reader reads it.
func written(t *testing.T, file string) []column {
	t.Helper()
	r, err := parquet.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := make([]column, len(r.Columns()))
	sums := make([]float64, len(all))
	for k, c := range r.Columns() {
		all[k] = column{Name: c.Name, Type: types[c.Kind], Rows: int(r.Rows())}
	}
	for batch, err := range r.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range r.Columns() {
			for i := range parquet.Rows(r.Columns(), batch) {
				if batch[k].Null(i) {
					all[k].Nulls++
				} else {
					sums[k] += number(&batch[k], c.Kind, i)
				}
			}
		}
	}
	for k, c := range r.Columns() {
		if there := all[k].Rows - all[k].Nulls; there > 0 && c.Kind != parquet.String {
			mean := sums[k] / float64(there)
			all[k].Mean = &mean
		}
	}
	return all
}

// number is value i, of a Boolean 0 or 1, of a text 0.
func number(v *parquet.Values, kind parquet.Kind, i int) float64 {
	switch {
	case kind == parquet.Int64:
		return float64(v.Ints[i])
	case kind == parquet.Float64:
		return v.Floats[i]
	case kind == parquet.Bool && v.Bools[i]:
		return 1
	}
	return 0
}

// compare holds what DuckDB found in a table against what is in it, and returns the
// number of values that are missing. Means may differ by the order of summation.
func compare(t *testing.T, file string, want, got []column) (nulls int) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 || want[0].Rows == 0 {
		t.Errorf("%s: %d columns of %d", file, len(got), len(want))
		return 0
	}
	for k, w := range want {
		g := got[k]
		same := (g.Mean == nil) == (w.Mean == nil)
		if same && g.Mean != nil {
			same = math.Abs(*g.Mean-*w.Mean) <= 1e-9*max(math.Abs(*g.Mean), math.Abs(*w.Mean))
		}
		g.Mean, w.Mean = nil, nil
		if !same || g != w {
			t.Errorf("%s: DuckDB has %+v (mean %v), written is %+v (mean %v)", file, g, got[k].Mean, w, want[k].Mean)
		}
		nulls += w.Nulls
	}
	return nulls
}
