package report

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// folderView is one result folder.
type folderView struct {
	ID, Title, Command string
	About              string // the title of a sweep
	Manifest           Manifest
	Raw                string
	Workloads          []Workload
	LeftOut, Notes     []string
	Sections           []Section
	Items              []*item
	Texts              []Text
	Environments       []Text
}

// item is a table, figure or example of a paper, or a table of one's own: what the paper
// says beside ours, figures, charts, and the data behind.
type item struct {
	ID, Name, Title string
	Tally           string
	Paper           *pivot // the paper's table, ours below theirs
	Claims          []*entryView
	Uncounted       []*entryView // other readings, and what is printed again
	Reasons         []*reason
	Figures         []figureView
	Charts          []chartView
	Data            []dataView
}

// empty reports whether there is nothing to see.
func (i *item) empty() bool {
	return i.Paper == nil && i.Claims == nil && i.Figures == nil && i.Charts == nil && i.Data == nil
}

type chartView struct{ ID, Metric, Title, Thin, Says string }

// dataView is the data behind: a row a cell.
type dataView struct {
	Name     string
	Header   []string
	Cells    [][]string
	All      int // cells, of which the table may leave some to the download
	Download string
}

// mostCells is the number of cells beyond which a table shows the first ones
// alone. All are in the download.
const mostCells = 120

// builder collects the data of all items.
type builder struct {
	styles plots.Styles
	charts map[string]Chart
	tables map[string]string // CSV, deflated, in base64
	ids    map[string]int
	// letters are the outlines of the letters of all figures, by their number in outlines.
	letters  map[string]int
	outlines []string
	entries  []*entryView
}

func newBuilder(styles plots.Styles) *builder {
	return &builder{styles: styles, charts: map[string]Chart{}, tables: map[string]string{}, ids: map[string]int{}, letters: map[string]int{}}
}

// id makes an id of names that no other element of the page has.
func (b *builder) id(names ...string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.Join(names, "-")), "-")
	id = cmp.Or(id, "x")
	b.ids[id]++
	if n := b.ids[id]; n > 1 {
		return b.id(fmt.Sprintf("%s-%d", id, n))
	}
	return id
}

func (b *builder) folder(f *Folder) (*folderView, error) {
	v := &folderView{
		ID: b.id(f.Name), Title: f.title(), Command: f.Manifest.Command,
		About: f.Manifest.about(), Manifest: f.Manifest, Raw: string(f.Manifest.Raw), Texts: f.Texts, Environments: f.Environments,
	}
	for reason, n := range f.Manifest.Workload.LeftOut {
		v.LeftOut = append(v.LeftOut, fmt.Sprintf("%d: %s", n, reason))
	}
	slices.Sort(v.LeftOut)
	v.Workloads = f.Manifest.workloads()
	for _, w := range v.Workloads {
		v.Notes = once(v.Notes, w.Notes...)
	}
	for _, s := range f.Sections {
		s.ID = b.id(v.ID, s.Title)
		v.Sections = append(v.Sections, s)
	}
	v.takeEntries(f, b)
	for _, t := range f.Tables {
		if err := v.takeTable(t, len(f.Ledger) > 0, b); err != nil {
			return v, fmt.Errorf("%s.parquet: %w", t.Name, err)
		}
	}
	v.takeFigures(f.Figures, b)
	v.inOrder(f.Manifest.items())
	v.Items = slices.DeleteFunc(v.Items, func(i *item) bool { return i.empty() })
	return v, nil
}

// title is what a folder is of: the paper that was reproduced, or the command.
func (f *Folder) title() string {
	if paper, ok := strings.CutPrefix(f.Manifest.Command, "reproduce "); ok {
		return paper
	}
	if f.Manifest.Command == "" || strings.HasPrefix(f.Manifest.Command, f.Name) {
		return f.Name
	}
	return f.Name + " (" + f.Manifest.Command + ")"
}

