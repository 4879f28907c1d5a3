package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Native rules that are programs give the rows of the native ones, to the last bit, in
// both task models, at one worker and at several.
func TestNativeRulesAsPrograms(t *testing.T) {
	commands := map[string]string{"p-tsf-er": python + " " + shipped(t, "native.py") + " tsf-er", "p-drf-er": python + " " + shipped(t, "native.py") + " drf-er",
		"js-drf-er": node + " " + shipped(t, "dominant.js"), "sh-drf-er": "sh " + shipped(t, "dominant.sh"), "p-drf": python + " " + shipped(t, "native.py") + " drf"}
	dir := t.TempDir()
	one := oneServer(t, dir)
	three, _ := filepath.Abs("../../docs/examples/cluster.json")
	for name, command := range commands {
		needs(t, strings.Fields(command)[0])
		_, native, _ := strings.Cut(name, "-")
		cluster := three
		if native == "drf" {
			cluster = one
		}
		for _, model := range []string{"fluid", "whole --slot 1h", "whole --slot 0s"} {
			out := filepath.Join(dir, name+strings.ReplaceAll(model, " ", ""))
			args := append([]string{"simulate", "--workload", "fitted", "--jobs", "40", "--cluster", cluster, "--rule", name + "=" + command,
				"--policies", native + "," + name, "--metrics", "utilization,task-ratio,envy", "--progress", "none", "--out", out, "--model"}, strings.Fields(model)...)
			if strings.HasPrefix(model, "fluid") {
				args = append(args, "--series", "24h")
			}
			if status, _, errs := do(t, args...); status != statusOK || errs != "" {
				t.Fatalf("%v: status %d, %s", args, status, errs)
			}
			for _, table := range []string{resultsFile, completionsFile, seriesFile} {
				sameRows(t, filepath.Join(out, table), native, name)
			}
		}
	}
}

// oneServer writes a cluster of one kind of servers, which drf does not pool with others.
func oneServer(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "one.json")
	if err := os.WriteFile(path, []byte(`{"resources": ["cpu", "mem"], "units": {"cpu": "fraction of the largest machine", "mem": "fraction of the largest machine", "bw": "MHz"}, "servers": [{"name": "s", "capacity": [1, 1], "count": 3}], "links": [{"name": "bw", "capacity": 2}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// every is a sweep of native rules and their twins over each kind of experiment that takes
// any rule, and all that it measures.
const every = `name: every
rules:
  p-tsf-er: /usr/bin/python3 RULES/native.py tsf-er
  p-drf-er: /usr/bin/python3 RULES/native.py drf-er
  p-drf: /usr/bin/python3 RULES/native.py drf
  sh-drf-er: sh RULES/dominant.sh
blocks:
  - name: fluid
    experiment: fluid
    instances: 2
    set: {n: 12, cluster: three, bandwidth: 2, rho: 0.7, metrics: "jct-factor,refused,utilization,task-ratio,envy,domination"}
    axes: {policy: [tsf-er, p-tsf-er, drf-er, p-drf-er, sh-drf-er]}
  - name: pooled
    experiment: fluid
    instances: 2
    set: {n: 12, cluster: one.json, metrics: "jct-factor,refused,utilization,task-ratio,envy,domination"}
    axes: {policy: [drf, p-drf]}
  - name: whole
    experiment: whole
    instances: 2
    set: {n: 12, cluster: three, bandwidth: 2, rho: 0.7, metrics: "jct-factor,refused,utilization,task-ratio,envy,counts"}
    axes: {slot: [0, 256], rounded: [no, yes], policy: [tsf-er, p-tsf-er, drf-er, p-drf-er, sh-drf-er]}
  - name: pooled-whole
    experiment: whole
    instances: 2
    set: {n: 12, cluster: one.json, metrics: "jct-factor,refused,utilization,task-ratio,envy,counts"}
    axes: {slot: [0, 256], policy: [drf, p-drf]}
  - name: present
    experiment: present
    instances: 4
    set: {n: 40, cluster: three, bandwidth: 2, rho: 0.7}
    axes: {policy: [tsf-er, p-tsf-er, drf-er, p-drf-er, sh-drf-er]}
  - name: access-points
    experiment: access-points
    set: {hours: 1}
    axes: {policy: [drf-er, p-drf-er, sh-drf-er]}
`

// In every table of a sweep the rows of a native rule and of its twin are the same.
func TestNativeRulesAsProgramsInSweeps(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	oneServer(t, dir)
	spec := filepath.Join(dir, "every.yaml")
	if err := os.WriteFile(spec, []byte(strings.ReplaceAll(every, "RULES", shipped(t, ""))), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if status, _, errs := do(t, "sweep", spec, "--out", out, "--progress", "none"); status != statusOK || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	for table, twins := range map[string]string{"fluid": "tsf-er p-tsf-er drf-er p-drf-er drf-er sh-drf-er", "pooled": "drf p-drf", "whole": "tsf-er p-tsf-er drf-er p-drf-er drf-er sh-drf-er",
		"pooled-whole": "drf p-drf", "present": "tsf-er p-tsf-er drf-er p-drf-er drf-er sh-drf-er", "access-points": "drf-er p-drf-er drf-er sh-drf-er"} {
		for pair := range slices.Chunk(strings.Fields(twins), 2) {
			sameRows(t, filepath.Join(out, table+".parquet"), pair[0], pair[1])
		}
	}
}

// sameRows wants the rows of two rules in a table to be the same.
func sameRows(t *testing.T, path, native, mine string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil && strings.HasSuffix(path, seriesFile) {
		return // of the fluid model only
	}
	if strings.HasSuffix(path, completionsFile) {
		text := func(name string) string {
			status, out, errs := do(t, "export", path, "--csv", "--where", "policy="+name)
			if status != statusOK || strings.Count(out, "\n") < 30 {
				t.Fatalf("%s: status %d, %s%s", path, status, out, errs)
			}
			return strings.ReplaceAll(out, "\n"+name+",", "\n"+native+",")
		}
		if text(native) != text(mine) {
			t.Errorf("%s: the completions of %s and %s differ", path, native, mine)
		}
		return
	}
	rows, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for _, row := range rows {
		policy := row.Policy
		row.Policy = ""
		of[policy] = append(of[policy], fmt.Sprintf("%+v %x", row, math.Float64bits(row.Value)))
	}
	if len(of[native]) < 8 || !slices.Equal(of[native], of[mine]) {
		t.Errorf("%s: %d rows of %s, %d of %s, and they are not the same", path, len(of[native]), native, len(of[mine]), mine)
	}
}
