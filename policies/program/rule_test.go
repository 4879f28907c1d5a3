package program

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// figure2 is that of the TSF-ER paper, with a smaller link.
func figure2() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s1", Capacity: []float64{5, 10}, Count: 1}, {Name: "s2", Capacity: []float64{10, 5}, Count: 1}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 15}},
		Users:     []cluster.User{cluster.NewUser("u1", []float64{2, 1}, 2.5), cluster.NewUser("u2", []float64{1, 2}, 0.5)},
	}
}

// open opens a rule for a test and closes it at its end, when nothing of it may be left.
func open(t *testing.T, cmd string, o Options) (*Rule, error) {
	t.Helper()
	r, err := Open("mine", cmd, o)
	if err == nil {
		t.Cleanup(r.Close)
	}
	return r, err
}

func allocate(t *testing.T, r *Rule, env *cluster.Environment) (*cluster.Allocation, error) {
	t.Helper()
	p, err := policies.New("mine")
	if err != nil {
		t.Fatal(err)
	}
	return policies.Allocate(p, env)
}

// left returns the processes of a command line with a mark in it that are there.
func left(t *testing.T, mark string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid,stat,args").Output()
	if err != nil {
		t.Skip("no ps: ", err)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); strings.Contains(line, mark) && !strings.HasPrefix(fields[1], "Z") {
			all = append(all, line)
		}
	}
	return all
}

// gone waits until nothing with a mark is left.
func gone(t *testing.T, mark string) {
	t.Helper()
	var all []string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if all = left(t, mark); all == nil {
			return
		}
	}
	t.Errorf("left behind: %s", all)
}

