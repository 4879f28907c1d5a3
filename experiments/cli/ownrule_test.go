package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// read returns the content of a file.
func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// own are two rules of one's own, which the paper has under other names; the second has
// all the characters that a name can have.
func own(t *testing.T) []string {
	native := python + " " + shipped(t, "native.py")
	return []string{"--rule", "mine=" + native + " tsf-er", "--rule", "own_rule+2.0-b=" + native + " drf-er"}
}

// Rules of one's own stand in the tables and figures of a paper beside its own, whose
// rows and verdicts stay what they are.
func TestReproduceShowsARuleOfOnesOwn(t *testing.T) {
	needs(t, python)
	dir := t.TempDir()
	reproduce := func(out string, more ...string) string {
		args := append([]string{"reproduce", "tsf-er", "--item", "table3,fig3,table4", "--instances", "2", "--progress", "none", "--out", filepath.Join(dir, out)}, more...)
		status, text, errs := do(t, args...)
		if status != statusOK || errs != "" {
			t.Fatalf("%v: status %d, %s", args, status, errs)
		}
		return text
	}
	want := reproduce("paper")
	// Stored results of the paper's rules are those of a run with others, too.
	if err := os.CopyFS(filepath.Join(dir, "own"), os.DirFS(filepath.Join(dir, "paper"))); err != nil {
		t.Fatal(err)
	}
	got := reproduce("own", own(t)...)
	const note = "Beside the paper's rules in table3, fig3, table4, and not judged: mine, own_rule+2.0-b.\n"
	if !strings.Contains(got, note) || strings.ReplaceAll(strings.Replace(got, note, "", 1), "/own\n", "/paper\n") != want {
		t.Errorf("%s, and without rules of one's own %s", got, want)
	}
	if !bytes.Equal(read(t, dir, "own", "ledger.json"), read(t, dir, "paper", "ledger.json")) {
		t.Error("the ledgers differ")
	}
	for _, table := range []string{"table3", "fig3", "table4"} {
		path := filepath.Join(dir, "own", table+".parquet")
		sameRows(t, path, "tsf-er", "mine")
		if table == "fig3" { // the others have no drf-er
			sameRows(t, path, "drf-er", "own_rule+2.0-b")
		}
		rows, err := results.ReadTable(path)
		paper, err2 := results.ReadTable(filepath.Join(dir, "paper", table+".parquet"))
		rows = slices.DeleteFunc(rows, func(r results.Row) bool { return r.Policy == "mine" || r.Policy == "own_rule+2.0-b" })
		if err != nil || err2 != nil || len(rows) != len(paper) || !slices.EqualFunc(rows, paper, func(a, b results.Row) bool {
			return a.Policy == b.Policy && a.Metric == b.Metric && a.Value == b.Value && a.Instance == b.Instance
		}) {
			t.Errorf("%s: the rows of the paper's rules are not what they are without others (%v, %v)", table, err, err2)
		}
	}
	shownElsewhere(t, dir)
}

// shownElsewhere wants plot, export and report to show the rules when their programs are
// gone, in the same looks, and the paper's in theirs.
func shownElsewhere(t *testing.T, dir string) {
	t.Helper()
	script := func(folder string) (series map[string]string, figure []byte) {
		out := filepath.Join(dir, folder+"-plot")
		if err := os.Mkdir(out, 0o777); err != nil {
			t.Fatal(err)
		}
		svg, data := filepath.Join(out, "tsf-er-fig3.svg"), filepath.Join(out, "fig3.csv")
		if status, _, errs := do(t, "plot", filepath.Join(dir, folder), "--spec", "tsf-er/fig3", "--out", svg, "--data", data); status != statusOK {
			t.Fatal(errs)
		}
		series = map[string]string{}
		for line := range strings.Lines(string(read(t, out, "fig3.py"))) {
			if name, look, ok := strings.Cut(strings.TrimSpace(line), ": dict("); ok {
				series[name] = look
			}
		}
		return series, read(t, svg)
	}
	paper, _ := script("paper")
	mine, figure := script("own")
	if !bytes.Equal(figure, read(t, dir, "own", "tsf-er-fig3.svg")) {
		t.Error("plot draws another figure than reproduce")
	}
	if len(paper) != 8 || len(mine) != 10 {
		t.Errorf("%d and %d series", len(paper), len(mine))
	}
	looks := map[string]bool{}
	for name, look := range mine {
		if looks[look] || paper[name] != "" && paper[name] != look {
			t.Errorf("%s: %s, and in the paper's figure %q", name, look, paper[name])
		}
		looks[look] = true
	}
	if _, latex, errs := do(t, "export", filepath.Join(dir, "own"), "--table", "table3", "--latex"); !strings.Contains(latex, `own\_rule+2.0-b`) || strings.Contains(latex, "own_rule") {
		t.Errorf("LaTeX: %s%s", latex, errs)
	}
	page := filepath.Join(dir, "report.html")
	if status, _, errs := do(t, "report", filepath.Join(dir, "own"), "--out", page); status != statusOK {
		t.Fatal(errs)
	}
	if text := string(read(t, page)); !strings.Contains(text, "own_rule+2.0-b") && !strings.Contains(text, "own_rule&#43;2.0-b") {
		t.Error("the report does not name the rule")
	}
}

// Where nothing would show a rule, it is refused; and a paper without tables of rules has
// no such flag.
func TestReproduceRefusesARule(t *testing.T) {
	needs(t, python)
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct{ args, want string }{
		{"tsf-er --item fig5", "--rule: other rules than the paper's are shown in table3, fig3, fig4, table4 alone"},
		{"mtp --item theorems", "--rule: other rules than the paper's are shown in fig3, fig4, fig5 alone"},
		{"magiks", "unknown flag --rule"},
	} {
		args := slices.Concat([]string{"reproduce"}, strings.Fields(c.args), []string{"--out", out}, own(t))
		status, _, errs := do(t, args...)
		if _, err := os.Stat(out); status != statusInput || !strings.Contains(errs, c.want) || err == nil {
			t.Errorf("%s: status %d, %s", c.args, status, errs)
		}
	}
}

// The rules of the multi-AP paper's figures, too.
func TestReproduceOfAnotherPaper(t *testing.T) {
	needs(t, python)
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"reproduce", "mtp", "--item", "fig4", "--instances", "1", "--progress", "none", "--out", out}, own(t)[2:]...)
	if status, text, errs := do(t, args...); status != statusOK || !strings.Contains(text, "Beside the paper's rules in fig4, and not judged: own_rule+2.0-b.") {
		t.Fatalf("status %d, %s%s", status, text, errs)
	}
	rows, err := results.ReadTable(filepath.Join(out, "fig4.parquet"))
	if err != nil || !slices.ContainsFunc(rows, func(r results.Row) bool { return r.Policy == "own_rule+2.0-b" }) {
		t.Errorf("%v: no row of the rule", err)
	}
}
