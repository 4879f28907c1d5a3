package policies_test

import (
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// options says what a registered rule is held to beyond its claims.
func options(meta policies.Meta) policytest.Options {
	opt := policytest.Options{Claims: meta.Claims, Outside: meta.Outside, Totals: true, Clones: true, Alone: true}
	switch meta.Name {
	case "utilitarian":
		opt.Totals, opt.Clones, opt.Welfare = false, false, plainWelfare
	case "ru", "cru":
		opt.Totals, opt.Clones, opt.Welfare = false, false, relativeWelfare
	case "mnw", "mtp":
		// The welfare is exact to 1e-12 or so, which leaves the totals about
		// its root.
		opt.Accuracy = 1e-5
	case "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq", "per-machine-drf":
		opt.Alone = false // the parts of links are not shared between servers
	case "magiks-rim", "magiks-bim", "bks", "bnbs", "beq":
		// Random choices: another environment, however like the first, is
		// another play. TestEveryAssociationIsWhatItsRuleSays has the rest.
		opt.Totals, opt.Clones, opt.Alone = false, false, false
	case "ps-dsf":
		// Of what table I claims two are refuted: TestPSDSFIsNotParetoOptimal,
		// TestPSDSFIsNotStrategyProof.
		opt.Claims = []policies.Claim{{Property: policies.EF, Holds: true}, {Property: policies.SI, Holds: true}}
	case "tsf":
		// Theorem 3 is refuted: audit.TestTheorem3Exactly.
		opt.Claims = slices.DeleteFunc(slices.Clone(meta.Claims), func(c policies.Claim) bool { return c.Property == policies.SPD })
	case "ubound":
		opt.Totals, opt.Clones, opt.Welfare = false, false, relativeWelfare
	}
	return opt
}

func plainWelfare(env *cluster.Environment, tasks []float64) float64 {
	sum := 0.0
	for j, x := range tasks {
		sum += env.Users[j].Weight * x
	}
	return sum
}

func relativeWelfare(env *cluster.Environment, tasks []float64) float64 {
	sum := 0.0
	for j, x := range tasks {
		if x > 0 {
			sum += env.Users[j].Weight * x / env.Eta(j)
		}
	}
	return sum
}

func TestEveryRulePassesTheSuite(t *testing.T) {
	for _, meta := range policies.All() {
		t.Run(meta.Name, func(t *testing.T) {
			policytest.Run(t, rule(t, meta.Name), options(meta))
		})
	}
}

func rule(t *testing.T, text string) policies.Policy {
	t.Helper()
	p, err := policies.New(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In the place of any rule FIFO fails the suite.
func TestFIFOFailsTheSuiteOfEveryRule(t *testing.T) {
	for _, meta := range policies.All() {
		if slices.Contains(chooserRules(), meta.Name) {
			continue // see TestFIFOIsNoLocalRule
		}
		opt := options(meta)
		opt.Claims = nil // to search for their violation takes long, and shows nothing here
		failures := policytest.Check(policytest.FIFO, opt)
		if !slices.ContainsFunc(failures, func(f policytest.Failure) bool { return f.Check == "another order of users" }) {
			t.Errorf("%s: the order of users may matter", meta.Name)
		}
	}
}
