package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// page is what the template shows.
type page struct {
	Title   string
	Folders []folderView
	Charts  template.JS // JSON: charts by their id
	Tables  template.JS // JSON: the cells of the tables, for download
	Style   template.CSS
	Script  template.JS
}

// folderView is one result folder.
type folderView struct {
	ID, Title, Label string
	Synthetic        bool
	Manifest         Manifest
	Raw              string
	LeftOut, Notes   []string
	Tally            []tallyLine
	Entries          []entryView
	Workloads        []string
	Sections         []section
	Texts            []Text
}

// tallyLine counts the entries of one verdict.
type tallyLine struct {
	Verdict string
	N       int
}

// entryView is a ledger entry as text.
type entryView struct {
	ledger.Entry
	Short, Paper, Ours, Interval, Difference, Class string
}

// section is one item: figures, charts, and the data behind them.
type section struct {
	ID, Title string
	Figures   []template.HTML
	Charts    []chartView
	Header    []string
	Cells     [][]string
	More      int // cells that the table leaves to the download
	Download  string
}

type chartView struct{ ID, Metric, Title, Thin string }

// mostCells is the number of cells beyond which a table shows the first ones
// alone. All are in the download.
const mostCells = 120

// builder collects the data of all sections.
type builder struct {
	styles plots.Styles
	charts map[string]Chart
	tables map[string][][]string
}

func (b *builder) folder(i int, f *Folder) (folderView, error) {
	v := folderView{
		ID: fmt.Sprintf("f%d", i), Title: cmp.Or(f.Manifest.Command, f.Name),
		Manifest: f.Manifest, Raw: string(f.Manifest.Raw), Texts: f.Texts,
	}
	for reason, n := range f.Manifest.Workload.LeftOut {
		v.LeftOut = append(v.LeftOut, fmt.Sprintf("%d: %s", n, reason))
	}
	slices.Sort(v.LeftOut)
	var labels []string
	for _, w := range f.Manifest.workloads() {
		labels = once(labels, cmp.Or(w.Marked, w.Label))
		v.Notes = once(v.Notes, w.Notes...)
	}
	v.Label = strings.Join(labels, " | ")
	v.entries(f.Ledger)
	v.Synthetic = slices.ContainsFunc(append(v.Workloads, v.Label), made)
	used := map[string]bool{}
	for k, t := range f.Tables {
		s, err := b.section(fmt.Sprintf("%s-%d", v.ID, k), t, f.figuresOf(t.Name), used)
		if err != nil {
			return v, fmt.Errorf("%s.parquet: %w", t.Name, err)
		}
		v.Sections = append(v.Sections, s)
	}
	rest := section{ID: v.ID + "-rest", Title: "Other figures"}
	for _, fig := range f.Figures {
		if !used[fig.Name] {
			rest.Figures = append(rest.Figures, inline(fig))
		}
	}
	if len(rest.Figures) > 0 {
		v.Sections = append(v.Sections, rest)
	}
	slices.SortStableFunc(v.Sections, func(a, b section) int { return compareItems(a.Title, b.Title) })
	return v, nil
}

