package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// damage are ways in which a file can be spoilt.
var damage = map[string]func(path string, data []byte) error{
	"cut":     func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o666) },
	"empty":   func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o666) },
	"removed": func(path string, _ []byte) error { return os.Remove(path) },
	"bit":     func(path string, data []byte) error { data[2*len(data)/3] ^= 4; return os.WriteFile(path, data, 0o666) },
	"folder":  func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) },
	"longer":  func(path string, data []byte) error { return os.WriteFile(path, append(data, '\n'), 0o666) },
	"another's": func(path string, _ []byte) error {
		program := filepath.Dir(filepath.Dir(path))
		others, err := fs.Glob(os.DirFS(program), "*/"+filepath.Base(path))
		if err != nil || len(others) < 2 {
			return fmt.Errorf("%v %w", others, err)
		}
		other := filepath.Join(program, others[0])
		if other == path {
			other = filepath.Join(program, others[1])
		}
		data, err := os.ReadFile(other)
		return errors.Join(err, os.WriteFile(path, data, 0o666))
	},
}

// Whatever becomes of a stored file, it is not believed: the scenario is run
// again, and only it.
func TestDamagedResultsAreRunAgain(t *testing.T) {
	plan := testSweep(t, 4, 0)
	folder := filepath.Join(t.TempDir(), "out")
	run := func() (*SweepResult, []string) {
		var warnings []string
		result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 2, Warn: func(text string) { warnings = append(warnings, text) }})
		if err != nil {
			t.Fatal(err)
		}
		return result, warnings
	}
	if result, _ := run(); result.Run != 4 || result.Scenarios != 4 || len(result.Tables) != 2 {
		t.Fatalf("%+v", result)
	}
	want := bytesOf(t, folder)
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	home := store.home(plan.Scenarios[1].ID())
	path := filepath.Join(home, rowsFile)
	for way, spoil := range damage {
		data, err := os.ReadFile(path)
		if err := errors.Join(err, spoil(path, data)); err != nil {
			t.Fatal(err)
		}
		result, warnings := run()
		if way == "removed" { // as if it had never been there
			warnings = append(warnings, "damaged "+home)
		}
		if result.Run != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], "damaged") || !strings.Contains(warnings[0], home) {
			t.Errorf("%s: %+v, %q", way, result, warnings)
		}
		resulttest.Same(t, want, bytesOf(t, folder))
	}
	// A file in the place of the folder.
	if err := errors.Join(os.RemoveAll(home), os.WriteFile(home, []byte("x"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if result, _ := run(); result.Run != 1 {
		t.Errorf("a file in the place of the folder: %+v", result)
	}
	resulttest.Same(t, want, bytesOf(t, folder))
	if result, warnings := run(); result.Run != 0 || warnings != nil {
		t.Errorf("nothing was left to do: %+v, %q", result, warnings)
	}
}

// Every bit of a stored file counts, and the file is named.
func TestFlippedBitOfAResultIsSeen(t *testing.T) {
	of, store := testSweep(t, 2, 0).Scenarios[0], &Store{root: t.TempDir()}
	stored, err := store.put(of, results.Pack([]results.Row{{Policy: "p", Metric: "m", Unit: results.UnitRatio, Value: 1}}), &run.Workload{Label: "real", LeftOut: map[string]int{"a": 1}}, ScenarioTiming{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(stored.home, rowsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := readStored(stored.home, of.ID(), of); err != nil || found.Record.Workload.LeftOut["a"] != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i := range data {
		_, flipped := file.WriteAt([]byte{data[i] ^ 1}, int64(i))
		_, seen := readStored(stored.home, of.ID(), of)
		_, mended := file.WriteAt(data[i:i+1], int64(i))
		if err := errors.Join(flipped, mended); err != nil {
			t.Fatal(err)
		}
		if seen == nil || !strings.Contains(seen.Error(), path) {
			t.Fatalf("byte %d of %d: error %v", i, len(data), seen)
		}
	}
}

// A table of an earlier version, which knew from another file what it depends on, is
// one of the others; where those are taken it is refused in one sentence.
func TestAResultOfAnEarlierVersion(t *testing.T) {
	for any, want := range map[bool]string{false: "1 results of other versions of leontief stay", true: "written by an earlier version of leontief, in a form that this one does not read"} {
		plan, folder := testSweep(t, 2, 0), filepath.Join(t.TempDir(), "out")
		home := filepath.Join(folder, scenariosDir, "0123456789ab", plan.Scenarios[0].ID())
		write(t, `{"program": "leontief"}`, filepath.Join(folder, ManifestFile), filepath.Join(home, ManifestFile))
		rows := []results.Row{{Policy: "p", Metric: "m", Unit: results.UnitRatio, Value: 1}}
		if err := results.WriteTable(filepath.Join(home, rowsFile), rows, results.Meta{"scenario": plan.Scenarios[0].ID()}); err != nil {
			t.Fatal(err)
		}
		var warnings []string
		result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1, AnyProgram: any, Force: true, Warn: func(text string) { warnings = append(warnings, text) }})
		if err != nil || result.Run != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], want) {
			t.Errorf("any version %v: %+v, %v, %q, want %q", any, result, err, warnings, want)
		}
	}
}

// Adding a value to an axis runs what it adds and nothing else, and what another
// version of the program made is not mixed in unless that is asked for.
func TestStoredScenariosAreNotRunAgain(t *testing.T) { inBothForms(t, storedScenariosAreNotRunAgain) }

func storedScenariosAreNotRunAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	run := func(points int, o SweepOptions) (*SweepResult, []string) {
		var warnings []string
		o.Folder, o.Workers, o.Warn = folder, 1, func(text string) { warnings = append(warnings, text) }
		result, err := testSweep(t, points, 0).Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return result, warnings
	}
	for _, step := range []struct{ points, ran int }{{3, 3}, {5, 2}, {2, 0}, {5, 0}} {
		if result, _ := run(step.points, SweepOptions{}); result.Run != step.ran || result.Scenarios != step.points {
			t.Errorf("%d points: %+v", step.points, result)
		}
	}
	before := ThisProgram
	defer func() { ThisProgram = before }()
	ThisProgram = func() (ProgramID, error) { return ProgramID{Packages: "later"}, nil }
	if result, _ := run(6, SweepOptions{AnyProgram: true}); result.Run != 1 {
		t.Errorf("results of any program: %+v", result)
	}
	data, err := os.ReadFile(filepath.Join(folder, ManifestFile))
	if err != nil || !bytes.Contains(data, []byte(`"packages": "test"`)) || !bytes.Contains(data, []byte(`"packages": "later"`)) {
		t.Errorf("the manifest does not name both programs: %v", err)
	}
	if result, warnings := run(6, SweepOptions{}); result.Run != 5 || len(warnings) != 1 || !strings.Contains(warnings[0], "5 results of other versions") {
		t.Errorf("results of this program: %+v, %q", result, warnings)
	}
	ThisProgram = before
	if result, _ := run(6, SweepOptions{}); result.Run != 1 {
		t.Errorf("back again: %+v", result)
	}
}

