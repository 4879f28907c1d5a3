package audit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// kinds is an environment of one resource: servers of 1 cpu of two kinds, a class for
// each part of a kind that belongs to somebody.
func kinds(users []cluster.User, counts ...int) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu"}, Users: users}
	for s, n := range counts {
		env.Servers = append(env.Servers, cluster.Server{Name: "s" + string(rune('1'+s)), Capacity: []float64{1}, Count: n})
	}
	return env
}

func on(name string, servers int, which ...int) cluster.User {
	u := cluster.NewUser(name, []float64{1})
	u.Eligible = cluster.NewSet(servers, which...)
	return u
}

// The case that refutes Theorem 3 of the TSF paper: u2 owns a server of each kind and can
// use the second kind only; claiming the first, too, it has twice the weight.
func theorem3() Case {
	users := []cluster.User{on("u1", 5, 2, 3, 4), on("u2", 5, 2, 3, 4), on("u5", 5, 0, 1)}
	report := on("u2", 5, 0, 1, 2, 3, 4)
	report.Eligible = nil
	return Case{kinds(users, 1, 1, 1, 1, 8), Change{User: 1, Report: &report, Owner: []int{1, 2, 0, 1, 2}}}
}

func TestTheorem3Exactly(t *testing.T) {
	c := theorem3()
	proof, err := Verify(named(t, "tsf"), policies.SPD, c)
	if err != nil || proof.User != "u2" || proof.Has.RatString() != "5" || proof.Wants.RatString() != "20/3" {
		t.Errorf("%s, %v", proof, err)
	}
	if o, err := Measure(named(t, "tsf"), policies.SPD, c); err != nil || o.Size < 1./3-1e-7 || o.Size > 1./3+1e-7 {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := Measure(named(t, "tsf"), policies.SPU, c); !errors.Is(err, ErrOutside) {
		t.Errorf("a pool with a server that its owner cannot use: %v", err)
	}
	// With the weights as they are it is no lie that pays (Theorem 2).
	if o, err := Measure(named(t, "tsf"), policies.SP, c); err != nil || o.Size > Suspect {
		t.Errorf("weights given a priori: %v, %v", o, err)
	}
}

// A lie does not count where the rule may put the liar's tasks on the servers that it
// cannot use: the totals are the rule's, the servers are not.
func TestALieCountsByTheFewestTrueTasks(t *testing.T) {
	users := []cluster.User{on("A", 3, 0, 1, 2), on("B", 3, 1, 2)}
	users[0].Eligible = nil
	report := users[0].Clone()
	report.Name = "B"
	c := Case{kinds(users, 1, 1, 1), Change{User: 1, Report: &report, Owner: []int{1, 1, 0}}}
	// Honest: A and B have 3/2 each. Lying: B has 2 of 3, of which one may be on s1.
	o, err := Measure(named(t, "tsf"), policies.SPD, c)
	if err != nil || o.Size > 0 {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := Verify(named(t, "tsf"), policies.SPD, c); !errors.Is(err, errNotProved) {
		t.Error(err)
	}
}

// The search finds such a case by itself, and none where every server of a pool can run
// its owner.
func TestTheorem3Searched(t *testing.T) {
	r := named(t, "tsf")
	f, tally := look(t, r, policies.SPD, 8*len(sizes))
	if f == nil {
		t.Fatalf("nothing in %d environments", tally.Environments)
	}
	proof, err := Verify(r, policies.SPD, f.Case)
	if err != nil || proof.Has.Cmp(proof.Wants) >= 0 {
		t.Errorf("%s: %s, %v", f.Outcome.Sentence, proof, err)
	}
	if f, _ := look(t, r, policies.SPU, 4*len(sizes)); f != nil {
		t.Errorf("pools that their owners can use: %s", f.Outcome.Sentence)
	}
}

// refusesHeavy refuses an environment in which the first user weighs more than the second.
type refusesHeavy struct{ policies.Policy }

func (r refusesHeavy) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	if env.Users[0].Weight > env.Users[1].Weight {
		return nil, &policies.UnsupportedError{Reason: "heavy"}
	}
	return r.Policy.Allocate(env)
}

// Pools that the rule refuses leave what is known of other pools as it was.
func TestARefusedPoolForgetsNothing(t *testing.T) {
	r := named(t, "tsf")
	r.Policy = refusesHeavy{r.Policy}
	users := []cluster.User{cluster.NewUser("A", []float64{1}), cluster.NewUser("B", []float64{1})}
	env := kinds(users, 1, 1, 1)
	rate, err := definitions[policies.SPD].open(r, env)
	if err != nil {
		t.Fatal(err)
	}
	report := users[1].Clone()
	light, heavy := Change{User: 1, Report: &report, Owner: []int{0, 1, 1}}, Change{User: 1, Report: &report, Owner: []int{0, 0, 1}}
	before, err := rate(light)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rate(heavy); !errors.Is(err, ErrOutside) {
		t.Fatal(err)
	}
	if after, err := rate(light); err != nil || after.Size != before.Size {
		t.Errorf("%v, %v; before %v", after, err, before)
	}
}

// With weights from pools h cancels, and TSF, TSF-ER and CDRF are one rule: max-min of n/k.
func TestWithPoolsTaskShareRulesAreOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	without := named(t, "tsf").Without(policies.SPD)
	for range 300 {
		env := Draw{Size: Size{3, 4}, Without: without}.Environment(rng)
		owner := divide(rng, env, false)
		var first []float64
		for _, name := range []string{"tsf", "tsf-er", "cdrf"} {
			r := named(t, name)
			weighed, _, _ := Entitled(r, Case{env, Change{Owner: owner}})
			if weighed == nil {
				break
			}
			a, err := r.allocate(weighed)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = slices.Clone(a.Tasks)
			}
			for j, x := range a.Tasks {
				if math.Abs(x-first[j]) > 1e-6*(1+x) {
					t.Fatalf("%s gives %v, tsf %v", name, a.Tasks, first)
				}
			}
		}
	}
}
