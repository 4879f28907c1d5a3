package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const gridSpec = `
name: grid
scales: [quick, paper]
seed: 7
blocks:
  - name: fig1
    experiment: counting (test)
    instances: {quick: 2, paper: 100}
    set: {n: 20}
    axes:
      rho: {quick: [0.5], paper: [0.5, .9]}
      rule: [a, b]
  - name: fig2
    experiment: counting (test)
    instances: {quick: 2, paper: 100}
    points:
      - {n: 20, rho: 0.50}
      - {n: 30, rho: 0.7}
    axes:
      rule: [b]
`

// lines writes scenarios as text.
func lines(all []Scenario) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%d %d %s\n", s.Seed, s.Instances, s.String())
	}
	return b.String()
}

func TestSpecExpandsInOrder(t *testing.T) {
	s, err := ParseSpec("grid.yaml", []byte(gridSpec), Choice{Scale: "paper"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	want := `7 100 [n=20,rho=0.5,rule=a]
7 100 [n=20,rho=0.5,rule=b]
7 100 [n=20,rho=0.9,rule=a]
7 100 [n=20,rho=0.9,rule=b]
7 100 [n=30,rho=0.7,rule=b]
`
	if got := lines(all); got != want {
		t.Errorf("scenarios\n%swant\n%s", got, want)
	}
	some, blocks, err := s.Of(func(block string) bool { return block == "fig2" })
	if err != nil || len(blocks) != 1 || lines(some) != lines(blocks["fig2"]) {
		t.Errorf("%v, %d blocks, scenarios\n%s", err, len(blocks), lines(some))
	}
	if got, want := lines(blocks["fig2"]), "7 100 [n=20,rho=0.5,rule=b]\n7 100 [n=30,rho=0.7,rule=b]\n"; got != want {
		t.Errorf("block fig2\n%swant\n%s", got, want)
	}
}

// A block that is changed after it was read has the scenarios of what it is now, and who
// changes the list that it was given changes no other one.
func TestChangedBlocksExpandAnew(t *testing.T) {
	changes := map[string]func(*Spec){
		"nothing":       func(*Spec) {},
		"the seed":      func(s *Spec) { s.Seed++ },
		"the instances": func(s *Spec) { s.Blocks[0].Instances++ },
		"a set value":   func(s *Spec) { s.Blocks[0].Set["n"] = "21" },
		"a value":       func(s *Spec) { s.Blocks[0].Axes[0].Values[0] = "0.6" },
		"another value": func(s *Spec) { s.Blocks[0].Axes[0].Values = append(s.Blocks[0].Axes[0].Values, "0.6") },
		"an axis":       func(s *Spec) { s.Blocks[0].Axes = s.Blocks[0].Axes[1:]; s.Blocks[0].Set["rho"] = "0.1" },
		"points": func(s *Spec) {
			s.Blocks[0].Points = []map[string]string{{"rho": "0.1"}}
			s.Blocks[0].Axes = s.Blocks[0].Axes[1:]
		},
		"a point":        func(s *Spec) { s.Blocks[1].Points[0]["n"] = "22" },
		"the experiment": func(s *Spec) { s.Blocks[0].Experiment = "nothing" },
		"the list": func(s *Spec) {
			all, _ := s.Expand(0)
			all[0] = Scenario{}
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSpec("grid.yaml", []byte(gridSpec), Choice{Scale: "paper"})
			if err != nil {
				t.Fatal(err)
			}
			change(s)
			fresh := *s
			fresh.Blocks = slices.Clone(s.Blocks)
			for i := range s.Blocks {
				fresh.Blocks[i].expanded = nil
				got, err := s.Expand(i)
				want, failed := fresh.Expand(i)
				if fmt.Sprint(err) != fmt.Sprint(failed) || lines(got) != lines(want) {
					t.Errorf("%v, want %v, scenarios\n%swant\n%s", err, failed, lines(got), lines(want))
				}
				for _, one := range got {
					if one.ID() != Digest(one.JSON())[:16] {
						t.Errorf("%v has the id of another scenario", one)
					}
					one.Seed += 7
					if one.ID() != Digest(one.JSON())[:16] {
						t.Errorf("%v has the id that it had before", one)
					}
				}
			}
		})
	}
}

func TestSpecTakesWhatIsChosen(t *testing.T) {
	seed := uint64(3)
	s, err := ParseSpec("grid.yaml", []byte(gridSpec), Choice{Seed: &seed, Instances: 5, Set: map[string]string{"rho": "0.6"}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Scenarios()
	want := "3 5 [n=20,rho=0.6,rule=a]\n3 5 [n=20,rho=0.6,rule=b]\n3 5 [n=30,rho=0.6,rule=b]\n"
	if got := lines(all); err != nil || got != want {
		t.Errorf("%v, scenarios\n%swant\n%s", err, got, want)
	}
}

func TestSpecReportsAllProblemsWithTheirPlace(t *testing.T) {
	const bad = `name: bad
colour: red
scales: [quick, paper]
seed: -1
blocks:
  - experiment: counting (test)
    instances: {quick: 1}
    axes:
      rule: a
      n: [10, [11]]
    sets: {}
    points:
      - {rho: 0.5, rho: 0.7}
`
	_, err := ParseSpec("bad.yaml", []byte(bad), Choice{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"bad.yaml:2:9: colour: unknown key (known: blocks, name, rules, scales, seed, title)",
		`bad.yaml:4:7: seed: "-1" is not a whole number >= 0`,
		"bad.yaml:7:16: blocks[0].instances: not given for all scales (quick, paper)",
		"bad.yaml:9:13: blocks[0].axes.rule: not a list of values",
		"bad.yaml:10:15: blocks[0].axes.n[1]: not a plain value",
		"bad.yaml:11:11: blocks[0].sets: unknown key",
		"bad.yaml:13:20: rho: given twice, first in line 13",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
}

func TestSpecReportsValuesThatAKindRefuses(t *testing.T) {
	const bad = `name: bad
blocks:
  - experiment: counting (test)
    set: {rho: 7}
    axes: {rule: [a, c], rho: [0.5]}
  - experiment: nothing
`
	_, err := ParseSpec("bad.yaml", []byte(bad), Choice{Scale: "paper"})
	if err == nil || !strings.Contains(err.Error(), `unknown scale "paper"`) {
		t.Errorf("error %v", err)
	}
	_, err = ParseSpec("bad.yaml", []byte(bad), Choice{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"bad.yaml:5:32: blocks[0].axes.rho: also given by set",
		"bad.yaml:4:16: blocks[0].set.rho: 7 is not in [0, 1]",
		`bad.yaml:5:22: blocks[0].axes.rule[1]: "c" is not one of a, b, bad`,
		`bad.yaml:6:17: blocks[1].experiment: unknown experiment "nothing"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
}

func TestSpecReportsValuesWhereTheyStand(t *testing.T) {
	const bad = `blocks:
  - experiment: counting (test)
    axes:
      rho: [0.5, .50, 1.5]
      rule: [a]
    set: {colour: red}
    points: [{n: 10}, {n: 0, rule: b}]
  - experiment: counting (test)
    axes: {rule: [a], seed: [1, -1]}
  - experiment: counting (test)
`
	_, err := ParseSpec("dir/bad.yaml", []byte(bad), Choice{})
	if err == nil {
		t.Fatal("no error")
	}
	want := `dir/bad.yaml:6:19: blocks[0].set.colour: counting (test) has no such parameter (known: n, rho, rule, seed)
dir/bad.yaml:7:27: blocks[0].points[1].n: 0 is not in [1, 100]
dir/bad.yaml:4:18: blocks[0].axes.rho[1]: the same value as rho[0]
dir/bad.yaml:4:23: blocks[0].axes.rho[2]: 1.5 is not in [0, 1]
dir/bad.yaml:5:14: blocks[0].axes.rule: also given by points
dir/bad.yaml:9:33: blocks[1].axes.seed[1]: "-1" is not a whole number >= 0
dir/bad.yaml:10:5: blocks[2]: rule: not given`
	if err.Error() != want {
		t.Errorf("problems\n%v\nwant\n%s", err, want)
	}
}

func TestSpecVariesTheSeed(t *testing.T) {
	s, err := ParseSpec("seeds.yaml", []byte("seed: 4\nblocks: [{experiment: counting (test), set: {rule: a}, axes: {seed: [1, 18446744073709551615]}}]"), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Scenarios()
	if want := "1 1 [n=10,rho=0.7,rule=a]\n18446744073709551615 1 [n=10,rho=0.7,rule=a]\n"; err != nil || lines(all) != want {
		t.Errorf("%v, scenarios\n%s", err, lines(all))
	}
}

func TestSpecOfTooManyScenariosIsRefused(t *testing.T) {
	axis := "[" + strings.Repeat("0.1, ", 2000) + "0.2]"
	_, err := ParseSpec("many.yaml", fmt.Appendf(nil, "blocks: [{experiment: counting (test), axes: {rule: [a, b], n: %s, rho: %s}}]", axis, axis), Choice{})
	if err == nil || !strings.Contains(err.Error(), "many.yaml:1:10: blocks[0].axes: more than 1000000 scenarios") {
		t.Errorf("error %v", err)
	}
}

// What YAML could mean in two ways is refused, and numbers are decimal.
func TestSpecRefusesWhatWouldBePassedOver(t *testing.T) {
	const block = "blocks: [{experiment: counting (test), set: {rule: a}}]\n"
	for text, want := range map[string]string{
		block + "---\n" + block: "s.yaml:2:1: a second document begins here",
		"blocks: &b [{experiment: counting (test), set: {rule: a}}]\ntitle: *b\n": "s.yaml:1:9: &b: anchors are not understood",
		"blocks: [{experiment: counting (test), set: {<<: {rule: a}}}]\n":         "s.yaml:1:46: <<: merge keys are not understood",
		"seed: 0x10\n" + block: `s.yaml:1:7: seed: "0x10" is not a whole number >= 0`,
		"blocks: [{experiment: counting (test), instances: 1_0, set: {rule: a}}]\n":    `s.yaml:1:51: blocks[0].instances: "1_0" is not a whole number`,
		"blocks: [{experiment: counting (test), deterministic: [], set: {rule: a}}]\n": "s.yaml:1:55: blocks[0].deterministic: not true or false",
		strings.Repeat("[", 50) + strings.Repeat("]", 50):                              "s.yaml:1:33: more than 32 levels",
	} {
		_, err := ParseSpec("s.yaml", []byte(text), Choice{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\nerror %v, want %s", text, err, want)
		}
	}
	s, err := ParseSpec("s.yaml", []byte("\ufeffseed: 010\n"+block), Choice{})
	if err != nil || s.Seed != 10 {
		t.Errorf("%v, seed %d", err, s.Seed)
	}
}

// Whatever is in a file, it is a spec or an error with the file's name.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{gridSpec, "blocks: [{experiment: counting (test), set: {rule: a}, axes: {seed: [1, 2]}}]", "name: -rf", "blocks: {}",
		"scales: [a]\nblocks: [{instances: {a: 1}, points: [{}], axes: {n: {a: [1]}}}]", "blocks: [{deterministic: true, instances: 2}]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec("s.yaml", []byte(text), Choice{})
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "s.yaml:") {
					t.Errorf("%q: problem %q", text, line)
				}
			}
			return
		}
		all, err := s.Scenarios()
		if err != nil || len(all) == 0 {
			t.Errorf("%q: %d scenarios, %v", text, len(all), err)
		}
	})
}

const mixedSpec = `
seed: 4
blocks:
  - {name: drawn, experiment: counting (test), instances: 3, set: {rule: a}, axes: {n: [10, 20]}}
  - {name: fixed, experiment: counting (test), deterministic: true, set: {rule: b}}
  - {name: drawn, experiment: counting (test), instances: 3, set: {rule: a, n: 20}}
`

func TestDeterministicBlocksHaveOneInstance(t *testing.T) {
	s, err := ParseSpec("mixed.yaml", []byte(mixedSpec), Choice{Instances: 5})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Scenarios()
	want := "4 5 [n=10,rho=0.7,rule=a]\n4 5 [n=20,rho=0.7,rule=a]\n4 1 [n=10,rho=0.7,rule=b]\n"
	if got := lines(all); err != nil || got != want {
		t.Errorf("%v, scenarios\n%swant\n%s", err, got, want)
	}
	const bad = "blocks: [{experiment: counting (test), instances: 2, deterministic: true, set: {rule: a}}, {experiment: counting (test), deterministic: perhaps, set: {rule: a}}]"
	_, err = ParseSpec("bad.yaml", []byte(bad), Choice{})
	for _, want := range []string{
		"bad.yaml:1:51: blocks[0].instances: a deterministic block has one",
		`bad.yaml:1:137: blocks[1].deterministic: "perhaps" is not true or false`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
