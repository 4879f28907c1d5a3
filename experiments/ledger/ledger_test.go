package ledger

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/metrics"
)

func entry(id string) Entry {
	return Entry{Paper: "p", Item: "t", ID: id, Claim: "a number", Workload: "w (synthetic)"}
}

func TestValueIsReproducedOnlyInsideTheInterval(t *testing.T) {
	ours := Estimate{Value: 0.5, Low: 0.48, High: 0.53, Instances: 100}
	for published, want := range map[float64]Verdict{
		0.48: Reproduced, 0.5: Reproduced, 0.53: Reproduced, 0.4799: Differs, 0.5301: Differs,
	} {
		if got := entry("a").Value(published, ours).Verdict; got != want {
			t.Errorf("published %g: %s, want %s", published, got, want)
		}
	}
}

func TestWhyNamesDirectionRelativeDifferenceAndWhatIsKnown(t *testing.T) {
	e := entry("a").Value(0.4, Estimate{Value: 0.5, Low: 0.48, High: 0.53, Instances: 9}, "the jobs hardly overlap")
	if want := "ours is 25% above the published value, which lies 0.08 outside our interval; the jobs hardly overlap"; e.Why != want {
		t.Errorf("why %q, want %q", e.Why, want)
	}
	e = entry("a").Value(0.8, Estimate{Value: 0.5, Low: 0.48, High: 0.53})
	if want := "ours is 38% below the published value, which lies 0.27 outside our interval"; e.Why != want {
		t.Errorf("why %q, want %q", e.Why, want)
	}
}

func TestWordsJudgeTheNumberItself(t *testing.T) {
	ours := Estimate{Value: 0.067, Low: 0.06, High: 0.07}
	e := entry("a").Words(ours, AtMost(0.065))
	if e.Verdict != Differs || e.Why != "0.067 is 0.002 above 0.065, which our interval contains" {
		t.Errorf("%s: %s", e.Verdict, e.Why)
	}
	if e.Published != nil || e.Claim != "a number (≤ 0.065)" {
		t.Errorf("published %v, claim %q", e.Published, e.Claim)
	}
	if e := entry("a").Words(ours, AtLeast(0.08)); e.Why != "0.067 is 0.013 below 0.08, and so is the whole interval" {
		t.Errorf("why %q", e.Why)
	}
	if e := entry("a").Words(ours, Bound{0.06, 0.07}); e.Verdict != Reproduced || e.Why != "" {
		t.Errorf("%s: %s", e.Verdict, e.Why)
	}
}

func TestLedgerJSON(t *testing.T) {
	l := NewLedger([]Entry{
		entry("t/x").Value(0.491, Estimate{Value: 0.489, Low: 0.476, High: 0.502, Instances: 1000}),
		entry("t/y").Skip("no trace"),
	})
	got, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema": 1,
  "entries": [
    {
      "paper": "p",
      "item": "t",
      "id": "t/x",
      "claim": "a number",
      "published": 0.491,
      "ours": 0.489,
      "low": 0.476,
      "high": 0.502,
      "instances": 1000,
      "verdict": "reproduced",
      "why": "",
      "workload": "w (synthetic)",
      "fitted_to": false
    },
    {
      "paper": "p",
      "item": "t",
      "id": "t/y",
      "claim": "a number",
      "published": null,
      "ours": null,
      "low": null,
      "high": null,
      "instances": 0,
      "verdict": "not run",
      "why": "no trace",
      "workload": "w (synthetic)",
      "fitted_to": false
    }
  ]
}
`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestLedgerRefusesWhatItCannotSay(t *testing.T) {
	if _, err := NewLedger([]Entry{entry("a"), entry("a")}).JSON(); err == nil || !strings.Contains(err.Error(), `"a" occurs twice`) {
		t.Errorf("duplicate id: %v", err)
	}
	if _, err := NewLedger([]Entry{entry("a").Value(1, Computed(math.NaN(), 0))}).JSON(); err == nil {
		t.Error("NaN was written")
	}
}

func TestTallyCountsFittedAndRepeatedApart(t *testing.T) {
	in := Estimate{Value: 1, Low: 0, High: 2, Instances: 1}
	fitted := entry("f").Value(1, in)
	fitted.FittedTo = true
	l := NewLedger([]Entry{
		fitted, fitted.Repeated(5), entry("a").Value(1, in), entry("b").Value(3, in), entry("c").Skip("x"),
	})
	if got, want := l.Tally(), (Tally{Reproduced: 1, Differs: 1, NotRun: 1, Fitted: 1, Repeats: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// noted is a small ledger in which two entries share a note.
func noted() Ledger {
	far := Estimate{Value: 0.5, Low: 0.48, High: 0.53, Instances: 9}
	fitted := entry("t/fitted").Value(0.5, far)
	fitted.FittedTo = true
	return NewLedger([]Entry{
		entry("t/one").Value(0.4, far, "the trend of one", "known of all"),
		fitted,
		entry("t/two").Words(far, AtMost(0.1), "known of all"),
		entry("t/three").Skip("no trace"),
		entry("t/four").Refute(0.6, far, "the definition has its optimum at 0.5"),
	})
}

func TestTextHasEveryNoteOnce(t *testing.T) {
	var b strings.Builder
	if err := noted().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `item  id      claim              paper    ours          interval  difference  verdict       notes
