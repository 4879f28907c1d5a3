package experiments

import (
	"strings"
	"testing"
)

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

func TestRequestReadsTheBlocksThatItNeeds(t *testing.T) {
	RegisterSpec("mixed (test)", []byte(mixedSpec))
	defer delete(shipped, "mixed (test)")
	r := Request{Items: []string{"drawn"}, Seed: 9, Instances: 2}
	s, err := r.Spec("mixed (test)", map[string]string{"rho": "0.2"})
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.Of(func(block string) bool { return r.Wants(block) })
	if want := "9 2 [n=10,rho=0.2,rule=a]\n9 2 [n=20,rho=0.2,rule=a]\n"; err != nil || lines(some) != want {
		t.Errorf("%v, scenarios\n%swant\n%s", err, lines(some), want)
	}
	s.Blocks[0].Set["rule"] = "nobody"
	if _, err := s.Of(func(string) bool { return true }); err == nil || !strings.Contains(err.Error(), `"nobody" is not one of`) {
		t.Errorf("error %v", err)
	}
}

func TestUnusableSpecsAreProgrammingErrors(t *testing.T) {
	RegisterSpec("twice (test)", []byte(mixedSpec))
	defer delete(shipped, "twice (test)")
	for name, register := range map[string]func(){
		"no name": func() { RegisterSpec("", []byte(mixedSpec)) },
		"no text": func() { RegisterSpec("empty (test)", nil) },
		"twice":   func() { RegisterSpec("twice (test)", []byte(mixedSpec)) },
		"unknown": func() { _, _ = (&Request{}).Spec("nothing (test)", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register()
		}()
	}
}
