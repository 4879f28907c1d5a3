package spelling

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var rules = strings.Fields("beq bks bnbs cdrf cmmf-cpu cmmf-mem cru drf drf-cpu drf-eq drf-er drf-mem drfh egalitarian eq magiks-bim magiks-rim mnw mtp per-machine-drf ps-dsf ru tsf tsf-cpu tsf-eq tsf-er tsf-mem ubound utilitarian")

func TestNear(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		// Case and punctuation.
		{"tsfer", "tsf-er"}, {"TSF-ER", "tsf-er"}, {"tsf_er", "tsf-er"}, {"TSF ER", "tsf-er"}, {"tsf–er", "tsf-er"},
		{"PSDSF", "ps-dsf"}, {"MNW", "mnw"}, {"Per machine DRF", "per-machine-drf"},
		// Edits.
		{"tsf-re", "tsf-er"}, {"tfs", "tsf"}, {"tsf-memm", "tsf-mem"}, {"utilitarain", "utilitarian"}, {"egaliterian", "egalitarian"},
		{"drf-memory", "drf-mem"}, {"cmmfcpus", "cmmf-cpu"}, {"mmw", "mnw"},
		// Several as near, in their order.
		{"tsf-e", "tsf tsf-eq tsf-er"}, {"cmmf-xem", "cmmf-mem"},
		// Beginnings.
		{"magiks", "magiks-bim magiks-rim"}, {"util", "utilitarian"}, {"per", "per-machine-drf"}, {"tsf-external", "tsf"},
		// Nothing near: neither short names that share a letter, nor long ones.
		{strings.Repeat("tsf-er", 1000), ""}, {"dictator", ""}, {"x", ""}, {"", ""}, {"---", ""}, {"fifo", ""}, {"proportional", ""},
	} {
		if got := strings.Join(Near(c.typed, rules), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

func TestUnknownNamesTheKnown(t *testing.T) {
	known := []string{"text", "json"}
	for _, c := range []struct{ name, want string }{
		{"text", "<nil>"},
		{"jsno", `unknown form "jsno": did you mean json? (known: text, json)`},
		{"xml", `unknown form "xml" (known: text, json)`},
		{"\x1b[2J", `unknown form "\x1b[2J" (known: text, json)`},
	} {
		if got := fmt.Sprint(Check("form", c.name, known)); got != c.want {
			t.Errorf("%q: %s, want %s", c.name, got, c.want)
		}
	}
	if got := fmt.Sprint(Check("", "jsno", append(known, ""))); got != `"jsno" is not one of text, json: did you mean json?` {
		t.Error(got)
	}
	if got := fmt.Sprint(Check("", "0.7", []string{"0.5", "0.9", "7"})); got != `"0.7" is not one of 0.5, 0.9, 7` {
		t.Error(got) // no number is a slip of another
	}
	var unknown *UnknownError
	if err := Check("form", "xml", known); !errors.As(err, &unknown) || unknown.Name != "xml" {
		t.Errorf("%#v", err)
	}
	if got := fmt.Sprint(Check("item", "fgi9", []string{"fig8", "fig19", "fig9"})); !strings.Contains(got, "did you mean fig9?") {
		t.Error(got)
	}
	if got := fmt.Sprint(Check("form", "xml", nil)); got != `unknown form "xml"` {
		t.Error(got)
	}
}

func TestLongListsAreCut(t *testing.T) {
	var known []string
	for i := range 1000 {
		known = append(known, fmt.Sprintf("job%d", i))
	}
	if got := List(known); !strings.HasSuffix(got, "job39 and 960 more") || strings.Contains(got, "job40") {
		t.Error(got)
	}
	if got := Near("job", known); len(got) != 3 {
		t.Errorf("%d suggestions", len(got))
	}
}

// A known name with one letter changed, dropped, doubled or swapped is suggested,
// or another that is as near.
func TestOneEditIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(rules).Draw(t, "name")
		letters := []rune(fold(name))
		if len(letters) < 3 {
			t.Skip("too short for a suggestion after an edit")
		}
		at := rapid.IntRange(0, len(letters)-2).Draw(t, "at")
		var edited []rune
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
			edited = slices.Clone(letters)
			edited[at] = 'y'
		case 1:
			edited = slices.Delete(slices.Clone(letters), at, at+1)
		case 2:
			edited = slices.Insert(slices.Clone(letters), at, letters[at])
		default:
			edited = slices.Clone(letters)
			edited[at], edited[at+1] = edited[at+1], edited[at]
		}
		near := Near(string(edited), rules)
		if len(near) == 0 {
			t.Fatalf("nothing is near %q", string(edited))
		}
		if best := distance(string(edited), fold(near[0])); best > 1 {
			t.Fatalf("%q: %q at distance %d", string(edited), near, best)
		}
	})
}
