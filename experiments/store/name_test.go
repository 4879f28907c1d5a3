package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// Names become those of folders and files, and arguments.
func TestNamesOfASweepAndItsTables(t *testing.T) {
	text := func(name, block string) string {
		return fmt.Sprintf("name: %q\nblocks:\n  - {name: %q, experiment: noting (test), set: {point: 1}}\n", name, block)
	}
	for _, name := range []string{"a", "9", "MTP-2", "a_b+c", strings.Repeat("x", 100), "console", "com10"} {
		if _, err := planOf(t, text(name, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := strings.Repeat("x", 101)
	for name, why := range map[string]string{"-rf": "does not begin with a letter or a digit", "--out=/etc": "does not begin", ".hidden": "does not begin", "..": "does not begin",
		"a/b": "is not made of letters", "a\\b": "is not made of letters", "a\x1b": "is not made of letters", "a\nb": "is not made of letters", "a b": "is not made of letters", "é": "does not begin",
		"a\u202eb": "is not made of letters", long: "101 characters, more than 100", "NUL": "is no name of a file on Windows", "com1": "is no name of a file on Windows"} {
		if _, err := planOf(t, text("ok", name)); err == nil || !strings.HasPrefix(err.Error(), "s.yaml:3:5: blocks[0].name: ") || !strings.Contains(err.Error(), why) {
			t.Errorf("block %q: error %v", name, err)
		}
		if _, err := planOf(t, text(name, "ok")); err == nil || !strings.HasPrefix(err.Error(), "s.yaml: name: ") || !strings.Contains(err.Error(), why) {
			t.Errorf("sweep %q: error %v", name, err)
		}
	}
	two := "blocks:\n  - {name: Fig1, experiment: noting (test), set: {point: 1}}\n  - {name: fig1, experiment: noting (test), set: {point: 2}}\n"
	if _, err := planOf(t, two); err == nil || !strings.Contains(err.Error(), `s.yaml:3:5: blocks[1].name: "fig1" differs from the name "Fig1" in case alone`) {
		t.Errorf("error %v", err)
	}
}

func planOf(t *testing.T, text string) (*Sweep, error) {
	t.Helper()
	s, err := spec.ParseSpec("s.yaml", []byte(text), spec.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return NewSweep(s)
}
