package cli

import (
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// copyFolder copies a folder with all that is in it.
func copyFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copy FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// editFile replaces the first match of a pattern in a file.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE PATTERN TEXT")
	}
	text := ts.ReadFile(args[0])
	at := regexp.MustCompile(args[1]).FindStringIndex(text)
	if at == nil {
		ts.Fatalf("%s does not hold %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:at[0]]+args[2]+text[at[1]:]), 0o666))
}
