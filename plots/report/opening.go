package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
)

// score is how many claims of a folder have which verdict.
type score struct {
	ID, Title string
	ledger.Tally
}

// finding is a sentence with the item that it is of.
type finding struct{ Of, Item, Link, Text, Why string }

// open fills the first screen: what was run on what data, and what was found.
func (p *page) open(folders []Folder, b *builder) {
	p.Entries = b.entries
	papers, claims, own := 0, 0, []string{}
	var labels []string
	for k, f := range p.Folders {
		of := &folders[k]
		labels = once(labels, of.labels()...)
		if len(of.Ledger) == 0 {
			if len(of.Sections) > 0 { // which say it better
				own = append(own, of.Sections[0].Lead...)
				continue
			}
			own = append(own, of.ran(b))
			if len(of.Tables) > 0 {
				p.Comparisons = append(p.Comparisons, b.compare(f, of.Tables))
			}
			continue
		}
		l := ledger.Ledger{Entries: of.Ledger}
		s := score{f.ID, f.Title, l.Tally()}
		p.Scores = append(p.Scores, s)
		papers++
		claims += s.Reproduced + s.Differs + s.Refuted + s.NotRun
		p.find(f, b)
	}
	if papers > 0 {
		of, what := p.Scores[0].Title, "the paper describes"
		if papers > 1 {
			of, what = fmt.Sprintf("%d folders of papers", papers), "the papers describe"
		}
		p.Opening = append(p.Opening, fmt.Sprintf("%s: %d published numbers and claims were checked by running what %s.", of, claims, what))
	}
	p.Opening = append(p.Opening, own...)
	if len(labels) > 0 {
		p.Jobs = "Workload" + strings.Repeat("s", min(len(labels)-1, 1)) + ": " + strings.Join(labels, "; ")
	}
	p.Made = slices.ContainsFunc(labels, made)
}

// labels are those of the workloads of a folder.
func (f *Folder) labels() []string {
	var all []string
	for _, w := range f.Manifest.workloads() {
		label := w.Label
		if w.Marked != "" {
			label = w.Marked
		}
		if w.Jobs > 0 && label != "" && len(f.Ledger) == 0 {
			label = fmt.Sprintf("%s, %d jobs", label, w.Jobs)
		}
		all = once(all, listed(label)...)
	}
	for _, e := range f.Ledger {
		all = once(all, listed(e.Workload)...)
	}
	return all
}

// listed cuts the label of several workloads into theirs. What was ignored belongs to the
// label before it.
func listed(label string) []string {
	if strings.Contains(label, "ignored:") {
		return []string{label}
	}
	return strings.Split(label, "; ")
}

// mostValues is the number of values of an axis beyond which their number stands for them.
const mostValues = 6

// ran says in a sentence what a folder without a ledger holds.
func (f *Folder) ran(b *builder) string {
	if len(f.Tables) == 0 {
		return f.audited()
	}
	var rows []results.Row
	instances := map[int64]bool{}
	for _, t := range f.Tables {
		rows = slices.AppendSeq(rows, t.Rows.All())
	}
	for i := range rows {
		instances[rows[i].Instance] = true
	}
	var rules []string
	for _, p := range results.PoliciesOf(rows) {
		rules = append(rules, b.label(p))
	}
	s := fmt.Sprintf("The folder %s holds %s", f.title(), plural(len(rules), "rule"))
	if len(rules) > 0 && len(rules) <= 2*mostValues {
		s += " (" + strings.Join(rules, ", ") + ")"
	}
	axes, values := results.Varying(rows)
	var over []string
	for _, a := range axes {
		if results.Reserved(a) {
			continue
		}
		text := fmt.Sprintf("%d values of %s", len(values[a]), results.ColumnNamed(a).Label)
		if len(values[a]) <= mostValues {
			text = results.ColumnNamed(a).Label + " " + strings.Join(values[a], ", ")
		}
		over = append(over, text)
	}
	if over != nil {
		s += " over " + strings.Join(over, "; ")
	}
	return s + fmt.Sprintf(", %s each.", plural(len(instances), "instance"))
}

