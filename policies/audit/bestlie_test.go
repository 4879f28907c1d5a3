package audit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// The lies of the papers, or better ones, are found; none is found where there is none.
func TestBestLieFindsThoseOfThePapers(t *testing.T) {
	for _, c := range []struct {
		what, rule, env string
		user            int
		least           float64 // tasks that the paper's lie brings; 0: there is none
	}{
		// TSF-ER, appendix 9: B tells (4 | 7) and runs .777778 tasks instead of .625.
		{"TSF-ER 9.1", "cru", appendix, 1, 0.777777},
		{"TSF-ER 9.1", "mnw", appendix, 1, 0.777777},
		{"TSF-ER 9.2", "tsf-er", appendix, 1, 0},
		// TSF, figure 2: u2 claims m1 as well and runs 6 tasks instead of 4.
		{"TSF figure 2", "cdrf", constrained, 1, 5.999999},
		{"TSF figure 2", "tsf", constrained, 1, 0},
	} {
		env, err := cluster.ReadEnvironment(strings.NewReader(c.env))
		if err != nil {
			t.Fatal(err)
		}
		rule, err := audit.Named(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		liars, err := audit.NewLiars(rule, env)
		if err != nil {
			t.Fatal(err)
		}
		best, err := liars.Best(c.user, 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n := best.Tried + best.Refused + best.Failed; n > 100 || best.Tried < 50 {
			t.Errorf("%s, %s: %d reports, %d of them tried", c.what, c.rule, n, best.Tried)
		}
		if c.least == 0 {
			if best.Told != nil {
				t.Errorf("%s, %s: %s", c.what, c.rule, best.Lie)
			}
			continue
		}
		if best.Told == nil || best.Lie.Lying < c.least {
			t.Errorf("%s, %s: %s, want %g", c.what, c.rule, best.Lie, c.least)
			continue
		}
		again, err := policies.Allocate(rule.Policy, best.Told)
		if err != nil {
			t.Fatal(err)
		}
		if got := fair.Worth(again, c.user, env.Users[c.user]); math.Abs(got-best.Lie.Lying) > 1e-12*got {
			t.Errorf("%s, %s: the lie brings %.15g, and %.15g when it is told again", c.what, c.rule, best.Lie.Lying, got)
		}
	}
}

const appendix = `{"resources": ["cpu"], "servers": [{"name": "s1", "capacity": [10]}], "links": [{"name": "bw", "capacity": 10}],
 "users": [{"name": "A", "demand": [6], "link_demand": [3]}, {"name": "B", "demand": [2], "link_demand": [9]}]}`

const constrained = `{"resources": ["cpu", "mem"], "servers": [{"name": "m1", "capacity": [18, 18]}, {"name": "m2", "capacity": [18, 18]}],
 "users": [{"name": "u1", "demand": [1, 2]}, {"name": "u2", "demand": [1, 3], "servers": ["m2"]}]}`
