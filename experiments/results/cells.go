package results

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// Row returns a cell as a row, for what it is of.
func (k Key) Row() Row {
	return Row{Experiment: k.Experiment, Item: k.Item, Policy: k.Policy, N: k.N, Rho: k.Rho, BandwidthMHz: k.BandwidthMHz,
		SlotS: k.SlotS, Parameters: k.Parameters, User: k.User, TimeS: k.TimeS, Metric: k.Metric, Unit: k.Unit, Workload: k.Workload}
}

// WriteCells writes cells in long form, as CSV: every column that tells cells
// apart, then mean, low, high (empty for one instance), instances and unit, with
// all their digits. Texts are written by [CSVText].
func WriteCells(w io.Writer, cells []Cell) error {
	out := csv.NewWriter(w)
	columns := append(slices.Clone(Axes), "parameters", "metric")
	if err := out.Write(append(slices.Clone(columns), "mean", "low", "high", "instances", "unit")); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range cells {
		r := c.Row()
		var line []string
		for _, name := range columns {
			switch {
			case name == "parameters":
				line = append(line, CSVText(r.Parameters))
			case isText(name):
				line = append(line, CSVText(r.Is(name)))
			default:
				line = append(line, r.Is(name))
			}
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

// isText reports whether a column of a result table holds texts.
func isText(name string) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return c.name == name && c.text != nil })
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
