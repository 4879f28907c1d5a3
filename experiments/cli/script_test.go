package cli

import (
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/leontief-sim/leontief/experiments/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"leontief": func() {
			// Hashing the program that the tests are takes 40 ms a start.
			store.ThisProgram = func() (store.ProgramID, error) { return store.ProgramID{Packages: "test"}, nil }
			if os.Getenv("LEONTIEF_TEST_FAULTY") != "" {
				registerFaulty()
			}
			os.Exit(Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"cat-list":    catList,
			"status":      status,
			"gzip":        compress,
			"truncate":    truncate,
			"escape":      escapeArguments,
			"escape-file": escapeFile,
			"many":        manyProblems,
			"long":        longName,
			"bounded":     bounded,
			"lines":       countLines,
			"report":      faultReport,
			"again":       again,
			"hardlink":    hardLink,
			"copy":        copyFolder,
			"edit":        editFile,
		},
	})
}

// condition knows [long], the lines that make test-long runs alone.
func condition(name string) (bool, error) {
	if name != "long" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return long(), nil
}

// long is whether tests take their long form (make test-long).
func long() bool { return os.Getenv("LEONTIEF_LONG") != "" }

// catList wants a file to hold a JSON list of what the other files hold.
func catList(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: cat-list LIST FILE…")
	}
	var want []string
	for _, name := range args[1:] {
		want = append(want, strings.TrimRight(ts.ReadFile(name), "\n"))
	}
	if got := ts.ReadFile(args[0]); got != "[\n"+strings.Join(want, ",\n")+"\n]\n" {
		ts.Fatalf("%s is no list of %v: %s", args[0], args[1:], got)
	}
}

// status runs leontief with the arguments after the first and wants the exit
// status that the first gives.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N args…")
	}
	got := "0"
	if err := ts.Exec("leontief", args[1:]...); err != nil {
		got = exitStatus(err)
	}
	if got != args[0] {
		ts.Fatalf("leontief %v: exit status %s, want %s", args[1:], got, args[0])
	}
}

func exitStatus(err error) string {
	const prefix = "exit status "
	if text := err.Error(); len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):]
	}
	return strings.TrimSuffix(err.Error(), " (core dumped)")
}

// compress packs a file into another one.
func compress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: gzip FROM TO")
	}
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	w := gzip.NewWriter(f)
	_, err = w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(f.Close())
}

// truncate cuts the last twelve bytes off a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: truncate FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()-12))
}
