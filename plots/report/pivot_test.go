package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// laidOut writes the table of entries as text: its head, then a line a row, ours below
// theirs behind a slash; "none" for entries that make no table.
func laidOut(t *testing.T, name string, entries ...ledger.Entry) string {
	t.Helper()
	b := newBuilder(testStyles(t))
	v := &folderView{Title: "p"}
	i := v.item(name, b)
	var views []*entryView
	for _, e := range entries {
		views = append(views, b.entry(v, i, e))
	}
	p := b.pivot(i, views)
	if p == nil {
		return "none"
	}
	var lines []string
	for _, h := range p.Head {
		lines = append(lines, h.Name+": "+strings.Join(h.Cells, " "))
	}
	for _, r := range p.Rows {
		line := r.Name + ":"
		for _, c := range r.Cells {
			if c.E == nil {
				line += " -"
				continue
			}
			line += fmt.Sprintf(" %s/%s", c.Theirs, c.Ours)
		}
		lines = append(lines, line)
	}
	return p.Caption + "\n" + strings.Join(lines, "\n")
}

// A paper's table: rules are rows, settings columns, in the order of the paper, with the
// columns that it prints again; what all columns have in common has no line, and claims
// beside the table are not in it.
func TestThePapersTable(t *testing.T) {
	f := paperFolder("p")
	got := laidOut(t, "table3", f.Ledger[:8]...)
	want := "mean of table3\nn: 10 15 10\nMNW: 1/1 3/4 1/1\nTSF-ER: 2/2 5/5 2/2"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Rows may have several parts; those that all have in common are said once. A row may
// lack columns.
func TestRowsOfSeveralParts(t *testing.T) {
	var entries []ledger.Entry
	for k, id := range []string{"fig2/eta/u1", "fig2/eta/u2", "fig2/mnw/u1", "fig2/mnw/u2", "fig2/tsf-er/u1", "app9/cru"} {
		entries = append(entries, ledger.Entry{ID: "examples/" + id, Claim: "tasks", Published: value64(float64(k)), Ours: value64(float64(k)), Verdict: ledger.Reproduced})
	}
	got := laidOut(t, "examples", entries...)
	if want := "Figure 2: tasks\n: u1 u2\neta: 0/0 1/1\nMNW: 2/2 3/3\nTSF-ER: 4/4 -"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A table of properties says what the paper claims and what was found; a claim that was
// refuted is the opposite.
func TestATableOfProperties(t *testing.T) {
	property := func(id, claim string, v ledger.Verdict) ledger.Entry {
		return ledger.Entry{ID: "table2/" + id, Claim: claim, Ours: value64(0), Verdict: v}
	}
	got := laidOut(t, "table2",
		property("mnw/EF", "envy-freeness of mnw: environments without it (≤ 0)", ledger.Reproduced),
		property("mnw/SP", "no strategy-proofness of mnw: size of a violation", ledger.Reproduced),
		property("cru/EF", "envy-freeness of cru: environments without it (≤ 0)", ledger.Refuted),
		property("cru/SP", "no strategy-proofness of cru: size of a violation", ledger.Differs))
	if want := "Whether the rule has the property.\n: EF SP\nMNW: yes/yes no/no\ncru: yes/no no/?"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// In a table a claim in words has its bound where the others have their number.
func TestATableWithBounds(t *testing.T) {
	entry := func(id, claim string, published *float64) ledger.Entry {
		return ledger.Entry{Item: "table1", ID: "table1/" + id, Claim: claim, Published: published, Ours: value64(.5), Verdict: ledger.Refuted}
	}
	got := laidOut(t, "table1", entry("mnw/SI", "share in which mnw violates SI (≥ 1e-06)", nil), entry("mnw/EF", "share in which mnw violates EF (≤ 0)", nil),
		entry("cru/SI", "share in which cru violates SI", value64(0)), entry("cru/EF", "share in which cru violates EF (≤ 0)", nil),
		entry("cru/alone", "what one row has alone (≤ 1)", nil))
	if want := "share in which\n: SI EF\nMNW: ≥ 1e-06/0.5 ≤ 0/0.5\ncru: 0/0.5 ≤ 0/0.5"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Claims in words are a list, however their ids look.
func TestClaimsAreNoTable(t *testing.T) {
	var entries []ledger.Entry
	for _, id := range []string{"a/x", "a/y", "b/x", "b/y"} {
		entries = append(entries, ledger.Entry{ID: "fig3/" + id, Claim: "least difference (≥ 0)", Ours: value64(1), Verdict: ledger.Reproduced})
	}
	if got := laidOut(t, "fig3", entries...); got != "none" {
		t.Errorf("claims in words became\n%s", got)
	}
}
