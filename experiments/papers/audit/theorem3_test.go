package audit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// The search's own counterexamples to TSF's Theorem 3 have the least number of users and
// servers that one can have, the replay shows the same, and so does Algorithm 1 of the
// paper in the fractions of another program.
func TestTheorem3OfTheSearch(t *testing.T) {
	seeds := uint64(2)
	if os.Getenv("LEONTIEF_LONG") != "" {
		seeds = 6
	}
	for seed := range seeds {
		a := answer(t, question(t, "tsf", policies.SPD), Options{Environments: 3000, Seed: seed, NoKnown: true, Workers: 2})
		if a.Found == nil || a.ProofErr != nil {
			t.Fatalf("seed %d: %s, %v", seed, a.Sentence(), a.ProofErr)
		}
		machines := 0
		for _, s := range a.Found.Case.Env.Servers {
			machines += s.Count
		}
		if users := len(a.Found.Case.Env.Users); users != 2 || machines != 3 {
			t.Errorf("seed %d: %d users, %d servers", seed, users, machines)
		}
		files, err := a.Files()
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip(err)
		}
		out, err := exec.Command(python, "../../../scripts/theorem3.py", filepath.Join(folder, a.File())).CombinedOutput()
		want := fmt.Sprintf("%s: %s true tasks when honest, %s when lying\n", a.Proof.User, a.Proof.Has.RatString(), a.Proof.Wants.RatString())
		if text := string(out); err != nil || len(text) < len(want) || text[len(text)-len(want):] != want {
			t.Errorf("seed %d: %v, %s; want %s", seed, err, text, want)
		}
	}
}

// Without the pools a witness says nothing, and is refused.
func TestReplayNeedsPools(t *testing.T) {
	q := question(t, "tsf", policies.SPD)
	a := answer(t, q, Options{Environments: 3000, Seed: 1, NoKnown: true, Workers: 2})
	before, after := Environments(q, a.Found.Case)
	if _, err := Replay(q, before, after, nil, 1); err == nil {
		t.Error("weights from pools that are not known")
	}
	again, err := Replay(q, before, after, confined(a.Found.Case, before, false), 1)
	if err != nil || again.Found == nil || again.ProofErr != nil || again.Proof.String() != a.Proof.String() {
		t.Errorf("%v, %v; want %s", again, err, a.Proof)
	}
}
