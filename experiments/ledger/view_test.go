package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// viewed is a ledger of two items with every verdict.
func viewed() Ledger {
	sampled := Estimate{Value: 1.02, Low: 0.9, High: 1.1, Instances: 10}
	at := func(item, id, claim string) Entry {
		return Entry{Paper: "p", Item: item, ID: item + "/" + id, Claim: claim}
	}
	fitted := at("fig1", "d", "mean").Value(1, sampled)
	fitted.FittedTo = true
	return NewLedger([]Entry{
		at("fig1", "a", "mean").Value(1, sampled), at("fig1", "b", "mean").Value(2, sampled, "why it differs"), at("fig1", "c", "share").Value(1, sampled), fitted,
		at("table2", "a", "mean").Refute(3, Computed(2, 0), "evidence"), at("table2", "b", "mean").Skip("no trace"),
	})
}

func TestAPartOfALedger(t *testing.T) {
	l := viewed()
	ids := func(l Ledger) string {
		var all []string
		for _, e := range l.Entries {
			all = append(all, e.ID)
		}
		return strings.Join(all, " ")
	}
	for _, c := range []struct {
		items    []string
		verdicts []Verdict
		want     string
	}{
		{nil, nil, "fig1/a fig1/b fig1/c fig1/d table2/a table2/b"},
		{[]string{"table2"}, nil, "table2/a table2/b"},
		{nil, []Verdict{Differs, NotRun}, "fig1/b table2/b"},
		{[]string{"fig1"}, []Verdict{Reproduced}, "fig1/a fig1/c fig1/d"},
		{nil, []Verdict{}, ""},
	} {
		if got := ids(l.Only(c.items, c.verdicts)); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.items, c.verdicts, got, c.want)
		}
	}
}

func TestCountsByItem(t *testing.T) {
	want := [][]string{{"fig1", "2", "1", "", "", "1"}, {"table2", "", "", "1", "1", ""}}
	if d := cmp.Diff(want, viewed().ByItem().Rows); d != "" {
		t.Error(d)
	}
}

// In a narrow terminal columns go, but no entry does, and no line is too long.
func TestALedgerFitsTheWidth(t *testing.T) {
	l := viewed()
	for width := 45; width <= 150; width++ {
		var b strings.Builder
		if err := l.WriteWithin(&b, width); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.HasPrefix(line, "Left out for") {
				t.Errorf("width %d: %d letters: %s", width, n, line)
			}
		}
		for _, want := range []string{"fig1: mean\n", "fig1: share\n", "table2: mean\n", "reproduced *", "differs", "refuted", "not run", "1.0200"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("width %d: no %q in\n%s", width, want, &b)
			}
		}
		if gone := strings.Contains(b.String(), "Left out for the width of the terminal: difference"); gone == strings.Contains(b.String(), "+2.0%") {
			t.Errorf("width %d: the differences are left out: %t\n%s", width, gone, &b)
		}
		if width >= 100 && !strings.Contains(b.String(), "[1] why it differs") {
			t.Errorf("width %d: no note\n%s", width, &b)
		}
	}
}

func TestALedgerIsReadBack(t *testing.T) {
	dir := t.TempDir()
	data, err := viewed().JSON()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, LedgerFile)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ReadLedger(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := l.JSON(); err != nil || string(again) != string(data) {
		t.Errorf("%v, %s", err, again)
	}
	if notes := l.Entries[1].Notes; len(notes) != 1 || !strings.HasSuffix(notes[0], "why it differs") {
		t.Errorf("notes %q", notes)
	}
	for text, want := range map[string]string{"{": "unexpected end", `{"schema": 9}`: "schema 9; this program reads 1"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLedger(dir); err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
