package audit

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func named(t *testing.T, name string) Rule {
	t.Helper()
	r, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// look searches some blocks and returns the first violation, shrunk.
func look(t *testing.T, r Rule, p policies.Property, blocks int) (*Found, Tally) {
	t.Helper()
	var tally Tally
	for b := range blocks {
		f, part, err := Search{Rule: r, Property: p, Seed: 1}.Block(b)
		if err != nil {
			t.Fatalf("%s, %s: %v", r.Meta.Name, p, err)
		}
		tally.Add(part)
		if f != nil {
			small := Shrink(r, p, *f)
			return &small, tally
		}
	}
	return nil, tally
}

// refuted are ticks of the papers that do not hold.
var refuted = map[string]map[policies.Property]bool{"ps-dsf": {policies.PO: true, policies.SP: true}, "tsf": {policies.SPD: true}}

// unfounded are crosses of the papers for which there is nothing to be found.
var unfounded = map[string]map[policies.Property]bool{"drfh": {policies.SRF: true}}

// Random and local search alone find what the papers say a rule lacks, and
// shrink it to at most three users and two servers.
func TestEveryCrossIsFound(t *testing.T) {
	for _, meta := range policies.All() {
		r := named(t, meta.Name)
		for _, c := range meta.Claims {
			if c.Holds || unfounded[meta.Name][c.Property] {
				continue
			}
			f, _ := look(t, r, c.Property, 2*len(sizes))
			if f == nil {
				t.Errorf("%s: no environment found without %s", meta.Name, c.Property)
				continue
			}
			servers := 0
			for _, s := range f.Case.Env.Servers {
				servers += s.Count
			}
			if users := len(f.Case.Env.Users); users > 3 || servers > 2 {
				t.Errorf("%s, %s: %d users and %d servers", meta.Name, c.Property, users, servers)
			}
			if again, err := Measure(r, c.Property, f.Case); err != nil || again.Size < Margin {
				t.Errorf("%s, %s: measured again, %+v, %v", meta.Name, c.Property, again, err)
			}
			if proof, err := Verify(r, c.Property, f.Case); err == nil && proof.Has.Cmp(proof.Wants) >= 0 {
				t.Errorf("%s, %s: proved by %s", meta.Name, c.Property, proof)
			}
		}
	}
}

// Nothing is found against a tick, and what is found against the refuted ones
// holds in rational arithmetic.
func TestTicks(t *testing.T) {
	for _, meta := range policies.All() {
		r := named(t, meta.Name)
		for _, c := range meta.Claims {
			if !c.Holds || !Applies(r, c.Property) {
				continue
			}
			if !refuted[meta.Name][c.Property] {
				if f, _ := look(t, r, c.Property, 4); f != nil {
					t.Errorf("%s lacks %s: %s", meta.Name, c.Property, f.Outcome.Sentence)
				}
				continue
			}
			f, _ := look(t, r, c.Property, 2*len(sizes))
			if f == nil {
				t.Errorf("%s, %s: nothing found", meta.Name, c.Property)
				continue
			}
			proof, err := Verify(r, c.Property, f.Case)
			if err != nil || proof.Has.Cmp(proof.Wants) >= 0 {
				t.Errorf("%s, %s: %s, %v", meta.Name, c.Property, proof, err)
			}
		}
	}
}

// The lie of TSF-ER's appendices in exact numbers.
func TestAppendixExactly(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{10}, Count: 1}},
		Links: []cluster.Link{{Name: "bw", Capacity: 10}},
		Users: []cluster.User{cluster.NewUser("A", []float64{6}, 3), cluster.NewUser("B", []float64{2}, 9)},
	}
	report := cluster.NewUser("B", []float64{4}, 7)
	for _, name := range []string{"cru", "mnw", "mtp"} {
		proof, err := Verify(named(t, name), policies.SP, Case{env, Change{User: 1, Report: &report}})
		if err != nil || proof.Has.RatString() != "5/8" || proof.Wants.RatString() != "7/9" {
			t.Errorf("%s: %s, %v", name, proof, err)
		}
	}
	if proof, err := Verify(named(t, "tsf-er"), policies.SP, Case{env, Change{User: 1, Report: &report}}); err != errNotProved {
		t.Errorf("tsf-er: %s, %v", proof, err)
	}
}

// A block depends on its number and the seed alone.
func TestBlocksRepeat(t *testing.T) {
	s := Search{Rule: named(t, "cdrf"), Property: policies.SP, Seed: 7}
	first, tally, err := s.Block(3)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Block(2); err != nil {
		t.Fatal(err)
	}
	second, again, err := s.Block(3)
	if err != nil {
		t.Fatal(err)
	}
	if tally != again || (first == nil) != (second == nil) || first != nil && !reflect.DeepEqual(first.Case, second.Case) {
		t.Errorf("%+v and %+v; %+v and %+v", first, second, tally, again)
	}
	s.Seed = 8
	if _, other, _ := s.Block(3); other == tally {
		t.Error("another seed looks at the same")
	}
}

// Draws keep to the features that are allowed, and to their shape.
func TestDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := cluster.Feature(0)
	for i := range 400 {
		d := Draw{Size: sizes[i%len(sizes)], Without: exotic}
		if i%2 == 0 {
			d.Without = cluster.Weights
		}
		env := d.Environment(rng)
		if err := cluster.Validate(env); err != nil {
			t.Fatal(err)
		}
		if f := cluster.Features(env) & d.Without; f != 0 {
			t.Fatalf("drawn with %s", f)
		}
		seen |= cluster.Features(env)
	}
	for _, f := range optional {
		if f != cluster.Weights && seen&f == 0 {
			t.Errorf("never drawn: %s", f)
		}
	}
}

// What a user weighs is not for it to report: a change of its weight is none of
// the lie.
func TestWeightsAreNotReported(t *testing.T) {
	env := Draw{Size: Size{2, 1}, Without: exotic}.Environment(rand.New(rand.NewPCG(1, 1)))
	report := env.Users[0].Clone()
	report.Weight = 10
	o, err := Measure(named(t, "tsf"), policies.SP, Case{env, Change{Report: &report}})
	if err != nil || o.Size != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// Units of an environment do not keep it from being shrunk.
func TestUnitsDoNotStopShrinking(t *testing.T) {
	r := named(t, "mnw")
	for b := range 40 {
		found, _, err := Search{Rule: r, Property: policies.SP, Seed: 1}.Block(b)
		if err != nil {
			t.Fatal(err)
		}
		if found == nil {
			continue
		}
		plain := Shrink(r, policies.SP, *found)
		if len(plain.Case.Env.Resources) == len(found.Case.Env.Resources) {
			continue // nothing to be seen
		}
		stated := *found
		stated.Case.Env = found.Case.Env.Clone()
		stated.Case.Env.Units = map[string]string{}
		for _, name := range found.Case.Env.Resources {
			stated.Case.Env.Units[name] = "cores"
		}
		small := Shrink(r, policies.SP, stated)
		if !reflect.DeepEqual(plain.Case.Env, small.Case.Env) {
			t.Errorf("%+v with units, %+v without", small.Case.Env, plain.Case.Env)
		}
		return
	}
	t.Fatal("no environment of which a resource is dropped")
}
