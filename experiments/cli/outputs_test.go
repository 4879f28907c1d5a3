package cli

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// again runs leontief twice with the same arguments: it writes over its own files.
func again(ts *testscript.TestScript, neg bool, args []string) {
	for range 2 {
		status(ts, neg, append([]string{"0"}, args...))
	}
}

// hardLink gives a file another name.
func hardLink(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hardlink FILE NAME")
	}
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}
