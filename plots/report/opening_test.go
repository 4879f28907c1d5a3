package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

func value64(v float64) *float64 { return &v }

// paperFolder is a folder of a paper with a table, a figure and what differs.
func paperFolder(name string) Folder {
	entry := func(id string, published, ours float64, v ledger.Verdict, why string) ledger.Entry {
		item, _, _ := strings.Cut(id, "/")
		return ledger.Entry{Paper: name, Item: item, ID: id, Claim: "mean of " + item, Published: &published, Ours: &ours, Instances: 1, Verdict: v, Why: why, Workload: "made up (synthetic)"}
	}
	f := Folder{Name: name, Manifest: Manifest{Command: "reproduce " + name}, Ledger: []ledger.Entry{
		entry("table3/mnw/n=10,rho=0.5", 1, 1, ledger.Reproduced, ""),
		entry("table3/tsf-er/n=10,rho=0.5", 2, 2, ledger.Reproduced, ""),
		entry("table3/mnw/n=15,rho=0.5", 3, 4, ledger.Differs, "ours is 33% above the published value, which lies 1 outside our interval; draws are few; jobs are fitted"),
		entry("table3/tsf-er/n=15,rho=0.5", 5, 5, ledger.Reproduced, ""),
		entry("table3/mnw/n=10,rho=0.5#3", 1, 1, ledger.Reproduced, ""),
		entry("table3/tsf-er/n=10,rho=0.5#3", 2, 2, ledger.Reproduced, ""),
		entry("table3/claim/gap", 7, 8, ledger.Differs, "ours is 14% above the published value; there is no interval; draws are few; jobs are fitted; alone"),
		entry("table3/claim/gap#reading", 7, 9, ledger.Differs, "ours is 29% above the published value; there is no interval; draws are few; jobs are fitted"),
		entry("fig7/x", 1, 0, ledger.Refuted, "its own tables contradict it"),
	}}
	f.Manifest.Spec = []byte(`{"items": ["fig7", "table3"]}`)
	return f
}

