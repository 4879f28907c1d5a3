package store

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// synced records what the folders held at the moments when their names were forced
// to the disk: a file system may lose in a power cut what was renamed since.
func synced(t *testing.T, folder string) *[]string {
	t.Helper()
	var all []string
	before := syncFolder
	t.Cleanup(func() { syncFolder = before })
	syncFolder = func(path string) error {
		of, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			t.Fatal(err)
		}
		var holds []string
		for _, e := range entries {
			holds = append(holds, e.Name())
		}
		if files, ours := earlier(path); ours {
			holds = append(holds, "complete="+strings.Join(files, ","))
		}
		all = append(all, of+": "+strings.Join(holds, " "))
		return before(path)
	}
	return &all
}

// Names are on the disk before anything says that they are: the folder of a result
// before it is renamed, the folder above after that, and the files of an output
// folder before the manifest that lists them, and the manifest too.
func TestNamesAreForcedToTheDisk(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "a", "out")
	all := synced(t, top)
	plan := testSweep(t, 2, 0)
	if _, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	program := store.program.short()
	result := func(id string) []string {
		return []string{"a/out/scenarios/unfinished/" + id + ": manifest.json rows.parquet timing.json", "a/out/scenarios/" + program + ": " + id}
	}
	files := ".lock even.parquet manifest.json odd.parquet plan.json scenarios timing.json complete="
	want := []string{".: a", "a: out", "a/out: .lock manifest.json plan.json scenarios complete=", "a/out/scenarios: " + program}
	want = append(want, result(plan.Scenarios[0].ID())...)
	want = append(want, result(plan.Scenarios[1].ID())...)
	want = append(want, "a/out: "+files, "a/out: "+files+"even.parquet,manifest.json,odd.parquet,plan.json,timing.json")
	random := regexp.MustCompile(`\.[0-9]+:`)
	for k, got := range *all { // the random part of a name, and of the results the one that was just renamed
		got = random.ReplaceAllString(got, ":")
		if prefix := "a/out/scenarios/" + program + ": "; strings.HasPrefix(got, prefix) && k < len(want) && strings.Contains(got, strings.TrimPrefix(want[k], prefix)) {
			got = want[k]
		}
		(*all)[k] = got
	}
	if d := cmp.Diff(want, *all); d != "" {
		t.Error(d)
	}
}
