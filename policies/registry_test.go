package policies_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/leontief-sim/leontief/policies"
)

func TestRegistryHoldsTheRules(t *testing.T) {
	const want = "cdrf cmmf-cpu cmmf-mem cru drf drf-cpu drf-eq drf-er drf-mem drfh egalitarian eq mnw mtp per-machine-drf ru " +
		"tsf tsf-cpu tsf-eq tsf-er tsf-mem utilitarian"
	names := " " + strings.Join(policies.Names(), " ") + " "
	for _, name := range strings.Fields(want) {
		if !strings.Contains(names, " "+name+" ") {
			t.Errorf("%s is not registered", name)
		}
	}
	for _, m := range policies.All() {
		if m.Title == "" || m.Paper == "" {
			t.Errorf("%s: title %q, paper %q", m.Name, m.Title, m.Paper)
		}
		seen := map[policies.Property]bool{}
		for _, c := range m.Claims {
			if seen[c.Property] {
				t.Errorf("%s claims %s twice", m.Name, c.Property)
			}
			seen[c.Property] = true
		}
	}
}

func TestUnusableRegistrationsPanic(t *testing.T) {
	construct := func(policies.Params) (policies.Policy, error) { return nil, nil }
	for what, m := range map[string]policies.Meta{
		"duplicate":      {Name: "tsf-er", New: construct},
		"empty name":     {New: construct},
		"name with [":    {Name: "x[y", New: construct},
		"name with =":    {Name: "x=y", New: construct},
		"name with ,":    {Name: "x,y", New: construct},
		"name with room": {Name: "x y", New: construct},
		"a flag":         {Name: "-rf", New: construct},
		"a path":         {Name: "../x", New: construct},
		"a command":      {Name: "x\x1b[2J", New: construct},
		"a long name":    {Name: strings.Repeat("x", 101), New: construct},
		"no constructor": {Name: "nothing"},
		"no such colour": {Name: "x", Look: policies.Look{Color: "mauve", Dashes: "solid", Marker: "●"}, New: construct},
		"half a look":    {Name: "x", Look: policies.Look{Color: "black"}, New: construct},
		"arrival order":  {Name: policies.FIFO, New: construct},
	} {
		before := len(policies.All())
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			policies.Register(m)
		}()
		if len(policies.All()) != before {
			t.Errorf("%s: registered all the same", what)
		}
	}
}

// Every shipped rule has a label of its own and a look that is not that of another
// rule, but for rules of different papers.
func TestAppearances(t *testing.T) {
	labels, looks := map[string]string{}, map[string]string{}
	for _, name := range append(policies.Names(), policies.FIFO) {
		label, look := policies.Appearance(name)
		if label == name || look == (policies.Look{}) {
			t.Errorf("%s: label %q, look %+v", name, label, look)
		}
		if other, twice := labels[label]; twice {
			t.Errorf("%s and %s are both labelled %q", other, name, label)
		}
		m, _ := policies.Lookup(name)
		paper, _, _ := strings.Cut(m.Paper, ",")
		in := paper + look.Color + look.Dashes + look.Marker
		if other, twice := looks[in]; twice {
			t.Errorf("%s and %s look alike in the figures of %s", other, name, paper)
		}
		labels[label], looks[in] = name, name
	}
	if label, look := policies.Appearance("drf-er"); label != "DRF-ER" || look != (policies.Look{Color: "vermillion", Dashes: "long dashes", Marker: "○"}) {
		t.Error(label, look)
	}
	if label, look := policies.Appearance("nobody's"); label != "nobody's" || look != (policies.Look{}) {
		t.Error(label, look)
	}
}

