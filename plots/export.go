package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots/text"
)

// Layout says which column of a result table stands where in a table for readers.
type Layout struct {
	// Rows and Cols are the columns whose values name the rows and the columns; no Cols
	// stands for the policy, and no Rows for all other columns in which cells differ.
	Rows, Cols []string
	// Cell is how a mean and its interval are written: interval (0.51 [0.50, 0.53]),
	// pm (0.51 ± 0.02, the longer side), lines (the interval below the mean) or mean.
	Cell string
	// Plain has no value in bold; else the best of a row is, as the metric says.
	Plain  bool
	Labels map[string]string // as in [View]
}

// Cells are the ways to write a cell.
var Cells = []string{"interval", "pm", "lines", "mean"}

// metricColumn stands first where a table has several metrics.
const metricColumn = "metric"

// Pivot makes a table of cells. Numbers have as many digits as their interval makes
// good: two of its half-width, and all significant up to four where there is none. A
// column that cells differ in and that has no place is an error that names it.
func Pivot(cells []results.Cell, l Layout, styles Styles) (text.Table, error) {
	if l.Cell == "" {
		l.Cell = Cells[0]
	}
	if !slices.Contains(Cells, l.Cell) {
		return text.Table{}, fmt.Errorf("cell %q: one of %s", l.Cell, strings.Join(Cells, ", "))
	}
	if err := l.settle(cells); err != nil {
		return text.Table{}, err
	}
	p := pivot{Layout: l, view: View{Labels: l.Labels, styles: styles}, cells: map[[2]string]*results.Cell{}}
	for i := range cells {
		if err := p.add(&cells[i]); err != nil {
			return text.Table{}, err
		}
	}
	return p.table(), nil
}

// settle gives every column in which cells differ a place.
func (l *Layout) settle(cells []results.Cell) error {
	varying := Settings(cells)
	if slices.ContainsFunc(cells, func(c results.Cell) bool { return c.Metric != cells[0].Metric }) {
		varying = append([]string{metricColumn}, varying...)
	}
	if len(l.Cols) == 0 {
		l.Cols = []string{Policy}
	}
	free := slices.DeleteFunc(slices.Clone(varying), func(c string) bool { return slices.Contains(l.Cols, c) || slices.Contains(l.Rows, c) })
	if len(l.Rows) == 0 {
		l.Rows, free = free, nil
	}
	if len(free) > 0 {
		return fmt.Errorf("the rows differ in %s as well: give it a place, or choose one value", strings.Join(free, ", "))
	}
	for _, c := range slices.Concat(l.Rows, l.Cols) {
		if c != Policy && c != metricColumn && !slices.Contains(varying, c) {
			return fmt.Errorf("all rows have the same %s", c)
		}
	}
	return nil
}

// pivot is a table in the making.
type pivot struct {
	Layout
	view       View
	rows, cols [][]string // the values of each, in the order in which they come
	cells      map[[2]string]*results.Cell
}

// placeOf is the key of a place of the table.
func placeOf(row, col []string) [2]string {
	const unitSeparator = "\x1f"
	return [2]string{strings.Join(row, unitSeparator), strings.Join(col, unitSeparator)}
}

// at returns the cell of a place; nil where there is none.
func (p *pivot) at(row, col []string) *results.Cell { return p.cells[placeOf(row, col)] }

func (p *pivot) add(c *results.Cell) error {
	row, col := SettingOf(*c, p.Rows), SettingOf(*c, p.Cols)
	if p.at(row, col) != nil {
		return errors.New("more than one value in a place of the table")
	}
	p.cells[placeOf(row, col)] = c
	same := func(v []string) func([]string) bool { return func(w []string) bool { return slices.Equal(v, w) } }
	if !slices.ContainsFunc(p.rows, same(row)) {
		p.rows = append(p.rows, row)
	}
	if !slices.ContainsFunc(p.cols, same(col)) {
		p.cols = append(p.cols, col)
	}
	return nil
}

