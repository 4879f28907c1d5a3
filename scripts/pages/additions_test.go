package pages

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// additions holds, by their place in the repository, the files that
// docs/architecture.md shows as additions to it.
const additions = root + "/docs/examples/_additions"

// Each addition is one file and its test, which passes where the two are added to the
// repository and nothing else is changed; and the page shows the file.
func TestAdditions(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	added := map[string]string{} // the place of a file, and the file
	folders := map[string]int{}
	err = filepath.WalkDir(additions, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, additions+"/")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(name, "_test.go") {
			folders["./"+filepath.Dir(name)]++
			if !strings.Contains(string(page), "`"+name+"`") || !strings.Contains(string(page), "```go\n"+string(text)+"```\n") {
				t.Errorf("docs/architecture.md does not show %s as it is", name)
			}
		}
		place, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			return err
		}
		added[place], err = filepath.Abs(path)
		return err
	})
	if err != nil || len(added) == 0 {
		t.Fatal(len(added), err)
	}
	for folder, n := range folders {
		if n != 1 {
			t.Errorf("%s: %d files are added", folder, n)
		}
	}
	for _, alone := range overlays(t, folders, added) {
		testAdded(t, alone.folders, alone.replace)
	}
}

// overlay is files by the place where they stand instead of others ("": none stands
// there), and the folders whose tests are run so.
type overlay struct {
	folders []string
	replace map[string]string
}

// overlays has the additions one by one, each without the tests of its package but those
// files that declare what its test calls: that compiles half as much as all additions at
// once beside all tests, which is the long form.
func overlays(t *testing.T, folders map[string]int, added map[string]string) []overlay {
	t.Helper()
	names := slices.Sorted(maps.Keys(folders))
	if long() {
		return []overlay{{names, added}}
	}
	var all []overlay
	for _, folder := range names {
		one := overlay{[]string{folder}, map[string]string{}}
		dir, err := filepath.Abs(filepath.Join(root, folder))
		if err != nil {
			t.Fatal(err)
		}
		var test string
		for place, file := range added {
			if filepath.Dir(place) == dir {
				one.replace[place] = file
				if strings.HasSuffix(place, "_test.go") {
					test = read(t, file)
				}
			}
		}
		others, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			if !declares(read(t, other), test) {
				one.replace[other] = ""
			}
		}
		all = append(all, one)
	}
	return all
}

var functions = regexp.MustCompile(`(?m)^func (\w+)\(`)

// declares is whether a file has a function that a test calls.
func declares(file, test string) bool {
	return slices.ContainsFunc(functions.FindAllStringSubmatch(file, -1), func(f []string) bool {
		return regexp.MustCompile(`\b` + f[1] + `\(`).MatchString(test)
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testAdded runs the tests of the additions in some folders, and wants one in each to pass.
func testAdded(t *testing.T, folders []string, replace map[string]string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-overlay", file, "-run", "^TestAdded", "-v"}
	if !long() { // nothing else vets them
		args = append(args, "-vet=off")
	}
	args = append(args, folders...)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestAdded") < len(folders) {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
