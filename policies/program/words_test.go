package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		`python3 rule.py`:         {"python3", "rule.py"},
		"  python3\t-u  rule.py ": {"python3", "-u", "rule.py"},
		`sh -c 'a "b" \c'`:        {"sh", "-c", `a "b" \c`},
		`a "b c"d '' "x\"y" "\n"`: {"a", "b cd", "", `x"y`, `\n`},
		`'/a b/rule' --alpha=2`:   {"/a b/rule", "--alpha=2"},
	} {
		if got, err := split(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// A command is known by the content of the files that it names, not by what the PATH
// holds.
func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rule.py", "data.csv", "python3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	words := []string{"python3", "rule.py", "-u", "data.csv", ".", filepath.Join(dir, "rule.py")}
	first, err := checksums(words, dir)
	if err != nil || len(first) != 3 || first["rule.py"] != first[words[5]] || first["rule.py"] == first["data.csv"] {
		t.Fatalf("%v %v", first, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data.csv"), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if second, err := checksums(words, dir); err != nil || second["data.csv"] == first["data.csv"] || second["rule.py"] != first["rule.py"] {
		t.Errorf("%v %v", second, err)
	}
}