----  ------  ----------------  ------  ------  ----------------  ----------  ------------  ------
t     one     a number          0.4000  0.5000  [0.4800, 0.5300]      +25.0%  differs       [1][2]
t     fitted  a number          0.5000  0.5000  [0.4800, 0.5300]       +0.0%  reproduced *
t     two     a number (≤ 0.1)          0.5000  [0.4800, 0.5300]              differs       [2]
t     three   a number                                                        not run       [3]
t     four    a number          0.6000  0.5000  [0.4800, 0.5300]      -16.7%  refuted       [4]

[1] the trend of one
[2] known of all
[3] no trace
[4] the definition has its optimum at 0.5
`
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMarkdownHasTheSameNotes(t *testing.T) {
	var b strings.Builder
	if err := noted().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| [1][2] |\n", "\n\n- [1] the trend of one\n- [2] known of all\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestALedgerWithoutNotesHasNone(t *testing.T) {
	var b strings.Builder
	if err := NewLedger([]Entry{entry("t/a").Value(1, Computed(1, 0))}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "[1]") || strings.HasSuffix(b.String(), "\n\n") {
		t.Errorf("notes of nothing:\n%s", &b)
	}
}

func TestJSONKeepsTheWholeReason(t *testing.T) {
	text, err := noted().JSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `"why": "ours is 25% above the published value, which lies 0.08 outside our interval; the trend of one; known of all"`
	if !strings.Contains(string(text), want) || strings.Contains(string(text), "otes") {
		t.Errorf("want %s and no notes in\n%s", want, text)
	}
}

func TestLongClaimsAreWrapped(t *testing.T) {
	for line, want := range map[string][]string{
		"":                  {""},
		"ab cd":             {"ab cd"},
		"ab cd efg":         {"ab cd", "efg"},
		"ρρ ρρ ρ":           {"ρρ ρρ", "ρ"},
		"unbreakable a b":   {"unbreakable", "a b"},
		"a unbreakable  b ": {"a", "unbreakable", "b"},
	} {
		if d := cmp.Diff(want, text.Wrap(line, 5)); d != "" {
			t.Errorf("%q (-want +got):\n%s", line, d)
		}
	}
	l := NewLedger([]Entry{entry("t/a").Words(Computed(1, 0), AtLeast(0)), {Item: "t", ID: "t/b", Claim: strings.Repeat("word ", 20)}})
	var b strings.Builder
	if err := l.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	// 20 words of 4 letters, three to a line of 18: seven lines.
	if lines := strings.Count(b.String(), "\n"); lines != 2+1+7 {
		t.Errorf("%d lines:\n%s", lines, &b)
	}
}

// What is reproduced but hangs on the draw says so; what does not, does not.
func TestReproducedSaysWhereItHangsOnTheDraw(t *testing.T) {
	wide := Estimate{Value: 0.5, Low: 0.2, High: 0.8, Instances: 3}
	narrow := Estimate{Value: 0.5, Low: 0.48, High: 0.53, Instances: 100}
	for _, c := range []struct {
		entry Entry
		why   string
	}{
		{entry("a").Value(0.52, narrow), ""},
		{entry("a").Value(0.52, wide), tooWide},
		{entry("a").Words(narrow, AtMost(0.6)), ""},
		{entry("a").Words(narrow, AtMost(0.51)), maybeNot},
		{entry("a").Words(wide, AtLeast(0.4)), maybeNot},
		{entry("a").Words(Estimate{Low: 0, High: 0.01, Instances: 500}, AtMost(0)), ""}, // none of 500
	} {
		if c.entry.Verdict != Reproduced || c.entry.Why != c.why {
			t.Errorf("%s: %s, %q, want %q", c.entry.Claim, c.entry.Verdict, c.entry.Why, c.why)
		}
	}
}

// One instance, and an extreme, have no interval: null, and no verdict leans on
// one.
func TestNoIntervalIsNull(t *testing.T) {
	one := Sampled(metrics.Mean([]float64{0.5}))
	for _, e := range []Entry{entry("a").Value(0.6, one), entry("a").Words(one, AtMost(0.4)), entry("a").Words(Observed(2, 10), AtMost(1))} {
		if e.Low != nil || e.High != nil || e.Ours == nil || e.Verdict != Differs || !strings.Contains(e.Why, "there is no interval") {
			t.Errorf("%+v", e)
		}
	}
}

func TestARemarkStaysWithWhateverVerdict(t *testing.T) {
	one := Computed(1, 0)
	for _, e := range []Entry{Entry{}.Value(1, one), Entry{}.Value(2, one, "known"), Entry{}.Words(one, AtMost(0)), Entry{}.Skip("why")} {
		with := e.Remark("").Remark("a reading")
		if !strings.HasSuffix(with.Why, "a reading") || !strings.HasPrefix(with.Why, e.Why) || with.Verdict != e.Verdict ||
			len(with.Notes) != len(e.Notes)+1 || e.Why != "" && !strings.Contains(with.Why, e.Why+"; ") {
			t.Errorf("%q became %q, %q", e.Why, with.Why, with.Notes)
		}
	}
}
