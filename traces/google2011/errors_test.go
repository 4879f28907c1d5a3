package google2011

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"github.com/leontief-sim/leontief/traces/tracetest"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnreadableRows(t *testing.T) {
	row17 := strings.Repeat(jobRows("1000 1 8"), 16)
	for _, c := range []struct{ name, part, text, want string }{
		{"too few columns", jobPart, "1,,1,0\n", "part-00000-of-00001.csv:row 1: 4 columns instead of 8"},
		{"a non-number in row 17", jobPart, row17 + "x,,1,0,u,0,n,l\n", `part-00000-of-00001.csv:row 17, column 1 (time): "x": invalid syntax`},
		{"a time beyond 64 bits", jobPart, "99999999999999999999,,1,0,u,0,n,l\n", "row 1, column 1 (time): \"99999999999999999999\": value out of range"},
		{"a negative time", jobPart, "-5,,1,0,u,0,n,l\n", `column 1 (time): "-5": negative`},
		{"an empty id", jobPart, "5,,,0,u,0,n,l\n", `column 3 (job ID): "": invalid syntax`},
		{"an unknown event", jobPart, "5,,1,9,u,0,n,l\n", `column 4 (event type): "9": not an event type from 0 to 8`},
		{"a request that is no number", taskPart, "5,,1,0,,0,u,0,0,half,1,1,0\n", `column 10 (CPU request): "half": invalid syntax`},
		{"a negative request", taskPart, "5,,1,0,,0,u,0,0,1,-0.5,1,0\n", `column 11 (memory request): "-0.5": negative`},
		{"a request that is infinite", taskPart, "5,,1,0,,0,u,0,0,Inf,1,1,0\n", `column 10 (CPU request): "Inf": not finite`},
		{"a request that is NaN", taskPart, "5,,1,0,,0,u,0,0,NaN,1,1,0\n", `column 10 (CPU request): "NaN": not finite`},
		{"a quote out of place", taskPart, "5,,1,0,,0,u\"x,0,0,1,1,1,0\n", `part-00000-of-00001.csv:row 1: `},
		{"too many columns", machPart, "0,5,0,p,1,1,1\n", "row 1: 7 columns instead of 6"},
		{"a capacity that is no number", machPart, "0,5,0,p,big,1\n", `column 5 (CPUs): "big": invalid syntax`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := normal()
			f[c.part] = c.text
			_, err := Import(f.write(t), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestTruncatedGzip(t *testing.T) {
	f := normal()
	delete(f, jobPart)
	dir := f.write(t)
	path := filepath.Join(dir, jobPart+".gz")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var long strings.Builder
	for i := range 5000 {
		long.WriteString(jobRows(fmt.Sprintf("%d %d 0", 1000+i, i)))
	}
	whole := tracetest.Packed(t, []byte(long.String()))
	for _, cut := range []int{0, 5, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Import(dir, Options{})
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), path+":row ") || !strings.Contains(err.Error(), "truncated gzip") {
			t.Errorf("cut to %d of %d bytes: error %v", cut, len(whole), err)
		}
	}
	bad := bytes.Clone(whole)
	bad[len(bad)-8] ^= 1 // the checksum of the content
	if err := os.WriteFile(path, bad, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(dir, Options{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("a wrong checksum: error %v", err)
	}
}

func TestMissingFoldersAndParts(t *testing.T) {
	empty := t.TempDir()
	noTasks := normal()
	delete(noTasks, taskPart)
	twice := normal()
	twice[jobPart+".gz"] = twice[jobPart]
	divisions := normal()
	divisions["job_events/part-00001-of-00500.csv"] = ""
	name := normal()
	name["job_events/part-1.csv"] = ""
	number := normal()
	number["job_events/part-00007-of-00001.csv"] = ""
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(empty, "none"), "job_events: no parts found"},
		{empty, "job_events: no parts found"},
		{noTasks.write(t), "task_events: no parts found"},
		{twice.write(t), "the same part twice"},
		{divisions.write(t), "different divisions of the table"},
		{name.write(t), "part-1.csv: not a name of the form"},
		{number.write(t), "part 7 of only 1"},
	} {
		if _, err := Import(c.dir, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
