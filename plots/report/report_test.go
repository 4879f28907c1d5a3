package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/plots"
)

// madeUp writes a result folder whose values are results of nothing.
func madeUp(t *testing.T, instants int) string {
	t.Helper()
	dir := t.TempDir()
	var rows, series []results.Row
	for _, policy := range []string{"tsf-er", "mnw"} {
		for i := range 3 {
			rows = append(rows, results.Row{Experiment: "test", Item: "table1", Policy: policy, Point: resulttest.Point(fmt.Sprintf("n=10,rho=%g", float64(i)/2)), Metric: "jct_factor", Value: .5, Unit: "1", Workload: "made up (synthetic)"})
		}
		for i := range instants {
			value := math.Sin(float64(i) / 50)
			if i == instants/3 && policy == "mnw" {
				value = 17 // a spike that thinning must keep
			}
			series = append(series, results.Row{Experiment: "test", Item: "fig2", Policy: policy, Timed: true, TimeS: float64(60 * i), Metric: "waiting_tasks", Value: value, Unit: "tasks", Workload: "made up (synthetic)"})
		}
	}
	for name, of := range map[string][]results.Row{"table1": rows, "fig2": series} {
		if err := results.WriteTable(filepath.Join(dir, name+".parquet"), of, nil); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("manifest.json", `{"program": "leontief", "command": "reproduce <test>", "seed": 7, "build": {"version": "v0", "go": "go1"},
		"workload": {"label": "made up (synthetic)", "left_out": {"no reason": 3}},
		"complete": true, "files": ["fig2.parquet", "table1.parquet", "test-fig2.svg", "lonely.svg", "summary.txt", "ledger.json"],
		"sha256": {}, "seal": ""}`)
	put("ledger.json", `{"schema": 1, "entries": [
		{"paper": "test", "item": "table1", "id": "table1/a", "claim": "a value", "published": 0.5, "ours": 0.55, "low": 0.45, "high": 0.6, "instances": 9, "verdict": "reproduced", "why": "", "workload": "made up (synthetic)", "fitted_to": false},
		{"paper": "test", "item": "fig2", "id": "fig2/b", "claim": "words </script><b>", "published": null, "ours": 2, "low": 2, "high": 2, "instances": 1, "verdict": "differs", "why": "because & why", "workload": "", "fitted_to": false},
		{"paper": "test", "item": "fig2", "id": "fig2/c", "claim": "fitted", "published": 1, "ours": 1, "low": 1, "high": 1, "instances": 1, "verdict": "reproduced", "why": "", "workload": "", "fitted_to": true}]}`)
	put("test-fig2.svg", "<?xml version=\"1.0\"?>\n<svg width=\"10pt\" height=\"5pt\" viewBox=\"0 0 10 5\"><defs><style>@font-face{src: url(data:x)}</style></defs><text>of figure 2</text></svg>")
	put("lonely.svg", "<svg width=\"10pt\" height=\"5pt\" viewBox=\"0 0 10 5\"><text>belongs to nothing</text></svg>")
	put("summary.txt", "a summary < 1")
	seal(t, dir)
	return dir
}

func testStyles(t *testing.T) plots.Styles {
	t.Helper()
	styles := plots.Styles{}
	for name, words := range map[string][4]string{"tsf-er": {"TSF-ER", "black", "solid", "●"}, "mnw": {"MNW", "blue", "dashed", "□"}} {
		var err error
		if styles[name], err = plots.NewStyle(words[0], words[1], words[2], words[3]); err != nil {
			t.Fatal(err)
		}
	}
	return styles
}

// seal makes a folder one that was written as it is.
func seal(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := sealed.Owner(dir)
	sums, err := sealed.Digests(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(sums)
	if err != nil {
		t.Fatal(err)
	}
	data = regexp.MustCompile(`"sha256": \{[^}]*\}, "seal": "[^"]*"`).ReplaceAll(data, []byte(`"sha256": `+string(text)+`, "seal": ""`))
	if err := os.WriteFile(path, sealed.Close(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func written(t *testing.T, dir string) string {
	t.Helper()
	folders, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	page, err := Write("a test", folders, testStyles(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestPageHoldsEverything(t *testing.T) {
	dir := madeUp(t, 30)
	page := written(t, dir)
	for _, want := range []string{
		"Not all of this is real data", "2 published numbers and claims were checked", "Workload: made up (synthetic).", "reproduce &lt;test&gt;",
		"1 reproduced", "1 differ", "fitted, not counted", "words &lt;/script&gt;&lt;b&gt;", "because &amp; why", "[0.45, 0.6]", "&#43;10.0%", "of figure 2", "belongs to nothing",
		"Other figures", "a summary &lt; 1", "3: no reason", "seed 7", "data-chart=", "Data behind it: 6 cells",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "@font-face") {
		t.Error("a figure kept its font")
	}
	if written(t, dir) != page {
		t.Error("the same folder gives other bytes")
	}
}

// A page that refers to an address would not open without a network.
func TestPageRefersToNothingOutside(t *testing.T) {
	page := written(t, madeUp(t, 30))
	for _, ref := range regexp.MustCompile(`(?i)(src|href|url)\s*[=(]\s*["']?[a-z]+:[^"')]*`).FindAllString(page, -1) {
		t.Errorf("refers to %s", ref)
	}
}

func TestChartsAreThinnedButKeepExtremes(t *testing.T) {
	folders, err := Read(madeUp(t, 20000))
	if err != nil {
		t.Fatal(err)
	}
	charts, err := series(folders[0].Tables[0].Rows, testStyles(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(charts) != 1 || len(charts[0].Curves) != 2 {
		t.Fatalf("%d charts", len(charts))
	}
	c := charts[0]
	if n := len(c.Times); n > 5*buckets || n < buckets || !strings.Contains(c.Thin, fmt.Sprintf("%d of 20000 instants", n)) {
		t.Errorf("%d instants are left, and the page says %q", n, c.Thin)
	}
	most := math.Inf(-1)
	for i, v := range c.Curves[1].Values {
		if len(c.Curves[1].Values) != len(c.Times) || i > 0 && c.Times[i] <= c.Times[i-1] {
			t.Fatal("the instants do not ascend, or a curve is longer")
		}
		if v != nil {
			most = max(most, *v)
		}
	}
	if most != 17 {
		t.Errorf("the largest value is %v, want the spike of 17", most)
	}
	if c.Curves[0].Label != "TSF-ER" || c.Curves[1].Color != "#0072b2" {
		t.Errorf("curves look like %s %s", c.Curves[0].Label, c.Curves[1].Color)
	}
}

func TestReceivedAndDeservedAreOneChartAUser(t *testing.T) {
	var rows []results.Row
	for u := range mostUsers + 2 {
		for _, metric := range []string{"tasks_received", "tasks_deserved"} {
			for _, at := range []float64{0, 60} {
				rows = append(rows, results.Row{Policy: "mnw", User: fmt.Sprint("u", u), Metric: metric, Unit: "tasks", Timed: true, TimeS: at, Value: at})
			}
		}
	}
	charts, err := series(results.Pack(rows), testStyles(t))
	if err != nil || len(charts) != 1 {
		t.Fatalf("%v, %d charts, want one", err, len(charts))
	}
	c := charts[0]
	if len(c.Users) != mostUsers || len(c.Curves) != 2*mostUsers || !strings.Contains(c.Thin, "first 40 users of 42") {
		t.Errorf("%d users, %d curves, %q", len(c.Users), len(c.Curves), c.Thin)
	}
	if a, b := c.Curves[0], c.Curves[1]; a.Label != "MNW" || b.Label != "MNW, deserved" || a.User != "u0" || b.User != "u0" {
		t.Errorf("curves %+v, %+v", a, b)
	}
}

func TestFolderOfFolders(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(madeUp(t, 5))); err != nil {
			t.Fatal(err)
		}
	}
	folders, err := Read(root)
	if err != nil || len(folders) != 2 || folders[0].Name != "a" {
		t.Errorf("%v, %d folders", err, len(folders))
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, ErrNoResults) {
		t.Errorf("empty folder: %v", err)
	}
}

func TestDamagedFoldersAreErrors(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"manifest.json": func(d string) error { return os.WriteFile(filepath.Join(d, "manifest.json"), []byte("{"), 0o644) },
		"ledger.json": func(d string) error {
			return os.WriteFile(filepath.Join(d, "ledger.json"), []byte(`{"schema": 9}`), 0o644)
		},
		"fig2.parquet":   func(d string) error { return os.Truncate(filepath.Join(d, "fig2.parquet"), 100) },
		"test-fig2.svg":  func(d string) error { return os.Remove(filepath.Join(d, "test-fig2.svg")) },
		"table1.parquet": func(d string) error { return os.Remove(filepath.Join(d, "table1.parquet")) },
	} {
		dir := madeUp(t, 5)
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s damaged: error %v", name, err)
		}
	}
}

// What is sealed and can not be read all the same is an error with the file's name.
func TestSealedNonsenseIsAnError(t *testing.T) {
	for name, text := range map[string]string{"ledger.json": `{"schema": 9}`, "fig2.parquet": "cut short"} {
		dir := madeUp(t, 5)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		seal(t, dir)
		if _, err := Read(dir); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, name)+": ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A curve a policy and user: it is policies that must be told apart, not users.
func TestManyUsersNeedNoManyLooks(t *testing.T) {
	var rows []results.Row
	for u := range 200 {
		for _, at := range []float64{0, 60} {
			rows = append(rows, results.Row{Policy: "mnw", User: fmt.Sprint(u), Metric: "tasks_received", Timed: true, TimeS: at})
		}
	}
	if charts, err := series(results.Pack(rows), testStyles(t)); err != nil || len(charts) != 1 {
		t.Errorf("%v, %d charts", err, len(charts))
	}
}

// Charts of one metric are told apart by the columns in which they differ, and no others.
func TestChartsSayWhatTellsThemApart(t *testing.T) {
	var rows []results.Row
	for _, rho := range []float64{.5, .7} {
		for _, at := range []float64{0, 60} {
			rows = append(rows, results.Row{Policy: "mnw", Point: resulttest.Point(fmt.Sprintf("n=10,rho=%g", rho)), Metric: "waiting_tasks", Timed: true, TimeS: at})
		}
	}
	charts, err := series(results.Pack(rows), testStyles(t))
	if err != nil || len(charts) != 2 || charts[0].Title != "rho=0.5" || charts[1].Title != "rho=0.7" {
		t.Errorf("%v, %+v", err, charts)
	}
}

// A chart of several instances shows their means, 2 of 1 and 3, and says so.
func TestChartsOfInstancesAreMeans(t *testing.T) {
	var rows []results.Row
	for i, v := range []float64{1, 3} {
		for _, at := range []float64{0, 60} {
			rows = append(rows, results.Row{Policy: "mnw", Instance: int64(i), Metric: "waiting_tasks", Timed: true, TimeS: at, Value: v})
		}
	}
	charts, err := series(results.Pack(rows), testStyles(t))
	if err != nil || len(charts) != 1 {
		t.Fatalf("%v, %+v", err, charts)
	}
	if c := charts[0]; *c.Curves[0].Values[0] != 2 || c.Title != "means over 2 instances" {
		t.Errorf("%v, %q", *c.Curves[0].Values[0], c.Title)
	}
}

// Whatever is in a ledger, it is entries that make a page, or an error.
func FuzzLedger(f *testing.F) {
	for _, text := range []string{`{"schema": 1, "entries": []}`, `{"schema": 1, "entries": [null, {}]}`, `{"schema": 2}`, "{", "[]", "null",
		`{"schema": 1, "entries": [{"paper": "p", "item": "i", "id": "a#2", "claim": "</script>", "published": 1e308, "ours": -0, "low": null, "high": 5, "instances": -1, "verdict": "perhaps", "why": "\u202e", "fitted_to": true}]}`,
		"\ufeff{}", `{"schema": 1, "entries": [{"ours": 1e999}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ledger.ParseLedger(data)
		if err != nil {
			return
		}
		page, err := Write("fuzz", []Folder{{Name: "f", Ledger: entries.Entries}}, nil)
		if err != nil || !bytes.Contains(page, []byte("</html>")) {
			t.Errorf("%q: %v", data, err)
		}
	})
}

func TestScriptDataIsJSON(t *testing.T) {
	page := []byte(written(t, madeUp(t, 30)))
	for _, id := range []string{"charts", "tables"} {
		_, rest, found := bytes.Cut(page, []byte(`id="`+id+`">`))
		text, _, ended := bytes.Cut(rest, []byte("</script>"))
		if !found || !ended || !json.Valid(text) {
			t.Errorf("%s: not JSON: %.200s", id, text)
		}
	}
}

// The tables of the page are as they are; in the download texts are marked.
func TestTheDownloadHoldsNoFormulas(t *testing.T) {
	rows := []results.Row{
		{Experiment: "t", Item: "t", Policy: "mnw", User: "=1+1", Metric: "m", Value: -3, Unit: "1", Workload: "w"},
		{Experiment: "t", Item: "t", Policy: "mnw", User: "-2", Metric: "m", Value: -3, Unit: "1", Workload: "w"},
	}
	b, v := newBuilder(nil), folderView{ID: "f"}
	if err := v.takeTable(Table{"t", results.Pack(rows)}, true, b); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(v.Items[0].Data[0].Cells); got != "[[m mnw -2 -3   1 1] [m mnw =1+1 -3   1 1]]" {
		t.Errorf("shown %s", got)
	}
	packed, err := base64.StdEncoding.DecodeString(b.tables["f-t"])
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if want := "metric,policy,user,mean,low,high,instances,unit\nm,mnw,'-2,-3,,,1,1\nm,mnw,'=1+1,-3,,,1,1\n"; err != nil || string(text) != want {
		t.Errorf("%v, downloaded %s", err, text)
	}
}
