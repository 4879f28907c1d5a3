package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// sharded runs a plan in shards and returns their folders.
func sharded(t *testing.T, plan *Sweep, count int) []string {
	t.Helper()
	var folders []string
	for i := 1; i <= count; i++ {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(i))
		result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 2, Shard: Shard{i, count}})
		if err != nil || result.Tables != nil {
			t.Fatalf("shard %d: %+v, %v", i, result, err)
		}
		folders = append(folders, folder)
	}
	return folders
}

// However a plan is cut into shards, the merged folder has the bytes of a run on
// one machine.
func TestMergedShardsAreARunOnOneMachine(t *testing.T) {
	inBothForms(t, mergedShardsAreARunOnOneMachine)
}

func mergedShardsAreARunOnOneMachine(t *testing.T) {
	plan, alone := testSweep(t, 7, 0), filepath.Join(t.TempDir(), "alone")
	if _, err := plan.Run(context.Background(), SweepOptions{Folder: alone, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	want := bytesOf(t, alone)
	for _, count := range []int{1, 2, 3, 7, 9} {
		merged := filepath.Join(t.TempDir(), "merged")
		folders := sharded(t, plan, count)
		for _, ran := range []int{7, 0} { // merged again, nothing is copied
			result, err := Merge(context.Background(), folders, SweepOptions{Folder: merged})
			if err != nil || result.Scenarios != 7 || result.Run != ran {
				t.Fatalf("%d shards: %+v, %v", count, result, err)
			}
			resulttest.Same(t, want, bytesOf(t, merged))
		}
	}
	// A finished folder is a shard of everything.
	if _, err := Merge(context.Background(), []string{alone}, SweepOptions{Folder: filepath.Join(t.TempDir(), "copy")}); err != nil {
		t.Error(err)
	}
}

func TestMergeRefusesWhatDoesNotFitTogether(t *testing.T) {
	plan := testSweep(t, 6, 0)
	folders := sharded(t, plan, 3)
	other := sharded(t, testSweep(t, 8, 0), 3)
	into := filepath.Join(t.TempDir(), "merged")
	refused := func(want string, folders ...string) {
		t.Helper()
		_, err := Merge(context.Background(), folders, SweepOptions{Folder: into})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if _, err := os.Stat(into); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: something was written", want)
		}
	}
	refused("2 scenarios have no result", folders[0], folders[2])
	refused("another plan", folders[0], other[1], folders[2])
	refused("no such file", folders[0], folders[1], filepath.Join(into, "absent"))
	refused("no folder")

	store, err := OpenStore(folders[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := filepath.Join(store.home(Shard{2, 3}.Of(plan)[1].ID()), rowsFile)
	data, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(rows, data, 0o666); err != nil {
		t.Fatal(err)
	}
	refused(rows+": damaged", folders...)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(rows, data, 0o666); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(folders[0], PlanFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"instances": 3`, `"instances": 4`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("plan.json: changed after it was written", folders...)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}

	before := ThisProgram
	defer func() { ThisProgram = before }()
	ThisProgram = func() (ProgramID, error) { return ProgramID{Packages: "later"}, nil }
	refused("another program", folders...)
}

// Two results of one scenario that differ are no result.
func TestMergeRefusesResultsThatDiffer(t *testing.T) {
	plan := testSweep(t, 4, 0)
	a, b := sharded(t, plan, 1), sharded(t, plan, 1)
	store, err := OpenStore(b[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	of := plan.Scenarios[2]
	found, err := store.Find(of)
	if err != nil || found == nil {
		t.Fatal(err)
	}
	rows := found.Rows.Rows()
	rows[0].Value++
	if err := os.RemoveAll(store.home(of.ID())); err != nil {
		t.Fatal(err)
	}
	if _, err := store.put(of, results.Pack(rows), found.Record.Workload, found.timing()); err != nil {
		t.Fatal(err)
	}
	_, err = Merge(context.Background(), append(a, b...), SweepOptions{Folder: filepath.Join(t.TempDir(), "merged")})
	if err == nil || !strings.Contains(err.Error(), "two results that differ") {
		t.Errorf("error %v", err)
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("3/7"); err != nil || s != (Shard{3, 7}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"", "3", "0/7", "8/7", "a/7", "3/b", "-1/2", "1/0"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is %v", bad, s)
		}
	}
}
