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

// ExportCompletions writes the table of [WriteCompletions] or, with its columns, of
// [WritePlacements] in path as CSV, of those rows only whose columns have the values of
// where. Texts are written by [results.CSVText]; what is missing is left empty. It is an
// error if a column does not exist or no row is left.
func ExportCompletions(to io.Writer, path string, columns []parquet.Column, where map[string]string) error {
	r, err := parquet.Open(path, columns)
	if err != nil {
		return err
	}
	defer r.Close()
	header := names(r.Columns())
	for name := range where {
		if err := spelling.Check("column", name, header); err != nil {
			return err
		}
	}
	w := csv.NewWriter(to)
	if err := w.Write(header); err != nil {
		return err
	}
	written := 0
	for batch, err := range r.Batches() {
		if err != nil {
			return err
		}
		n, err := exportBatch(w, r.Columns(), batch, where)
		if err != nil {
			return err
		}
		written += n
	}
	if written == 0 && len(where) > 0 {
		return fmt.Errorf("%s: no row has all of the values asked for", path)
	}
	w.Flush()
	return w.Error()
}

func names(columns []parquet.Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

// exportBatch writes the rows that are asked for, and returns how many these are.
func exportBatch(w *csv.Writer, columns []parquet.Column, batch []parquet.Values, where map[string]string) (written int, err error) {
rows:
	for i := range parquet.Rows(columns, batch) {
		line := make([]string, len(columns))
		for k, c := range columns {
			text := textOf(&batch[k], c.Kind, i)
			if value, asked := where[c.Name]; asked && text != value {
				continue rows
			}
			if c.Kind == parquet.String {
				text = results.CSVText(text)
			}
			line[k] = text
		}
		if err := w.Write(line); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}

// textOf writes a value so that reading it gives the same; a missing one is empty.
func textOf(v *parquet.Values, kind parquet.Kind, i int) string {
	switch {
	case v.Null(i):
		return ""
	case kind == parquet.Int64:
		return strconv.FormatInt(v.Ints[i], 10)
	case kind == parquet.Float64:
		return strconv.FormatFloat(v.Floats[i], 'g', -1, 64)
	case kind == parquet.Bool:
		return strconv.FormatBool(v.Bools[i])
	}
	return v.Strings[i]
}
