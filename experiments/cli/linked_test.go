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
	out, err := exec.Command("go", "list", "-deps", "github.com/leontief-sim/leontief").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	unwanted := regexp.MustCompile("^(" + strings.Join(notLinked, "|") + ")$")
	for _, name := range linked {
		if unwanted.MatchString(name) {
			t.Errorf("the program links %s", name)
		}
	}
	if len(linked) < 100 {
		t.Errorf("only %d packages are listed", len(linked))
	}
}