func page0(t *testing.T, folders ...Folder) string {
	t.Helper()
	page, err := Write("a test", folders, testStyles(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The first screen says what was run, on what, and what was found, before any item; each
// finding is a sentence of the ledger with a link to where it stands.
func TestTheFirstScreenIsTheFinding(t *testing.T) {
	page := page0(t, paperFolder("p"))
	head, rest, _ := strings.Cut(page[strings.Index(page, `<header id="top">`):], "</header>")
	for _, want := range []string{
		"p: 6 published numbers and claims were checked by running what the paper describes.", "made up (synthetic)",
		`<td class="num reproduced">3</td><td class="num differs">2</td><td class="num refuted">1</td>`,
		`">p, Figure 7</a>: mean of fig7: the paper says 1, ours is 0. <span class="why">its own tables contradict it.</span>`,
		`<a href="#p-table3">p, Table 3</a>: 2 of 5 differ. <span class="why">draws are few; jobs are fitted.</span>`,
	} {
		if !strings.Contains(head, want) {
			t.Errorf("the first screen lacks %q:\n%s", want, head)
		}
	}
	if at, ledger := strings.Index(rest, `id="p-table3"`), strings.Index(rest, `id="ledger"`); at < 0 || ledger < at || strings.Index(rest, `id="p-fig7"`) > at {
		t.Error("the items do not come in the paper's order, and the ledger last")
	}
	if !strings.Contains(rest, `<span class="unseen">paper </span>3</span>`) || !strings.Contains(rest, `<span class="unseen">differs, ours</span> 4</a>`) {
		t.Error("a cell of the paper's table does not say in words which number is whose, and the verdict")
	}
	if strings.Count(page, `class="filter"`) != 1 || !strings.Contains(page, `class="ledger sortable"`) {
		t.Error("not one filter over one ledger")
	}
}

// What several entries have in common is printed once, as a reason that they refer to;
// what one has alone stands beside it.
func TestReasonsArePrintedOnce(t *testing.T) {
	page := page0(t, paperFolder("p"))
	items := page[strings.Index(page, "</header>"):strings.Index(page, `id="ledger"`)]
	if n := strings.Count(items, "draws are few; jobs are fitted"); n != 1 {
		t.Errorf("the shared reason is printed %d times", n)
	}
	if !strings.Contains(items, `<p class="why">alone</p>`) || !strings.Contains(items, `(3 entries)`) {
		t.Errorf("the reasons are not told apart: %s", items)
	}
	if strings.Count(items, `">reason 1</a>`) != 2 { // of a claim and of a reading; the table's cell has the number
		t.Error("the claims do not refer to their reason")
	}
}

func TestNumbersAreSplitFromReasons(t *testing.T) {
	for why, want := range map[string][2]string{
		"ours is 2.2% above the published value, which lies 4.4e-06 outside our interval; a; b": {"ours is 2.2% above the published value, which lies 4.4e-06 outside our interval", "a; b"},
		"-0.2664 is 0.27 below 0, and so is the whole interval; a":                              {"-0.2664 is 0.27 below 0, and so is the whole interval", "a"},
		"1.289 is 0.71 below 2; there is no interval":                                           {"1.289 is 0.71 below 2; there is no interval", ""},
		"0.8477 is 0.0023 below 0.85, which our interval contains":                              {"0.8477 is 0.0023 below 0.85, which our interval contains", ""},
		"the rule is 2 above": {"", "the rule is 2 above"},
		"":                    {"", ""},
	} {
		if numbers, known := splitWhy(why); numbers != want[0] || known != want[1] {
			t.Errorf("%q: %q and %q", why, numbers, known)
		}
	}
}

// No two elements have one id, whatever folders are shown, and every link of the page
// leads somewhere.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	figures := []Figure{{"p-table3", `<svg width="10pt" height="5pt" viewBox="0 0 10 5"><title>a &amp; b</title><desc>words</desc><defs><path id="p-0" d="M1 1Z"/></defs><use xlink:href="#p-0" x="1" y="2"/><clipPath id="c"/><g clip-path="url(#c)"/></svg>`}}
	a, b := paperFolder("p"), paperFolder("p")
	a.Figures, b.Figures = figures, append(figures, Figure{"other", figures[0].SVG})
	page := page0(t, a, b)
	page = page[:strings.Index(page, `<script type="application/json"`)]
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`\bid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("id %q is there twice", m[1])
		}
		ids[m[1]] = true
	}
	links := regexp.MustCompile(`(?:href="#|url\(#|aria-labelledby="|aria-describedby=")([^")]*)`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		if !ids[m[1]] {
			t.Errorf("%s leads nowhere", m[0])
		}
	}
	if strings.Count(page, `d="M1 1Z"`) != 1 || strings.Count(page, `<use href="#l0"`) != 3 {
		t.Error("the figures do not share the outlines of letters")
	}
	if !strings.Contains(page, `role="img" aria-labelledby=`) || !strings.Contains(page, "<strong>a &amp; b</strong>") {
		t.Error("a figure is not named by its title")
	}
}

// A folder without tables is an audit's: the page says what was searched for, what was
// found, and has the environments that show it.
func TestAnAuditSaysWhatItFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mnw-SP.json":         `{"servers": [{}], "users": [{"name": "A"}]}`,
		"mnw-SP.changed.json": `{"servers": [{}], "users": [{"name": "B"}]}`,
		"other.json":          `{"users": 3}`,
		"summary.txt":         "as printed",
		"manifest.json": `{"program": "leontief", "command": "audit", "spec": {"policies": ["mnw"], "properties": ["SP"], "environments": 20},
			"complete": true, "files": ["mnw-SP.json", "mnw-SP.changed.json", "other.json", "summary.txt"], "sha256": {}, "seal": ""}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seal(t, dir)
	page := written(t, dir)
	for _, want := range []string{"among up to 20 environments a rule and property, for one in which mnw lacks SP: found were mnw-SP.", "as printed", "<summary>mnw-SP.json</summary>", "&#34;A&#34;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "other.json</summary>") || strings.Contains(page, "What is fair") {
		t.Error("the page shows what is no environment, or compares what there is not")
	}
}

// A figure stands with the item of the longest name that it is of.
func TestAFigureOfAVariantStandsWithIt(t *testing.T) {
	v := &folderView{Items: []*item{{ID: "a", Name: "fig10"}, {ID: "b", Name: "fig10-hour"}}}
	v.takeFigures([]Figure{{Name: "p-fig10-hour", SVG: "<svg/>"}, {Name: "p-fig10", SVG: "<svg/>"}, {Name: "p-fig10-day", SVG: "<svg/>"}}, &builder{ids: map[string]int{}})
	if a, b := v.Items[0].Figures, v.Items[1].Figures; len(a) != 2 || a[0].Name != "p-fig10" || a[1].Name != "p-fig10-day" || len(b) != 1 || b[0].Name != "p-fig10-hour" {
		t.Errorf("fig10 has %v, fig10-hour %v", a, b)
	}
}
