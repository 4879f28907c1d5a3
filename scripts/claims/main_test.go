package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// The ends of a sampled mean's interval move √2 times as far away; an accuracy
// stays, and what has no interval promises nothing.
func TestRerunPredictsAnotherSeed(t *testing.T) {
	value, low, high := 1.0, 0.9, 1.2
	for _, c := range []struct {
		entry ledger.Entry
		want  string
	}{
		{ledger.Entry{Ours: &value, Low: &low, High: &high, Instances: 40}, "0.8585786437626906 1.282842712474619"},
		{ledger.Entry{Ours: &value, Low: &low, High: &high, Instances: 1}, "0.9 1.2"},
		{ledger.Entry{Ours: &value, Instances: 40}, " "},
		{ledger.Entry{}, " "},
	} {
		low, high := rerun(&c.entry)
		if got := number(low) + " " + number(high); got != c.want {
			t.Errorf("%+v: %q, want %q", c.entry, got, c.want)
		}
	}
}

// madeUp are two folders with claims about the papers one and two, of every verdict
// and of every reason not to count.
func madeUp() []run {
	entry := func(paper, id string) ledger.Entry {
		return ledger.Entry{Paper: paper, Item: "fig1", ID: "fig1/" + id, Claim: "the number of " + id}
	}
	ours := ledger.Computed(1, 0.1)
	fitted := entry("one", "fitted").Value(1, ours)
	fitted.FittedTo = true
	first := []ledger.Entry{
		entry("one", "same").Value(1, ours),
		entry("one", "none").Skip("no time"),
		entry("one", "more").Value(2, ours, "one reason", "another"),
		entry("one", "wrong").Refute(2, ours, "its own text"),
		entry("one", "same").Value(1, ours).Repeated(2),
		fitted,
	}
	second := []ledger.Entry{entry("two", "less").Value(0.5, ours), entry("one", "extreme").Value(3, ledger.Observed(1, 4), "one reason"), entry("two", "same").Value(1, ours)}
	var runs []run
	for _, entries := range [][]ledger.Entry{first, second} {
		r := run{command: "leontief reproduce it", seconds: 1, bytes: 2e6}
		for _, e := range entries {
			r.claims = append(r.claims, claim{e, r.command})
		}
		runs = append(runs, r)
	}
	return runs
}

func TestMadeUpClaims(t *testing.T) {
	files, err := render(madeUp())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range rows(t, files["claims.csv"]) {
		ids = append(ids, row["paper"]+"/"+row["id"])
	}
	want := "one/fig1/wrong one/fig1/more one/fig1/extreme one/fig1/none one/fig1/same one/fig1/same#2 one/fig1/fitted two/fig1/less two/fig1/same"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("the CSV has\n%s, want\n%s", got, want)
	}
	agree(t, files)
	for name, texts := range map[string][]string{
		"claims/README.md": {"| [one](one.md) |          1 |      2 |       1 |       1 | fig1: 3 ", "| `leontief reproduce it` |       1 | 2.0 |"},
		"claims/one.md":    {"1 reproduced, 2 differ,\n1 refuted, 1 not run.", "2 entries that count for nothing", "[1] one reason\n- [2] another\n\n## Not run"},
	} {
		for _, text := range texts {
			if !strings.Contains(files[name], text) {
				t.Errorf("%s has no %q:\n%s", name, text, files[name])
			}
		}
	}
}

// The pages and the CSV file of the repository agree with each other, and with the
// table of the README.
func TestPublishedClaims(t *testing.T) {
	files := map[string]string{}
	for _, pattern := range []string{"claims/*.md", "claims.csv"} {
		names, err := filepath.Glob("../../docs/" + pattern)
		if err != nil || names == nil {
			t.Fatalf("%s: %v, %v", pattern, names, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(name, "../../docs/")] = string(text)
		}
	}
	agree(t, files)

	counts := map[string]map[string]int{} // by command, then verdict
	for _, row := range rows(t, files["claims.csv"]) {
		command, _, _ := strings.Cut(row["command"], " --scale")
		command, _, _ = strings.Cut(command, " --environments")
		if counts[command] == nil {
			counts[command] = map[string]int{}
		}
		if row["reading"] == "" && row["fitted_to"] == "false" {
			counts[command][row["verdict"]]++
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for command, n := range counts {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^.*`%s` .* %d / %d / %d \\|$", command, n["reproduced"], n["differs"], n["refuted"]))
		if !row.Match(readme) {
			t.Errorf("the README's table has no row of %s with %v", command, n)
		}
	}
}

// rows reads a CSV file, each row by the names of its columns.
func rows(t *testing.T, text string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for k, cell := range record {
			row[records[0][k]] = cell
		}
		all = append(all, row)
	}
	return all
}

// agree holds the pages to the CSV file: a page a paper, on it the verdicts in their
// order, under each as many entries as the file has, in its order.
func agree(t *testing.T, files map[string]string) {
	t.Helper()
	want := map[string][]string{} // the page's entries: verdict and id, or the verdict alone
	for _, row := range rows(t, files["claims.csv"]) {
		name := "claims/" + row["paper"] + ".md"
		if row["reading"] != "" || row["fitted_to"] == "true" {
			continue
		}
		id := row["verdict"]
		if id != string(ledger.Reproduced) {
			id += " " + strings.TrimPrefix(row["id"], row["item"]+"/")
		}
		want[name] = append(want[name], id)
	}
	if len(files) != len(want)+2 { // and the index and the CSV file
		t.Errorf("%d files for %d papers", len(files), len(want))
	}
	for name, entries := range want {
		if got := listed(t, files[name]); !slices.Equal(got, entries) {
			t.Errorf("%s lists\n%q, and the CSV file\n%q", name, got, entries)
		}
		if !slices.IsSortedFunc(entries, func(a, b string) int { return place(a) - place(b) }) {
			t.Errorf("%s: verdicts are not in order: %q", name, entries)
		}
	}
}

// place is that of an entry's verdict: refuted, differs, not run, reproduced.
func place(entry string) int {
	return slices.IndexFunc([]string{"refuted", "differs", "not run", "reproduced"}, func(v string) bool { return strings.HasPrefix(entry, v) })
}

// listed are the entries of a page: each refuted or differing one by its id, a
// reproduced one as often as its row says.
func listed(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	verdict := ""
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			verdict = strings.ToLower(strings.TrimSpace(heading))
		}
		cells := strings.Split(line, " | ")
		if len(cells) < 5 || strings.Contains(line, "---") || strings.HasPrefix(line, "| item ") {
			continue
		}
		id, n := " "+strings.TrimSpace(cells[1]), 1
		if verdict == string(ledger.Reproduced) {
			var err error
			if n, err = strconv.Atoi(strings.TrimSpace(cells[2])); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			id = ""
		}
		all = append(all, slices.Repeat([]string{verdict + id}, n)...)
	}
	return all
}
