package audit

import (
	"errors"
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
