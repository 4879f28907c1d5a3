package sweeps_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	_ "github.com/leontief-sim/leontief/experiments/sweeps" // registers what is tested
	"github.com/leontief-sim/leontief/traces"
)

// planOf expands a spec.
func planOf(t *testing.T, file, text string, c spec.Choice) *store.Sweep {
	t.Helper()
	spec, err := spec.ParseSpec(file, []byte(text), c)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := store.NewSweep(spec)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// tablesOf runs a spec and reads its tables.
func tablesOf(t *testing.T, plan *store.Sweep) map[string][]results.Row {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	result, err := plan.Run(context.Background(), store.SweepOptions{Folder: folder, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]results.Row{}
	for _, name := range result.Tables {
		rows, err := results.ReadTable(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		tables[strings.TrimSuffix(name, ".parquet")] = rows
	}
	return tables
}

const ownCluster = `{"resources": ["cpu", "mem"], "servers": [{"name": "s", "capacity": [0.2, 0.2], "count": 3}], "links": [{"name": "up", "capacity": 1}]}`

// writeOwn writes a cluster and a trace with jobs that do not fit it.
func writeOwn(t *testing.T, dir string) {
	t.Helper()
	jobs := []traces.Job{
		{ID: "a", Tasks: 4, DurationUS: 1e6, CPU: .1, Mem: .1},
		{ID: "b", Tasks: 2, SubmitUS: 10, DurationUS: 2e6, CPU: .05, Mem: .1},
		{ID: "large", Tasks: 1, SubmitUS: 20, DurationUS: 1e6, CPU: .1, Mem: .9},
		{ID: "gpu", Tasks: 1, SubmitUS: 30, DurationUS: 1e6, GPU: 1},
	}
	if err := errors.Join(traces.WriteJobs(filepath.Join(dir, "jobs.parquet"), jobs, traces.Meta{Source: "here", Label: "real"}),
		os.WriteFile(filepath.Join(dir, "cluster.json"), []byte(ownCluster), 0o666)); err != nil {
		t.Fatal(err)
	}
}

const ownSpec = `blocks:
  - experiment: %
    set: {workload: jobs.parquet, n: all, cluster: cluster.json, ignore: gpu, metrics: "utilization, jct-factor, refused, task-ratio, envy"}
    axes: {policy: [tsf-er, mnw], bandwidth: [1, 2]}
`

// One's own trace on one's own cluster, found beside the spec; what can not run
// is counted.
func TestOwnTraceAndCluster(t *testing.T) {
	for _, kind := range []string{"fluid", "whole"} {
		dir := t.TempDir()
		writeOwn(t, dir)
		plan := planOf(t, filepath.Join(dir, "own.yaml"), strings.ReplaceAll(ownSpec, "%", kind), spec.Choice{})
		metrics := map[string]int{}
		for _, row := range tablesOf(t, plan)["results"] {
			name, _, _ := strings.Cut(row.Metric, ":")
			metrics[name]++
			if row.Workload != "real; ignored: gpu (1 job)" || row.Point.Number("n") != 4 || row.Point.Text("cluster") == "" || row.Point.Text("ignore") != "gpu" || row.Point.Text("source") == "" || row.Point.Number("bandwidth_mhz") == 0 {
				t.Errorf("row %+v", row)
			}
			if row.Metric == results.MetricRefused && row.Value != 1 {
				t.Errorf("%g jobs refused, want 1: another needs nothing", row.Value)
			}
		}
		for _, name := range []string{results.MetricJCTFactor, results.MetricMinTaskRatio, results.MetricSIViolation, results.MetricMinEFSat, results.MetricRefused} {
			if metrics[name] != 4 {
				t.Errorf("%s: %d rows of %s, want 4", kind, metrics[name], name)
			}
		}
		if metrics[results.MetricMeanUtilization] < 12 {
			t.Errorf("%s: %d rows of utilization", kind, metrics[results.MetricMeanUtilization])
		}
	}
}

// A file is known by its content: renamed it gives the same scenarios, changed
// others, and changed in the middle of a run an error.
func TestFilesAreKnownByTheirContent(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	file, text := filepath.Join(dir, "own.yaml"), strings.ReplaceAll(ownSpec, "%", "fluid")
	plan := planOf(t, file, text, spec.Choice{})
	if err := os.Rename(filepath.Join(dir, "cluster.json"), filepath.Join(dir, "renamed.json")); err != nil {
		t.Fatal(err)
	}
	renamed := planOf(t, file, strings.ReplaceAll(text, "cluster.json", "renamed.json"), spec.Choice{})
	if renamed.Hash() != plan.Hash() {
		t.Error("a renamed file makes another plan")
	}
	path := filepath.Join(dir, "renamed.json")
	if err := os.WriteFile(path, []byte(strings.Replace(ownCluster, "0.2", "0.25", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := renamed.Run(context.Background(), store.SweepOptions{Folder: filepath.Join(dir, "out"), Workers: 1}); !errors.Is(err, spec.ErrChanged) {
		t.Errorf("error %v", err)
	}
	changed := planOf(t, file, strings.ReplaceAll(text, "cluster.json", "renamed.json"), spec.Choice{})
	if changed.Hash() == plan.Hash() {
		t.Error("a changed file makes the same plan")
	}
}

func TestKindsRefuseWhatDoesNotGoTogether(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	const bad = `blocks:
  - {experiment: fluid, set: {n: 5, policy: mnw, cluster: three}}
  - {experiment: fluid, set: {n: 5, policy: mnw, cluster: cluster.json, rho: 0.5}}
  - {experiment: fluid, set: {n: 5, policy: fifo, cluster: cloud}}
  - {experiment: whole, set: {n: 5, policy: fifo, cluster: cloud, metrics: domination}}
  - {experiment: whole, set: {n: none, policy: "mnw[x=1]", cluster: absent.json, bandwidth: 0, workload: nope, slot: -1}}
  - {experiment: fluid, set: {n: 5, policy: mnw, cluster: jobs.parquet, draws: "a b"}}
  - {experiment: whole, set: {n: 5, policy: mnw, cluster: cloud}}
  - {experiment: present, set: {n: all, policy: mnw, cluster: cluster.json, workload: jobs.parquet}}
  - {experiment: present, set: {n: all, policy: mnw, cluster: cluster.json, workload: jobs.parquet, ignore: "gpu,cpu"}}
`
	_, err := spec.ParseSpec(filepath.Join(dir, "bad.yaml"), []byte(bad), spec.Choice{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"bad.yaml:2:5: blocks[0]: rho: the cluster three needs it",
		"bad.yaml:3:5: blocks[1]: rho: it is for the cluster three",
		`bad.yaml:4:45: blocks[2].set.policy: policy fifo is of whole tasks`,
		`bad.yaml:5:76: blocks[3].set.metrics: "domination" is not one of`,
		`bad.yaml:6:34: blocks[4].set.n: "none" is not a whole number`,
		"bad.yaml:6:48: blocks[4].set.policy: ", "bad.yaml:6:69: blocks[4].set.cluster: ", "absent.json",
		`bad.yaml:6:93: blocks[4].set.bandwidth: "0" is not a positive number`,
		`bad.yaml:6:106: blocks[4].set.workload: "nope" is not one of`,
		"bad.yaml:6:118: blocks[4].set.slot: -1 is not in",
		`bad.yaml:7:80: blocks[5].set.draws: "a b" is not a plain name`,
		`bad.yaml:8:5: blocks[6]: workload fitted (synthetic) on the cluster cloud: cpu: the jobs count in "fraction of the largest machine", the cluster in "cores"`,
		`cluster.json: 1 of 4 jobs request gpu, which the cluster has not`,
		`cluster.json: ignore cpu: the cluster has it`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
}

// What can not be drawn, or run at all, is an error that says so.
func TestNothingToRun(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	for want, text := range map[string]string{
		"9 jobs are to be drawn from 4": "blocks: [{experiment: fluid, set: {workload: jobs.parquet, n: 9, cluster: cluster.json, ignore: gpu, policy: mnw}}]",
		"are to be drawn from 2":        "blocks: [{experiment: fluid, set: {workload: jobs.parquet, first: 2, n: 3, cluster: cluster.json, ignore: gpu, policy: mnw}}]",
		"no job of the 4 drawn can run": "blocks: [{experiment: fluid, set: {workload: jobs.parquet, n: all, cluster: tiny.json, ignore: gpu, policy: mnw}}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, "tiny.json"), []byte(strings.ReplaceAll(ownCluster, "0.2", "0.01")), 0o666); err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, filepath.Join(dir, "own.yaml"), text, spec.Choice{})
		_, err := plan.Run(context.Background(), store.SweepOptions{Folder: filepath.Join(t.TempDir(), "out"), Workers: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What is ignored is part of the scenario, however it is written: a result from
// before it was asked for, or with something else ignored, is another.
func TestWhatIsIgnoredIsPartOfTheScenario(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	ids := map[string][]string{}
	for _, ignored := range []string{"gpu", "gpu,mem", "mem+gpu", " mem , gpu", "mem"} {
		text := strings.Replace(strings.ReplaceAll(ownSpec, "%", "fluid"), "ignore: gpu", `ignore: "`+ignored+`"`, 1)
		text = strings.Replace(text, "cluster.json", "onlycpu.json", 1)
		onlyCPU := `{"resources": ["cpu"], "servers": [{"name": "s", "capacity": [0.2]}], "links": [{"name": "up", "capacity": 1}]}`
		if err := os.WriteFile(filepath.Join(dir, "onlycpu.json"), []byte(onlyCPU), 0o666); err != nil {
			t.Fatal(err)
		}
		parsed, err := spec.ParseSpec(filepath.Join(dir, "own.yaml"), []byte(text), spec.Choice{})
		if whole := strings.Contains(ignored, "mem") && strings.Contains(ignored, "gpu"); whole != (err == nil) {
			t.Errorf("ignore %q: error %v", ignored, err)
		}
		if err != nil {
			continue
		}
		plan, err := store.NewSweep(parsed)
		if err != nil {
			t.Fatal(err)
		}
		ids[text] = plan.Blocks[0].Scenarios
	}
	if len(ids) != 3 || !slices.Equal(ids["gpu,mem"], ids["mem+gpu"]) || !slices.Equal(ids["gpu,mem"], ids[" mem , gpu"]) {
		t.Errorf("scenarios %v", ids)
	}
	plain, err := spec.NewScenario("fluid", map[string]string{"n": "5", "cluster": "three", "rho": "0", "policy": "mnw"}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	ignoring, err := spec.NewScenario("fluid", map[string]string{"n": "5", "cluster": "three", "rho": "0", "policy": "mnw", "ignore": "gpu"}, 1, 1)
	if err != nil || plain.ID() == ignoring.ID() {
		t.Errorf("one scenario with and without: %v", err)
	}
}

// With all jobs present at once the shares are those of one allocation: two jobs
// that fill one server each, of three that are alike, hold a third of the cluster's
// tasks each or more.
func TestPresentJobsDivideTheClusterOnce(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	plan := planOf(t, filepath.Join(dir, "own.yaml"), `blocks:
  - {experiment: present, set: {workload: jobs.parquet, n: all, cluster: cluster.json, ignore: gpu, bandwidth: 1000000}, axes: {policy: [tsf-er, eq]}}
`, spec.Choice{})
	values := map[string]float64{}
	for _, row := range tablesOf(t, plan)["results"] {
		values[row.Policy+" "+row.Metric] = row.Value
	}
	// a (.1, .1) alone runs 6 tasks, b (.05, .1) as well; memory is divided equally.
	for name, want := range map[string]float64{"tsf-er share": .5, "eq share": .5, "tsf-er jobs_refused": 1, "eq jobs_refused": 1} {
		if got, ok := values[name]; !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
}

// Checking every invariant changes no number, and says how often it was done.
func TestVerifiedRunsAreTheSame(t *testing.T) {
	dir := t.TempDir()
	writeOwn(t, dir)
	table := func(verify string) (rows []results.Row, instants float64) {
		plan := planOf(t, filepath.Join(dir, "own.yaml"), `blocks:
  - {experiment: whole, set: {workload: jobs.parquet, n: all, cluster: cluster.json, ignore: gpu, slot: 1, metrics: "jct-factor,counts", verify: `+verify+`}, axes: {policy: [tsf-er, mnw]}}
`, spec.Choice{})
		for _, row := range tablesOf(t, plan)["results"] {
			if row.Metric == results.MetricVerified {
				instants += row.Value
				continue
			}
			rows = append(rows, row)
		}
		return rows, instants
	}
	plain, none := table("no")
	checked, instants := table("yes")
	if !slices.Equal(plain, checked) || len(plain) != 2*4 || none != 0 || instants < 4 {
		t.Errorf("%d and %d rows, %g and %g instants", len(plain), len(checked), none, instants)
	}
}
