package text

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/plots/printable"
)

// Align says on which side of its column a cell stands.
type Align int

// Left is for words, Right for numbers.
const (
	Left Align = iota
	Right
)

// Table is a small table of text, as a ledger or a summary.
type Table struct {
	Header []string
	Rows   [][]string
	// Align holds one entry a column; columns beyond its end are Left.
	Align []Align
	// Strong are the cells, by row and column, that LaTeX and Markdown print in bold.
	Strong map[[2]int]bool
}

// Break in a cell begins a new line of it, in LaTeX and Markdown.
const Break = "\u2028"

// Numbers returns a table without rows: one column of words, and columns of numbers.
func Numbers(words string, numbers ...string) Table {
	t := Table{Header: append([]string{words}, numbers...), Align: []Align{Left}}
	for range numbers {
		t.Align = append(t.Align, Right)
	}
	return t
}

// gutter stands between the columns of plain text.
const gutter = "  "

// widest is the number of characters of a cell in plain text: names are given by
// others, and every row is as wide as the widest.
const widest = 500

// WriteText writes the table in columns of fixed width: the header, a rule and
// the rows, no blank at the end of a line. A line break in a cell becomes a
// blank, other characters that a terminal would not show are escaped
// ([printable.Text]), and of a cell of more than 500 characters the middle is left
// out. It panics where a row is longer than the header; a shorter one is filled
// up with empty cells.
func (t Table) WriteText(w io.Writer) error {
	rows, rule := t.layout(func(_, _ int, s string) string { return printable.Cut(strings.ReplaceAll(s, Break, " "), widest) })
	out := bufio.NewWriter(w)
	for _, row := range slices.Insert(rows, 1, rule) {
		fmt.Fprintln(out, strings.TrimRight(strings.Join(row, gutter), " "))
	}
	return out.Flush()
}

// WriteMarkdown writes the table as Markdown whose source is aligned too. A bar
// in a cell is escaped; for the rest see [Table.WriteText].
func (t Table) WriteMarkdown(w io.Writer) error {
	rows, rule := t.layout(func(row, column int, s string) string {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), Break, "<br>")
		if t.Strong[[2]int{row, column}] {
			s = "**" + s + "**"
		}
		return s
	})
	for k := range rule {
		if t.alignment(k) == Right {
			rule[k] = rule[k][1:] + ":"
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range slices.Insert(rows, 1, rule) {
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	return out.Flush()
}

// leastWidth is that of Markdown's shortest rule.
const leastWidth = 3

// layout returns the header and the rows with all cells padded to the width of
// their column, and a rule as wide.
func (t Table) layout(escape func(row, column int, s string) string) (rows [][]string, rule []string) {
	widths := make([]int, len(t.Header))
	for i, row := range append([][]string{t.Header}, t.Rows...) {
		if len(row) > len(t.Header) {
			panic(fmt.Sprintf("plots: row %d of a table has %d cells under %d headings", i-1, len(row), len(t.Header)))
		}
		cells := make([]string, len(t.Header))
		for k := range cells {
			if k < len(row) {
				cells[k] = escape(i-1, k, shown(row[k]))
			}
			widths[k] = max(widths[k], leastWidth, utf8.RuneCountInString(cells[k]))
		}
		rows = append(rows, cells)
	}
	for _, cells := range rows {
		for k, s := range cells {
			cells[k] = pad(s, widths[k], t.alignment(k))
		}
	}
	for _, width := range widths {
		rule = append(rule, strings.Repeat("-", width))
	}
	return rows, rule
}

// shown is the text of a cell: without line breaks but [Break], and without characters that
// a terminal would not show.
func shown(cell string) string {
	lines := strings.Split(cell, Break)
	for i, line := range lines {
		lines[i] = printable.Text(strings.Join(strings.FieldsFunc(line, isBreak), " "))
	}
	return strings.Join(lines, Break)
}

func (t Table) alignment(k int) Align {
	if k < len(t.Align) {
		return t.Align[k]
	}
	return Left
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' }

func pad(s string, width int, a Align) string {
	blanks := strings.Repeat(" ", width-utf8.RuneCountInString(s))
	if a == Right {
		return blanks + s
	}
	return s + blanks
}

// Wrap breaks a text at blanks into lines of at most width letters; a longer
// word has a line of its own. The result has at least one line.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
