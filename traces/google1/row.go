package google1

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// columns are the names in the file's first line.
var columns = []string{"Time", "ParentID", "TaskID", "JobType", "NrmlTaskCores", "NrmlTaskMem"}

// largest bounds times, in s, and amounts, so that no sum of them overflows.
const largest = 1e9

// row is one row of the file. Its number counts the line of names.
type row struct{ *rows.Row }

// time returns the beginning of the row's period, in s.
func (r row) time() int64 {
	v := r.Integer(0)
	if v > largest {
		r.Fail(0, errors.New("beyond any trace"))
	}
	return v
}

// amount returns a normalised amount.
func (r row) amount(column int) float64 {
	v, _ := r.Amount(column)
	if v > largest {
		r.Fail(column, errors.New("not a normalised amount"))
	}
	return v
}

// read reads the rows of a file and returns the checksum of its bytes.
func (im *importer) read(path string) (checksum string, err error) {
	var sum traces.SourceSum
	r := row{rows.New(path, columns)}
	err = r.Read(filepath.Base(path), &sum, func(text io.Reader) error { return im.scan(path, r, text) })
	if err != nil {
		return "", err
	}
	im.report.AddRead(FileName, r.Number()-1)
	return sum.Sum(), nil
}

func (im *importer) scan(path string, r row, text io.Reader) error {
	err := r.Lines(text, func(line string) error {
		fields := strings.Fields(line)
		if r.Number() == 0 && !slices.Equal(named(fields), columns) {
			return fmt.Errorf("%s:row 1: not the names of the columns: %s, want %s", input.Path(path), input.Names(fields), input.Names(columns))
		}
		if err := r.Next(fields); err != nil || r.Number() == 1 {
			return err
		}
		im.add(r)
		return r.Err()
	})
	if err == nil && r.Number() == 0 {
		err = fmt.Errorf("%s: empty, without the names of the columns", input.Path(path))
	}
	return err
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
