package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces/parquet/parquettest"
)

var testColumns = []Column{{Name: "id", Kind: String}, {Name: "time_us", Kind: Int64}, {Name: "cpu", Kind: Float64}, {Name: "flag", Kind: Bool}}

// rows makes n rows whose text is width bytes long.
func rows(n, width int) []Values {
	batch := make([]Values, 4)
	for i := range n {
		id := fmt.Sprintf("%0*d", width, i*7919)
		batch[0].Strings = append(batch[0].Strings, id)
		batch[1].Ints = append(batch[1].Ints, int64(i)*1e12-5)
		batch[2].Floats = append(batch[2].Floats, 1/float64(i+1))
		batch[3].Bools = append(batch[3].Bools, i%3 == 0)
	}
	return batch
}

func write(t *testing.T, path string, meta []KeyValue, batches ...[]Values) {
	t.Helper()
	w, err := Create(path, testColumns, meta)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readAll returns what a file holds.
func readAll(path string) ([]KeyValue, [][]Values, error) {
	r, err := Open(path, testColumns)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var batches [][]Values
	for b, err := range r.Batches() {
		if err != nil {
			return nil, nil, err
		}
		batches = append(batches, b)
	}
	return r.Meta(), batches, nil
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	meta := []KeyValue{{"zeta", "last letter first"}, {"alpha", ""}, {"unicode", "Ψ, \x00 and \n"}}
	// 20,000 rows of 200 bytes of text are several pages of a column chunk.
	batches := [][]Values{rows(3, 1), rows(20000, 200)}
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, meta, batches...)
	gotMeta, got, err := readAll(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(meta, gotMeta); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if d := cmp.Diff(batches, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

func TestTableWithoutRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, nil)
	meta, got, err := readAll(path)
	if err != nil || len(meta) != 0 || len(got) != 0 {
		t.Errorf("read %v, %v, %v from a table without rows", meta, got, err)
	}
}

func TestSameRowsGiveSameBytes(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		write(t, path, []KeyValue{{"k", "v"}}, rows(5000, 12))
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same rows and metadata gave different bytes")
	}
}

// A string column whose distinct values are too many for the library's default
// dictionary page: with both kinds of pages in one column its statistics would
// stand in the order of a map, another one each time.
func TestManyDistinctStringsGiveSameBytes(t *testing.T) {
	batch := rows(40000, 64)
	var first []byte
	for i := range 6 {
		path := filepath.Join(t.TempDir(), "t.parquet")
		write(t, path, nil, batch)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = got
		} else if !bytes.Equal(got, first) {
			t.Fatal("the same rows give other bytes")
		}
	}
}

func TestEveryFlippedBitIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, []KeyValue{{"label", "real"}}, rows(4, 3))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(good) * 8 {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		expectDamaged(t, path, bad, fmt.Sprintf("bit %d of byte %d flipped", bit%8, bit/8))
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, nil, rows(4, 3))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		expectDamaged(t, path, good[:n], fmt.Sprintf("cut to %d bytes", n))
	}
	expectDamaged(t, path, append(bytes.Clone(good), 0), "one byte too long")
	expectDamaged(t, path, []byte("job_id,submit_us\n1,2\n"), "a text file")
}

func expectDamaged(t *testing.T, path string, data []byte, what string) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := readAll(path)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Fatalf("%s: error %v, want ErrDamaged with the file's name", what, err)
	}
}

// TestPanicsOfTheLibraryAreErrors gives the decoder damage behind a valid
// seal, as a file that another version of the library wrote might hold.
func TestPanicsOfTheLibraryAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, nil, rows(4, 3))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := range len(good) {
		if resealed(t, path, good, at) != nil {
			failed++
		}
	}
	if failed < len(good)/10 {
		t.Errorf("only %d of %d damaged bytes were noticed by the decoder: is it reached at all?", failed, len(good))
	}
}

// resealed inverts one byte, renews the seal and reads the file.
func resealed(t *testing.T, path string, good []byte, at int) error {
	t.Helper()
	bad := bytes.Clone(good)
	bad[at] ^= 0xff
	bad, err := parquettest.Reseal(bad)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, bad, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err = readAll(path)
	return err
}

func TestOtherColumnsAreAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, nil, rows(1, 1))
	other := map[string][]Column{
		"too few":       testColumns[:3],
		"another name":  {{Name: "id", Kind: String}, {Name: "time_s", Kind: Int64}, {Name: "cpu", Kind: Float64}, {Name: "flag", Kind: Bool}},
		"another kind":  {{Name: "id", Kind: String}, {Name: "time_us", Kind: Float64}, {Name: "cpu", Kind: Float64}, {Name: "flag", Kind: Bool}},
		"another order": {{Name: "time_us", Kind: Int64}, {Name: "id", Kind: String}, {Name: "cpu", Kind: Float64}, {Name: "flag", Kind: Bool}},
	}
	for name, columns := range other {
		if _, err := Open(path, columns); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ErrSchema with the file's name", name, err)
		}
	}
}

func TestNothingAppearsBeforeClose(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, testColumns, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows(10, 2)); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files after Abort (%v), want the old one alone", len(entries), err)
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != "old" {
		t.Errorf("the old file became %q (%v)", old, err)
	}
}

func TestMissingFolder(t *testing.T) {
	_, err := Create(filepath.Join(t.TempDir(), "no", "t.parquet"), testColumns, nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the folder does not exist", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "t.parquet"), testColumns); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the file does not exist", err)
	}
}
