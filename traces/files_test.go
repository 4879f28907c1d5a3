package traces

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces/parquet"
)

var testMeta = Meta{Source: "a test", Checksum: "0123", Options: `{"first":3}`, Label: "test (synthetic)", Units: "cores, GB"}

// someJobs makes n valid jobs, each different.
func someJobs(n int) []Job {
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{
			ID: fmt.Sprint("job-", i), SubmitUS: int64(i / 2), Tasks: int64(i%7 + 1), DurationUS: int64(i + 1),
			CPU: 1 / float64(i+1), Mem: float64(i % 3), GPU: float64(i % 2), Censored: i%5 == 0,
		}
		if i%4 == 0 {
			jobs[i].Constraints = "rack = r1"
		}
		if i%3 > 0 {
			jobs[i].User, jobs[i].Weight, jobs[i].Priority = fmt.Sprint("user-", i%5), float64(i%3)/2, int64(i%9-4)
		}
	}
	return jobs
}

func TestJobsSurviveTheFile(t *testing.T) {
	want := someJobs(parquet.RowGroup + 10) // more than one row group
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	if err := WriteJobs(path, want, testMeta); err != nil {
		t.Fatal(err)
	}
	got, meta, err := ReadJobs(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if meta != testMeta {
		t.Errorf("metadata %+v, want %+v", meta, testMeta)
	}
}

// jobBefore has the columns of version 1.
type jobBefore struct {
	ID          string  `parquet:"job_id"`
	SubmitUS    int64   `parquet:"submit_us"`
	Tasks       int64   `parquet:"tasks"`
	DurationUS  int64   `parquet:"duration_us"`
	CPU         float64 `parquet:"cpu"`
	Mem         float64 `parquet:"mem"`
	GPU         float64 `parquet:"gpu"`
	Censored    bool    `parquet:"censored"`
	Constraints string  `parquet:"constraints"`
}

func TestFilesOfVersionOneAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	pairs := testMeta.pairs("jobs")
	pairs[1].Value = "1"
	want := someJobs(parquet.RowGroup + 10)
	err := parquet.WriteRows(path, func(yield func(jobBefore, error) bool) {
		for i := range want {
			j := &want[i]
			j.User, j.Weight, j.Priority = "", 0, 0
			if !yield(jobBefore{j.ID, j.SubmitUS, j.Tasks, j.DurationUS, j.CPU, j.Mem, j.GPU, j.Censored, j.Constraints}, nil) {
				return
			}
		}
	}, pairs)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := ReadJobs(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if j := &got[1]; j.Weighs() != 1 {
		t.Errorf("weight %v without one stated", j.Weighs())
	}
}

func TestJobFilesAreByteDeterministic(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := WriteJobs(path, someJobs(1000), testMeta); err != nil {
			t.Fatal(err)
		}
		files[i], _ = os.ReadFile(path)
	}
	if len(files[0]) == 0 || !bytes.Equal(files[0], files[1]) {
		t.Error("the same jobs gave different bytes")
	}
}

func TestEmptyTraceIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	if err := WriteJobs(path, nil, testMeta); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadJobs(path); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want ErrEmpty with the file's name", err)
	}
}

func TestDamagedAndForeignJobFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jobs.parquet")
	if err := WriteJobs(path, someJobs(100), testMeta); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	machines := filepath.Join(dir, "machines.parquet")
	if err := WriteMachines(machines, []Machine{{ID: "m", CPU: 1}}, testMeta); err != nil {
		t.Fatal(err)
	}
	truncated, flipped := filepath.Join(dir, "truncated"), filepath.Join(dir, "flipped")
	os.WriteFile(truncated, good[:len(good)/2], 0o644)
	bad := bytes.Clone(good)
	bad[len(bad)/3] ^= 4
	os.WriteFile(flipped, bad, 0o644)
	for file, want := range map[string]error{
		truncated: parquet.ErrDamaged, flipped: parquet.ErrDamaged, machines: parquet.ErrSchema,
		filepath.Join(dir, "none"): os.ErrNotExist,
	} {
		if _, _, err := ReadJobs(file); !errors.Is(err, want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v, want %v with the file's name", filepath.Base(file), err, want)
		}
	}
}

func TestOtherSchemaVersionIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	pairs := testMeta.pairs("jobs")
	pairs[1].Value = "99"
	w, err := parquet.Create(path, parquet.LayoutOf[Job]().Columns, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadJobs(path); err == nil || !strings.Contains(err.Error(), `schema version "99"`) {
		t.Errorf("error %v, want one about schema version 99", err)
	}
}

