package google1

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/traces"
)

// columns are the names in the file's first line.
var columns = []string{"Time", "ParentID", "TaskID", "JobType", "NrmlTaskCores", "NrmlTaskMem"}

// largest bounds times, in s, and amounts, so that no sum of them overflows.
const largest = 1e9

// row is one row of the file. Its readers record the first error and return
// zero from then on.
type row struct {
	file   string
	number int64 // 1-based, the line of names included
	fields []string
	err    error
}

// integer returns an integer field, which must not be negative.
func (r *row) integer(column int) int64 {
	v, err := strconv.ParseInt(r.fields[column], 10, 64)
	switch {
	case err != nil:
	case v < 0:
		err = errors.New("negative")
	case column == 0 && v > largest:
		err = errors.New("beyond any trace")
	}
	r.fail(column, err)
	return v
}

// amount returns a number, which must be finite and not negative.
func (r *row) amount(column int) float64 {
	v, err := strconv.ParseFloat(r.fields[column], 64)
	switch {
	case err != nil:
	case v < 0:
		err = errors.New("negative")
	case math.IsNaN(v) || math.IsInf(v, 0):
		err = errors.New("not finite")
	case v > largest:
		err = errors.New("not a normalised amount")
	}
	r.fail(column, err)
	return v
}

// fail records the row's first error.
func (r *row) fail(column int, err error) {
	if err == nil || r.err != nil {
		return
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		err = number.Err
	}
	r.err = fmt.Errorf("%s:row %d, column %d (%s): %q: %w", r.file, r.number, column+1, columns[column], r.fields[column], err)
}

// read reads the rows of a file and returns the checksum of its bytes.
func (im *importer) read(path string) (checksum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var sum traces.SourceSum
	raw := sum.Reader(filepath.Base(path), file)
	r := &row{file: path}
	if err := im.scan(r, raw); err != nil {
		return "", err
	}
	// Bytes that the decompressor did not need belong to the checksum too.
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return "", err
	}
	im.report.AddRead(FileName, r.number-1)
	return sum.Sum(), nil
}

func (im *importer) scan(r *row, raw io.Reader) error {
	in := raw
	if strings.HasSuffix(r.file, ".gz") {
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return r.broken(err)
		}
		in = unzip
	}
	lines := bufio.NewScanner(in)
	// A line that a read error cut short comes with the error.
	for lines.Scan() && lines.Err() == nil {
		r.number++
		r.fields = strings.Fields(lines.Text())
		switch {
		case r.number == 1 && slices.Equal(named(r.fields), columns):
			continue
		case r.number == 1:
			return fmt.Errorf("%s:row 1: not the names of the columns: %q, want %q", r.file, r.fields, columns)
		case len(r.fields) != len(columns):
			return fmt.Errorf("%s:row %d: %d columns instead of %d", r.file, r.number, len(r.fields), len(columns))
		}
		if im.add(r); r.err != nil {
			return r.err
		}
	}
	if err := lines.Err(); err != nil {
		return r.broken(err)
	}
	if r.number == 0 {
		return fmt.Errorf("%s: empty, without the names of the columns", r.file)
	}
	return nil
}

// named returns the names of columns with the documentation's name of the
// second one replaced by that of the file.
func named(fields []string) []string {
	names := slices.Clone(fields)
	if len(names) > 1 && names[1] == "JobID" {
		names[1] = columns[1]
	}
	return names
}

// broken describes an error of reading the row after the last one.
func (r *row) broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return fmt.Errorf("%s:row %d: the file ends in the middle (truncated gzip): %w", r.file, r.number+1, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s:row %d: %w", r.file, r.number+1, err)
}
