package pages

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each walk of docs/architecture.md has at most as many files as one can follow, names
// each once, and all exist.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for heading, most := range map[string]int{"### A job,": 30, "### A scenario,": 14} {
		_, walk, found := strings.Cut(string(text), heading)
		if !found {
			t.Fatalf("no %s", heading)
		}
		walk, _, _ = strings.Cut(walk, "\n##")
		var files []string
		for _, m := range regexp.MustCompile("(?m)^\\d+\\. `([^`]+)`: ").FindAllStringSubmatch(walk, -1) {
			if !exists(m[1]) {
				t.Errorf("%s there is no %s", heading, m[1])
			}
			if slices.Contains(files, m[1]) {
				t.Errorf("%s %s is visited twice", heading, m[1])
			}
			files = append(files, m[1])
		}
		if len(files) == 0 || len(files) > most {
			t.Errorf("%s %d files, at most %d are wanted", heading, len(files), most)
		}
	}
}
