package audit

import (
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
)

// The parameters of a rule are in the name of its file, and nothing that is no name
// of a file.
func TestFilesOfRulesWithParameters(t *testing.T) {
	for text, want := range map[string]string{"drf": "drf-EF.json", "magiks-rim[seed=1]": "magiks-rim-EF.json", "magiks-rim[seed=2]": "magiks-rim-seed-2-EF.json",
		"magiks-rim[to=best,seed=3]": "magiks-rim-seed-3-to-best-EF.json"} {
		rule, err := audit.Named(text)
		if err != nil {
			t.Fatal(err)
		}
		a := Answer{Question: Question{Rule: rule, Property: policies.EF}}
		if got := a.File(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := fileName("x[file=../../etc/passwd,b= ]"); got != "x-file-..-..-etc-passwd-b" {
		t.Errorf("%s", got)
	}
}
