package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// notLinked are the packages that the program does without: those of tests, the
// slow twins of the solvers, and what tests alone need.
var notLinked = []string{
	`testing(/.*)?`,
	`github\.com/leontief-sim/leontief/.*(/twin|test)`,
	`github\.com/leontief-sim/leontief/scripts/.*`,
	`pgregory\.net/rapid`,
	`github\.com/google/go-cmp/.*`,
	`github\.com/rogpeppe/go-internal/.*`,
	`github\.com/chromedp/.*`,
}

func TestTheProgramLinksNoTests(t *testing.T) {
	if n := doesWithout(t, "github.com/leontief-sim/leontief", notLinked...); n < 100 {
		t.Errorf("only %d packages are listed", n)
	}
}

// The simulator and the rules need nothing that draws, and nothing that reads specs or
// traces in other formats; what draws knows no rule, and of experiments their results
// alone. The report also reads ledgers.
func TestWhatFoldersDoWithout(t *testing.T) {
	const leontief = `github\.com/leontief-sim/leontief/`
	for _, folder := range []string{"sim", "policies"} {
		doesWithout(t, "github.com/leontief-sim/leontief/"+folder+"/...",
			`gonum\.org/v1/plot.*`, `codeberg\.org/go-pdf/.*`, `.*/yaml.*`, `github\.com/apache/arrow.*`, leontief+`(plots|experiments|traces/parquet)(/.*)?`)
	}
	const above = `experiments/(cli|papers|run|spec|store|sweeps)(/.*)?`
	model := leontief + `(policies|sim/(event|cluster|fair|whole|stream|distributed))(/.*)?`
	doesWithout(t, "github.com/leontief-sim/leontief/plots", model, leontief+above, leontief+`experiments/ledger`)
	doesWithout(t, "github.com/leontief-sim/leontief/plots/report", model, leontief+above)
}

// doesWithout reports what a package or folder depends on of what it must not, and
// returns the number of its dependencies.
func doesWithout(t *testing.T, of string, patterns ...string) int {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", of).Output()
	if err != nil {
		t.Fatal(err)
	}
	unwanted := regexp.MustCompile("^(" + strings.Join(patterns, "|") + ")$")
	names := strings.Fields(string(out))
	for _, name := range names {
		if unwanted.MatchString(name) {
			t.Errorf("%s depends on %s", of, name)
		}
	}
	return len(names)
}
