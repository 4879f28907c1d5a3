package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/leontief-sim/leontief/plots/text"
)

// WriteText writes sections for a terminal: of long tables the beginning, without what
// stands only on the page.
func WriteText(w io.Writer, sections []Section) error {
	for _, s := range sections {
		fmt.Fprintf(w, "\n%s\n", strings.ToUpper(s.Title))
		for _, lead := range s.Lead {
			for _, line := range text.Wrap(lead, 100) {
				fmt.Fprintln(w, line)
			}
		}
		if s.Head == nil {
			continue
		}
		t := s.short()
		if err := t.WriteText(w); err != nil {
			return err
		}
		if more := len(s.Rows) - len(t.Rows); more > 0 {
			fmt.Fprintf(w, "… and %d more on the page\n", more)
		}
	}
	return nil
}

// short is the table of a section as a terminal shows it.
func (s *Section) short() text.Table {
	columns := s.columns
	if columns == nil {
		for k := range s.Head {
			columns = append(columns, k)
		}
	}
	pick := func(row []string) (cells []string) {
		for _, k := range columns {
			cells = append(cells, row[k])
		}
		return cells
	}
	t := text.Table{Header: pick(s.Head)}
	for _, row := range s.Rows[:min(len(s.Rows), s.terminal)] {
		t.Rows = append(t.Rows, pick(row))
	}
	return t
}
