//go:build slurm

package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

const spec = `name: slurm
blocks:
  - name: gaps
    experiment: fluid
    instances: 3
    set: {n: 100, cluster: three, bandwidth: 2}
    axes:
      rho: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
      policy: [tsf-er, mnw, cru]
`

// build builds the program.
func build(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "leontief")
	cmd := exec.Command("go", "build", "-o", program, "github.com/leontief-sim/leontief")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

// A sweep on three nodes, of which one is lost in the middle, ends with the bytes
// of a run on one machine.
func TestSweepSurvivesTheLossOfANode(t *testing.T) {
	cluster := startCluster(t, 3)
	dir := t.TempDir()
	program := build(t, dir)
	path := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(path, []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	cluster.run(program, "sweep", path, "--out", filepath.Join(dir, "alone"), "--progress", "none")
	want := resulttest.Files(t, filepath.Join(dir, "alone"))

	work := filepath.Join(dir, "work")
	t.Setenv("LEONTIEF", program)
	output := cluster.run("./submit.sh", "-n", "6", path, work)
	if !regexp.MustCompile(`^plan [0-9a-f]{64}: 27 scenarios in 6 tasks\narray \d+, merge \d+; `).MatchString(output) {
		t.Fatalf("output %q", output)
	}
	parts, err := filepath.Glob(filepath.Join(work, "parts-*"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("parts %q", parts)
	}
	stored := func() int {
		all, _ := filepath.Glob(filepath.Join(parts[0], "*", "scenarios", "????????????", "*"))
		return len(all)
	}
	cluster.until(time.Minute, "something is stored while n1 is at work", func() bool { return stored() > 0 && len(cluster.processesOf("n1")) > 0 })
	before := stored()
	cluster.lose("n1")
	cluster.until(5*time.Minute, "both jobs have ended", func() bool { return strings.TrimSpace(cluster.run("squeue", "-h", "-a", "-t", "PD,R,CG,CF")) == "" })
	merged, _ := os.ReadFile(filepath.Join(work, "log", "merge.txt"))
	if !strings.Contains(string(merged), "27 scenarios: 27 were run") {
		t.Fatalf("the merge says %q", merged)
	}
	if before >= 27 {
		t.Errorf("everything was stored before the node was lost")
	}
	resulttest.Same(t, want, resulttest.Files(t, filepath.Join(work, "results")))
	if lost := strings.Count(cluster.run("scontrol", "show", "job", "-d"), "Restarts=1"); lost == 0 {
		t.Error("no task was requeued")
	}
}

// A task whose time is nearly over finishes what is under way, and goes on in its
// next turn.
func TestTaskOutOfTime(t *testing.T) {
	cluster := startCluster(t, 1)
	dir := t.TempDir()
	t.Setenv("LEONTIEF", build(t, dir))
	path, work := filepath.Join(dir, "spec.yaml"), filepath.Join(dir, "work")
	if err := os.WriteFile(path, []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	output := cluster.run("./submit.sh", "-n", "1", path, work)
	array := regexp.MustCompile(`array (\d+)`).FindStringSubmatch(output)
	cluster.until(time.Minute, "something is stored", func() bool {
		all, _ := filepath.Glob(filepath.Join(work, "parts-*", "1", "scenarios", "????????????", "*"))
		return len(all) > 0
	})
	cluster.run("scancel", "--batch", "--signal=INT", array[1]+"_1")
	cluster.until(5*time.Minute, "both jobs have ended", func() bool { return strings.TrimSpace(cluster.run("squeue", "-h", "-a", "-t", "PD,R,CG,CF")) == "" })
	log, _ := os.ReadFile(filepath.Join(work, "log", "part-1.txt"))
	if !strings.Contains(string(log), "interrupted: ") || !regexp.MustCompile(`27 scenarios of shard 1/1: \d+ were run, [1-9]\d* were there`).Match(log) {
		t.Errorf("the task says %q", log)
	}
	merged, _ := os.ReadFile(filepath.Join(work, "log", "merge.txt"))
	if !strings.Contains(string(merged), "27 scenarios: 27 were run") {
		t.Errorf("the merge says %q", merged)
	}
}

// Submitted again, what is there is not run again; a plan that has changed is
// refused by the tasks.
func TestSubmittedAgain(t *testing.T) {
	cluster := startCluster(t, 2)
	dir := t.TempDir()
	t.Setenv("LEONTIEF", build(t, dir))
	path, work := filepath.Join(dir, "spec.yaml"), filepath.Join(dir, "work")
	if err := os.WriteFile(path, []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	submit := func(args ...string) {
		cluster.run("./submit.sh", append(args, path, work, "--", "--instances", "1", "--set", "policy=tsf-er")...)
		cluster.until(5*time.Minute, "both jobs have ended", func() bool { return strings.TrimSpace(cluster.run("squeue", "-h", "-a", "-t", "PD,R,CG,CF")) == "" })
	}
	submit("-m", "0.001")
	tasks, _ := filepath.Glob(filepath.Join(work, "parts-*", "[0-9]*"))
	if len(tasks) < 1 || len(tasks) > 9 {
		t.Errorf("9 scenarios in %d tasks", len(tasks))
	}
	submit("-n", "2")
	log, _ := os.ReadFile(filepath.Join(work, "log", "merge.txt"))
	if lines := strings.Count(string(log), "9 scenarios: "); lines != 2 || !strings.Contains(string(log), "9 scenarios: 0 were run, 9 were there") {
		t.Errorf("the merges say %q", log)
	}
}
