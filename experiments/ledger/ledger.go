// Package ledger compares what a paper prints with what was found: one [Entry] a
// number or claim, each with its verdict.
package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// LedgerFile is the file of a result folder that holds its ledger.
const LedgerFile = "ledger.json"

// Verdict says what became of one published number or claim.
type Verdict string

// The verdicts.
const (
	// Reproduced: the published value lies inside our interval, or the number
	// that stands for a claim in words holds.
	Reproduced Verdict = "reproduced"
	// Differs: it does not; Why says by how much and what is known about it.
	Differs Verdict = "differs"
	// Refuted: the paper's own definitions contradict its number; Why names
	// the evidence.
	Refuted Verdict = "refuted"
	// NotRun: nothing was computed; Why says the reason.
	NotRun Verdict = "not run"
)

// Estimate is a number of ours with its interval.
type Estimate struct {
	// Value is the estimate, and Low and High bound it: the 95% interval over
	// instances, or the accuracy of a value that is computed and not sampled.
	Value, Low, High float64
	// Instances is the number of independent instances behind it; 1 for a
	// value that is computed and not sampled.
	Instances int
	// NoInterval says that Low and High bound nothing: see [Sampled] and
	// [Observed].
	NoInterval bool
}

// Sampled is the estimate of a number that is sampled, instance by instance.
// One instance has no interval.
func Sampled(iv metrics.Interval) Estimate {
	return Estimate{Value: iv.Value, Low: iv.Low, High: iv.High, Instances: iv.Units, NoInterval: !iv.Bounded}
}

// Observed is a number that was found and that no mean over instances stands
// for: the largest of all values, a count. It has no interval, and another seed
// gives another.
func Observed(value float64, instances int) Estimate {
	return Estimate{Value: value, Low: value, High: value, Instances: instances, NoInterval: true}
}

// Computed is the estimate of a value that is computed to the given absolute
// accuracy.
func Computed(value, accuracy float64) Estimate {
	return Estimate{Value: value, Low: value - accuracy, High: value + accuracy, Instances: 1}
}

// Entry is one published number or one claim in words, beside what we found.
// Its JSON form is stable (schema [LedgerSchema]).
type Entry struct {
	Paper     string   `json:"paper"`
	Item      string   `json:"item"`
	ID        string   `json:"id"`
	Claim     string   `json:"claim"`
	Published *float64 `json:"published"` // nil for a claim in words
	Ours      *float64 `json:"ours"`      // nil if not run
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Instances int      `json:"instances"`
	Verdict   Verdict  `json:"verdict"`
	// Why says by how much an entry differs, what is known about the reason, and
	// which reading of the paper counts where there are several.
	Why string `json:"why"`
	// Notes are the sentences of Why that do not repeat the numbers beside it.
	// A printed ledger has each once, below its table.
	Notes    []string `json:"-"`
	Workload string   `json:"workload"` // "" where no trace is involved
	// FittedTo marks a value that the workload was fitted to. It counts for
	// nothing.
	FittedTo bool `json:"fitted_to"`
}

// Value judges a published value: reproduced if it lies in [Low, High] of the
// estimate. known is what is known about the reason if it does not, a sentence
// each.
func (e Entry) Value(published float64, ours Estimate, known ...string) Entry {
	e = e.with(ours)
	e.Published = &published
	if ours.holds(published) {
		e.Verdict = Reproduced
		return e.Remark(ours.vague(published))
	}
	return e.differs(distance(published, ours), known)
}

// Bound is the test of a claim in words: its number must lie in [Min, Max].
type Bound struct{ Min, Max float64 }

// AtMost is the bound of a number that must not exceed limit.
func AtMost(limit float64) Bound { return Bound{math.Inf(-1), limit} }

// AtLeast is the bound of a number that must not fall below limit.
func AtLeast(limit float64) Bound { return Bound{limit, math.Inf(1)} }

// String writes the bound as a condition.
func (b Bound) String() string {
	switch {
	case math.IsInf(b.Min, -1):
		return fmt.Sprintf("≤ %g", b.Max)
	case math.IsInf(b.Max, 1):
		return fmt.Sprintf("≥ %g", b.Min)
	}
	return fmt.Sprintf("in [%g, %g]", b.Min, b.Max)
}

// Words judges a claim in words by the number that stands for it: reproduced
// if the estimate itself lies within the bound. The bound is added to the
// text of the claim. known is what is known about the reason if it does not, a
// sentence each.
func (e Entry) Words(ours Estimate, bound Bound, known ...string) Entry {
	e = e.with(ours)
	e.Claim += " (" + bound.String() + ")"
	if bound.Min <= ours.Value && ours.Value <= bound.Max {
		e.Verdict = Reproduced
		return e.Remark(ours.near(bound))
	}
	return e.differs(beyond(bound, ours), known)
}

// Skip records that nothing was computed.
func (e Entry) Skip(why string) Entry {
	e.Verdict, e.Why, e.Notes = NotRun, why, []string{why}
	return e
}

func (e Entry) with(ours Estimate) Entry {
	e.Ours, e.Instances = &ours.Value, ours.Instances
	if !ours.NoInterval {
		e.Low, e.High = &ours.Low, &ours.High
	}
	return e
}

// rounding is what a computed number may differ by from one that it equals,
// relative to it or to 1.
const rounding = 1e-9

// holds reports whether a published value lies in the interval, up to rounding.
func (e Estimate) holds(published float64) bool {
	slack := rounding * max(1, math.Abs(published))
	return e.Low-slack <= published && published <= e.High+slack
}

