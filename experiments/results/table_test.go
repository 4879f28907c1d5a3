package results

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces/parquet/parquettest"
)

func writemadeUp(t *testing.T, rows []Row) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.parquet")
	if err := WriteTable(path, rows, Meta{"seed": "7", "made up": "yes"}); err != nil {
		t.Fatal(err)
	}
	return path
}

// decodeTable reads a table of these bytes.
func decodeTable(t testing.TB, data []byte) ([]Row, Meta, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadTableMeta(path)
}

func TestTableComesBackAsWritten(t *testing.T) {
	for _, instances := range []int{0, 1, 200} { // 200: 14,400 rows, several batches
		rows := madeUpRows(instances)
		path := writemadeUp(t, rows)
		got, meta, err := ReadTableMeta(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(rows, got); d != "" {
			t.Errorf("%d instances: %s", instances, d)
		}
		if d := cmp.Diff(Meta{"seed": "7", "made up": "yes"}, meta); d != "" {
			t.Error(d)
		}
	}
}

// One column with many values, all others with one: the dictionary of that
// column is most of the file, and its pages reach close to the end.
func TestTableOfALongSeriesComesBack(t *testing.T) {
	for _, n := range []int{600, 672, 2000, 5000} {
		var rows []Row
		for h := range n {
			rows = append(rows, Row{Experiment: "tsf-er", Item: "fig5", Policy: "tsf-er", Timed: true, TimeS: 3600 * float64(h),
				Metric: MetricArrivedTasks, Value: float64(h % 9), Unit: UnitTasks, Workload: madeUpWorkload})
		}
		got, err := ReadTable(writemadeUp(t, rows))
		if err != nil {
			t.Errorf("%d rows: %v", n, err)
		} else if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%d rows:\n%s", n, diff)
		}
	}
}

func TestTableKeepsEveryDigit(t *testing.T) {
	rows := []Row{
		{Policy: "p", Metric: "m", Unit: UnitRatio, Value: math.Nextafter(1, 2), Instance: math.MaxInt64},
		{Policy: "ρ, \"quoted\"\n", Metric: "m", Unit: UnitRatio, Value: math.SmallestNonzeroFloat64, Point: NewPoint(map[string]Value{"n": OfInt(math.MinInt64)})},
		{Policy: "p", Metric: "m", Unit: UnitRatio, Value: math.Copysign(0, -1), Point: NewPoint(map[string]Value{"rho": OfFloat(math.MaxFloat64)})},
	}
	got, err := ReadTable(writemadeUp(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows, got); d != "" {
		t.Error(d)
	}
	if !math.Signbit(got[2].Value) {
		t.Error("the sign of -0 is lost")
	}
}

func TestSameTableSameBytes(t *testing.T) {
	rows := madeUpRows(3)
	meta := Meta{}
	for i := range 20 {
		meta[fmt.Sprint("key ", i)] = "v"
	}
	first, err := encodeTable(Pack(rows), meta)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		again, err := encodeTable(Pack(rows), meta)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Fatal("two runs gave different bytes")
		}
	}
}

func TestTableRefusesRowsThatItCannotHold(t *testing.T) {
	good := Row{Policy: "p", Metric: "m", Unit: UnitRatio}
	for want, change := range map[string]func(*Row){
		"row 1, column value: NaN":           func(r *Row) { r.Value = math.NaN() },
		"row 1, column time_s: +Inf":         func(r *Row) { r.At(math.Inf(1)) },
		"row 1: metric \"x\" is not regist":  func(r *Row) { r.Metric = "x" },
		"row 1: m is in \"1\", not in \"s\"": func(r *Row) { r.Unit = "s" },
		"row 1, column user: no parameter":   func(r *Row) { r.Point = pointOf("user=3") },
		"row 1, column metric: empty":        func(r *Row) { r.Metric = "" },
		`row 1, column item: "\xff" is not`:  func(r *Row) { r.Item = "\xff" },
	} {
		bad := good
		change(&bad)
		path := filepath.Join(t.TempDir(), "t.parquet")
		err := WriteTable(path, []Row{good, bad}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%q: a file was left behind", want)
		}
	}
	if err := WriteTable("x", nil, Meta{"leontief.seed": "1"}); err == nil {
		t.Error("a reserved key was taken")
	}
}

func TestFailedWriteLeavesTheOldTable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	if err := WriteTable(path, madeUpRows(1), nil); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(path, []Row{{Policy: "p", Metric: "m", Unit: UnitRatio, Value: math.NaN()}}, nil); err == nil {
		t.Fatal("NaN was written")
	}
	got, err := ReadTable(path)
	if err != nil || len(got) != len(madeUpRows(1)) {
		t.Errorf("the old table is gone: %d rows, %v", len(got), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%d files in the folder (%v), want the table alone", len(files), err)
	}
}

// A file that is cut anywhere is an error.
func TestCutTableIsAnError(t *testing.T) {
	data, err := encodeTable(Pack(madeUpRows(2)), Meta{"seed": "7"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, _, err := decodeTable(t, data[:n]); err == nil {
			t.Fatalf("%d of %d bytes were read as a table", n, len(data))
		}
	}
}

// A flipped bit anywhere is an error or touches nothing that is read.
func TestFlippedBitIsNeverBelieved(t *testing.T) {
	rows := madeUpRows(1)
	data, err := encodeTable(Pack(rows), Meta{"seed": "7"})
	if err != nil {
		t.Fatal(err)
	}
	caught := 0
	for i := range data {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(data)
			bad[i] ^= bit
			got, _, err := decodeTable(t, bad)
			if err != nil {
				caught++
			} else if !cmp.Equal(rows, got) {
				t.Fatalf("byte %d ^ %#x: other rows, no error", i, bit)
			}
		}
	}
	if caught < 2*len(data) {
		t.Errorf("only %d of %d flips were errors", caught, 2*len(data))
	}
}

func TestOtherFilesAreErrors(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"empty": "", "text": "experiment,item,policy\n", "magic": "PAR1PAR1", "lie": "PAR1\xff\xff\xff\x7fPAR1",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
	}
	if _, err := ReadTable(filepath.Join(dir, "absent")); !os.IsNotExist(err) {
		t.Errorf("absent file: %v", err)
	}
}

// The version stands in the footer as plain text: raise it there.
func TestLaterVersionIsRefused(t *testing.T) {
	data, err := encodeTable(Pack(madeUpRows(1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	at := footer + bytes.Index(data[footer:], []byte(keyVersion)) + len(keyVersion)
	at += bytes.IndexByte(data[at:], '4')
	data[at] = '5'
	if data, err = parquettest.Reseal(data); err != nil {
		t.Fatal(err)
	}
	if _, _, err := decodeTable(t, data); err == nil || !strings.Contains(err.Error(), `version "5"`) {
		t.Errorf("error %v", err)
	}
}