func TestUnknownNamesListTheKnown(t *testing.T) {
	_, lookup := policies.Lookup("drf-ear")
	_, made := policies.New("drf-ear")
	for _, err := range []error{lookup, made} {
		var unknown *policies.UnknownError
		if !errors.As(err, &unknown) || unknown.Name != "drf-ear" {
			t.Fatalf("%v", err)
		}
		if want := strings.Join(policies.Names(), ", "); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"drf-ear"`) {
			t.Errorf("%v does not list %s", err, want)
		}
	}
}

func TestParseUndoesFormat(t *testing.T) {
	word := rapid.StringMatching(`[a-z0-9.:/-]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		name := word.Draw(t, "name")
		params := policies.Params(rapid.MapOfN(word, word, 0, 5).Draw(t, "params"))
		text := policies.Format(name, params)
		gotName, got, err := policies.Parse(text)
		if err != nil || gotName != name || !maps.Equal(got, params) {
			t.Fatalf("%q: %q, %v, %v", text, gotName, got, err)
		}
		if again := policies.Format(gotName, got); again != text {
			t.Fatalf("%q becomes %q", text, again)
		}
	})
}

func TestFormatSortsParameters(t *testing.T) {
	if got := policies.Format("p", policies.Params{"b": "2", "a": "1"}); got != "p[a=1,b=2]" {
		t.Error(got)
	}
	if got := policies.Format("p", nil); got != "p" {
		t.Error(got)
	}
}

func TestMalformedTexts(t *testing.T) {
	for _, text := range []string{
		"p]", "p=1", "p q", "p,q", "p[", "p[]", "p[a]", "p[a=]", "p[=1]", "p[a=1", "p[a=1]x", "p[a=1][b=2]", "p[a=1,]",
		"p[a=1,a=2]", "p[a=b=c]", "p[[a=1]]",
	} {
		if name, params, err := policies.Parse(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %q, %v, %v", text, name, params, err)
		}
		if _, err := policies.New(text); err == nil {
			t.Errorf("%q makes a policy", text)
		}
	}
}

// Every rule says what it computes, and its parameters are those that it takes.
func TestRulesAreDescribed(t *testing.T) {
	for _, m := range policies.All() {
		if m.Definition == "" || m.Family.Title() == "" {
			t.Errorf("%s: definition %q, family %q", m.Name, m.Definition, m.Family)
		}
		if _, err := policies.New(m.Name + "[colour=red]"); err == nil {
			t.Errorf("%s takes a parameter that it does not have", m.Name)
		}
		for _, p := range m.Parameters {
			for _, value := range append(p.Values, p.Default) {
				if _, err := policies.New(policies.Format(m.Name, policies.Params{p.Name: value})); err != nil {
					t.Error(err)
				}
			}
			_, err := policies.New(policies.Format(m.Name, policies.Params{p.Name: "no-such-value"}))
			if err == nil {
				t.Errorf("%s: %s takes any value", m.Name, p.Name)
			}
			if p.Values != nil && err != nil && !strings.Contains(err.Error(), strings.Join(p.Values, ", ")) {
				t.Errorf("%s: the values of %s are not %v: %v", m.Name, p.Name, p.Values, err)
			}
		}
	}
}

// A rule has one canonical text, whatever is said that it does without being told.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{"drf": "drf", "magiks-rim": "magiks-rim", "magiks-rim[to=better]": "magiks-rim", "magiks-rim[seed=1,to=better]": "magiks-rim",
		"magiks-rim[to=best,seed=1]": "magiks-rim[to=best]", "magiks-rim[seed=2,to=pair]": "magiks-rim[seed=2,to=pair]", "magiks-rim[to=best,seed=2]": "magiks-rim[seed=2,to=best]",
		"magiks-rim[seed=002]": "magiks-rim[seed=2]", "magiks-bim[gain=share]": "magiks-bim", "magiks-bim[gain=ratio,seed=01]": "magiks-bim[gain=ratio]"} {
		if got, err := policies.Canonical(text); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"nothing", "drf[x=1]", "magiks-rim[to=worst]", "magiks-rim[seed=-1]", "drf["} {
		if got, err := policies.Canonical(text); err == nil {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, m := range policies.All() {
		if got, err := policies.Canonical(m.Name); err != nil || got != m.Name {
			t.Errorf("%s: %s, %v", m.Name, got, err)
		}
	}
}
