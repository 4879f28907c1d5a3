package pages

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
	overlay, err := json.Marshal(map[string]any{"Replace": added})
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err == nil {
		err = os.WriteFile(file, overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-overlay", file, "-run", "^TestAdded", "-v"}
	if !long() { // nothing else vets them
		args = append(args, "-vet=off")
	}
	flags := len(args)
	for folder := range folders {
		args = append(args, folder)
	}
	slices.Sort(args[flags:])
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestAdded") < len(folders) {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