// telling is the largest half of an interval, in parts of the published value,
// at which a value inside says something.
const telling = 0.25

// The remarks on what is reproduced but hangs on the draw.
const (
	tooWide  = "the interval is wider than ±25% of the published value: that it holds the value says little"
	maybeNot = "the interval reaches beyond the bound: another seed may decide otherwise"
)

// vague says that an interval is too wide for a verdict to say much, if it is.
func (e Estimate) vague(published float64) string {
	if e.Instances > 1 && e.High-e.Low > 2*telling*math.Abs(published) {
		return tooWide
	}
	return ""
}

// near says that the interval of a number within a bound reaches beyond it. A
// number on the bound, as a count of none, does not come near it by chance.
func (e Estimate) near(b Bound) string {
	if e.Instances > 1 && (e.Low < b.Min && e.Value != b.Min || e.High > b.Max && e.Value != b.Max) {
		return maybeNot
	}
	return ""
}

// Remark adds a sentence to what is known about an entry, whatever its verdict:
// which reading of the paper counts, say, since when and why. None is added if it is
// empty.
func (e Entry) Remark(sentence string) Entry {
	if sentence == "" {
		return e
	}
	if e.Why != "" {
		e.Why += "; "
	}
	e.Why, e.Notes = e.Why+sentence, append(slices.Clip(e.Notes), sentence)
	return e
}

// distance says in which direction and how far a published value lies from
// the interval.
func distance(published float64, ours Estimate) string {
	direction, outside := "above", ours.Low-published
	if ours.Value < published {
		direction, outside = "below", published-ours.High
	}
	difference := fmt.Sprintf("ours is %.4g %s the published value", math.Abs(ours.Value-published), direction)
	if published != 0 {
		difference = fmt.Sprintf("ours is %.2g%% %s the published value", 100*math.Abs(ours.Value/published-1), direction)
	}
	if ours.NoInterval {
		return difference + "; there is no interval"
	}
	return fmt.Sprintf("%s, which lies %.2g outside our interval", difference, outside)
}

// beyond says how far a number lies from the bound that it fails, and whether
// its interval reaches the bound.
func beyond(bound Bound, ours Estimate) string {
	direction, limit, reaches := "above", bound.Max, ours.Low <= bound.Max
	if ours.Value < bound.Min {
		direction, limit, reaches = "below", bound.Min, ours.High >= bound.Min
	}
	text := fmt.Sprintf("%.4g is %.2g %s %g", ours.Value, math.Abs(ours.Value-limit), direction, limit)
	if ours.NoInterval {
		return text + "; there is no interval"
	}
	if reaches {
		return text + ", which our interval contains"
	}
	return text + ", and so is the whole interval"
}

// differs records by how much an entry differs and what is known about it.
func (e Entry) differs(numbers string, known []string) Entry {
	e.Verdict, e.Notes = Differs, slices.Clone(known)
	e.Why = strings.Join(append([]string{numbers}, known...), "; ")
	return e
}

// LedgerSchema is the version of the ledger's JSON form.
const LedgerSchema = 1

// Ledger is the list of entries of one reproduction, in the papers' order.
type Ledger struct {
	Schema  int     `json:"schema"`
	Entries []Entry `json:"entries"`
}

// NewLedger returns a ledger of the current schema.
func NewLedger(entries []Entry) Ledger { return Ledger{LedgerSchema, entries} }

// JSON returns the ledger's stable form. It fails on a number that is not
// finite and on an id that occurs twice.
func (l Ledger) JSON() ([]byte, error) {
	seen := map[string]bool{}
	for _, e := range l.Entries {
		if seen[e.ID] {
			return nil, fmt.Errorf("ledger: id %q occurs twice", e.ID)
		}
		seen[e.ID] = true
	}
	return results.IndentedJSON(l)
}

// Tally counts the verdicts. Values that the workload was fitted to and
// repeated values (see [Entry.Repeated]) are counted apart.
type Tally struct {
	Reproduced, Differs, Refuted, NotRun int
	Fitted, Repeats                      int
}

// Repeated marks the entry as one that the paper prints again in the given
// column: its id becomes unique, and a tally counts it apart.
func (e Entry) Repeated(column int) Entry {
	e.ID = fmt.Sprintf("%s#%d", e.ID, column)
	return e
}

// Tally counts the ledger's verdicts.
func (l Ledger) Tally() Tally {
	var t Tally
	for _, e := range l.Entries {
		switch {
		case strings.Contains(e.ID, "#"):
			t.Repeats++
		case e.FittedTo:
			t.Fitted++
		case e.Verdict == Reproduced:
			t.Reproduced++
		case e.Verdict == Differs:
			t.Differs++
		case e.Verdict == Refuted:
			t.Refuted++
		default:
			t.NotRun++
		}
	}
	return t
}

// String writes the tally as one sentence.
func (t Tally) String() string {
	return fmt.Sprintf("%d reproduced, %d differ, %d refuted, %d not run; not counted: %d fitted, %d printed again or read otherwise",
		t.Reproduced, t.Differs, t.Refuted, t.NotRun, t.Fitted, t.Repeats)
}

// Refute judges a published value that the paper's own definitions
// contradict. evidence says what contradicts it.
func (e Entry) Refute(published float64, ours Estimate, evidence string) Entry {
	e = e.with(ours)
	e.Published, e.Verdict, e.Why, e.Notes = &published, Refuted, evidence, []string{evidence}
	return e
}
