package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// python is what runs the rules of docs/examples/rules; node for those in JavaScript.
const python, node = "/usr/bin/python3", "node"

// needs skips a test where a program is not there.
func needs(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s: %v", name, err)
	}
}

// shipped returns the path of a rule that is a program.
func shipped(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../docs/examples/rules/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// do runs a command line.
func do(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Main(args, Streams{strings.NewReader(""), &o, &e})
	return status, o.String(), e.String()
}

// What a program does wrong is one message with status 2, and no process is left.
func TestAProgramThatFails(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	env, _ := filepath.Abs("../../docs/examples/servers.json")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hello := "import sys, json, time\nprint('{\"leontief\": 1, \"kind\": \"normaliser\"}')\nsys.stdin.readline()\nline = sys.stdin.readline()\n"
	for name, c := range map[string]struct{ text, want string }{
		"silent.py": {hello + "time.sleep(1000)", "it did not answer within 1s; the request is in "},
		"crash.py":  {hello + "raise ValueError('no such thing')", "it ended (exit status 1) before it answered; the request is in "},
		"nan.py":    {hello + "print('{\"id\": 1, \"normaliser\": [NaN, 1]}')", "JSON has no NaN and no Infinity"},
		"mute.py":   {"", "it ended (exit status 0) before it answered"},
	} {
		path := write(name, c.text)
		status, out, errs := do(t, "allocate", env, "--policy", "mine", "--rule", "mine="+python+" "+path, "--rule-limit", "1s")
		if last := errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]; status != statusInput || out != "" || !strings.Contains(last, c.want) || !strings.Contains(last, "rule mine ("+python+" "+path+")") {
			t.Errorf("%s: status %d, %s%s", name, status, out, errs)
		}
		if name == "crash.py" && !strings.Contains(errs, "mine: ValueError: no such thing\n") {
			t.Errorf("standard error: %s", errs)
		}
		if left, err := exec.Command("ps", "-eo", "args").Output(); err == nil && strings.Contains(string(left), path) {
			t.Errorf("%s is left behind", name)
		}
	}
	// One rule that fails does not take the others with it.
	status, out, _ := do(t, "allocate", env, "--policy", "tsf-er,mine", "--format", "json", "--rule", "mine="+python+" "+filepath.Join(dir, "crash.py"))
	if status != statusOK || !strings.Contains(out, `"policy": "tsf-er"`) || !strings.Contains(out, `"error":"rule mine (`) {
		t.Errorf("status %d: %s", status, out)
	}
}

// What is wrong with the flag itself.
func TestRuleFlag(t *testing.T) {
	env, _ := filepath.Abs("../../docs/examples/servers.json")
	for _, c := range []struct {
		rules []string
		want  string
	}{
		{[]string{"mine"}, `"mine" is not of the form NAME=COMMAND`},
		{[]string{"=x"}, `not of the form NAME=COMMAND`},
		{[]string{"a=x", "a=y"}, "a is given twice"},
		{[]string{"mnw=x"}, "there is a rule of the name mnw already"},
		{[]string{"a/b=x"}, `"a/b" can not be the name of a rule`},
		{[]string{"mine=/no/such"}, "rule mine (/no/such): it cannot be started"},
	} {
		args := []string{"allocate", env, "--policy", "tsf-er"}
		for _, r := range c.rules {
			args = append(args, "--rule", r)
		}
		if status, out, errs := do(t, args...); status != statusInput || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s%s", c.rules, status, out, errs)
		}
	}
}

// The list has the rule, and the description says what it is; then it is forgotten.
func TestPoliciesShowsAProgram(t *testing.T) {
	needs(t, python)
	rule := "mine=" + python + " " + shipped(t, "native.py") + " tsf-er"
	if _, out, errs := do(t, "policies", "--rule", rule); !strings.Contains(out, "\nmine ") || !strings.Contains(out, "tsf-er in Python") || !strings.Contains(out, "\nmnw ") {
		t.Errorf("%s%s", out, errs)
	}
	if _, out, errs := do(t, "policies", "mine", "--rule", rule, "--format", "json"); !strings.Contains(out, `"version": "1"`) || !strings.Contains(out, `native.py": "`) {
		t.Errorf("%s%s", out, errs)
	}
	if status, _, _ := do(t, "policies", "mine"); status != statusInput {
		t.Errorf("status %d", status)
	}
}

