package ledger

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots/text"
)

// claimWidth is the width of the column of claims in plain text, in letters:
// what leaves a line of a ledger under 150.
const claimWidth = 18

const noteWidth = 140

// WriteText writes the ledger as a table of plain text and, below it, the notes
// that the table refers to by number: what is known about the entries that
// differ, each sentence once. Values that the workload was fitted to are marked
// with a star. Long claims and notes are wrapped.
func (l Ledger) WriteText(w io.Writer) error {
	t, notes := l.table()
	var rows [][]string
	for _, row := range t.Rows {
		for _, line := range text.Wrap(row[claimColumn], claimWidth) {
			row[claimColumn] = line
			rows = append(rows, row)
			row = make([]string, claimColumn+1) // of a further line
		}
	}
	t.Rows = rows
	if err := t.WriteText(w); err != nil {
		return err
	}
	return writeNotes(w, notes, noteWidth)
}

// WriteMarkdown writes the ledger as [Ledger.WriteText] does, in Markdown.
// Nothing is wrapped.
func (l Ledger) WriteMarkdown(w io.Writer) error {
	t, notes := l.table()
	if err := t.WriteMarkdown(w); err != nil {
		return err
	}
	return writeNotes(w, notes, 0)
}

const claimColumn = 2

// table returns the ledger's table and the notes that it refers to, the first
// being number 1.
func (l Ledger) table() (text.Table, []string) {
	t := text.Table{
		Header: []string{"item", "id", "claim", "paper", "ours", "interval", "difference", "verdict", "notes"},
		Align:  []text.Align{0, 0, 0, text.Right, text.Right, text.Right, text.Right, 0, 0},
	}
	var notes []string
	for _, e := range l.Entries {
		verdict, references := string(e.Verdict), ""
		if e.FittedTo {
			verdict += " *"
		}
		for _, note := range e.Notes {
			k := slices.Index(notes, note)
			if k < 0 {
				k, notes = len(notes), append(notes, note)
			}
			references += fmt.Sprintf("[%d]", k+1)
		}
		t.Rows = append(t.Rows, []string{
			e.Item, strings.TrimPrefix(e.ID, e.Item+"/"), e.Claim,
			number(e.Published), number(e.Ours), e.interval(), e.difference(), verdict, references,
		})
	}
	return t, notes
}

// writeNotes writes the numbered notes, if there are any, in lines of some width; 0
// is for a list of Markdown.
func writeNotes(w io.Writer, notes []string, width int) error {
	begin, b := "\n", strings.Builder{}
	for i, note := range notes {
		if width > 0 {
			fmt.Fprintf(&b, "%s[%d] %s\n", begin, i+1, strings.Join(text.Wrap(note, width), "\n    "))
		} else {
			fmt.Fprintf(&b, "%s- [%d] %s\n", begin, i+1, note)
		}
		begin = ""
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number writes a number of the ledger; nothing for one that is not there.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	if *v != 0 && math.Abs(*v) < 5e-5 {
		return fmt.Sprintf("%.1e", *v)
	}
	return fmt.Sprintf("%.4f", *v)
}

func (e *Entry) interval() string {
	if e.Low == nil || e.High == nil || e.Instances < 2 {
		return ""
	}
	return fmt.Sprintf("[%s, %s]", number(e.Low), number(e.High))
}

// difference is that of ours to the published value, relative to it.
func (e *Entry) difference() string {
	if e.Published == nil || e.Ours == nil || *e.Published == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*(*e.Ours / *e.Published - 1))
}
