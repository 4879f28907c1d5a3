package spec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// reading is a kind whose one row is the length of what its parameters name.
type reading struct{ size int }

func (r reading) Instance(_ context.Context, i int) ([]results.Row, error) {
	return []results.Row{{Metric: "size", Value: float64(r.size)}}, nil
}

func init() {
	RegisterKind(Kind{
		Name: "reading (test)", Title: "the size of files",
		Parameters: []Parameter{
			{Name: "either", Doc: "A name or a file.", Default: "none", File: PathLike, Canonical: NameOrFile("none")},
			{Name: "file", Doc: "A file.", File: AnyPath, Canonical: FileOrNone},
			{Name: "folder", Doc: "A folder.", File: AnyPath, Canonical: FolderOrNone("*.csv", "deep/*.csv")},
		},
		Open: func(_ context.Context, s Scenario) (Instances, error) {
			var r reading
			for _, name := range []string{"either", "file"} {
				path, ok, err := s.File(name)
				if err != nil {
					return nil, err
				}
				if ok {
					data, err := os.ReadFile(path)
					if err != nil {
						return nil, err
					}
					r.size += len(data)
				}
			}
			return r, s.Unchanged("either", "file", "folder")
		},
	})
}

// write makes files with their folders.
func write(t *testing.T, text string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// idOf plans a spec of one scenario of the kind reading, which lies in dir.
func idOf(t *testing.T, dir, set string) (Scenario, string) {
	t.Helper()
	s, err := ParseSpec(filepath.Join(dir, "s.yaml"), []byte("blocks: [{experiment: reading (test), set: {"+set+"}}]"), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Scenarios()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d scenarios, %v", len(all), err)
	}
	return all[0], all[0].ID()
}

// Whatever parameter names them, files and folders are known by what they hold:
// moved or renamed they are the same, and changed they are others, be it by one
// letter within the same instant.
func TestFilesAndFoldersAreTheirContent(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, "one", at("a.csv"), at("b"), at("in/x.csv"), at("moved/deep/x.csv"))
	write(t, "two", at("in/y.csv"), at("moved/deep/z.csv"))
	write(t, "not read", at("in/notes.txt"))
	for _, pair := range [][2]string{
		{"either: ./a.csv", "either: ./b"},
		{"file: a.csv", "file: b"},
		{"folder: in", "folder: moved"},
	} {
		first, id := idOf(t, dir, pair[0])
		if _, same := idOf(t, dir, pair[1]); same != id {
			t.Errorf("%s and %s have the same content and are two scenarios", pair[0], pair[1])
		}
		if _, plain := idOf(t, dir, ""); plain == id {
			t.Errorf("%s makes no difference", pair[0])
		}
		if again, sameID := idOf(t, dir, pair[0]); sameID != id {
			t.Errorf("%s: planned twice it is two scenarios", pair[0])
		} else if _, err := again.Open(context.Background()); err != nil {
			t.Errorf("%s: %v", pair[0], err)
		}
		write(t, "on3", at("a.csv"), at("in/x.csv"))
		if _, err := first.Open(context.Background()); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: opened after the change: %v", pair[0], err)
		}
		if _, changed := idOf(t, dir, pair[0]); changed == id {
			t.Errorf("%s: changed, it is the same scenario", pair[0])
		}
		write(t, "one", at("a.csv"), at("in/x.csv"))
	}
}

// A file that is not there is one problem, with the place where it is named.
func TestMissingFilesAreReportedWhereTheyAreNamed(t *testing.T) {
	const text = `
blocks:
  - experiment: reading (test)
    set: {folder: nowhere}
    axes: {file: [absent], either: [none, ./gone, plain]}
  - experiment: reading (test)
`
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	for _, c := range []struct {
		choice map[string]string
		want   []string
	}{
		{nil, []string{
			path + ":4:19: blocks[0].set.folder: " + dir + "/nowhere: there is no such folder, or it holds no *.csv and no deep/*.csv",
			path + ":5:19: blocks[0].axes.file[0]: " + dir + "/absent: there is no such file",
			path + ":5:43: blocks[0].axes.either[1]: " + dir + "/gone: there is no such file",
			path + `:5:51: blocks[0].axes.either[2]: "plain" is not one of none (a file has a dot or a slash in its name)`,
		}},
		{map[string]string{"file": "chosen.csv"}, []string{path + ": file, which was chosen: chosen.csv: there is no such file"}},
	} {
		_, err := ParseSpec(path, []byte(text), Choice{Set: c.choice})
		for _, want := range c.want {
			if err == nil || strings.Count(err.Error(), want) != 1 {
				t.Errorf("error\n%v\nshould say once\n%s", err, want)
			}
		}
	}
	_, err := ParseSpec(path, []byte("blocks: [{experiment: reading (test)}, {experiment: reading (test), set: {folder: ''}}]"), Choice{Set: map[string]string{"file": "chosen.csv"}})
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("one missing file that was chosen for two blocks is not one problem: %v", err)
	}
}