// once appends texts that are not there yet.
func once(all []string, texts ...string) []string {
	for _, text := range texts {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// made reports whether a workload's label says that it is not all real.
func made(label string) bool {
	return strings.Contains(label, "synthetic") || strings.Contains(label, "hybrid")
}

// entries takes in the ledger.
func (v *folderView) entries(all []ledger.Entry) {
	counts := map[string]int{}
	for _, e := range all {
		switch {
		case strings.Contains(e.ID, "#"):
			counts["printed again or read otherwise"]++
		case e.FittedTo:
			counts["fitted to: counts for nothing"]++
		default:
			counts[string(e.Verdict)]++
		}
		if e.Workload != "" && !slices.Contains(v.Workloads, e.Workload) {
			v.Workloads = append(v.Workloads, e.Workload)
		}
		one := entryView{Entry: e, Short: strings.TrimPrefix(e.ID, e.Item+"/"), Paper: number(e.Published), Ours: number(e.Ours), Class: strings.ReplaceAll(string(e.Verdict), " ", "-")}
		if e.Low != nil && e.High != nil {
			one.Interval = "[" + number(e.Low) + ", " + number(e.High) + "]"
		}
		if e.Published != nil && e.Ours != nil && *e.Published != 0 {
			one.Difference = fmt.Sprintf("%+.1f%%", 100*(*e.Ours / *e.Published - 1))
		}
		v.Entries = append(v.Entries, one)
	}
	for _, verdict := range []string{"reproduced", "differs", "refuted", "not run", "fitted to: counts for nothing", "printed again or read otherwise"} {
		if counts[verdict] > 0 {
			v.Tally = append(v.Tally, tallyLine{verdict, counts[verdict]})
		}
	}
}

// number writes a value with four digits; "" for none.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 4, 64)
}

// section makes the view of a table.
func (b *builder) section(id string, t Table, figures []Figure, used map[string]bool) (section, error) {
	s := section{ID: id, Title: t.Name}
	for _, fig := range figures {
		used[fig.Name] = true
		s.Figures = append(s.Figures, inline(fig))
	}
	charts, err := series(t.Rows, b.styles)
	if err != nil {
		return s, err
	}
	for i, c := range charts {
		name := fmt.Sprintf("%s-c%d", id, i)
		b.charts[name] = c
		s.Charts = append(s.Charts, chartView{name, c.Metric, c.Title, c.Thin})
	}
	timed := overTime(t.Rows)
	rest := slices.DeleteFunc(slices.Clone(t.Rows), func(r results.Row) bool { return timed[chartKey(r)] })
	if len(rest) == 0 {
		return s, nil
	}
	cells, err := results.Summarize(rest)
	if err != nil {
		return s, err
	}
	header, lines := tabulate(cells)
	s.Header, s.Cells, s.Download = header, lines, id
	b.tables[id] = append([][]string{header}, forDownload(header, lines)...)
	if more := len(lines) - mostCells; more > 0 {
		s.Cells, s.More = lines[:mostCells], more
	}
	return s, nil
}

// forDownload returns lines as they stand in a CSV file: texts that a spreadsheet
// would run are marked, see [results.CSVText].
func forDownload(header []string, lines [][]string) [][]string {
	texts := []string{"item", "metric", "policy", "user", "workload", "unit"}
	marked := make([][]string, len(lines))
	for i, line := range lines {
		marked[i] = slices.Clone(line)
		for k, cell := range line {
			if _, err := strconv.ParseFloat(cell, 64); err != nil || slices.Contains(texts, header[k]) {
				marked[i][k] = results.CSVText(cell)
			}
		}
	}
	return marked
}

// tabulate makes a table of cells; columns that tell none apart are left out.
func tabulate(cells []results.Cell) (header []string, lines [][]string) {
	header = append([]string{"metric", "policy"}, plots.Settings(cells)...)
	for _, c := range cells {
		low, high := text(c.Low), text(c.High)
		if !c.Bounded() {
			low, high = "", ""
		}
		lines = append(lines, append(plots.SettingOf(c, header), text(c.Mean), low, high, strconv.Itoa(c.Summary.N), c.Unit))
	}
	return append(header, "mean", "low", "high", "instances", "unit"), lines
}

// text writes a number with six digits.
func text(v float64) string {
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// fontFace is what embeds a font into a figure. A page has its figures drawn in
// the reader's own font of the same widths instead: they would carry the same
// font many times.
var fontFace = regexp.MustCompile(`(?s)<style>.*?@font-face.*?</style>`)

// prolog is what stands before the drawing.
var prolog = regexp.MustCompile(`(?s)^.*?<svg`)

// size is the size of a drawing, which its view box says as well.
var size = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)

// inline makes a figure part of the page.
func inline(f Figure) template.HTML {
	svg := fontFace.ReplaceAllString(f.SVG, "")
	svg = prolog.ReplaceAllLiteralString(svg, "<svg")
	svg = size.ReplaceAllLiteralString(svg, `<svg role="img" aria-label="`+template.HTMLEscapeString(f.Name)+`"`)
	return template.HTML(svg) // written by this program, into a folder of its own
}

// compareItems orders items as a paper does: by words, and by numbers within
// them.
func compareItems(a, b string) int {
	wa, na := splitItem(a)
	wb, nb := splitItem(b)
	return cmp.Or(cmp.Compare(wa, wb), cmp.Compare(na, nb), cmp.Compare(a, b))
}

func splitItem(item string) (string, int) {
	word := strings.TrimRightFunc(item, func(r rune) bool { return r >= '0' && r <= '9' })
	n, err := strconv.Atoi(item[len(word):])
	if err != nil {
		return item, 0
	}
	return word, n
}

// asJSON writes v for a script element.
func asJSON(v any) (template.JS, error) {
	data, err := json.Marshal(v) // escapes <, > and &
	return template.JS(data), err
}
