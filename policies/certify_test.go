package policies_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// stored reads an environment of testdata.
func stored(t testing.TB, name string) *cluster.Environment {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env, err := cluster.ReadEnvironment(f)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// In doubles a clipped rounding error of a user of weight 7e5 took 2e-7 of a
// capacity too much, and passed for certified.
func TestWhatIsHandedOutFits(t *testing.T) {
	env := stored(t, "tsf-mem-over-capacity.json")
	a, err := policies.Allocate(rule(t, "tsf-mem"), env)
	if err != nil {
		t.Fatal(err)
	}
	if excess := overCapacity(env, a); excess > 1e-9 {
		t.Errorf("%.3g of a capacity too much", excess)
	}
	session, err := policies.Open(rule(t, "tsf-mem"), env)
	if err != nil {
		t.Fatal(err)
	}
	for j := range env.Users {
		session.Add(j)
	}
	if a, err = session.Allocate(); err != nil {
		t.Fatal(err)
	}
	if excess := overCapacity(env, a); excess > 1e-9 {
		t.Errorf("in a session: %.3g of a capacity too much", excess)
	}
}

// handing is a rule that gives what it is told to.
type handing struct{ a cluster.Allocation }

func (h handing) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	a := h.a
	if a.Region == nil {
		a.Region = env
	}
	return &a, nil
}

func TestAWrongAnswerIsAnError(t *testing.T) {
	env := tsferFigure2()
	env.Users[1].Tasks, env.Users[1].Eligible = 4, cluster.NewSet(2, 0)
	wider := env.Clone()
	wider.Links[0].Capacity *= 2
	sound := func() cluster.Allocation {
		return cluster.Allocation{Tasks: []float64{4, 1}, X: []float64{1, 3, 1, 0}, Share: []float64{0.5, 0.5}}
	}
	if _, err := policies.Allocate(handing{sound()}, env); err != nil {
		t.Fatalf("a sound answer: %v", err)
	}
	for _, c := range []struct {
		name, want string
		change     func(a *cluster.Allocation)
	}{
		{"a capacity", `cpu of server "B"`, func(a *cluster.Allocation) { a.X[0], a.X[1], a.Tasks[0] = 0, 5+1e-8, 5+1e-8 }},
		{"a link, in a region with more of it", `link "link"`, func(a *cluster.Allocation) {
			a.X[0], a.X[1], a.Tasks[0], a.Region = 2, 5, 7, wider
		}},
		{"a task cap", `task cap of user "u2"`, func(a *cluster.Allocation) { a.X[0], a.X[1], a.Tasks[0], a.X[2], a.Tasks[1] = 0, 0, 0, 4+1e-8, 4+1e-8 }},
		{"eligibility", `(not eligible)`, func(a *cluster.Allocation) { a.X[3], a.Tasks[1] = 1e-300, 1 }},
		{"a sign", `user "u1" holds -1e-18 tasks`, func(a *cluster.Allocation) { a.X[0], a.Tasks[0] = -1e-18, 3 }},
		{"a sum", `total of user "u1"`, func(a *cluster.Allocation) { a.Tasks[0] = 3 }},
		{"NaN", `cpu of server "A": NaN`, func(a *cluster.Allocation) { a.X[0] = math.NaN() }},
		{"an infinite share", `the share of user "u2" is +Inf`, func(a *cluster.Allocation) { a.Share[1] = math.Inf(1) }},
		{"an infinite price", `a price is NaN`, func(a *cluster.Allocation) { a.Prices = []float64{0, math.NaN(), 0, 0, 0} }},
		{"shape", `1 entries for 2 users`, func(a *cluster.Allocation) { a.X = a.X[:1] }},
	} {
		a := sound()
		c.change(&a)
		_, err := policies.Allocate(handing{a}, env)
		var invalid *policies.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		session, err := policies.Open(handing{a}, env)
		if err != nil {
			t.Fatal(err)
		}
		session.Add(0)
		session.Add(1)
		if _, err := session.Allocate(); !errors.As(err, &invalid) {
			t.Errorf("%s in a session: %v", c.name, err)
		}
	}
}

// overCapacity returns by how much, relative to it, an allocation exceeds a
// capacity of env, computed in rational numbers from the doubles as they are.
func overCapacity(env *cluster.Environment, a *cluster.Allocation) float64 {
	worst := new(big.Rat).SetInt64(-1)
	take := func(capacity float64, times int, used *big.Rat) {
		c := rational(capacity)
		c.Mul(c, big.NewRat(int64(times), 1))
		if c.Sign() == 0 {
			if used.Sign() > 0 {
				worst.SetInt64(1 << 40)
			}
			return
		}
		if part := used.Quo(used.Sub(used, c), c); part.Cmp(worst) > 0 {
			worst.Set(part)
		}
	}
	for s, server := range env.Servers {
		for r, c := range server.Capacity {
			used := new(big.Rat)
			for j := range env.Users {
				used.Add(used, product(a.On(j)[s], env.Demand(j, s)[r]))
			}
			take(c, server.Count, used)
		}
	}
	for e, link := range env.Links {
		used := new(big.Rat)
		for j := range env.Users {
			for s, x := range a.On(j) {
				if env.Reaches(e, s) {
					used.Add(used, product(x, env.LinkDemand(j, e)))
				}
			}
		}
		take(link.Capacity, 1, used)
	}
	f, _ := worst.Float64()
	return f
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func product(x, y float64) *big.Rat { return new(big.Rat).Mul(rational(x), rational(y)) }

// Nothing outside this package calls a rule's own Allocate: what it hands out
// would not be checked.
func TestEveryAnswerIsChecked(t *testing.T) {
	calls := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		// Files of this package are the rules; policytest tests them from outside.
		skipped := filepath.Dir(path) == filepath.Join("..", "policies") || strings.Contains(path, "policytest")
		if err != nil || skipped || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Allocate" || len(call.Args) == 0 {
				return true
			}
			if calls++; len(call.Args) != 2 {
				t.Errorf("%s: policies.Allocate is to be called, which checks the answer", set.Position(call.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 10 {
		t.Errorf("only %d calls were found", calls)
	}
}
