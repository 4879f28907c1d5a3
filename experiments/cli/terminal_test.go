package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// evil writes what a script can not hold: ESC is the character that
// begins a terminal's commands, NEWLINE the end of a line.
var evil = strings.NewReplacer("ESC", "\x1b", "NEWLINE", "\n")

// escapeArguments runs leontief with such arguments and wants status 2.
func escapeArguments(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: escape args…")
	}
	for i := range args {
		args[i] = evil.Replace(args[i])
	}
	status(ts, false, append([]string{"2"}, args...))
}

// escapeFile puts such characters into a file.
func escapeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: escape-file FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(evil.Replace(ts.ReadFile(args[0]))), 0o666))
}

// manyProblems writes an environment with 30,000 faults.
func manyProblems(ts *testscript.TestScript, neg bool, args []string) {
	var users strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&users, `%s{"name": "u%d", "demand": [-1]}`, strings.Repeat(",", min(i, 1)), i)
	}
	writeEnvironment(ts, args[0], users.String())
}

// longName writes an environment with a user whose name has a million letters.
func longName(ts *testscript.TestScript, neg bool, args []string) {
	writeEnvironment(ts, args[0], `{"name": "`+strings.Repeat("u", 1_000_000)+`", "demand": [1]}`)
}

func writeEnvironment(ts *testscript.TestScript, name, users string) {
	text := `{"resources": ["cpu"], "servers": [{"name": "s", "capacity": [2]}], "users": [` + users + `]}`
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o666))
}

// bounded wants so many lines on standard error, and less than 10 kB in all.
func bounded(ts *testscript.TestScript, neg bool, args []string) {
	errs, out := ts.ReadFile("stderr"), ts.ReadFile("stdout")
	if n := fmt.Sprint(strings.Count(errs, "\n")); len(errs)+len(out) > 10_000 || len(args) != 1 || n != args[0] {
		ts.Fatalf("%s lines, %d and %d bytes", n, len(errs), len(out))
	}
}
