package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	word = regexp.MustCompile(`[A-Za-z_]\w*`)
	// goName is a name of Go code with an upper case letter in it, as Environment.Gamma,
	// policies.Allocate or mayRun.
	goName = regexp.MustCompile("`((?:[A-Za-z]\\w*\\.)?[A-Za-z]*[a-z][A-Z]\\w*|(?:[a-z]+\\.)[A-Z]\\w*|[A-Z][a-z]\\w*\\.\\w+)`")
)

// Every name of Go code that a page has in backticks is a word of some Go file.
func TestNames(t *testing.T) {
	words := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, text := range written(t) {
		for _, m := range goName.FindAllStringSubmatch(text, -1) {
			n++
			for _, w := range strings.Split(m[1], ".") {
				if !words[w] {
					t.Errorf("%s: no Go file has %s", name, m[1])
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d names were seen", n)
	}
}
