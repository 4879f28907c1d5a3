package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/traces/input"
)

// Verdicts are all verdicts, in the order in which they are counted.
var Verdicts = []Verdict{Reproduced, Differs, Refuted, NotRun}

// ReadLedger reads the ledger of a result folder, whose seal is checked. What is
// known about an entry that differs is its Why.
func ReadLedger(folder string) (Ledger, error) {
	path := filepath.Join(folder, LedgerFile)
	if err := sealed.CheckFile(path); err != nil {
		return Ledger{}, err
	}
	data, err := input.ReadText(path)
	if err != nil {
		return Ledger{}, err
	}
	l, err := ParseLedger(data)
	if err != nil {
		return Ledger{}, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// ParseLedger reads the text of a ledger.
func ParseLedger(data []byte) (l Ledger, err error) {
	if err := json.Unmarshal(data, &l); err != nil {
		return Ledger{}, err
	}
	if l.Schema != LedgerSchema {
		return Ledger{}, fmt.Errorf("schema %d; this program reads %d", l.Schema, LedgerSchema)
	}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Why != "" {
			e.Notes = []string{e.Why}
		}
	}
	return l, nil
}

// Items are the items of the entries, in their order.
func (l Ledger) Items() []string {
	var items []string
	for i := range l.Entries {
		if !slices.Contains(items, l.Entries[i].Item) {
			items = append(items, l.Entries[i].Item)
		}
	}
	return items
}

// Only returns the ledger of the entries of these items and verdicts; nil stands
// for all.
func (l Ledger) Only(items []string, verdicts []Verdict) Ledger {
	var kept []Entry
	for _, e := range l.Entries {
		if (items == nil || slices.Contains(items, e.Item)) && (verdicts == nil || slices.Contains(verdicts, e.Verdict)) {
			kept = append(kept, e)
		}
	}
	return Ledger{l.Schema, kept}
}

// ByItem is a table of how many entries of each item have each verdict. As in a
// [Tally], values that the workload was fitted to and those printed again are
// counted apart.
func (l Ledger) ByItem() text.Table {
	t := text.Numbers("item", string(Reproduced), string(Differs), string(Refuted), string(NotRun), "not counted")
	for _, item := range l.Items() {
		n := l.Only([]string{item}, nil).Tally()
		row := []string{item}
		for _, count := range []int{n.Reproduced, n.Differs, n.Refuted, n.NotRun, n.Fitted + n.Repeats} {
			cell := ""
			if count > 0 {
				cell = fmt.Sprint(count)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// WriteWithin writes the ledger as [Ledger.WriteText] does, but in lines of at most
// width letters where that can be had. The entries of one claim of an item stand
// under a heading of their own, and columns are left out, the least telling first,
// until a line fits; the last line names them.
func (l Ledger) WriteWithin(w io.Writer, width int) error {
	full, notes := l.table()
	var left []string
	kept := []int{idColumn, paperColumn, oursColumn, intervalColumn, differenceColumn, verdictColumn, notesColumn}
	for _, k := range []int{differenceColumn, intervalColumn, notesColumn} {
		if widthOf(full, kept) <= width {
			break
		}
		kept = slices.DeleteFunc(kept, func(c int) bool { return c == k })
		left = append(left, full.Header[k])
	}
	heading := func(row []string) string { return row[0] + ": " + row[claimColumn] }
	for rows := full.Rows; len(rows) > 0; {
		first, n := heading(rows[0]), 1
		for n < len(rows) && heading(rows[n]) == first {
			n++
		}
		fmt.Fprintln(w, strings.Join(text.Wrap(first, width), "\n  "))
		if err := narrowed(full, rows[:n], kept).WriteText(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		rows = rows[n:]
	}
	if !slices.Contains(kept, notesColumn) {
		notes = nil
	}
	err := writeNotes(w, notes, max(width-len("[10] "), 1))
	if err == nil && left != nil {
		_, err = fmt.Fprintf(w, "Left out for the width of the terminal: %s. %s has everything.\n", strings.Join(left, ", "), LedgerFile)
	}
	return err
}

// The columns of a ledger's table.
const (
	idColumn         = 1
	paperColumn      = 3
	oursColumn       = 4
	intervalColumn   = 5
	differenceColumn = 6
	verdictColumn    = 7
	notesColumn      = 8
)

func narrowed(t text.Table, rows [][]string, kept []int) text.Table {
	part := text.Table{Header: pick(t.Header, kept), Align: pick(t.Align, kept)}
	for _, row := range rows {
		part.Rows = append(part.Rows, pick(row, kept))
	}
	return part
}

func pick[T any](list []T, kept []int) []T {
	var picked []T
	for _, k := range kept {
		picked = append(picked, list[k])
	}
	return picked
}

// leastColumn is the width of the narrowest column of a text table.
const leastColumn = 3

// widthOf is the width of a line of some columns, in letters.
func widthOf(t text.Table, kept []int) int {
	total := 0
	for _, k := range kept {
		widest := max(leastColumn, utf8.RuneCountInString(t.Header[k]))
		for _, row := range t.Rows {
			widest = max(widest, utf8.RuneCountInString(row[k]))
		}
		total += widest + 2
	}
	return total - 2
}