// When the context ends, what was started is finished and stored, and no more.
func TestStoppedBetweenScenarios(t *testing.T) { inBothForms(t, stoppedBetweenScenarios) }

func stoppedBetweenScenarios(t *testing.T) {
	stop := errors.New("stop")
	plan, folder := testSweep(t, 6, 0), filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancelCause(context.Background())
	_, err := plan.Run(ctx, SweepOptions{Folder: folder, Workers: 1, Progress: func(done, total int) {
		if done == 4 { // the first instance of the second scenario
			cancel(stop)
		}
	}})
	var stopped *StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, stop) || stopped.Done != 2 || stopped.Total != 6 {
		t.Fatalf("error %v", err)
	}
	result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 3})
	if err != nil || result.Run != 4 {
		t.Errorf("%+v, %v", result, err)
	}
}

// A scenario that fails, or panics, does not take the others with it.
func TestFailedScenariosLeaveTheOthersAlone(t *testing.T) {
	plan := sweepOf(t, "blocks: [{experiment: failing (test), instances: 4, axes: {how: [well, error, panic, open, nan, last]}}]")
	folder := filepath.Join(t.TempDir(), "out")
	for _, want := range []int{1, 3} {
		_, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: want})
		if err == nil {
			t.Fatal("no error")
		}
		for _, text := range []string{"[how=error], instance 2: as wanted", "[how=panic], instance 0: panic: as wanted", "[how=open], instance 0: not open", "[how=nan], instance 0: ", "is not a finite number"} {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("error does not say %q:\n%v", text, err)
			}
		}
		store, err := OpenStore(folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		for _, of := range plan.Scenarios {
			if found, err := store.Find(of); err != nil {
				t.Error(err)
			} else if found == nil {
				missing++
			}
		}
		if missing != 4 {
			t.Errorf("%d missing", missing)
		}
	}
}

type failing string

func (how failing) Instance(_ context.Context, i int) ([]results.Row, error) {
	row := results.Row{Policy: "p", Metric: "m", Unit: results.UnitRatio, Value: 1}
	switch {
	case how == "error" && i >= 2:
		return nil, errors.New("as wanted")
	case how == "panic":
		panic("as wanted")
	case how == "nan":
		row.Value -= row.Value
		row.Value /= row.Value
	}
	return []results.Row{row}, nil
}

func init() {
	spec.RegisterKind(spec.Kind{
		Name: "failing (test)", Title: "scenarios that fail",
		Parameters: []spec.Parameter{{Name: "how", Doc: "How.", Required: true, Canonical: spec.OneOf("well", "error", "panic", "open", "nan", "last")}},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			if s.Text("how") == "open" {
				return nil, errors.New("not open")
			}
			return failing(s.Text("how")), nil
		},
	})
}

// A second process is told who works in a folder, and may wait.
func TestLockedFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	lock, err := LockFolder(context.Background(), folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !lock.held {
		t.Skip("no locks here")
	}
	var busy *BusyError
	if _, err := LockFolder(context.Background(), folder, 0); !errors.As(err, &busy) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Millisecond, errors.New("enough"))
	defer cancel()
	if _, err := LockFolder(ctx, folder, time.Hour); err == nil || err.Error() != "enough" {
		t.Errorf("error %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { lock.Close() })
	again, err := LockFolder(context.Background(), folder, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// The estimate is that of the scenarios which are missing.
func TestLook(t *testing.T) {
	plan := sweepOf(t, "blocks: [{experiment: noting (test), instances: 10, set: {ms: 20}, axes: {point: [1, 2, 3]}}]")
	folder := filepath.Join(t.TempDir(), "out")
	before, err := plan.Look(context.Background(), folder, 2)
	if err != nil {
		t.Fatal(err)
	}
	if before.Done != 0 || before.Missing != 30 || before.Measured != 2 || before.Seconds < 30*.02 {
		t.Errorf("before %+v", before)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written")
	}
	if _, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 4, Shard: Shard{1, 2}}); err != nil {
		t.Fatal(err)
	}
	after, err := plan.Look(context.Background(), folder, 2)
	if err != nil || after.Done != 2 || after.Missing != 10 || after.Measured != 0 || after.Seconds < 10*.02 {
		t.Errorf("after %+v, %v", after, err)
	}
}