// audited says in a sentence what an audit searched for, and what it found, or what an
// explanation explains.
func (f *Folder) audited() string {
	spec := f.Manifest.known()
	if f.Manifest.Command == "explain" {
		return fmt.Sprintf("The folder %s says why each user has what it has under %s.", f.title(), strings.Join(spec.Policies, " and "))
	}
	if spec.Environments == 0 {
		return fmt.Sprintf("The folder %s holds no result table.", f.title())
	}
	rules, properties := "any rule", "any property"
	if len(spec.Policies) > 0 {
		rules = strings.Join(spec.Policies, " or ")
	}
	if len(spec.Properties) > 0 {
		properties = strings.Join(spec.Properties, " or ")
	}
	var found []string
	for _, e := range f.Environments {
		if !strings.HasSuffix(e.Name, ".changed") && !strings.HasSuffix(e.Name, ".pools") {
			found = append(found, e.Name)
		}
	}
	s := fmt.Sprintf("The folder %s holds a search, among up to %d environments a rule and property, for one in which %s lacks %s", f.title(), spec.Environments, rules, properties)
	if found == nil {
		return s + ": none was found."
	}
	return s + ": found were " + strings.Join(found, ", ") + "."
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// find adds the findings of a folder's ledger: what is refuted, an entry each, and the
// items of which something differs, with the reason that most of it has.
func (p *page) find(f *folderView, b *builder) {
	for _, i := range f.Items {
		var differs []*entryView
		n := 0
		for _, e := range b.entries {
			if e.Folder != f.ID || e.Item != i.Name || !counted(&e.Entry) {
				continue
			}
			n++
			switch e.Verdict {
			case ledger.Refuted:
				p.Refuted = append(p.Refuted, finding{f.Title, i.Title, "#" + e.ID, refutation(e), clipped(cmp.Or(reasonText(e), e.Distance))})
			case ledger.Differs:
				differs = append(differs, e)
			}
		}
		if differs != nil {
			p.Differing = append(p.Differing, finding{f.Title, i.Title, "#" + i.ID, fmt.Sprintf("%d of %d differ", len(differs), n), clipped(mostKnown(differs))})
		}
	}
}

func reasonText(e *entryView) string {
	var parts []string
	for _, r := range e.Known {
		parts = append(parts, r.Text)
	}
	return strings.Join(parts, "; ")
}

// refutation says what a refuted entry is.
func refutation(e *entryView) string {
	if e.Published == nil {
		return e.Claim + ": does not hold"
	}
	return fmt.Sprintf("%s: the paper says %s, ours is %s", e.Claim, e.Theirs, e.Mine)
}

// mostKnown is the reason that most entries have or, where there is none, what the
// numbers say.
func mostKnown(entries []*entryView) string {
	var most *reason
	for _, e := range entries {
		for _, r := range e.Known {
			if most == nil || r.counts > most.counts {
				most = r
			}
		}
	}
	if most == nil {
		return entries[0].Claim + ": " + entries[0].Distance
	}
	return most.Text
}

// mostSaid is the number of letters of a reason on the first screen; all of it stands with
// its item.
const mostSaid = 230

// clipped returns the beginning of a long reason, up to the end of a clause or a word.
func clipped(text string) string {
	if text == "" {
		return ""
	}
	if len([]rune(text)) <= mostSaid {
		return strings.TrimSuffix(text, ".") + "."
	}
	text = string([]rune(text)[:mostSaid])
	for _, end := range []string{". ", "; ", ": ", ", ", " "} {
		if k := strings.LastIndex(text, end); k > mostSaid/3 {
			return text[:k] + " …"
		}
	}
	return text + "…"
}
