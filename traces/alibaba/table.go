package alibaba

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces"
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
func (t table) each(dir string, sum *traces.SourceSum, f func(*row)) (rows int64, err error) {
	name, err := t.find(dir)
	if err != nil {
		return 0, err
	}
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r := &row{file: name, official: t.official}
	if err := r.header(filepath.Join(dir, t.name) + ".header"); err != nil {
		return 0, err
	}
	raw := sum.Reader(filepath.Base(name), file)
	text, in, err := t.unpack(name, raw)
	if err != nil {
		return 0, r.readError(err)
	}
	if err := r.scan(in, f); err != nil {
		return r.rows, err
	}
	// What follows the table must be sound, and belongs to the checksum.
	if _, err := io.Copy(io.Discard, text); err != nil {
		return r.rows, r.readError(err)
	}
	_, err = io.Copy(io.Discard, raw)
	return r.rows, err
}

// unpack returns the uncompressed file, and the text of the table in it.
func (t table) unpack(name string, raw io.Reader) (text, in io.Reader, err error) {
	if !strings.HasSuffix(name, ".gz") {
		return raw, raw, nil
	}
	if text, err = gzip.NewReader(raw); err != nil || !strings.HasSuffix(name, ".tar.gz") {
		return text, text, err
	}
	files := tar.NewReader(text)
	for {
		h, err := files.Next()
		if err == io.EOF {
			return nil, nil, fmt.Errorf("the archive holds no %s.csv", t.name)
		}
		if err != nil {
			return nil, nil, err
		}
		if path.Base(h.Name) == t.name+".csv" {
			return text, files, nil
		}
	}
}

// header takes the columns from the header file beside the table, where there
// is one, else the official ones.
func (r *row) header(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return r.columns(r.official, r.file)
	}
	if err != nil {
		return err
	}
	return r.columns(strings.Split(strings.TrimSpace(string(text)), ","), file)
}

// columns takes names as the columns of the rows; source is where they stand.
func (r *row) columns(names []string, source string) error {
	r.place = make([]int, len(r.official))
	for i, name := range r.official {
		if r.place[i] = slices.Index(names, name); r.place[i] < 0 {
			return fmt.Errorf("%s: no column %s", source, name)
		}
	}
	r.width = len(names)
	return nil
}

// scan reads the rows of a file.
func (r *row) scan(in io.Reader, f func(*row)) error {
	lines := csv.NewReader(in)
	lines.ReuseRecord, lines.FieldsPerRecord = true, -1
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.readError(err)
		}
		r.number++
		if r.number == 1 && slices.Contains(fields, r.official[0]) {
			if err := r.columns(fields, r.file); err != nil {
				return err
			}
			continue
		}
		if len(fields) != r.width {
			return fmt.Errorf("%s:row %d: %d columns instead of %d", r.file, r.number, len(fields), r.width)
		}
		r.rows++
		r.fields = fields
		if f(r); r.err != nil {
			return r.err
		}
	}
}

// readError describes an error of reading the row after the last one.
func (r *row) readError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		err = fmt.Errorf("the file ends in the middle: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s:row %d: %w", r.file, r.number+1, err)
}
