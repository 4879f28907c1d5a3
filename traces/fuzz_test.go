package traces

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzJob writes any job and reads it back: the same, or it is refused both by
// Validate and by the writer.
func FuzzJob(f *testing.F) {
	f.Add("a", int64(0), int64(1), int64(1), 1.0, 0.5, 0.0, false, "")
	f.Add("\x1b[2J", int64(1)<<62, int64(1)<<40, int64(1)<<62, 1e150, 1e-150, 0.0, true, `[["k","=","2"]]`)
	f.Add("\xff", int64(-1), int64(0), int64(0), 1e-320, -1.0, 1e300, false, "\xff")
	f.Fuzz(func(t *testing.T, id string, submit, tasks, duration int64, cpu, mem, gpu float64, censored bool, constraints string) {
		job := Job{ID: id, SubmitUS: submit, Tasks: tasks, DurationUS: duration, CPU: cpu, Mem: mem, GPU: gpu, Censored: censored, Constraints: constraints}
		path, meta := filepath.Join(t.TempDir(), "jobs.parquet"), Meta{Source: "a test", Label: "made up"}
		err := WriteJobs(path, []Job{job}, meta)
		if (err == nil) != (job.Validate() == nil) {
			t.Fatalf("written: %v; valid: %v", err, job.Validate())
		}
		if err != nil {
			if _, err := os.Stat(path); err == nil {
				t.Error("an invalid job left a file")
			}
			return
		}
		jobs, got, err := ReadJobs(path)
		if err != nil || len(jobs) != 1 || jobs[0] != job || got != meta {
			t.Errorf("%v, %+v, want %+v", err, jobs, job)
		}
	})
}

// FuzzFiles reads any bytes as files of jobs and of machines: one that is not just
// as it was written is refused.
func FuzzFiles(f *testing.F) {
	jobs, machines := filepath.Join(f.TempDir(), "jobs.parquet"), filepath.Join(f.TempDir(), "machines.parquet")
	if err := WriteJobs(jobs, someJobs(100), Meta{Label: "made up"}); err != nil {
		f.Fatal(err)
	}
	if err := WriteMachines(machines, []Machine{{ID: "m", CPU: 1, Mem: 1, Class: "c"}}, Meta{Label: "made up"}); err != nil {
		f.Fatal(err)
	}
	sound := map[string]bool{}
	for _, path := range []string{jobs, machines} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		sound[string(data)] = true
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, errJobs := ReadJobs(path)
		_, _, errMachines := ReadMachines(path)
		if (errJobs == nil || errMachines == nil) && !sound[string(data)] {
			t.Error("read although it was changed")
		}
	})
}
