package pages

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// few is how many instances of a sweep make test runs.
const few = "3"

// fewSums has digests of what the first few instances of a sweep give, by table and rule, and of
// the page and its figure as the whole sweeps wrote them.
func fewSums(t *testing.T, dir, sweep string, tables ...string) string {
	t.Helper()
	shell(t, dir, "./leontief sweep docs/examples/"+sweep+".yaml --instances "+few+" --progress none --out few")
	of := map[string]string{}
	for _, name := range tables {
		lines, err := csv.NewReader(strings.NewReader(shell(t, dir, "./leontief export few --csv --table "+name))).ReadAll()
		if err != nil || len(lines) < 2 {
			t.Fatal(name, len(lines), err)
		}
		at := slices.Index(lines[0], "policy")
		for _, line := range lines[1:] {
			of[name+" "+line[at]] += strings.Join(printedDigits(line), ",") + "\n"
		}
	}
	for _, path := range []string{whichRule, whichFigure} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		of[strings.TrimPrefix(path, root+"/")+" text"] = string(text)
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&sums, "%s %.6x\n", name, sha256.Sum256([]byte(of[name])))
	}
	return sums.String()
}

// printedDigits has the numbers of a row with a digit more than the page has; no solver is as
// far from another, and what is in the middle between two is moved off it.
func printedDigits(line []string) []string {
	line = slices.Clone(line)
	for k, text := range line {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			line[k] = strconv.FormatFloat(v+1.3e-6, 'f', 4, 64)
		}
	}
	return line
}

// missing are the lines of a text that another one has not.
func missing(text, from string) (lines []string) {
	for line := range strings.Lines(text) {
		if !strings.Contains(from, line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
