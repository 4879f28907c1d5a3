package tsf

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The lie brings 20/3 tasks for 5, exactly, and the entry quotes the step that fails.
func TestTheorem3IsRefuted(t *testing.T) {
	entries, err := theorem3Entries()
	if err != nil {
		t.Fatal(err)
	}
	e := entries[0]
	if e.Verdict != ledger.Refuted || math.Abs(*e.Ours-5./3) > 1e-9 || *e.Published != 0 {
		t.Errorf("%s: %v, %s", e.ID, *e.Ours, e.Verdict)
	}
	for _, words := range []string{"u2 runs 5 tasks", "runs 20/3", "(24)", "where the last inequality derives from the definition of ki"} {
		if !strings.Contains(e.Why, words) {
			t.Errorf("%q is not in %s", words, e.Why)
		}
	}
}

// The environments of the case files, in which a kind of machines is one class, are those
// of the entry: the same weights from the pools, and the same tasks.
func TestTheorem3IsTheCaseOfTheFiles(t *testing.T) {
	rule, err := audit.Named("tsf")
	if err != nil {
		t.Fatal(err)
	}
	l, err := audit.WithPools(rule, theorem3())
	if err != nil {
		t.Fatal(err)
	}
	for name, ours := range map[string]*cluster.Environment{"truth": l.Before, "lie": l.After} {
		file, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "cases", "tsf-theorem3-"+name+".json"))
		if err != nil {
			t.Skip(err)
		}
		env, err := cluster.ReadEnvironment(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := policies.AllocateBy("tsf", env)
		if err != nil {
			t.Fatal(err)
		}
		b, err := policies.AllocateBy("tsf", ours)
		if err != nil {
			t.Fatal(err)
		}
		for j := range env.Users {
			if w, v := env.Users[j].Weight/env.Users[0].Weight, ours.Users[j].Weight/ours.Users[0].Weight; math.Abs(w-v) > 1e-12 || math.Abs(a.Tasks[j]-b.Tasks[j]) > 1e-7 {
				t.Errorf("%s, %s: weights %g and %g, tasks %g and %g", name, env.Users[j].Name, w, v, a.Tasks[j], b.Tasks[j])
			}
		}
	}
}
