package parquet

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// foreignFolders are folders of files that other programs wrote, each beside what
// was written: a CSV file named truth-… with the columns in question, where \N is
// a null. A file NAME.parquet belongs to the truth whose name, without "truth-",
// NAME ends with. Some are kept with the tests; scripts/foreign-parquet.mjs writes
// many more into a folder, which LEONTIEF_PARQUET names.
func foreignFolders() []string {
	folders := []string{"testdata/foreign"}
	if more := os.Getenv("LEONTIEF_PARQUET"); more != "" {
		folders = append(folders, more)
	}
	return folders
}

// TestFilesOfOtherWriters: every value is what was written, or the file is
// refused with a reason that names what is not read.
func TestFilesOfOtherWriters(t *testing.T) {
	read, refused := 0, 0
	for _, folder := range foreignFolders() {
		files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.Contains(file, "refused") {
				wantRefused(t, file)
				refused++
				continue
			}
			compareWithTruth(t, file, truthOf(t, folder, file))
			read++
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("%d files were read, %d refused", read, refused)
	}
	t.Logf("%d files were read, %d refused", read, refused)
}

// truthOf returns the rows of the truth of a file, the names first.
func truthOf(t *testing.T, folder, file string) [][]string {
	t.Helper()
	truths, err := filepath.Glob(filepath.Join(folder, "truth-*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".parquet")
	for _, truth := range truths {
		ending := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(truth), "truth"), ".csv")
		if !strings.HasSuffix("-"+name, ending) {
			continue
		}
		text, err := os.ReadFile(truth)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	t.Fatalf("%s: no truth", file)
	return nil
}

func openForeign(t *testing.T, file string) (*Table, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return NewTable(bytes.NewReader(data), int64(len(data)))
}

// textsOf reads columns as texts; \N for a null.
func textsOf(table *Table, names []string) ([][]string, error) {
	var place []int
	var texts []func(*Values, int) (string, error)
	for _, name := range names {
		for i, n := range table.Names() {
			if n == name {
				text, err := table.Texts(i)
				if err != nil {
					return nil, err
				}
				place, texts = append(place, i), append(texts, text)
			}
		}
	}
	var rows [][]string
	for batch, err := range table.Batches(place) {
		if err != nil {
			return rows, err
		}
		for i := range batch.Rows {
			row := make([]string, len(place))
			for k := range row {
				if batch.Columns[k].Null(i) {
					row[k] = `\N`
					continue
				}
				if row[k], err = texts[k](&batch.Columns[k], i); err != nil {
					return rows, err
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func compareWithTruth(t *testing.T, file string, truth [][]string) {
	t.Helper()
	table, err := openForeign(t, file)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	rows, err := textsOf(table, truth[0])
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	if len(rows) != len(truth)-1 || int64(len(rows)) != table.Rows() {
		t.Errorf("%s: %d rows, the footer says %d, want %d", file, len(rows), table.Rows(), len(truth)-1)
		return
	}
	for i, row := range rows {
		if len(row) != len(truth[0]) {
			t.Errorf("%s: %d columns of %d", file, len(row), len(truth[0]))
			return
		}
		for k, got := range row {
			if want := truth[i+1][k]; !same(got, want) {
				t.Errorf("%s: row %d, %s: %q, want %q", file, i+1, truth[0][k], got, want)
				return
			}
		}
	}
}

// same compares values as texts, numbers or times.
func same(got, want string) bool {
	if got == want {
		return true
	}
	g, errG := strconv.ParseFloat(got, 64)
	w, errW := strconv.ParseFloat(want, 64)
	if errG == nil && errW == nil {
		return g == w
	}
	gt, errG := time.Parse(time.RFC3339Nano, got)
	wt, errW := time.Parse(time.RFC3339Nano, strings.TrimSuffix(want, "Z")+"Z")
	return errG == nil && errW == nil && gt.Equal(wt)
}

// wantRefused asks for an error that names what the name of the file says.
func wantRefused(t *testing.T, file string) {
	t.Helper()
	_, reason, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".parquet"), "refused-")
	table, err := openForeign(t, file)
	if err == nil {
		_, err = textsOf(table, table.Names())
	}
	if err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: %v, want an error with %q", file, err, reason)
	}
}
