package alibaba

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// folder is a trace that a test writes: the text of each file by its name.
// Files that end in .gz are compressed, .tar.gz are archives of the CSV file.
type folder map[string]string

func (f folder) write(t *testing.T) string {
	t.Helper()
	files := map[string]string{}
	for name, text := range f {
		if table, ok := strings.CutSuffix(name, ".tar.gz"); ok {
			text = string(archived(t, table+".csv", []byte(text)))
		}
		files[name] = text
	}
	return tracetest.Folder(t, files)
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

// lines joins rows.
func lines(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

// realFile returns a file of the official traces, or skips the test.
func realFile(t *testing.T, name string) string {
	t.Helper()
	return tracetest.AtHand(t, "alibaba/"+name)
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
