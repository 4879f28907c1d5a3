package constraints

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

func TestOperators(t *testing.T) {
	for _, c := range []struct {
		constraint Constraint
		attribute  string
		want       bool
	}{
		{Constraint{"a", Equal, "x"}, "x", true},
		{Constraint{"a", Equal, "x"}, "y", false},
		{Constraint{"a", Equal, "x"}, "", false},
		{Constraint{"a", Equal, ""}, "", true}, // absent
		{Constraint{"a", Equal, ""}, "x", false},
		{Constraint{"a", Equal, "07"}, "7", false}, // texts, not numbers
		{Constraint{"a", NotEqual, "x"}, "y", true},
		{Constraint{"a", NotEqual, "x"}, "x", false},
		{Constraint{"a", NotEqual, "x"}, "", true}, // absent
		{Constraint{"a", NotEqual, ""}, "", false},
		{Constraint{"a", NotEqual, ""}, "x", true},
		{Constraint{"a", LessThan, "10"}, "9", true}, // numbers, not texts
		{Constraint{"a", LessThan, "10"}, "10", false},
		{Constraint{"a", LessThan, "10"}, "-1", true},
		{Constraint{"a", LessThan, "10"}, "", false}, // absent
		{Constraint{"a", LessThan, "10"}, "x", false},
		{Constraint{"a", LessThan, "x"}, "9", false},
		{Constraint{"a", GreaterThan, "10"}, "11", true},
		{Constraint{"a", GreaterThan, "9"}, "10", true},
		{Constraint{"a", GreaterThan, "10"}, "10", false},
		{Constraint{"a", GreaterThan, "-1"}, "", false}, // absent
		{Constraint{"a", GreaterThan, ""}, "9", false},
		{Constraint{"a", GreaterThan, "10"}, "10.5", false}, // a whole value is of whole numbers
		{Constraint{"a", GreaterThan, "10.0"}, "10.5", true},
		{Constraint{"a", LessThan, "1e1"}, "-9", true},
		{Constraint{"a", LessThan, "1.5"}, "Inf", false}, // no decimal number, and nor are these
		{Constraint{"a", LessThan, "1.5"}, "0x1", false},
		{Constraint{"a", LessThan, "1.5"}, "NaN", false},
		{Constraint{"a", LessThan, "1.5"}, "", false}, // absent
		{Constraint{"a", AtMost, "10"}, "10", true},
		{Constraint{"a", AtMost, "10"}, "11", false},
		{Constraint{"a", AtMost, "10"}, "", false}, // absent
		{Constraint{"a", AtLeast, "10"}, "10", true},
		{Constraint{"a", AtLeast, "10"}, "9", false},
		{Constraint{"a", AtLeast, "9007199254740993"}, "9007199254740992", false}, // exact
		{Constraint{"a", AtLeast, "x"}, "x", false},
		{Constraint{"a", Present, ""}, "x", true},
		{Constraint{"a", Present, ""}, "", false},
		{Constraint{"a", NotPresent, ""}, "", true},
		{Constraint{"a", NotPresent, ""}, "x", false},
		{Constraint{"a", In, List("x", "y")}, "y", true},
		{Constraint{"a", In, List("x", "y")}, "z", false},
		{Constraint{"a", In, List("", "y")}, "", false}, // absent
		{Constraint{"a", NotIn, List("x", "y")}, "y", false},
		{Constraint{"a", NotIn, List("x", "y")}, "z", true},
		{Constraint{"a", NotIn, List("", "y")}, "", true}, // absent
	} {
		if got := c.constraint.Match(c.attribute, c.attribute != ""); got != c.want {
			t.Errorf("%v matches %q: %v, want %v", c.constraint, c.attribute, got, c.want)
		}
	}
}

