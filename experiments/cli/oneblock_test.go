package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// What simulate writes are the rows of the same block in a sweep, to the last bit: in
// both task models, with each of its options that is a parameter.
func TestSimulateIsASpecOfOneBlock(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	leontief := func(args ...string) {
		t.Helper()
		call(t, args...)
	}
	cluster := write("cluster.json", `{"resources": ["cpu"], "servers": [{"name": "s1", "capacity": [1]}, {"name": "s2", "capacity": [0.5], "count": 2}],
		"units": {"cpu": "fraction of the largest machine"}, "links": [{"name": "bw", "capacity": 2, "servers": ["s1"]}]}`)
	trace := filepath.Join(dir, "jobs.parquet")
	leontief("traces", "generate", "--jobs", "60", "--out", trace)
	for name, of := range map[string]struct{ flags, block string }{
		"fluid": {"--trace " + trace + " --jobs 12 --policies tsf-er,mnw --metrics utilization,envy,domination --gamma rate --seed 7",
			"experiment: fluid, set: {workload: " + trace + ", n: 12, metrics: \"jct-factor, refused, utilization, envy, domination\", gamma: rate, seed: 7, "},
		"all": {"--trace " + trace + " --policies tsf-er,mnw --metrics task-ratio",
			"experiment: fluid, set: {workload: " + trace + ", n: all, metrics: \"jct-factor, refused, task-ratio\", "},
		"whole": {"--workload two-parameter --jobs 20 --policies tsf-er,mnw --model whole --slot 256s --fill tasks --split vertex --suspended last --metrics task-ratio",
			"experiment: whole, set: {workload: two-parameter, n: 20, metrics: \"jct-factor, refused, task-ratio, counts\", slot: 256, fill: tasks, split: vertex, suspended: last, "},
	} {
		t.Run(name, func(t *testing.T) {
			one, block := filepath.Join(dir, "one "+name), filepath.Join(dir, "block "+name)
			leontief(append(append([]string{"simulate"}, strings.Fields(of.flags)...), "--cluster", cluster, "--ignore", "mem", "--out", one, "--progress", "none")...)
			spec := write(name+".yaml", "name: one\nblocks: [{name: block, instances: 1, axes: {policy: [tsf-er, mnw]}, "+of.block+"cluster: "+cluster+", ignore: mem, draws: simulate}}]\n")
			leontief("sweep", spec, "--out", block, "--progress", "none")
			want, got := rowsOf(t, filepath.Join(block, "block.parquet")), rowsOf(t, filepath.Join(one, resultsFile))
			if len(got) < 8 || !slices.Equal(got, want) {
				t.Errorf("simulate:\n%v\nsweep:\n%v", got, want)
			}
		})
	}
}

// rowsOf are the rows of a table with what those of simulate say.
func rowsOf(t *testing.T, path string) []results.Row {
	rows, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		r := &rows[i]
		at := map[string]results.Value{}
		for _, name := range []string{"n", "bandwidth_mhz", "ignore"} {
			at[name] = r.Point.At(name)
		}
		r.Experiment, r.Item, r.Point = "", "", results.NewPoint(at)
	}
	return rows
}
