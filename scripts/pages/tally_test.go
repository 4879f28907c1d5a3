package pages

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
)

// README's tallies are those of docs/claims.csv: the table of the papers, and the line that
// make reproduce ends with.
func TestREADMEHasTheTallies(t *testing.T) {
	file, err := os.Open(root + "/docs/claims.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for k, name := range lines[0] {
		column[name] = k
	}
	counts := map[string]map[string]int{} // by command, by verdict
	for _, line := range lines[1:] {
		command := strings.Join(strings.Fields(line[column["command"]])[:3], " ")
		if counts[command] == nil {
			counts[command] = map[string]int{}
		}
		switch {
		case line[column["reading"]] != "":
			counts[command]["otherwise"]++
		case line[column["fitted_to"]] == "true":
			counts[command]["fitted"]++
		default:
			counts[command][line[column["verdict"]]]++
		}
	}
	page, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"leontief reproduce tsf-er", "leontief reproduce ps-dsf", "leontief reproduce tsf", "leontief reproduce mtp", "leontief reproduce magiks", "leontief audit --tables"} {
		n := counts[command]
		want := fmt.Sprintf("| %d / %d / %d |", n["reproduced"], n["differs"], n["refuted"])
		found := false
		for line := range strings.Lines(string(page)) {
			found = found || strings.Contains(line, "| `"+command+"` |") && strings.HasSuffix(strings.TrimSpace(line), want)
		}
		if !found {
			t.Errorf("README.md has no row of %s that ends with %s", command, want)
		}
	}
	n := counts["leontief reproduce tsf-er"]
	want := fmt.Sprintf("\n%d reproduced, %d differ, %d refuted, %d not run; not counted: %d fitted, %d printed again or read otherwise. Results in out/tsf-er\n",
		n["reproduced"], n["differs"], n["refuted"], n["not run"], n["fitted"], n["otherwise"])
	if !strings.Contains(string(page), want) {
		t.Errorf("README.md does not show%s", want)
	}
}
