package pages

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/experiments/store"
)

var update = flag.Bool("update", false, "write what the commands print into the pages")

// asLeontief makes the test's own program leontief.
const asLeontief = "LEONTIEF_PAGES"

func TestMain(m *testing.M) {
	if os.Getenv(asLeontief) != "" {
		// Hashing the program that the tests are takes 40 ms a start.
		store.ThisProgram = func() (store.ProgramID, error) { return store.ProgramID{Packages: "test"}, nil }
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

var (
	line = regexp.MustCompile(`(?m)^(?:\$ )?(?:\./)?(?:leontief|myrule) (.*)$`)
	end  = regexp.MustCompile(` (?:\||&&|#|>|;)|…`)
)

// Every command line on a page names a command and flags that the program has.
func TestFlags(t *testing.T) {
	n := 0
	for name, text := range written(t) {
		for _, code := range snippets(text) {
			for _, m := range line.FindAllStringSubmatch(strings.Trim(code, "`"), -1) {
				n++
				if err := parse(m[1]); err != nil {
					t.Errorf("%s: leontief %s: %v", name, m[1], err)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no page has a command")
	}
}

// parse finds the command and parses its flags; nothing is run.
func parse(text string) error {
	if at := end.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	program := cli.Command()
	program.InitDefaultHelpCmd()
	cmd, rest, err := program.Find(strings.Fields(strings.ReplaceAll(text, `"`, "")))
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && !cmd.LocalNonPersistentFlags().HasFlags() && len(args) > 0 {
		return fmt.Errorf("%s has no command %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// long is whether tests take their long form (make test-long).
func long() bool { return os.Getenv("LEONTIEF_LONG") != "" }

// smaller makes of commands that take seconds of processor time ones that do the same with fewer
// draws.
var smaller = strings.NewReplacer("--item table3 ", "--item table3 --instances 20 ", "--environments 10000 ", "--environments 500 ")

// Every command in a console block of these pages prints what stands below it; a
// line … stands for any lines. Commands that take seconds are run as they stand in the long form
// alone; else smaller ones must print what they printed when the page was written, which must be
// as it was then.
func TestShownOutput(t *testing.T) {
	for _, name := range []string{"README.md", "docs/tutorial.md", "docs/model.md", "docs/your-trace.md", "docs/clusters.md", "docs/traces.md", "docs/explain.md", "docs/which-rule.md", "docs/tenants.md", "docs/compare.md"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(root, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := clone(t)
			s := shown{t: t, dir: dir}
			now := console.ReplaceAllStringFunc(string(text), func(block string) string { return "```console\n" + s.replay(block) + "```" })
			s.compareSmaller(filepath.Base(name))
			if *update {
				if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

var console = regexp.MustCompile("(?ms)^```console$.*?^```$")

// clone is a folder with the examples and a program leontief.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program, err := os.Executable()
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asLeontief, program)
	if err := errors.Join(err, os.CopyFS(filepath.Join(dir, "docs/examples"), os.DirFS(filepath.Join(root, "docs/examples"))),
		os.WriteFile(filepath.Join(dir, "leontief"), []byte(script), 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shown runs what a page shows in a folder.
type shown struct {
	t    *testing.T
	dir  string
	less strings.Builder // smaller commands, what they print, and a digest of what the page shows
}

// compareSmaller asks of the smaller commands what they printed when the page was written.
func (s *shown) compareSmaller(page string) {
	if s.less.Len() == 0 {
		return
	}
	path := filepath.Join("testdata", "shown-"+strings.TrimSuffix(page, ".md")+".txt")
	was, err := os.ReadFile(path)
	if err != nil && !*update {
		s.t.Fatal(err)
	}
	compare(s.t, path, string(was), s.less.String())
}

// replay runs the commands of a console block and returns the block with what they
// print. A command that ends with a bar or within quotes goes on in the next line.
func (s *shown) replay(block string) string {
	lines := strings.SplitAfter(block, "\n")
	lines = lines[1 : len(lines)-1]
	var now strings.Builder
	for i := 0; i < len(lines); {
		command := lines[i]
		for i++; strings.HasSuffix(command, "|\n") || strings.Count(command, "'")%2 == 1; i++ {
			command += lines[i]
		}
		shown := ""
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
			shown += lines[i]
		}
		shown = s.printed(command, shown)
		now.WriteString(command + shown)
		if less := smaller.Replace(command); less != command {
			fmt.Fprintf(&s.less, "%s%sshown: %.6x\n", less, shell(s.t, s.dir, strings.TrimPrefix(less, "$ ")), sha256.Sum256([]byte(command+shown)))
		}
	}
	return now.String()
}

// printed is what a command prints, in the form that is shown where that is the same.
func (s *shown) printed(command, shown string) string {
	if smaller.Replace(command) != command && !long() && !*update {
		return shown
	}
	printed := shell(s.t, s.dir, strings.TrimPrefix(command, "$ "))
	form := "^" + strings.ReplaceAll(regexp.QuoteMeta(shown), "…\n", "(?s:.*)") + "$"
	if regexp.MustCompile(form).MatchString(printed) {
		return shown
	}
	if !*update {
		s.t.Errorf("%sprints\n%s, and the page has\n%s", command, printed, shown)
	}
	return printed
}

// shell runs a command line and returns what it prints, problems included where it
// fails.
func shell(t *testing.T, dir, command string) string {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		out = append(out, failed.Stderr...)
	case err != nil:
		t.Fatal(err)
	}
	return string(out)
}
