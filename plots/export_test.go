package plots

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots/text"
)

func summarized(t *testing.T) []results.Cell {
	t.Helper()
	cells, err := results.Summarize(sweepRows())
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

func pivoted(t *testing.T, l Layout) text.Table {
	t.Helper()
	table, err := Pivot(summarized(t), l, madeUpStyles)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Half of the interval is 0.587: two of its digits are two decimals. mnw is the higher,
// and the better one.
func TestPivot(t *testing.T) {
	table := pivoted(t, Layout{})
	if !slices.Equal(table.Header, []string{"Jobs n", "Server heterogeneity ρ", "mnw", "TSF-ER"}) || len(table.Rows) != 4 {
		t.Fatalf("table %+v", table)
	}
	if got := table.Rows[0]; !slices.Equal(got, []string{"10", "0.5", "16.25 [15.66, 16.84]", "15.25 [14.66, 15.84]"}) {
		t.Errorf("first row %q", got)
	}
	for cell, strong := range map[[2]int]bool{{0, 2}: true, {0, 3}: false, {0, 0}: false} {
		if table.Strong[cell] != strong {
			t.Errorf("cell %v: %t", cell, table.Strong[cell])
		}
	}
	for cell, want := range map[string]string{"pm": "16.25 ± 0.59", "mean": "16.25", "lines": "16.25" + text.Break + "[15.66, 16.84]"} {
		if got := pivoted(t, Layout{Cell: cell}).Rows[0][2]; got != want {
			t.Errorf("%s: %q", cell, got)
		}
	}
	table = pivoted(t, Layout{Rows: []string{"policy"}, Cols: []string{"n", "rho"}, Plain: true, Labels: map[string]string{"mnw": "Nash"}})
	if !slices.Equal(table.Header, []string{"Rule", "n = 10, ρ = 0.5", "n = 10, ρ = 0.9", "n = 20, ρ = 0.5", "n = 20, ρ = 0.9"}) || table.Rows[0][0] != "Nash" || table.Strong[[2]int{0, 1}] {
		t.Errorf("%+v", table)
	}
}

func TestPivotRefuses(t *testing.T) {
	for want, l := range map[string]Layout{
		"differ in n as well":    {Rows: []string{"rho"}},
		"all rows have the same": {Rows: []string{"rho", "n", "l"}},
		"cell \"box\": one of":   {Cell: "box"},
	} {
		if _, err := Pivot(summarized(t), l, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestPivotAsLaTeX(t *testing.T) {
	var b bytes.Buffer
	table := pivoted(t, Layout{Cell: "lines"})
	if err := table.WriteLaTeX(&b, text.Float{Comment: "made up,\nfor tests", Caption: "Jobs & ρ", Label: "tab:jct"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"% made up, for tests\n\\begin{table}\n\\centering\n\\caption{Jobs \\& $\\rho$}\n\\label{tab:jct}\n\\begin{tabular}{@{}llrr@{}}\n\\toprule\n",
		`10 & 0.5 & \shortstack[r]{\textbf{16.25} \\ \footnotesize [15.66, 16.84]} & \shortstack[r]{15.25 \\ \footnotesize [14.66, 15.84]} \\`, "\\bottomrule\n\\end{tabular}\n\\end{table}\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("LaTeX lacks %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := table.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "**16.25<br>[15.66, 16.84]**") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// One instance has no interval, and four digits.
func TestOneInstanceIsWrittenWithoutAnInterval(t *testing.T) {
	cells, err := results.Summarize(sweepRows()[:1])
	if err != nil {
		t.Fatal(err)
	}
	table, err := Pivot(cells, Layout{}, nil)
	if err != nil || table.Rows[0][0] != "19" {
		t.Errorf("%v %+v", err, table)
	}
}

func TestDecimals(t *testing.T) {
	for half, want := range map[float64]int{0.0145: 3, 0.587: 2, 1.2: 1, 25: 0, 1e-9: 10} {
		if got := decimals(results.Summary{Mean: 5, Low: 5 - half, High: 5 + half, N: 3}); got != want {
			t.Errorf("%g: %d decimals, want %d", half, got, want)
		}
	}
	if got := decimals(results.Summary{Mean: 0.5, Low: 0.5, High: 0.5, N: 3}); got != 4 {
		t.Errorf("no width: %d", got)
	}
}