const ruleSpec = `name: mine
rules: {mine: /usr/bin/python3 rule.py}
blocks:
  - name: run
    experiment: fluid
    instances: 2
    set: {n: 10, cluster: three, bandwidth: 2}
    axes: {rho: [0.5, 0.7], policy: [tsf-er, mine]}
  - name: whole
    experiment: whole
    instances: 5
    set: {n: 10, cluster: three, bandwidth: 2, rho: 0.5}
    axes: {policy: [tsf-er, mine]}
`

// A sweep stores what a program's rule gave, goes on where it was ended, shards and
// merges; a change of the program's file makes its scenarios others, and no other's.
func TestSweepOfAProgram(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	rule, err := os.ReadFile(shipped(t, "native.py"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, "spec", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "spec"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write("rule.py", strings.Replace(string(rule), "sys.argv[1]", `"tsf-er"`, 1))
	write("mine.yaml", ruleSpec)
	sweep := func(want string, args ...string) {
		t.Helper()
		status, out, errs := do(t, append([]string{"sweep", "spec/mine.yaml", "--progress", "none"}, args...)...)
		if status != statusOK || !strings.Contains(out, want) {
			t.Fatalf("%v: status %d, %s%s", args, status, out, errs)
		}
	}
	sweep("6 scenarios: 6 were run, 0 were there", "--out", "all")
	sweep("6 scenarios: 0 were run, 6 were there", "--out", "all")
	sameRows(t, "all/run.parquet", "tsf-er", "mine")
	sameRows(t, "all/whole.parquet", "tsf-er", "mine")
	for _, shard := range []string{"1", "2", "3"} {
		sweep("scenarios of shard "+shard+"/3", "--shard", shard+"/3", "--out", "part"+shard, "--workers", "3")
	}
	if status, out, errs := do(t, "merge", "part1", "part2", "part3", "--out", "merged"); status != statusOK {
		t.Fatalf("merge: status %d, %s%s", status, out, errs)
	}
	for _, name := range []string{"run.parquet", "whole.parquet", "plan.json"} {
		one, err1 := os.ReadFile("all/" + name)
		other, err2 := os.ReadFile("merged/" + name)
		if err1 != nil || err2 != nil || !bytes.Equal(one, other) {
			t.Errorf("%s: the merged one differs: %v %v", name, err1, err2)
		}
	}
	write("rule.py", "# a comment\n"+strings.Replace(string(rule), "sys.argv[1]", `"tsf-er"`, 1))
	sweep("6 scenarios: 3 were run, 3 were there", "--out", "all")
	write("rule.py", "raise SystemExit('broken')")
	status, _, errs := do(t, "sweep", "spec/mine.yaml", "--out", "all")
	if status != statusInput || !strings.Contains(errs, "spec/mine.yaml:2:15: rules.mine: rule mine (/usr/bin/python3 rule.py): it ended (exit status 1) before it answered") {
		t.Errorf("status %d: %s", status, errs)
	}
	write("mine.yaml", strings.ReplaceAll(ruleSpec, "mine", "mnw"))
	if status, _, errs = do(t, "sweep", "spec/mine.yaml", "--out", "all"); status != statusInput || !strings.Contains(errs, "rules.mnw: there is a rule of the name mnw already") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// A program that fails in a sweep ends it with one message; what was stored is there,
// and the mended program goes on with new scenarios.
func TestASweepLosesNothing(t *testing.T) {
	needs(t, python)
	rule, err := os.ReadFile(shipped(t, "native.py"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TMPDIR", dir)
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Replace(string(rule), "sys.argv[1]", `"tsf-er"`, 1)
	write("mine.yaml", ruleSpec)
	write("rule.py", strings.Replace(text, `        env = request`, `        assert request["id"] < 2, "enough"
        env = request`, 1))
	status, _, errs := do(t, "sweep", "mine.yaml", "--out", "all", "--workers", "1", "--progress", "none")
	if status != statusInput || strings.Count(errs, "rule mine (") != 1 || !strings.Contains(errs, "more scenarios ended with the same") || !strings.Contains(errs, "mine: AssertionError: enough\n") || !strings.Contains(errs, " < "+dir) {
		t.Fatalf("status %d: %s", status, errs)
	}
	write("rule.py", text)
	if status, out, errs := do(t, "sweep", "mine.yaml", "--out", "all", "--workers", "1", "--progress", "none"); status != statusOK || strings.Contains(out, " 0 were there") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// The audit finds for a program the witnesses that it finds for its twin in Go of the
// same name, by which it draws: the same table, proofs and files, at any number of workers.
func TestAuditOfAProgram(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	audit := func(folder, workers string, more ...string) string {
		args := append([]string{"audit", "mine", "--property", "EF,SI,PM,RM,SMF", "--environments", "400", "--no-known", "--progress", "none",
			"--workers", workers, "--out", filepath.Join(dir, folder), "--format", "markdown"}, more...)
		status, out, errs := do(t, args...)
		if status != statusOK || strings.Count(out, "✗") < 4 || !strings.Contains(out, "3/7 : 1/2") {
			t.Fatalf("%v: status %d, %s%s", args, status, out, errs)
		}
		return out
	}
	remove, err := policies.Add(policies.Meta{Name: "mine", Title: "asset fairness", Claims: []policies.Claim{
		{Property: policies.EF, Holds: true}, {Property: policies.PO, Holds: true}, {Property: policies.SP, Holds: true}, {Property: policies.SI}},
		New: func(policies.Params) (policies.Policy, error) { return policies.Egalitarian(assets), nil }})
	if err != nil {
		t.Fatal(err)
	}
	want := audit("twin", "1")
	remove()
	for _, workers := range []string{"1", "3"} {
		if got := audit(workers, workers, "--rule", "mine="+python+" "+shipped(t, "asset.py")); got != want {
			t.Errorf("%s workers: %s, and the twin %s", workers, got, want)
		}
		for _, name := range []string{"SI", "RM", "SMF"} {
			mine, err1 := os.ReadFile(filepath.Join(dir, workers, "mine-"+name+".json"))
			twin, err2 := os.ReadFile(filepath.Join(dir, "twin", "mine-"+name+".json"))
			if err1 != nil || err2 != nil || !bytes.Equal(mine, twin) {
				t.Errorf("%s: %s, and the twin's %s (%v, %v)", name, mine, twin, err1, err2)
			}
		}
	}
}

// assets is the rule of asset.py.
func assets(env *cluster.Environment) ([]float64, error) {
	if len(env.Links) > 0 || cluster.Features(env)&cluster.DemandOn != 0 {
		return nil, &policies.UnsupportedError{Reason: "links, or demands that differ between servers"}
	}
	norm := make([]float64, len(env.Users))
	for j, user := range env.Users {
		sum := 0.0
		for r, d := range user.Demand {
			if d > 0 {
				sum += d / env.TotalCapacity(r)
			}
		}
		norm[j] = 1 / sum
	}
	return norm, nil
}

const equalDivision = `import json, sys
for line in sys.stdin:
    q = json.loads(line)
    if "leontief" in q:
        print(json.dumps({"leontief": 1, "kind": "allocation", "title": "equal division"}))
        continue
    env, x = q["environment"], []
    n = len(env["users"])
    for u in env["users"]:
        own = [min(s["capacity"][r] / d for r, d in enumerate(u["demand"]) if d > 0) / n for s in env["servers"]]
        for link, d in zip(env["links"], u["link_demand"]):
            own = [v * min(1, link["capacity"] / n / d / sum(own)) for v in own]
        x.append(own)
    print(json.dumps({"id": q["id"], "allocation": x}))
`

// A rule that answers with allocations goes through both task models: fluid, and rounded
// with whole tasks. Equal division has one answer, up to rounding.
func TestAnAllocationAsAProgram(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	path := filepath.Join(dir, "equal.py")
	if err := os.WriteFile(path, []byte(equalDivision), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"fluid", "whole --slot 1h"} {
		args := append([]string{"simulate", "--workload", "fitted", "--jobs", "30", "--cluster", "../../docs/examples/cluster.json", "--rule", "mine=" + python + " " + path,
			"--policies", "eq,mine", "--progress", "none", "--out", filepath.Join(dir, model), "--model"}, strings.Fields(model)...)
		status, out, errs := do(t, args...)
		_, differences, _ := strings.Cut(out, "less eq")
		if status != statusOK || !strings.Contains(differences, "jct_factor") {
			t.Fatalf("%v: status %d, %s%s", args, status, out, errs)
		}
		if model == "fluid" && strings.ContainsAny(strings.ReplaceAll(differences, "_", ""), "123456789") {
			t.Errorf("%s: %s", model, out)
		}
	}
}