func TestFormatIsCanonical(t *testing.T) {
	a, b := Constraint{"b", Equal, "1"}, Constraint{"a+/=", GreaterThan, `q"uote`}
	text := Format([]Constraint{a, b, a})
	if want := `[["a+/=","\u003e","q\"uote"],["b","=","1"]]`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	if text != Format([]Constraint{b, a}) {
		t.Error("the order of the list changes the text")
	}
	got, _, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Constraint{b, a}, got); d != "" {
		t.Errorf("after a round trip (-want +got):\n%s", d)
	}
	if text := Format(nil); text != "" {
		t.Errorf("no constraint is %q", text)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"rack = r1", `[["a","="]]`, `[["a","~","1"]]`, `[["","=","1"]]`, `[["a","=","1","2"]]`, `{"a":"1"}`,
		`["a"]`, `[1]`, `[null]`, `[[]]`, `[["a"]]`, `[["a","in","b"]]`, `[["a","in",[]]]`, `[["a","in",[1]]]`, `[["a","in",["b"],"c"]]`, `[["a","=",["b"]]]`,
		`[["a","present",""]]`, `[["a","not present",[]]]`, `[["a","=",null]]`, `[["a","=",1]]`, `[["a","not  in",["b"]]]`, `[{"key":"a","operator":"In"}]`, `[{"key":"a","operator":"Exists","value":"b"}]`, `[{"value":"b"}]`, `[{}]`,
		`[{"key":"a","effect":"Never"}]`, `[{"keys":"a"}]`} {
		if list, _, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, list)
		}
	}
	for _, text := range []string{"a", `["a"]`, `{"":"1"}`, `{"a":1}`} {
		if got, err := ParseAttributes(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// members lists a set over n machines.
func members(m *Matcher, t *testing.T, text string) []int {
	t.Helper()
	set, err := m.Eligible(text)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for i := range m.machines {
		if set.Has(i) {
			all = append(all, i)
		}
	}
	if len(all) != m.Count(set) {
		t.Errorf("%s: Count is %d of %v", text, m.Count(set), all)
	}
	return all
}

func TestMatcherGoldenAnswers(t *testing.T) {
	m, err := NewMatcher([]traces.Machine{
		{ID: "0", Attributes: `{"kernel":"3","ssd":"1"}`},
		{ID: "1", Attributes: `{"kernel":"12"}`},
		{ID: "2"},
		{ID: "3", Attributes: `{"ssd":"0"}`},
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{
		"":                                     {0, 1, 2, 3},
		`[["ssd","=","1"]]`:                    {0},
		`[["ssd","!=","1"]]`:                   {1, 2, 3},
		`[["ssd","=",""]]`:                     {1, 2},
		`[["kernel",">","5"]]`:                 {1},
		`[["kernel","<","5"]]`:                 {0},
		`[["kernel","<","5"],["ssd","=","1"]]`: {0},
		`[["kernel",">","5"],["ssd","=","1"]]`: nil,
		`[["gpu","=","1"]]`:                    nil, // nobody has the attribute
		`[["gpu","!=","1"]]`:                   {0, 1, 2, 3},
		`[["ssd","in",["0","1"]]]`:             {0, 3},
		`[["ssd","in",["2"]]]`:                 nil,
		`[["ssd","not in",["2","1"]]]`:         {1, 2, 3},
		`[["kernel","present"]]`:               {0, 1},
		`[["kernel","not present"]]`:           {2, 3},
		`[["kernel","<=","3"]]`:                {0},
		`[["kernel",">=","3"]]`:                {0, 1},
		`[["kernel",">=","3.5"]]`:              {1},
	} {
		if got := members(m, t, text); !slices.Equal(got, want) {
			t.Errorf("%s: machines %v, want %v", text, got, want)
		}
	}
	if set, _ := m.Eligible(`[["gpu","!=","1"]]`); set != nil {
		t.Error("a constraint that all machines satisfy has a set of its own")
	}
	if _, err := m.Eligible("ssd"); err == nil {
		t.Error("a text that is none has machines")
	}
	if _, err := NewMatcher([]traces.Machine{{ID: "m", Attributes: "ssd"}}); err == nil {
		t.Error("attributes that are none pass")
	}
}

// Sets of machines against the definition, for random machines and constraints.
func TestMatcherAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	names, texts := []string{"a", "b", "c"}, []string{"", "x", "1", "2", "10", "-3"}
	for range 200 {
		machines := make([]traces.Machine, 1+rng.IntN(130))
		for i := range machines {
			attributes := map[string]string{}
			for _, name := range names {
				if rng.IntN(3) > 0 {
					attributes[name] = texts[rng.IntN(len(texts))]
				}
			}
			machines[i] = traces.Machine{ID: fmt.Sprint(i), Attributes: FormatAttributes(attributes)}
		}
		m, err := NewMatcher(machines)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var list []Constraint
			for range rng.IntN(4) {
				list = append(list, drawn(rng, names[rng.IntN(3)], texts))
			}
			set, err := m.Eligible(Format(list))
			if err != nil {
				t.Fatal(err)
			}
			for i := range machines {
				attributes, err := ParseAttributes(machines[i].Attributes)
				if err != nil {
					t.Fatal(err)
				}
				want := !slices.ContainsFunc(list, func(c Constraint) bool {
					value, there := attributes[c.Attribute]
					return !c.Match(value, there)
				})
				if set.Has(i) != want {
					t.Fatalf("%s on %s: %v, want %v", Format(list), machines[i].Attributes, set.Has(i), want)
				}
			}
		}
	}
}

// drawn is any constraint on an attribute.
func drawn(rng *rand.Rand, name string, texts []string) Constraint {
	c := Constraint{name, Operator(rng.IntN(numOperators)), texts[rng.IntN(len(texts))]}
	switch c.Op {
	case Present, NotPresent:
		c.Value = ""
	case In, NotIn:
		c.Value = List(texts[rng.IntN(len(texts))], c.Value)
	}
	return c
}

// The golden answers are those of Kubernetes' documentation of taints and tolerations.
func TestTolerations(t *testing.T) {
	taint := func(text string) cluster.Taint {
		t.Helper()
		parsed, err := cluster.ParseTaint(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		toleration, taint string
		want              bool
	}{
		{`{"key":"key1","operator":"Equal","value":"value1","effect":"NoSchedule"}`, "key1=value1:NoSchedule", true},
		{`{"key":"key1","value":"value1","effect":"NoSchedule"}`, "key1=value1:NoSchedule", true}, // Equal is the default
		{`{"key":"key1","operator":"Equal","value":"value1","effect":"NoSchedule"}`, "key1=value1:NoExecute", false},
		{`{"key":"key1","operator":"Equal","value":"value1","effect":"NoSchedule"}`, "key1=value2:NoSchedule", false},
		{`{"key":"key1","operator":"Exists","effect":"NoSchedule"}`, "key1=value1:NoSchedule", true},
		{`{"key":"key1","operator":"Exists","effect":"PreferNoSchedule"}`, "key1=value1:NoSchedule", false},
		{`{"key":"key1","operator":"Exists"}`, "key1=value1:NoExecute", true}, // every effect
		{`{"key":"key1","operator":"Exists","tolerationSeconds":3600}`, "key1=value1:NoExecute", true},
		{`{"key":"key2","operator":"Exists"}`, "key1=value1:NoExecute", false},
		{`{"operator":"Exists"}`, "key1=value1:NoExecute", true}, // everything
		{`{"operator":"Exists","effect":"NoSchedule"}`, "key1=value1:NoExecute", false},
		{`{"key":"key1"}`, "key1:NoSchedule", true}, // both values are empty
		{`{"key":"key1"}`, "key1=a:NoSchedule", false},
	} {
		_, list, err := Parse("[" + c.toleration + "]")
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].Tolerates(taint(c.taint)); got != c.want {
			t.Errorf("%s of %s: %v, want %v", c.toleration, c.taint, got, c.want)
		}
	}
}

func TestServersWithTaints(t *testing.T) {
	a, b := cluster.Taint{Key: "a", Value: "1", Effect: "NoSchedule"}, cluster.Taint{Key: "b", Effect: "NoExecute"}
	m := NewServerMatcher([]cluster.Server{
		{Attributes: map[string]string{"zone": "x"}},
		{Taints: []cluster.Taint{a}},
		{Taints: []cluster.Taint{a, b}, Attributes: map[string]string{"zone": "x"}},
	})
	for text, want := range map[string][]int{
		"":                                  {0},
		`[{"key":"a","value":"1"}]`:         {0, 1},
		`[{"key":"b","operator":"Exists"}]`: {0},
		`[{"operator":"Exists"}]`:           {0, 1, 2},
		`[{"operator":"Exists"},["zone","=","x"]]`: {0, 2},
		`[["zone","=","x"]]`:                       {0},
		`[["zone","!=","x"]]`:                      nil,
	} {
		if got := members(m, t, text); !slices.Equal(got, want) {
			t.Errorf("%s: servers %v, want %v", text, got, want)
		}
	}
	if set, err := m.Eligible(`[{"operator":"Exists"}]`); set != nil || err != nil {
		t.Error("what may run everywhere has a set of its own")
	}
}

// Equal sets of tolerations are equal texts, after those of constraints.
func TestFormatOfTolerations(t *testing.T) {
	a, b := Toleration{Key: "a", Operator: "Exists"}, Toleration{Key: "b", Value: "1", Effect: "NoSchedule"}
	text := Format([]Constraint{{"z", Equal, "1"}}, b, a, b)
	if want := `[["z","=","1"],{"key":"a","operator":"Exists"},{"key":"b","value":"1","effect":"NoSchedule"}]`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	list, tolerations, err := Parse(text)
	if err != nil || Format(list, tolerations...) != text {
		t.Errorf("after a round trip: %v %v, %v", list, tolerations, err)
	}
}

// The list of a constraint is read once, not for every machine.
func TestAListIsReadOnce(t *testing.T) {
	for _, op := range []Operator{In, NotIn} {
		match := Constraint{Attribute: "k", Op: op, Value: List("a", "b", "c")}.Predicate()
		if n := testing.AllocsPerRun(100, func() {
			if match("c", true) != (op == In) || match("c", false) != (op == NotIn) {
				t.Errorf("%v is wrong", op)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations a machine", op, n)
		}
	}
}