// item returns the item of a name, which it makes if there is none.
func (v *folderView) item(name string, b *builder) *item {
	for _, i := range v.Items {
		if i.Name == name {
			return i
		}
	}
	i := &item{ID: b.id(v.ID, name), Name: name, Title: titleOf(name)}
	v.Items = append(v.Items, i)
	return i
}

// inOrder puts items in the order of a paper, what belongs to one (fig9-hour) behind it,
// and the others behind those.
func (v *folderView) inOrder(items []string) {
	rank := func(i *item) int {
		best, length := len(items), 0
		for k, name := range items {
			if (i.Name == name || strings.HasPrefix(i.Name, name+"-")) && len(name) > length {
				best, length = k, len(name)
			}
		}
		return best
	}
	slices.SortStableFunc(v.Items, func(a, b *item) int {
		if d := rank(a) - rank(b); d != 0 || rank(a) == len(items) {
			return d
		}
		return len(a.Name) - len(b.Name) // the item before what belongs to it
	})
}

// itemName is how papers number what they show.
var itemName = regexp.MustCompile(`^(fig|sec|table|theorem)([0-9][0-9.]*)(?:-(.*))?$`)

// titleOf writes the name of an item as papers do: fig3 as Figure 3.
func titleOf(name string) string {
	if m := itemName.FindStringSubmatch(name); m != nil {
		long := map[string]string{"fig": "Figure", "sec": "Section", "table": "Table", "theorem": "Theorem"}[m[1]] + " " + m[2]
		if m[3] != "" {
			long += ", " + m[3]
		}
		return long
	}
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// once appends texts that are not there yet.
func once(all []string, texts ...string) []string {
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// made reports whether a workload's label says that it is not all real.
func made(label string) bool {
	return strings.Contains(label, "synthetic") || strings.Contains(label, "hybrid")
}

// number writes a value with four digits; "" for none.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 4, 64)
}

// takeTable adds a result table to its item: figures where the folder has none, charts
// over time, and the data.
func (v *folderView) takeTable(t Table, judged bool, b *builder) error {
	i := v.item(t.Name, b)
	charts, err := series(t.Rows, b.styles)
	if err != nil {
		return err
	}
	for _, c := range charts {
		name := b.id(i.ID, "chart")
		b.charts[name] = c
		i.Charts = append(i.Charts, chartView{name, c.Label, c.Title, c.Thin, c.says()})
	}
	timed := overTime(t.Rows)
	rest := func(yield func(results.Row) bool) {
		for r := range t.Rows.All() {
			if !timed[chartKey(r)] && !yield(r) {
				return
			}
		}
	}
	cells, err := results.SummarizeAll(rest)
	if err != nil || len(cells) == 0 {
		return err
	}
	if !judged {
		i.Figures = append(i.Figures, b.drawn(i, slices.Collect(rest))...)
	}
	header, lines := tabulate(cells)
	d := dataView{Name: t.Name, Header: header, Cells: lines, All: len(lines), Download: i.ID}
	if b.tables[i.ID], err = packed(append([][]string{header}, forDownload(header, lines)...)); err != nil {
		return err
	}
	if len(lines) > mostCells {
		d.Cells = lines[:mostCells]
	}
	i.Data = append(i.Data, d)
	return nil
}

// packed returns lines as CSV, deflated, in base64: a browser unpacks them.
func packed(lines [][]string) (string, error) {
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if err := csv.NewWriter(z).WriteAll(lines); err != nil {
		return "", err
	}
	err = z.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes()), err
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

// label is what a policy is called.
func (b *builder) label(policy string) string {
	if chosen, err := b.styles.For([]string{policy}); err == nil {
		return chosen[policy].Label
	}
	return policy
}

// figureView is a figure of the page.
type figureView struct {
	ID      string
	Name    string
	Caption string
	Narrow  bool // drawn for one column of a printed page
	SVG     template.HTML
	Wide    template.HTML // the same where there is room for two columns; may be empty
}
