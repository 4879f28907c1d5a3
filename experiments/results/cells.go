package results

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// WriteCells writes cells in long form, as CSV: the columns that tell cells apart,
// then, of a time series, the time, and mean, low, high (empty for one instance),
// instances and unit, with all their digits. Texts are written by [CSVText].
func WriteCells(w io.Writer, cells []Cell) error {
	rows := make([]Row, len(cells))
	for i, c := range cells {
		rows[i] = c.Row()
	}
	columns := append(Axes(rows), "metric")
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Timed }) {
		columns = append(columns, "time_s")
	}
	out := csv.NewWriter(w)
	if err := out.Write(append(slices.Clone(columns), "mean", "low", "high", "instances", "unit")); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i, c := range cells {
		var line []string
		for _, name := range columns {
			line = append(line, rows[i].CSV(name))
		}
		low, high := number(c.Low), number(c.High)
		if !c.Bounded() {
			low, high = "", ""
		}
		line = append(line, number(c.Mean), low, high, strconv.Itoa(c.Summary.N), CSVText(c.Unit))
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteValues writes rows as CSV: the columns that tell rows apart, the instance, the time
// (empty for none), then metric, value and unit, with all their digits. Texts are
// written by [CSVText].
func WriteValues(w io.Writer, rows []Row) error {
	columns := append(Axes(rows), "instance", "time_s", "metric", "value", "unit")
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for i := range rows {
		var line []string
		for _, name := range columns {
			line = append(line, rows[i].CSV(name))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WorkloadOf returns the workload of cells; "" if they are of several, which
// [plots.Pivot] has in a column.
func WorkloadOf(cells []Cell) string {
	for i := range cells {
		if cells[i].Workload != cells[0].Workload {
			return ""
		}
	}
	if len(cells) == 0 {
		return ""
	}
	return cells[0].Workload
}
