package plots

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Pivot makes a table of cells: a row a setting and metric, a column a policy,
// in a cell the mean with its interval. Columns of settings that do not differ
// are left out.
func Pivot(cells []Cell) Table {
	var policies, rows []string
	value := map[[2]string]string{}
	header := settingColumns(cells)
	for _, c := range cells {
		row := strings.Join(settingOf(c, header), "\x00")
		if !slices.Contains(policies, c.Policy) {
			policies = append(policies, c.Policy)
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		value[[2]string{row, c.Policy}] = cellText(c.Summary)
	}
	t := Table{Header: append(slices.Clone(header), policies...)}
	for range header {
		t.Align = append(t.Align, Left)
	}
	for range policies {
		t.Align = append(t.Align, Right)
	}
	for _, row := range rows {
		line := strings.Split(row, "\x00")
		for _, p := range policies {
			line = append(line, value[[2]string{row, p}])
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// cellText writes a mean with its interval, where it has one.
func cellText(s Summary) string {
	if !s.Bounded() {
		return fmt.Sprintf("%.4g", s.Mean)
	}
	return fmt.Sprintf("%.4g [%.4g, %.4g]", s.Mean, s.Low, s.High)
}

// settingColumns returns the names of the columns of a pivot that say what a
// row is of: the metric, and the axes but policy on which cells differ.
func settingColumns(cells []Cell) []string {
	rows := make([]Row, len(cells))
	for i, c := range cells {
		rows[i] = c.row()
	}
	names, _ := Varying(rows)
	return append([]string{"metric"}, slices.DeleteFunc(names, func(n string) bool { return n == "policy" })...)
}

func settingOf(c Cell, columns []string) []string {
	r := c.row()
	var line []string
	for _, name := range columns {
		line = append(line, r.Is(name))
	}
	return line
}

// row returns a cell as a row, for what it is of.
func (k Key) row() Row {
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
		r := c.row()
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
// [Pivot] has in a column.
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

// WriteLaTeX writes the table for the package booktabs, without a float around
// it: \input takes it. Characters that LaTeX reads otherwise are escaped; the
// caption, where there is one, is a comment.
func (t Table) WriteLaTeX(w io.Writer, caption string) error {
	out := bufio.NewWriter(w)
	if caption != "" {
		fmt.Fprintf(out, "%% %s\n", strings.Join(strings.FieldsFunc(caption, isBreak), " "))
	}
	columns := ""
	for k := range t.Header {
		columns += [...]string{Left: "l", Right: "r"}[t.align(k)]
	}
	fmt.Fprintf(out, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", columns)
	line := func(cells []string) {
		escaped := make([]string, len(t.Header))
		for i, c := range cells {
			escaped[i] = latex.Replace(c)
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(escaped, " & "))
	}
	line(t.Header)
	fmt.Fprintln(out, "\\midrule")
	for _, row := range t.Rows {
		line(row)
	}
	fmt.Fprint(out, "\\bottomrule\n\\end{tabular}\n")
	return out.Flush()
}

// latex escapes text for LaTeX, and writes the signs of ledgers that the
// standard fonts lack.
var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "ρ", `$\rho$`, "ψ", `$\psi$`, "η", `$\eta$`, "≤", `$\le$`, "≥", `$\ge$`, "×", `$\times$`,
	"·", `$\cdot$`, "−", `$-$`, "…", `\dots{}`, "\n", " ")
