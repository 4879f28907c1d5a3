package alibaba

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces"
)

// folder is a trace that a test writes: the text of each file by its name.
// Files that end in .gz are compressed, .tar.gz are archives of the CSV file.
type folder map[string]string

func (f folder) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f {
		data := []byte(text)
		if table, ok := strings.CutSuffix(name, ".tar.gz"); ok {
			data = archived(t, table+".csv", data)
		}
		if strings.HasSuffix(name, ".gz") {
			data = compressed(t, data)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func archived(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, file := range []struct {
		name string
		data []byte
	}{{"./README", []byte("not the table")}, {"./" + name, data}} {
		if err := w.WriteHeader(&tar.Header{Name: file.name, Mode: 0o644, Size: int64(len(file.data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(file.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressed(t *testing.T, data []byte) []byte {
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

// lines joins rows.
func lines(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

// realFile returns a file of the official traces, or skips the test where it
// is not at hand. Files are looked for in $LEONTIEF_TRACES and beside the
// module.
func realFile(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("LEONTIEF_TRACES")
	if dir == "" {
		dir = "../../../shared/traces"
	}
	path := filepath.Join(dir, "alibaba", name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skip("the official files are not at hand (LEONTIEF_TRACES)")
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// byID returns the job of that id.
func byID(t *testing.T, jobs []traces.Job, id string) traces.Job {
	t.Helper()
	for _, j := range jobs {
		if j.ID == id {
			return j
		}
	}
	t.Fatalf("no job %s", id)
	return traces.Job{}
}

// wantLeftOut compares one count of a report.
func wantLeftOut(t *testing.T, r *traces.Report, unit, reason string, want int64) {
	t.Helper()
	if got := r.LeftOutFor(unit, reason); got != want {
		t.Errorf("%d %s left out for %q, want %d; the report:\n%s", got, unit, reason, want, r)
	}
}

// total adds the counts of one unit.
func total(counts []traces.Count, unit string) int64 {
	n := int64(0)
	for _, c := range counts {
		if c.Unit == unit {
			n += c.N
		}
	}
	return n
}
