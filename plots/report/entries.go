package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// entryView is a ledger entry as text.
type entryView struct {
	ledger.Entry
	ID          string // of its line in the whole ledger
	Of, Folder  string // the title of the folder, and its id
	ItemTitle   string
	Short       string // its id without the item
	Theirs      string
	Mine        string
	Interval    string
	Difference  string
	Class, Mark string
	Distance    string // what the numbers say where they differ
	Known       []*reason
}

// reason is what is known about entries, each sentence once an item.
type reason struct {
	ID     string
	N      int // its number in the item; 0 where it stands beside the only entry that has it
	Text   string
	Of     []*entryView
	counts int // those of them that count
}

// Shared is the number of entries that have the reason.
func (r *reason) Shared() int { return len(r.Of) }

// Because is where what is known about an entry stands, or its first part.
func (e *entryView) Because() string {
	switch {
	case e.Known == nil:
		return ""
	case e.Known[0].N == 0:
		return "c-" + e.ID
	}
	return e.Known[0].ID
}

// marks stand for verdicts where there is no colour.
var marks = map[ledger.Verdict]string{ledger.Reproduced: "✓", ledger.Differs: "≠", ledger.Refuted: "✗", ledger.NotRun: "–"}

// counted reports whether an entry counts: it was not fitted to, and is neither printed
// again nor another reading.
func counted(e *ledger.Entry) bool { return !e.FittedTo && !strings.Contains(e.ID, "#") }

// takeEntries makes items of the ledger, in its order.
func (v *folderView) takeEntries(f *Folder, b *builder) {
	of := map[*item][]*entryView{}
	var order []*item
	for k := range f.Ledger {
		e := f.Ledger[k]
		i := v.item(e.Item, b)
		if of[i] == nil {
			order = append(order, i)
		}
		of[i] = append(of[i], b.entry(v, i, e))
	}
	for _, i := range order {
		i.take(of[i], b)
	}
}

// entry makes the view of an entry.
func (b *builder) entry(v *folderView, i *item, e ledger.Entry) *entryView {
	view := &entryView{Entry: e, ID: fmt.Sprintf("e%d", len(b.entries)), Of: v.Title, Folder: v.ID, ItemTitle: i.Title, Short: strings.TrimPrefix(e.ID, e.Item+"/"),
		Theirs: number(e.Published), Mine: number(e.Ours), Class: strings.ReplaceAll(string(e.Verdict), " ", "-"), Mark: marks[e.Verdict]}
	if e.Low != nil && e.High != nil && e.Instances > 1 {
		view.Interval = "[" + number(e.Low) + ", " + number(e.High) + "]"
	}
	if e.Published != nil && e.Ours != nil && *e.Published != 0 {
		view.Difference = fmt.Sprintf("%+.1f%%", 100*(*e.Ours / *e.Published - 1))
	}
	b.entries = append(b.entries, view)
	return view
}

// take adds the entries of an item: those of the paper's table to the table, the others
// to the claims.
func (i *item) take(entries []*entryView, b *builder) {
	i.Tally = tallyOf(entries)
	i.reasons(entries, b)
	i.Paper = b.pivot(i, entries)
	beside := map[*reason]bool{}
	for _, e := range entries {
		switch {
		case i.Paper != nil && i.Paper.holds[e]:
			continue
		case counted(&e.Entry):
			i.Claims = append(i.Claims, e)
		default:
			i.Uncounted = append(i.Uncounted, e)
		}
		for _, r := range e.Known {
			if len(r.Of) == 1 {
				beside[r] = true
			}
		}
	}
	// What stands beside its claim is not listed again, and the others are numbered.
	i.Reasons = slices.DeleteFunc(i.Reasons, func(r *reason) bool { return beside[r] })
	for k, r := range i.Reasons {
		r.N = k + 1
	}
}

// reasons gives entries what is known about them, each sentence once: those that the same
// entries have, one after the other, are one reason.
func (i *item) reasons(entries []*entryView, b *builder) {
	of := map[string][]*entryView{}
	said := map[*entryView][]string{}
	for _, e := range entries {
		var known string
		e.Distance, known = splitWhy(e.Why)
		for _, sentence := range once(nil, strings.Split(known, "; ")...) {
			of[sentence] = append(of[sentence], e)
			said[e] = append(said[e], sentence)
		}
	}
	reasons := map[string]*reason{}
	for _, e := range entries {
		for k, sentence := range said[e] {
			if reasons[sentence] != nil {
				continue
			}
			if k > 0 && slices.Equal(of[sentence], of[said[e][k-1]]) {
				r := reasons[said[e][k-1]]
				r.Text += "; " + sentence
				reasons[sentence] = r
				continue
			}
			r := &reason{ID: b.id(i.ID, "reason"), Text: sentence, Of: of[sentence]}
			for _, other := range r.Of {
				if counted(&other.Entry) {
					r.counts++
				}
				other.Known = append(other.Known, r)
			}
			reasons[sentence] = r
			i.Reasons = append(i.Reasons, r)
		}
	}
}

// distance is what a ledger says of the numbers of an entry that differs, before what is
// known about it.
var distance = regexp.MustCompile(`^(?:ours is \S+ (?:above|below) the published value(?:, which lies \S+ outside our interval)?|-?[0-9.e+-]+ is \S+ (?:above|below) [0-9.e+-]+(?:, which our interval contains|, and so is the whole interval)?)(?:; there is no interval)?(?:; |$)`)

// splitWhy separates the numbers of an entry that differs from what is known about it.
func splitWhy(why string) (numbers, known string) {
	numbers = distance.FindString(why)
	return strings.TrimSuffix(numbers, "; "), why[len(numbers):]
}

// tallyOf counts entries by verdict, in a sentence.
func tallyOf(entries []*entryView) string {
	l := ledger.Ledger{}
	for _, e := range entries {
		l.Entries = append(l.Entries, e.Entry)
	}
	return sentenceOf(l.Tally())
}

// sentenceOf writes a tally without what there is none of.
func sentenceOf(t ledger.Tally) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{t.Reproduced, "reproduced"}, {t.Differs, "differ"}, {t.Refuted, "refuted"}, {t.NotRun, "not run"}, {t.Fitted, "fitted, not counted"}, {t.Repeats, "printed again or read otherwise, not counted"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
