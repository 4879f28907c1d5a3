// Mutations asks whether the tests notice what they are there for: it makes one change
// of the program at a time, in an overlay and in no file of the repository, and wants
// the tests named beside it to fail.
//
//	go run ./scripts/mutations            # all, from the top of the repository
//	go run ./scripts/mutations solve      # those with a file, a change or tests like this
//
// It prints a line a mutation and how many were caught; its status is 1 if one was not.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	like, err := regexp.Compile(strings.Join(args, "|"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made, caught := 0, 0
	for _, m := range mutations {
		if !like.MatchString(fmt.Sprint(m)) {
			continue
		}
		failed, err := m.caught(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.file, err)
		}
		made++
		outcome := "NOT CAUGHT"
		if failed {
			caught++
			outcome = "caught"
		}
		fmt.Printf("%-10s  %-32s %-60.60q by %s -run '%s'\n", outcome, m.file, m.to, m.tests, m.run)
	}
	fmt.Printf("%d of %d mutations were caught.\n", caught, made)
	if caught < made {
		return errors.New("tests do not notice what they are there for")
	}
	return nil
}

// apply returns the file with the change; an error unless there is one place for it.
func (m mutation) apply(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.from); n != 1 {
		return "", fmt.Errorf("%q is there %d times", m.from, n)
	}
	return strings.Replace(string(text), m.from, m.to, 1), nil
}

// caught makes the change and runs the tests. An error is a change that does not
// compile, or tests that there are none of.
func (m mutation) caught(dir string) (bool, error) {
	text, err := m.apply(".")
	if err != nil {
		return false, err
	}
	here, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	places, err := json.Marshal(map[string]any{"Replace": map[string]string{here: changed}})
	if err := errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, places, 0o600)); err != nil {
		return false, err
	}
	out, err := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=10m", "-overlay", overlay, "-run", m.run, m.tests).CombinedOutput()
	switch {
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "no tests to run"):
		return false, fmt.Errorf("%s", out)
	case err == nil:
		return false, nil
	case strings.Contains(string(out), "\nFAIL"):
		return true, nil
	}
	return false, fmt.Errorf("%w: %s", err, out)
}
