package tracetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folder writes files of a trace, each text by its name, in which / stands for folders,
// and returns their folder. What ends in .gz is packed.
func Folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			data = Packed(t, data)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// File writes one file as [Folder] does, and returns its path.
func File(t *testing.T, name, text string) string {
	t.Helper()
	return filepath.Join(Folder(t, map[string]string{name: text}), filepath.FromSlash(name))
}

// Packed packs data by gzip.
func Packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// AtHand returns a file or folder of the published traces, or skips the test where it is
// not there. They are looked for in $LEONTIEF_TRACES, or in shared/traces beside the module.
func AtHand(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(PublishedDir(), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s of the published traces is not at hand (LEONTIEF_TRACES)", name)
	}
	return path
}

// PublishedDir is where [AtHand] looks.
func PublishedDir() string {
	if dir := os.Getenv("LEONTIEF_TRACES"); dir != "" {
		return dir
	}
	root, err := filepath.Abs(".")
	for err == nil && root != filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		root = filepath.Dir(root)
	}
	return filepath.Join(root, "..", "shared", "traces")
}

// GoogleFirst1000 returns the folder of the Google trace of 2011 as [AtHand] does, but with
// those parts of job_events alone that hold a row of one of the first 1,000 jobs submitted at
// or after 600 s; under LEONTIEF_LONG with all 500. An import of these reads the same of both,
// one that begins at time 0 does not.
func GoogleFirst1000(tb testing.TB) string {
	tb.Helper()
	full := AtHand(tb, "google2011")
	if os.Getenv("LEONTIEF_LONG") != "" {
		return full
	}
	folder, err := filepath.Abs(full)
	if err != nil {
		tb.Fatal(err)
	}
	parts := []int{54, 309, 310, 312}
	for k := range 22 {
		parts = append(parts, k)
	}
	few := tb.TempDir()
	link := func(name string) {
		if err := os.Symlink(filepath.Join(folder, name), filepath.Join(few, name)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(few, "job_events"), 0o700); err != nil {
		tb.Fatal(err)
	}
	for _, k := range parts {
		link(fmt.Sprintf("job_events/part-%05d-of-00500.csv.gz", k))
	}
	link("task_events")
	link("machine_events")
	return few
}
