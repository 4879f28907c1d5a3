package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// lined is a folder with the results of a sweep as lines, and its journal.
func lined(t *testing.T, points int) (plan *Sweep, folder, path string) {
	t.Helper()
	t.Setenv(rowsVariable, "2")
	plan, folder = testSweep(t, points, 0), filepath.Join(t.TempDir(), "out")
	ran(t, plan, folder)
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return plan, folder, filepath.Join(store.ourFolder(), journalFile)
}

// A result is the same as a line and as a table.
func TestALineIsAsGoodAsATable(t *testing.T) {
	plan, folder, path := lined(t, 3)
	lines, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := OpenStore(t.TempDir(), nil) // without a lock
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range plan.Scenarios {
		line, err := lines.Find(of)
		if err != nil || line == nil || line.home != path {
			t.Fatalf("%+v, %v", line, err)
		}
		if _, err := tables.put(of, line.Rows, line.Record.Workload, line.timing()); err != nil {
			t.Fatal(err)
		}
		table, err := tables.Find(of)
		if err != nil || table.home != tables.home(of.ID()) {
			t.Fatalf("%+v, %v", table, err)
		}
		if !reflect.DeepEqual(line.Record, table.Record) || !line.Rows.Equal(table.Rows) || line.Rows.Len() != 6 {
			t.Errorf("%+v\nas a table %+v", line, table)
		}
		if took := line.timing(); took != table.timing() || took.Instances != 3 || took.WallSeconds <= 0 {
			t.Errorf("took %+v, %+v", took, table.timing())
		}
	}
}

// Whichever byte of a line is changed, the line is no result, and no other is touched.
func TestFlippedBitOfALineIsSeen(t *testing.T) {
	plan, folder, path := lined(t, 2)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(data, '\n') // of the first line
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		store, err := OpenStore(folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		there := 0
		for _, of := range plan.Scenarios {
			if found, err := store.peek(of); err != nil {
				t.Fatalf("byte %d: %v", i, err)
			} else if found != nil {
				there++
			}
		}
		want := 1
		if i == first { // two lines have become one
			want = 0
		}
		if there != want {
			t.Fatalf("byte %d of %d: %d results", i, len(data), there)
		}
	}
}

// A line that was spoilt is kept aside and its scenario is run again, and only it; what
// was never finished is run again without a word.
func TestDamagedLinesAreRunAgain(t *testing.T) {
	plan, folder, path := lined(t, 4)
	want := bytesOf(t, folder)
	for name, c := range map[string]struct {
		spoil func(data []byte) []byte
		ran   int
		says  string
	}{
		"bit":      {func(data []byte) []byte { data[len(data)/2] ^= 4; return data }, 1, "1 damaged lines were moved to"},
		"two bits": {func(data []byte) []byte { data[10] ^= 4; data[len(data)-10] ^= 4; return data }, 2, "2 damaged lines were moved to"},
		"cut":      {func(data []byte) []byte { return data[:len(data)-100] }, 1, ""},
		"no end":   {func(data []byte) []byte { return data[:len(data)-1] }, 1, ""},
		"longer":   {func(data []byte) []byte { return append(data, "half a li"...) }, 0, ""},
		"empty":    {func([]byte) []byte { return nil }, 4, ""},
		"twice":    {func(data []byte) []byte { return append(data, data...) }, 0, ""},
		"disorder": {func(data []byte) []byte {
			at := bytes.IndexByte(data, '\n') + 1
			return append(bytes.Clone(data[at:]), data[:at]...)
		}, 0, ""},
	} {
		data, err := os.ReadFile(path)
		if err := errors.Join(err, os.WriteFile(path, c.spoil(data), 0o666)); err != nil {
			t.Fatal(err)
		}
		var warnings []string
		result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 2, Warn: func(text string) { warnings = append(warnings, text) }})
		if err != nil || result.Run != c.ran || (c.says != "") != (warnings != nil) || !strings.Contains(strings.Join(warnings, "\n"), c.says) {
			t.Errorf("%s: %+v, %v, %q", name, result, err, warnings)
		}
		resulttest.Same(t, want, bytesOf(t, folder))
		if t.Failed() {
			t.Fatal(name)
		}
	}
	aside, err := filepath.Glob(filepath.Join(folder, scenariosDir, damagedDir, "*", journalFile))
	if err != nil || len(aside) != 2 {
		t.Errorf("kept aside: %q, %v", aside, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if again := ran(t, plan, folder); again != 4 {
		t.Errorf("%d were run after the journal was removed", again)
	}
}

// A line is on the disk a moment after it was added, whatever is added later, and a
// journal that is taken away ends the run.
func TestLinesAreForcedToTheDisk(t *testing.T) {
	j, err := readJournal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.add([]byte("a line\n"), []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		j.mu.Lock()
		forced := j.pending == nil
		j.mu.Unlock()
		if forced {
			break
		}
		if time.Now().After(end) {
			t.Fatal("not in a minute")
		}
	}
	if err := errors.Join(j.add([]byte("another\n"), nil), os.Remove(j.path)); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); !errors.Is(err, errRemoved) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(j.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it was made anew")
	}
}

// Of two damaged folders none is merged, and the file is named.
func TestMergeRefusesDamagedLines(t *testing.T) {
	plan, folder, path := lined(t, 3)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Merge(context.Background(), []string{folder}, SweepOptions{Folder: filepath.Join(t.TempDir(), "merged")})
	if err == nil || !strings.Contains(err.Error(), path+": damaged: 1 of its lines") {
		t.Errorf("error %v", err)
	}
	look, err := plan.Look(context.Background(), folder, 1)
	if err != nil || look.Done != 2 || look.Missing != 3 {
		t.Errorf("%+v, %v", look, err)
	}
}

// Lines are pruned as folders are.
func TestPruneOfLines(t *testing.T) {
	_, folder, path := lined(t, 6)
	plan := testSweep(t, 2, 0)
	other := filepath.Join(folder, scenariosDir, "0123456789ab")
	if err := os.CopyFS(other, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	var says string
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	if store.Tell(func(text string) { says = text }); !strings.HasPrefix(says, "6 results of other versions") {
		t.Errorf("says %q", says)
	}
	want := Pruned{Others: 6, Unplanned: 4, Kept: 2}
	for _, remove := range []bool{false, true} {
		if counts, err := plan.Prune(context.Background(), folder, 0, remove); err != nil || *counts != want {
			t.Errorf("%v, %+v, want %+v", err, counts, want)
		}
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the results of the other version: %v", err)
	}
	if counts, err := plan.Prune(context.Background(), folder, 0, true); err != nil || *counts != (Pruned{Kept: 2}) {
		t.Errorf("again: %v, %+v", err, counts)
	}
	if again := ran(t, plan, folder); again != 0 {
		t.Errorf("%d scenarios of the plan were run again", again)
	}
}

// The text of the plan is that which the standard library writes.
func TestPlanFileIsTheStandardLibrarys(t *testing.T) {
	plan := testSweep(t, 3, 0)
	for _, f := range []planFile{{Hash: plan.Hash(), Plan: plan}, {Plan: plan, Shard: &Shard{1, 2}}, {Plan: &Sweep{Title: "null\n}\n"}}} {
		want, err := results.IndentedJSON(f)
		got, failed := f.json()
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
