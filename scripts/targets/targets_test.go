package targets

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// path makes a folder with these programs and no other. A script as the text of a
// program stands in for one that is not installed.
func path(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		if script != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("no %s here", name)
		}
		if err := os.Symlink(real, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read opens files that another process reads, so that go test runs a test again
// when they have changed.
func read(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTargetsWithoutWhatTheyNeed(t *testing.T) {
	read(t, "../../Makefile", "../install-oracles.sh")
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("no make here")
	}
	fake := map[string]string{"go": "echo the go command was called"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{"go": fake["go"]}
		for name, script := range more {
			all[name] = script
		}
		return all
	}
	slurm := map[string]string{}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo"} {
		slurm[name] = "exit 1"
	}
	for _, c := range []struct {
		target   string
		programs map[string]string
		args     []string
		want     []string
	}{
		{"slurm-test", with(nil), nil, []string{"make slurm-test: munged is missing", "apt-get install slurm-wlm munge"}},
		{"slurm-test", with(slurm), nil, []string{"make slurm-test: scancel is missing", "apt-get install slurm-wlm munge"}},
		{"slurm-test", nil, nil, []string{"make slurm-test: go is missing", "https://go.dev/dl"}},
		{"race", with(map[string]string{"go": "echo no-such-cc"}), nil, []string{"no-such-cc is missing", "needs a C compiler", "apt-get install gcc"}},
		{"race-short", with(map[string]string{"go": "echo no-such-cc"}), nil, []string{"no-such-cc is missing", "needs a C compiler"}},
		{"race", nil, nil, []string{"go is missing"}},
		{"compare", with(nil), []string{"PYTHON=no-such-python"}, []string{"no-such-python is missing", "make oracles"}},
		{"compare", with(map[string]string{"bare": "exit 1"}), []string{"PYTHON=bare"}, []string{"bare has no NumPy, SciPy or CVXOPT", "make oracles"}},
		{"bench-solvers", with(map[string]string{"bare": "exit 1"}), []string{"PYTHON=bare"}, []string{"make oracles"}},
		{"bench-solvers", with(map[string]string{"full": "exit 0"}), []string{"PYTHON=full"}, []string{"gcc is missing", "make oracles"}},
		{"duckdb-test", with(nil), nil, []string{"make duckdb-test: node is missing", "https://nodejs.org"}},
		{"duckdb-test", with(map[string]string{"node": "exit 1"}), []string{"DUCKDB=none"}, []string{"DuckDB is missing", "npm install --prefix none @duckdb/node-api"}},
		{"browser", nil, nil, []string{"make browser: apt-get is missing", "chromium"}},
		{"browser", map[string]string{"apt-get": "exit 0", "id": "echo 1000"}, nil, []string{"run it as root"}},
		{"browser", map[string]string{"apt-get": "exit 0", "id": "echo 0"}, nil, []string{"chromium is missing", "apt-get has installed none"}},
		{"oracles", map[string]string{"sh": "", "id": "echo 0"}, nil, []string{"no apt-get here"}},
		{"oracles", map[string]string{"sh": "", "apt-get": "exit 0", "id": "echo 1000"}, nil, []string{"run as root"}},
		{"full-size", nil, nil, []string{"make full-size: go is missing"}},
		{"survival", nil, nil, []string{"make survival: go is missing"}},
		{"fuzz", nil, nil, []string{"make fuzz: go is missing"}},
		{"damage", nil, nil, []string{"make damage: go is missing"}},
		{"build", nil, nil, []string{"make build: go is missing"}},
		{"test", nil, nil, []string{"make test: go is missing"}},
	} {
		cmd := exec.Command(program, append([]string{"-s", "-C", "../..", c.target}, c.args...)...)
		cmd.Env = []string{"PATH=" + path(t, c.programs), "HOME=" + t.TempDir()}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err == nil {
			t.Errorf("%s %q ends well", c.target, c.args)
		}
		for _, want := range c.want {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("%s %q says nothing of %q:\n%s", c.target, c.args, want, &errs)
			}
		}
		if out.Len() > 0 {
			t.Errorf("%s %q prints %q", c.target, c.args, &out)
		}
	}
}

// A run of tests in which one was skipped, none ran or one failed does not end well.
func TestUnskipped(t *testing.T) {
	read(t, "../unskipped.sh")
	for _, c := range []struct {
		script, want string
		status       int
	}{
		{"echo '--- PASS: TestA (0.01s)'", "", 0},
		{"echo '--- PASS: TestA (0.01s)'; echo '    --- SKIP: TestA/b (0.00s)'", "did not run here", 2},
		{"echo '--- SKIP: TestA (0.00s)'; echo ok", "did not run here", 2},
		{"echo 'ok leontief 0.003s [no tests to run]'", "no test ran", 2},
		{"echo '--- FAIL: TestA (0.00s)'; exit 1", "", 1},
	} {
		var errs bytes.Buffer
		cmd := exec.Command("sh", "../unskipped.sh", "sh", "-c", c.script)
		cmd.Stderr = &errs
		err := cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(errs.String(), c.want) || c.want == "" && errs.Len() > 0 {
			t.Errorf("%s: status %d, %v, %q", c.script, got, err, &errs)
		}
	}
}

// Fuzzing that finds no target, or runs no input, does not end well.
func TestFuzzingNothing(t *testing.T) {
	read(t, "../fuzz.sh")
	script, err := filepath.Abs("../fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{{"", "there is no fuzz target here"}, {"func FuzzA(f *testing.F) {}\n", "no input ran"}} {
		dir := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GO=true", "FUZZTIME=1x")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: %v, %s", c.file, err, out)
		}
	}
}
