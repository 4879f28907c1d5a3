package alibaba

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// table is one table of a trace: its name and its columns in the official
// order, by which the readers of a row number them.
type table struct {
	name     string
	official []string
}

// ErrNoTable is the error of a folder without a table that is needed.
var ErrNoTable = errors.New("table not found")

// suffixes are the forms in which a table may be there.
var suffixes = []string{".csv", ".csv.gz", ".tar.gz"}

// find returns the path of the table's file. It is an error if there is none,
// or more than one.
func (t table) find(dir string) (string, error) {
	var found []string
	for _, s := range suffixes {
		p := filepath.Join(dir, t.name+s)
		if _, err := os.Stat(p); err == nil {
			found = append(found, p)
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: %w (looked for %s)", filepath.Join(dir, t.name), ErrNoTable, strings.Join(suffixes, ", "))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: the same table twice", strings.Join(found, " and "))
}

// each calls f for every row of the table, in order. The row is valid during
// the call only. The sum receives the bytes of the file.
func (t table) each(dir string, sum *traces.SourceSum, f func(row)) (n int64, err error) {
	name, err := t.find(dir)
	if err != nil {
		return 0, err
	}
	r := rows.New(name, t.official)
	if err := place(r, filepath.Join(dir, t.name)+".header"); err != nil {
		return 0, err
	}
	err = r.Read(filepath.Base(name), sum, func(text io.Reader) error {
		if strings.HasSuffix(name, ".tar.gz") {
			if text, err = t.inside(text); err != nil {
				return r.Broken(err)
			}
		}
		n, err = r.CSV(text, true, func() { f(row{r}) })
		return err
	})
	return n, err
}

// place takes the columns from the header file beside the table, where there is
// one; else they are the official ones.
func place(r *rows.Row, header string) error {
	text, err := input.ReadText(header)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if text, err = input.TrimMark(text); err != nil {
		return fmt.Errorf("%s: %w", input.Path(header), err)
	}
	return r.Place(strings.Split(strings.TrimSpace(string(text)), ","), header)
}

// inside returns the text of the table in an archive.
func (t table) inside(archive io.Reader) (io.Reader, error) {
	files := tar.NewReader(archive)
	for {
		h, err := files.Next()
		if err == io.EOF {
			return nil, fmt.Errorf("the archive holds no %s.csv", t.name)
		}
		if err != nil {
			return nil, err
		}
		if path.Base(h.Name) == t.name+".csv" {
			return files, nil
		}
	}
}

// row is one row of a table, whose readers take a column by its place in the
// official order; [table.each] stops at its first error.
type row struct{ *rows.Row }

// longestS bounds times, in s, so that the sum of many durations in µs stays
// inside 64 bits.
const longestS = 1e9

// name returns a field that names something and must not be empty.
func (r row) name(column int, what string) string {
	text := r.Own(column)
	if text == "" {
		r.Fail(column, fmt.Errorf("%s without a name", what))
	}
	return text
}

// whole returns a number that must be whole; an empty field is 0.
func (r row) whole(column int) int64 {
	v, _ := r.Amount(column)
	if v != math.Trunc(v) || v > math.MaxInt32 {
		r.Fail(column, errors.New("not a whole number in range"))
		return 0
	}
	return int64(v)
}

// timeUS returns a time in µs, of a field in s, and whether it is there.
func (r row) timeUS(column int) (int64, bool) {
	s, ok := r.Amount(column)
	if s > longestS {
		r.Fail(column, fmt.Errorf("later than %v s", longestS))
		return 0, false
	}
	return int64(math.Round(s * 1e6)), ok
}
