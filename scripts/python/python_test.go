// Package python_test is beside the Python package leontief. Its tests are in Python; this one
// calls them.
package python_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/experiments/store"
)

// asLeontief makes the test's own program leontief.
const asLeontief = "LEONTIEF_PYTHON_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asLeontief) != "" {
		// Hashing the program that the tests are takes 40 ms a start.
		store.ThisProgram = func() (store.ProgramID, error) { return store.ProgramID{Packages: "test"}, nil }
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// The unit tests of the package, with Debian's Python if it is there, else with that in
// PATH; $PYTHON names another. Where NumPy, SciPy or pandas are missing, the tests that
// need them are left out; make python-test wants them all.
func TestPackage(t *testing.T) {
	python := ""
	for _, name := range []string{os.Getenv("PYTHON"), "/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			python = path
			break
		}
	}
	if python == "" {
		t.Skip("python3 is missing")
	}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run() != nil {
		t.Skipf("%s is older than Python 3.9", python)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "unittest")
	cmd.Env = append(os.Environ(), asLeontief+"=1", "LEONTIEF="+self, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s -m unittest:\n%s", python, out)
	if err != nil {
		t.Fatal(err)
	}
}
