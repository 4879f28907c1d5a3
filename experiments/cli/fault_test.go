package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// faulty is a rule that panics where there are so many users or more.
type faulty int

// beyondCatching is a rule that the runtime ends the process for.
const beyondCatching faulty = 0

// Allocate implements [policies.Policy].
func (users faulty) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	if users == beyondCatching {
		new(sync.Mutex).Unlock() // a fatal error, which is no panic
	}
	if users > 1 && len(env.Users) >= int(users) {
		panic("more than one, of them two users")
	}
	if users > 1 {
		rule, err := policies.New("drf-er")
		if err != nil {
			return nil, err
		}
		return rule.Allocate(env)
	}
	return nil, []error{}[len(env.Resources)+2] // the runtime panics
}

// registerFaulty makes the rules known, in a process of a test that asks for them.
func registerFaulty() {
	for name, rule := range map[string]faulty{"faulty-fatal": beyondCatching, "faulty": 1, "faulty-late": 2} {
		policies.Register(policies.Meta{Name: name, Title: "A rule that panics", Paper: "none", New: func(policies.Params) (policies.Policy, error) { return rule, nil }})
	}
}

// countLines wants so many lines on standard error or output.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); neg || len(args) != 2 || strconv.Itoa(n) != args[1] {
		ts.Fatalf("%d lines on %s", n, args[0])
	}
}

// faultReport wants one report of a fault in TMPDIR, with a text and the stack.
func faultReport(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("TMPDIR"), "leontief-fault-*.txt"))
	if err != nil || neg || len(files) != 1 || len(args) != 1 {
		ts.Fatalf("%v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	ts.Check(err)
	for _, want := range []string{args[0], "goroutine ", "faulty.Allocate", "allocate env.json --policy faulty"} {
		if !strings.Contains(string(data), want) {
			ts.Fatalf("the report does not hold %q:\n%s", want, data)
		}
	}
}