func (p *pivot) table() text.Table {
	t := text.Table{Strong: map[[2]int]bool{}}
	for _, c := range p.Rows {
		t.Header, t.Align = append(t.Header, p.heading(c)), append(t.Align, text.Left)
	}
	for _, col := range p.cols {
		t.Header, t.Align = append(t.Header, strings.Join(p.named(p.Cols, col), ", ")), append(t.Align, text.Right)
	}
	for i, row := range p.rows {
		line := p.named(p.Rows, row)
		best := p.best(row)
		for k, col := range p.cols {
			c := p.at(row, col)
			if c == nil {
				line = append(line, "")
				continue
			}
			line = append(line, p.write(c.Summary))
			t.Strong[[2]int{i, len(p.Rows) + k}] = !p.Plain && len(best) > 0 && slices.Contains(best, c)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func (p *pivot) heading(column string) string {
	if column == metricColumn {
		return "Metric"
	}
	return columnLabel(column, p.Labels, true)
}

// named returns what the values of columns are called.
func (p *pivot) named(columns, values []string) []string {
	var all []string
	for k, v := range values {
		switch {
		case columns[k] == metricColumn && p.Labels[v] == "":
			all = append(all, results.LabelOf(v))
		case slices.Contains(p.Cols, columns[k]) && columns[k] != Policy && columns[k] != metricColumn:
			all = append(all, p.view.equation(columns[k], p.view.label(columns[k], v)))
		default:
			all = append(all, p.view.label(columns[k], v))
		}
	}
	return all
}

// best returns the cells of the best mean of a row, by what its metric calls better;
// none where it calls nothing so, where there is one value, or all are equal.
func (p *pivot) best(row []string) (best []*results.Cell) {
	var all []*results.Cell
	for _, col := range p.cols {
		if c := p.at(row, col); c != nil {
			all = append(all, c)
		}
	}
	for _, c := range all {
		m, err := results.MetricNamed(c.Metric)
		if err != nil || m.Better == results.Neither || c.Metric != all[0].Metric {
			return nil
		}
		switch {
		case len(best) == 0 || m.Better == results.Higher && c.Mean > best[0].Mean || m.Better == results.Lower && c.Mean < best[0].Mean:
			best = []*results.Cell{c}
		case c.Mean == best[0].Mean:
			best = append(best, c)
		}
	}
	if len(best) == len(all) {
		return nil
	}
	return best
}

// write writes a mean with its interval, where it has one.
func (p *pivot) write(s results.Summary) string {
	if !s.Bounded() {
		return strconv.FormatFloat(s.Mean, 'g', 4, 64)
	}
	d := decimals(s)
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', d, 64) }
	interval := "[" + f(s.Low) + ", " + f(s.High) + "]"
	switch p.Cell {
	case "mean":
		return f(s.Mean)
	case "pm":
		return f(s.Mean) + " ± " + f(max(s.High-s.Mean, s.Mean-s.Low))
	case "lines":
		return f(s.Mean) + text.Break + interval
	}
	return f(s.Mean) + " " + interval
}

// decimals is the number of decimals with which half of an interval has two
// significant digits; at most 12, and of an interval without width that of four
// digits of the mean.
func decimals(s results.Summary) int {
	size, digits := (s.High-s.Low)/2, 1
	if size <= 0 {
		size, digits = math.Abs(s.Mean), 3
	}
	if size == 0 {
		return 0
	}
	return min(12, max(0, digits-int(math.Floor(math.Log10(size)))))
}

// Settings returns the columns but policy in which cells differ.
func Settings(cells []results.Cell) []string {
	rows := make([]results.Row, len(cells))
	for i, c := range cells {
		rows[i] = c.Row()
	}
	names, _ := results.Varying(rows)
	return slices.DeleteFunc(names, func(n string) bool { return n == Policy })
}

// SettingOf returns what a cell says of each of the columns.
func SettingOf(c results.Cell, columns []string) []string {
	r := c.Row()
	var line []string
	for _, name := range columns {
		line = append(line, r.Is(name))
	}
	return line
}
