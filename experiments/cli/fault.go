package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
)

// traceVariable of the environment has the stack of a fault shown as well.
const traceVariable = "LEONTIEF_TRACE"

// faultLine is what is said of an error that a panic is part of, in one line. What
// a report needs is written into a file.
func faultLine(args []string, err error) string {
	first, others, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more)", strings.Count(others, "\n")+1)
	}
	with := "what " + traceVariable + "=1 in the environment shows"
	if path, bad := writeFault(args, err); bad == nil {
		with = "the file " + path
	}
	module, _, _ := strings.Cut(reflect.TypeFor[command]().PkgPath(), "/experiments")
	return fmt.Sprintf("a fault of leontief, and not of what it was given: %s; please report it at https://%s/issues with %s", first, module, with)
}

// writeFault writes what a report needs into a file for temporary files.
func writeFault(args []string, fault error) (path string, err error) {
	f, err := os.CreateTemp("", "leontief-fault-*.txt")
	if err != nil {
		return "", err
	}
	build := store.ThisBuild()
	_, err = fmt.Fprintf(f, "leontief %s, commit %s, %s\ncommand: leontief %s\n%v\n", build.Version, build.Commit, build.Go, strings.Join(args, " "), fault)
	printStacks(f, fault)
	return f.Name(), errors.Join(err, f.Close())
}

func printStacks(w io.Writer, err error) {
	for _, fault := range run.Faults(err) {
		fmt.Fprintf(w, "\npanic: %v\n%s", fault.Value, fault.Stack)
	}
}
