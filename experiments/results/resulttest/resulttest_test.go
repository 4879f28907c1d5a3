package resulttest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFilesThatDifferFromRunToRunAreLeftOut(t *testing.T) {
	dir := folder(t, map[string]string{
		"table.parquet": "a", "scenarios/1/rows.parquet": "b", "timing.json": "1 s", "scenarios/1/timing.json": "2 s",
		".lock": "me", "damaged/rows.parquet": "c",
	})
	if got := fmt.Sprint(Files(t, dir)); got != "map[damaged/rows.parquet:c scenarios/1/rows.parquet:b table.parquet:a]" {
		t.Errorf("files %s", got)
	}
	if got := fmt.Sprint(Files(t, dir, "damaged", "table.parquet")); got != "map[scenarios/1/rows.parquet:b]" {
		t.Errorf("files besides some: %s", got)
	}
}

// recorder takes down what would be reported.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func TestWhatIsNotTheSame(t *testing.T) {
	r := &recorder{TB: t}
	Same(r, map[string]string{"same": "a", "other": "b", "lost": "c"}, map[string]string{"same": "a", "other": "B", "new": "d"})
	slices.Sort(r.said)
	if got := strings.Join(r.said, "; "); got != "lost is missing; new should not be there; other has other bytes" {
		t.Errorf("said %q", got)
	}
}