// A native rule as a program gives the same bits, as an allocation and in a session.
func TestProgramsAreWhatTheyCompute(t *testing.T) {
	opt := twin.Options{Users: 6, Servers: 3, Resources: 2, Links: 1, Weights: true, Eligibility: true}
	for _, name := range []string{"tsf-er", "drf-er", "cdrf", "egalitarian"} {
		r, err := open(t, command("normaliser:"+name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		mine, native := rule(t, "mine"), rule(t, name)
		for seed := range uint64(40) {
			env := twin.Random(rand.New(rand.NewPCG(seed, 5)), opt)
			got, err1 := policies.Allocate(mine, env)
			want, err2 := policies.Allocate(native, env)
			if err1 != nil || err2 != nil || !slices.Equal(got.X, want.X) || !slices.Equal(got.Share, want.Share) {
				t.Fatalf("%s, seed %d: %v %v, %v %v", name, seed, got, err1, want, err2)
			}
		}
		sessions(t, mine, native, twin.Random(rand.New(rand.NewPCG(77, 5)), opt))
		r.Close()
	}
}

func rule(t *testing.T, name string) policies.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sessions lets users come and go in both.
func sessions(t *testing.T, mine, native policies.Policy, env *cluster.Environment) {
	t.Helper()
	a, err1 := policies.Open(mine, env)
	b, err2 := policies.Open(native, env)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{0, 1, 2, -2, 3, 4, -1, 5, 1} {
		for _, s := range []policies.Session{a, b} {
			if step < 0 {
				s.Remove(-step)
			} else {
				s.Add(step)
			}
		}
		got, err1 := a.Allocate()
		want, err2 := b.Allocate()
		if err1 != nil || err2 != nil || !slices.Equal(got.X, want.X) {
			t.Fatalf("after step %d: %v %v, %v %v", step, got, err1, want, err2)
		}
	}
}

// An allocation of a native rule that comes from a program is the same, too; what is
// not supported is no failure, and the next request is answered.
func TestAllocationsOfPrograms(t *testing.T) {
	r, err := open(t, command("allocation:cru"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := allocate(t, r, figure2())
		if err != nil {
			t.Fatal(err)
		}
		want, err := policies.Allocate(rule(t, "cru"), figure2())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.X {
			if d := got.X[i] - want.X[i]; d > 1e-12 || d < -1e-12 {
				t.Fatalf("%v, want %v", got.X, want.X)
			}
		}
		capped := figure2()
		capped.Users[0].Tasks = 1
		var refused *policies.UnsupportedError
		if _, err := allocate(t, r, capped); !errors.As(err, &refused) || !strings.Contains(err.Error(), "task cap") {
			t.Fatalf("%v", err)
		}
	}
	if n := len(r.Processes()); n != 1 {
		t.Errorf("%d processes for one goroutine", n)
	}
}

// Every misdeed, at the greeting, the first and the third request, is one error that
// names the rule, the reason and the file that replays it; no process is left.
func TestMisdeeds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	kinds := map[string]string{"over": kindAllocation, "over-link": kindAllocation, "minus": kindAllocation, "rows": kindAllocation,
		"columns": kindAllocation, "nan-x": kindAllocation, "huge-x": kindAllocation, "null-x": kindAllocation, "other-x": kindAllocation}
	honest := []string{"slack", "refuse"}
	for what := range misdeeds {
		for _, point := range []int{0, 1, 3} {
			if slices.Contains(honest, what) || strings.HasPrefix(what, "fork") && testing.Short() {
				continue
			}
			kind := kinds[what]
			if kind == "" {
				kind = kindNormaliser
			}
			name := fmt.Sprintf("%s-%d", what, point)
			t.Run(name, func(t *testing.T) {
				misdeed(t, command(kind+":tsf-er", what, fmt.Sprint(point), name+"-misdeed"), point)
			})
		}
	}
	gone(t, "-misdeed")
}

func misdeed(t *testing.T, cmd string, point int) {
	var errs lines
	begin := time.Now()
	r, err := Open("mine", cmd, Options{Limit: 2 * time.Second, Errors: &errs})
	if point == 0 {
		if err == nil {
			r.Close()
			t.Fatal("the rule was opened")
		}
		checkError(t, err, cmd, false)
		if _, err := policies.New("mine"); err == nil {
			t.Error("the rule is registered")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for k := 1; k < point; k++ {
		if _, err := allocate(t, r, figure2()); err != nil {
			t.Fatalf("request %d: %v", k, err)
		}
	}
	for range 2 { // the second time it is the same error, and nothing is started
		_, err = allocate(t, r, figure2())
		if err == nil {
			t.Fatal("there is an answer")
		}
		checkError(t, err, cmd, true)
	}
	if n := len(r.Processes()); n != 0 {
		t.Errorf("%d processes after a failure", n)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if files, _ := os.ReadDir(os.TempDir()); len(files) > 0 {
		for _, f := range files {
			os.Remove(os.TempDir() + "/" + f.Name())
		}
		if len(files) != 1 {
			t.Errorf("%d files were saved", len(files))
		}
	}
}

func checkError(t *testing.T, err error, cmd string, asked bool) {
	t.Helper()
	var of *Error
	if !errors.As(err, &of) || of.Rule != "mine" || of.Command != cmd || of.Reason == nil {
		t.Fatalf("%v", err)
	}
	if text := err.Error(); len(text) > 2000 {
		t.Errorf("a message of %d bytes: %.200s", len(text), text)
	}
	if (of.File != "") != asked {
		t.Fatalf("file %q: %v", of.File, err)
	}
	if asked {
		saved, err := os.ReadFile(of.File)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		if err == nil && (!bytes.HasPrefix(saved, []byte(greeting+"\n{\"id\": ")) || bytes.Count(saved, []byte("\n")) != 2) {
			t.Errorf("saved: %q", saved)
		}
	}
}

// lines collects what several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() > 1<<20 {
		return len(p), nil
	}
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What is said of the reasons.
func TestReasons(t *testing.T) {
	for what, want := range map[string]string{
		"exit-3":    "it ended (exit status 3) before it answered",
		"exit-late": "it ended (exit status 4) before it answered",
		"hang":      "it did not answer within 2s",
		"long":      "its answer is longer than 64 MB",
		"short":     "its answer has 1 normalisers for 2 users",
		"other-id":  "its answer is to request 99, and request 1 was asked",
		"nan":       "JSON has no NaN",
		"negative":  "-1",
		"unknown":   "normalizer",
		"over":      `cpu of server "s1": 40 against 5`,
		"over-link": `link "bw": 15.05 against 15`,
		"minus":     `user "u1" holds a negative number of tasks on server "s1": -1`,
		"columns":   `2 servers`,
	} {
		t.Run(what, func(t *testing.T) {
			kind := kindNormaliser
			if slices.Contains([]string{"over", "over-link", "minus", "columns"}, what) {
				kind = kindAllocation
			}
			limit := time.Minute // 64 MB take more than 2 s where much else runs
			if what == "hang" {
				limit = 2 * time.Second
			}
			r, err := open(t, command(kind+":tsf-er", what, "1"), Options{Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			env := figure2()
			if what == "over-link" {
				env.Servers[1].Capacity = []float64{100, 100}
			}
			_, err = allocate(t, r, env)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%v, want %q", err, want)
			}
			var of *Error
			if errors.As(err, &of) {
				os.Remove(of.File)
			}
			r.Close()
		})
	}
}

// What a solver leaves is moved into the feasible region: nothing negative, nothing over.
func TestWithinTheTolerance(t *testing.T) {
	r, err := open(t, command("allocation:tsf-er", "slack", "1"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	env := figure2()
	env.Servers[0].Capacity = []float64{4, 10}
	env.Servers[1].Capacity = []float64{10, 10}
	a, err := allocate(t, r, env)
	if err != nil {
		t.Fatal(err)
	}
	if a.X[1] != 0 || !(a.X[0] > 2-1e-9 && a.X[0] <= 2+1e-15) || !(a.X[3] < 5 && a.X[3] > 5-3e-6) {
		t.Errorf("%v", a.X)
	}
}

// A name that is registered, one that is none, and commands that cannot be run.
func TestWhatCannotBeOpened(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"tsf-er", command("normaliser:tsf"), "there is a rule of the name tsf-er already"},
		{"fifo", command("normaliser:tsf"), "already"},
		{"a b", command("normaliser:tsf"), "can not be the name of a rule"},
		{"mine", "", "the command is empty"},
		{"mine", "python3 'rule.py", "ends within a quotation"},
		{"mine", "/no/such/program", "it cannot be started"},
	} {
		if r, err := Open(c.name, c.command, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.name, c.command, err, c.want)
			if r != nil {
				r.Close()
			}
		}
	}
}

// Standard error is shown with the rule's name before each line.
func TestStandardErrorIsShown(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var errs lines
	r, err := open(t, command("normaliser:tsf-er", "panic", "1"), Options{Errors: &errs})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := allocate(t, r, figure2()); err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Fatal(err)
	}
	if !strings.Contains(errs.String(), "mine: panic: a fault of the rule\n") {
		t.Errorf("%s", errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "mine: ") {
			t.Errorf("%q", line)
		}
	}
}

// Several goroutines have a process each, which are used again.
func TestAProcessAGoroutine(t *testing.T) {
	r, err := open(t, command("normaliser:tsf-er"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := policies.Allocate(rule(t, "tsf-er"), figure2())
	if err != nil {
		t.Fatal(err)
	}
	mine := rule(t, "mine")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if a, err := policies.Allocate(mine, figure2()); err != nil || !slices.Equal(a.X, want.X) {
					t.Errorf("%v %v", a, err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(r.Processes()); n < 1 || n > 4 {
		t.Errorf("%d processes", n)
	}
	r.Close()
	if n := len(r.Processes()); n != 0 {
		t.Errorf("%d processes after the end", n)
	}
}
