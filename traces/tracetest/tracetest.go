// Package tracetest writes files of traces and checks what importers promise, for their tests.
package tracetest

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
)

// longestMessage bounds an error of an importer, in bytes.
const longestMessage = 20_000

// Check checks the outcome of an import, whatever was imported. An error has a
// bounded text without anything that a terminal would obey, and is no panic of a
// library. Jobs come in order of submission; jobs and machines are valid (with
// ids, at least a task and a microsecond, amounts in range), none twice; there is
// a report and a checksum; and reading the files that are written of them gives
// the same.
func Check(t *testing.T, res *traces.Imported, err error) {
	t.Helper()
	if err != nil {
		checkMessage(t, err.Error())
		if errors.Is(err, traces.ErrEmpty) != (res != nil) {
			t.Errorf("a result %t beside the error %v", res != nil, err)
		}
		return
	}
	if err := res.Validate(); err != nil {
		t.Error(err)
	}
	if len(res.Jobs) == 0 || res.Report == nil || len(res.Meta.Checksum) != 64 || res.Meta.Label == "" {
		t.Errorf("%d jobs, report %v, metadata %+v", len(res.Jobs), res.Report, res.Meta)
	}
	if !slices.IsSortedFunc(res.Jobs, func(a, b traces.Job) int { return int(min(1, max(-1, a.SubmitUS-b.SubmitUS))) }) {
		t.Error("jobs out of order")
	}
	ids := map[string]bool{}
	for _, j := range res.Jobs {
		if ids[j.ID] {
			t.Errorf("two jobs %q", j.ID)
		}
		ids[j.ID] = true
	}
	readBack(t, res)
}

// Must checks the outcome of an import that is to succeed, and returns it.
func Must(t *testing.T, res *traces.Imported, err error) *traces.Imported {
	t.Helper()
	Check(t, res, err)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Same compares what was imported with the jobs and the report that it is to be.
func Same(t *testing.T, res *traces.Imported, jobs []traces.Job, report string) {
	t.Helper()
	if d := cmp.Diff(jobs, res.Jobs); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if d := cmp.Diff(report, res.Report.String()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
}

// Refused checks that an import came to nothing but an error that says what is wanted.
func Refused(t *testing.T, res *traces.Imported, err error, want string) {
	t.Helper()
	Check(t, res, err)
	if err == nil || res != nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want an error that says %s", err, want)
	}
}

// RefusedTexts checks of files of this name that each text, the first of a pair, is
// [Refused] with an error that names the file and says what is wanted, the second.
func RefusedTexts(t *testing.T, name string, pairs [][2]string, load func(path string) (*traces.Imported, error)) {
	t.Helper()
	for _, pair := range pairs {
		res, err := load(File(t, name, pair[0]))
		Refused(t, res, err, pair[1])
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%v: does not name %s", err, name)
		}
	}
}

// LeftOutOnce checks that one thing of a unit was left out for each of the reasons.
func LeftOutOnce(t *testing.T, res *traces.Imported, unit string, reasons ...string) {
	t.Helper()
	for _, reason := range reasons {
		if n := res.Report.LeftOutFor(unit, reason); n != 1 {
			t.Errorf("%d %s left out for %q, want 1:\n%s", n, unit, reason, res.Report)
		}
	}
}

// Accounted checks that each row that was read is a job or was left out.
func Accounted(t *testing.T, res *traces.Imported) {
	t.Helper()
	if res != nil && Total(res.Report.Read(), "rows") != int64(len(res.Jobs))+Total(res.Report.LeftOut(), "rows") {
		t.Errorf("%d jobs\n%s", len(res.Jobs), res.Report)
	}
}

// readBack writes and reads what was imported.
func readBack(t *testing.T, res *traces.Imported) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	if err := traces.WriteJobs(path, res.Jobs, res.Meta); err != nil {
		t.Fatal(err)
	}
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil || !slices.Equal(jobs, res.Jobs) || meta != res.Meta {
		t.Errorf("jobs read back differ: %v", err)
	}
	if len(res.Machines) == 0 {
		return
	}
	path = filepath.Join(t.TempDir(), "machines.parquet")
	if err := traces.WriteMachines(path, res.Machines, res.Meta); err != nil {
		t.Fatal(err)
	}
	machines, _, err := traces.ReadMachines(path)
	if err != nil || !slices.Equal(machines, res.Machines) {
		t.Errorf("machines read back differ: %v", err)
	}
}

func checkMessage(t *testing.T, text string) {
	t.Helper()
	if len(text) > longestMessage || strings.Contains(text, "panic") || strings.Contains(text, "runtime error") {
		t.Errorf("an error of %d bytes: %.300s", len(text), text)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError {
			t.Errorf("a message with %U: %.300q", r, text)
			return
		}
	}
}

// Total adds the counts of a unit.
func Total(counts []traces.Count, unit string) int64 {
	n := int64(0)
	for _, c := range counts {
		if c.Unit == unit {
			n += c.N
		}
	}
	return n
}
