package pages

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// root is the top of the repository.
const root = "../.."

// pages are the Markdown files of the repository by their path from root. The
// changelog is left out: it speaks of files and flags that were.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "out", "results", "testdata"}, name):
			return fs.SkipDir
		case filepath.Ext(name) != ".md" || name == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root+"/")] = string(text)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	return all
}

// written are the pages that are not generated from the program.
func written(t *testing.T) map[string]string {
	all := pages(t)
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "docs/reference/") })
	return all
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	inline  = regexp.MustCompile("`[^`\n]+`")
	target  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	named   = regexp.MustCompile(`<a name="([^"]+)">`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

func exists(path string) bool {
	_, err := os.Stat(filepath.Join(root, path))
	return err == nil
}

// Every relative link leads to a file, and where it names a heading to one of it.
func TestLinks(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, m := range target.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			to := name
			if path != "" {
				to = filepath.Join(filepath.Dir(name), path)
			}
			if !exists(to) {
				t.Errorf("%s: %s: there is no %s", name, m[1], to)
			} else if anchor != "" && !slices.Contains(anchors(all[to]), anchor) {
				t.Errorf("%s: %s: %s has no such heading", name, m[1], to)
			}
		}
	}
}

// anchors are the names by which the headings of a page are linked to: lower case,
// a hyphen for each blank, no punctuation; and the names that are given by hand.
func anchors(page string) []string {
	var all []string
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return all
}

// A file or package of ours as pages name it.
var file = regexp.MustCompile(`^(\./)?(sim|traces|policies|experiments|plots|scripts|docs|\.ci)(/[A-Za-z0-9_.-]+)+/?$`)

// Every file and package that a page names exists.
func TestFiles(t *testing.T) {
	for name, text := range written(t) {
		for _, code := range snippets(text) {
			for _, word := range strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" \n\t`,()<>'\"=", r) }) {
				word = strings.TrimSuffix(word, ":")
				if file.MatchString(word) && !exists(word) && !exists(symbol(word)) && !exists("docs/examples/_additions/"+word) {
					t.Errorf("%s: there is no %s", name, word)
				}
			}
		}
	}
}

// symbol is the package of a name in it: policies/game of policies/game.Table.
func symbol(word string) string {
	dir, last := filepath.Split(word)
	pkg, _, _ := strings.Cut(last, ".")
	return dir + pkg
}

// snippets are the code of a page: its fenced blocks and what stands in backticks.
func snippets(text string) []string {
	return append(fence.FindAllString(text, -1), inline.FindAllString(fence.ReplaceAllString(text, ""), -1)...)
}

var (
	goTest  = regexp.MustCompile(`go test ([^|#\n` + "`" + `]*)`)
	pattern = regexp.MustCompile(`-(?:run|bench) '?([^'\s]+)'?`)
	tests   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
)

// Every test and benchmark that a page says to run exists.
func TestTests(t *testing.T) {
	for name, text := range pages(t) {
		blocks := strings.Join(fence.FindAllString(text, -1), "\n")
		prose := strings.ReplaceAll(fence.ReplaceAllString(text, ""), "\n", " ") // a command may go on in the next line
		for _, m := range goTest.FindAllStringSubmatch(blocks+"\n"+prose, -1) {
			for _, word := range strings.Fields(m[1]) {
				if !strings.HasPrefix(word, "./") || strings.Contains(word, "…") || strings.Contains(word, "...") {
					continue
				}
				for _, p := range pattern.FindAllStringSubmatch(m[1], -1) {
					if p[1] == "^$" || strings.EqualFold(p[1], "xxx") || p[1] == "." {
						continue
					}
					if !hasTest(t, word, p[1]) {
						t.Errorf("%s: go test %s: no test or benchmark of %s matches %q", name, m[1], word, p[1])
					}
				}
			}
		}
	}
}

// hasTest reports whether a package has a test that a pattern of go test chooses.
func hasTest(t *testing.T, dir, pattern string) bool {
	first, _, _ := strings.Cut(pattern, "/")
	choose, err := regexp.Compile(first)
	if err != nil {
		t.Errorf("%s: %v", pattern, err)
		return true
	}
	names, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tests.FindAllStringSubmatch(string(text), -1) {
			if choose.MatchString(m[1]) {
				return true
			}
		}
	}
	return false
}