func TestInvalidJobsAreNotWritten(t *testing.T) {
	good := someJobs(1)[0]
	change := map[string]func(*Job){
		"no id":              func(j *Job) { j.ID = "" },
		"negative time":      func(j *Job) { j.SubmitUS = -1 },
		"no tasks":           func(j *Job) { j.Tasks = 0 },
		"no duration":        func(j *Job) { j.DurationUS = 0 },
		"negative cpu":       func(j *Job) { j.CPU = -0.5 },
		"infinite memory":    func(j *Job) { j.Mem = math.Inf(1) },
		"NaN gpu":            func(j *Job) { j.GPU = math.NaN() },
		"requests nothing":   func(j *Job) { j.CPU, j.Mem, j.GPU = 0, 0, 0 },
		"negative weight":    func(j *Job) { j.Weight = -1 },
		"infinite weight":    func(j *Job) { j.Weight = math.Inf(1) },
		"a weight too small": func(j *Job) { j.Weight = 1e-200 },
		"user not UTF-8":     func(j *Job) { j.User = "\xff" },
	}
	for name, f := range change {
		dir := t.TempDir()
		bad := good
		f(&bad)
		if err := WriteJobs(filepath.Join(dir, "j"), []Job{good, bad}, testMeta); err == nil || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%s: error %v, want one that names row 2", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %s was left behind", name, left[0].Name())
		}
	}
}

func TestMachinesSurviveTheFile(t *testing.T) {
	want := []Machine{{"a", 1, 0.5, 0, "x", ""}, {"b", 0.5, 0.25, 8, "y", `{"ssd":"1"}`}, {"c", 1, 0.5, 0, "x", ""}}
	path := filepath.Join(t.TempDir(), "machines.parquet")
	if err := WriteMachines(path, want, testMeta); err != nil {
		t.Fatal(err)
	}
	got, meta, err := ReadMachines(path)
	if err != nil || meta != testMeta {
		t.Fatalf("%+v, %v", meta, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("machines (-want +got):\n%s", d)
	}
}

func TestSourceSumIsThatOfSha256sum(t *testing.T) {
	var s SourceSum
	for _, name := range []string{"a", "b"} {
		if _, err := bytes.NewBuffer(nil).ReadFrom(s.Reader(name, strings.NewReader("content of "+name+"\n"))); err != nil {
			t.Fatal(err)
		}
	}
	// (cd to a folder with the two files; sha256sum a b | sha256sum)
	if got, want := s.Sum(), "3b186e8c8277b323a997e7ec95eb66551e6fb6ed1a4fd2d46f8c27db09f1bd87"; got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
}

// The units of a trace are a text that a person reads, and that is compared.
func TestUnitsByResource(t *testing.T) {
	for _, c := range []struct{ units, resource, want string }{
		{"cpu: cores; mem: GB; gpu: GPUs", "mem", "GB"},
		{"cpu, mem: fraction of the largest machine", "cpu", "fraction of the largest machine"},
		{"cpu, mem: fraction of the largest machine", "mem", "fraction of the largest machine"},
		{"cpu, mem: fraction of the largest machine", "gpu", ""},
		{"cpu, mem: normalised average use, not requests", "mem", "normalised average use, not requests"},
		{" cpu :cores ;mem:  GiB", "cpu", "cores"}, {" cpu :cores ;mem:  GiB", "mem", "GiB"},
		{"cores, GB", "cpu", ""}, {"none", "cpu", ""}, {"", "cpu", ""}, {"gpu: a: b", "gpu", "a: b"},
	} {
		if got := UnitOf(c.units, c.resource); got != c.want {
			t.Errorf("%s of %q is %q, not %q", c.resource, c.units, got, c.want)
		}
	}
}

// Reading a file holds a row group at most: of two of them no more than of one.
func TestReadingHoldsARowGroup(t *testing.T) {
	held := func(n int) (most int64) {
		path, jobs := filepath.Join(t.TempDir(), "jobs.parquet"), func(yield func(Job) bool) {
			for i := range n {
				if !yield(Job{ID: fmt.Sprint("job ", i), SubmitUS: int64(i), Tasks: 1, DurationUS: 1, CPU: 1}) {
					return
				}
			}
		}
		if err := WriteJobStream(path, jobs, Meta{Source: "a test"}); err != nil {
			t.Fatal(err)
		}
		live := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before, k := live(), 0
		f, err := OpenJobs(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for j, err := range f.All() {
			if err != nil || j.SubmitUS != int64(k) {
				t.Fatal(j, err)
			}
			if k++; k%(1<<15) == 0 {
				most = max(most, live()-before)
			}
		}
		if k != n || f.Len() != n {
			t.Errorf("%d of %d jobs", k, n)
		}
		return most
	}
	one, two := held(1<<16), held(1<<17)
	if two > one+one/4 {
		t.Errorf("%d bytes are held of one row group, %d of two", one, two)
	}
}
