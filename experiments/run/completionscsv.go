package run

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// ExportCompletions writes the table of [WriteCompletions] in path as CSV, a row
// a job and policy, of those rows only whose columns have the values of where; the
// last column is the mark of the workload. Texts are written by [results.CSVText].
// Of a refused job completion, standalone and factor are left empty. It is an
// error if a column does not exist or no row is left.
func ExportCompletions(to io.Writer, path string, where map[string]string) error {
	r, err := parquet.Open(path, completionColumns)
	if err != nil {
		return err
	}
	defer r.Close()
	wanted, err := completionFilter(where)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	if err := w.Write(CompletionColumns()); err != nil {
		return err
	}
	mark, written := markOf(r.Meta()), 0
	for {
		batch, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i := range batch[0].Strings {
			if line := append(completionLine(batch, i), mark); wanted(line) {
				written++
				for _, text := range []int{0, 1, len(line) - 1} {
					line[text] = results.CSVText(line[text])
				}
				if err := w.Write(line); err != nil {
					return err
				}
			}
		}
	}
	if written == 0 && len(where) > 0 {
		return fmt.Errorf("%s: no row has all of the values asked for", path)
	}
	w.Flush()
	return w.Error()
}

// CompletionColumns returns the columns of the table of completions, in their order.
func CompletionColumns() []string {
	var names []string
	for _, c := range completionColumns {
		names = append(names, c.Name)
	}
	return append(names, "workload")
}

// markOf finds the mark of the workload in a file's metadata; "" in files of
// before it was written.
func markOf(meta []parquet.KeyValue) string {
	for _, pair := range meta {
		if pair.Key == keyMark {
			return pair.Value
		}
	}
	return ""
}

// completionFilter returns a test of lines.
func completionFilter(where map[string]string) (func(line []string) bool, error) {
	header := CompletionColumns()
	for name := range where {
		if err := spelling.Check("column", name, header); err != nil {
			return nil, err
		}
	}
	return func(line []string) bool {
		for i, name := range header {
			if value, asked := where[name]; asked && line[i] != value {
				return false
			}
		}
		return true
	}, nil
}

func completionLine(b []parquet.Values, i int) []string {
	line := []string{b[0].Strings[i], b[1].Strings[i], strconv.FormatInt(b[2].Ints[i], 10), "", "", "", strconv.FormatBool(b[6].Bools[i])}
	if !b[6].Bools[i] {
		line[3] = strconv.FormatInt(b[3].Ints[i], 10)
		line[4] = strconv.FormatFloat(b[4].Floats[i], 'g', -1, 64)
		line[5] = strconv.FormatFloat(b[5].Floats[i], 'g', -1, 64)
	}
	return line
}
