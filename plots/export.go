package plots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots/text"
)

// Pivot makes a table of cells: a row a setting and metric, a column a policy,
// in a cell the mean with its interval. Columns of settings that do not differ
// are left out.
func Pivot(cells []results.Cell) text.Table {
	var policies, rows []string
	value := map[[2]string]string{}
	header := append([]string{"metric"}, Settings(cells)...)
	for _, c := range cells {
		row := strings.Join(SettingOf(c, header), "\x00")
		if !slices.Contains(policies, c.Policy) {
			policies = append(policies, c.Policy)
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		value[[2]string{row, c.Policy}] = cellText(c.Summary)
	}
	t := text.Table{Header: append(slices.Clone(header), policies...)}
	for range header {
		t.Align = append(t.Align, text.Left)
	}
	for range policies {
		t.Align = append(t.Align, text.Right)
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
func cellText(s results.Summary) string {
	if !s.Bounded() {
		return fmt.Sprintf("%.4g", s.Mean)
	}
	return fmt.Sprintf("%.4g [%.4g, %.4g]", s.Mean, s.Low, s.High)
}

// Settings returns the columns but policy in which cells differ.
func Settings(cells []results.Cell) []string {
	rows := make([]results.Row, len(cells))
	for i, c := range cells {
		rows[i] = c.Row()
	}
	names, _ := results.Varying(rows)
	return slices.DeleteFunc(names, func(n string) bool { return n == "policy" })
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
