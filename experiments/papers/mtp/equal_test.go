package mtp

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// EQ has what section 4.1 says, and each of the four tests fails for another rule:
// utilitarian division is envied and unfair, lies pay under MTP, which is Pareto optimal.
func TestSection41TellsRulesApart(t *testing.T) {
	entries, err := section41()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Verdict != ledger.Reproduced {
			t.Errorf("%s: %v, %s", e.ID, *e.Ours, e.Why)
		}
	}
	greedy, err := tryRule(rule(t, "utilitarian"), 60)
	if err != nil || greedy.envy < 1 || greedy.sharing > 0.99 {
		t.Errorf("utilitarian: %+v, %v", greedy, err)
	}
	mtp, err := tryRule(rule(t, "mtp"), 60)
	if err != nil || mtp.lie < 0.1 || mtp.dominated > 0 || mtp.envy > 1e-3 || mtp.sharing < 1-1e-4 {
		t.Errorf("mtp: %+v, %v", mtp, err)
	}
}
