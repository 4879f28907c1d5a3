package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The test program is also the program of a rule: with the arguments -rule NAME WHAT
// POINT it answers as the rule NAME does, and does WHAT (one of misdeeds) when it has
// answered POINT times, the greeting being one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "-rule" {
		serve(os.Args[2:])
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "-parent" {
		beParent(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beParent asks a rule until somebody ends it.
func beParent(args []string) {
	r, err := Open("mine", command(args...), Options{Errors: os.Stderr})
	if err != nil {
		panic(err)
	}
	fmt.Println("begun", r.Processes())
	p, err := policies.New("mine")
	if err != nil {
		panic(err)
	}
	for {
		if _, err := policies.Allocate(p, figure2()); err != nil {
			panic(err)
		}
	}
}

// command is the command of a rule of this test program.
func command(args ...string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("'%s' -rule %s", self, strings.Join(args, " "))
}

// request is what a program reads: an environment, in the parts that the rules need.
type request struct {
	Leontief    int   `json:"leontief"`
	ID          int64 `json:"id"`
	Environment *json.RawMessage
}

func serve(args []string) {
	what, point := "", -1
	if len(args) > 2 {
		what = args[1]
		point, _ = strconv.Atoi(args[2])
	}
	in := bufio.NewReader(os.Stdin)
	for answered := 0; ; answered++ {
		line, err := in.ReadBytes('\n')
		if answered == point && what != "none" {
			misdeeds[what](line)
		}
		if err != nil {
			return
		}
		fmt.Println(respond(args[0], line))
	}
}

// respond is the honest answer of a rule.
func respond(name string, line []byte) string {
	var q request
	if err := json.Unmarshal(line, &q); err != nil {
		panic(err)
	}
	kind, rule, _ := strings.Cut(name, ":")
	if q.Environment == nil {
		return fmt.Sprintf(`{"leontief": 1, "kind": %q, "title": "a test", "claims": {"EF": true, "SP": false}, "version": "1"}`, kind)
	}
	env, err := cluster.ReadEnvironment(strings.NewReader(string(*q.Environment)))
	if err != nil {
		panic(err)
	}
	p, err := policies.New(rule)
	if err != nil {
		panic(err)
	}
	var body any
	if kind == kindNormaliser {
		norm, err := p.(policies.Normalizer).Normalize(env)
		if err != nil {
			return fmt.Sprintf(`{"id": %d, "unsupported": %q}`, q.ID, err.Error())
		}
		body = norm
	} else {
		a, err := p.Allocate(env)
		if err != nil {
			return fmt.Sprintf(`{"id": %d, "unsupported": %q}`, q.ID, err.Error())
		}
		var rows [][]float64
		for j := range env.Users {
			rows = append(rows, a.On(j))
		}
		body = rows
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"id": %d, %q: %s}`, q.ID, kind, text)
}

func say(format string, args ...any) func([]byte) {
	return func(line []byte) {
		var q request
		_ = json.Unmarshal(line, &q)
		fmt.Println(strings.ReplaceAll(fmt.Sprintf(format, args...), "ID", fmt.Sprint(q.ID)))
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
}

// forever does not end when its input does.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// mark is the last argument, by which a test finds the process.
func mark() string { return os.Args[len(os.Args)-1] }

// child starts a process that lives on.
func child(args ...string) {
	self, _ := os.Executable()
	cmd := exec.Command(self, append([]string{"-rule"}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// misdeeds are what a program can do in the place of an answer.
var misdeeds = map[string]func(line []byte){
	"hang": func([]byte) { forever() },
	"late": func(line []byte) {
		time.Sleep(3 * time.Second)
		fmt.Println(respond("normaliser:tsf-er", line))
		forever()
	},
	"panic":  func([]byte) { panic("a fault of the rule") },
	"exit-0": func([]byte) { os.Exit(0) },
	"exit-3": func([]byte) { os.Exit(3) },
	"exit-late": func([]byte) { // as Python does after a fault: its output is closed first
		os.Stdout.Close()
		time.Sleep(200 * time.Millisecond)
		os.Exit(4)
	},
	"shut":        func([]byte) { os.Stdout.Close(); forever() },
	"fork":        func([]byte) { child("x", "hang", "0", mark()); forever() },
	"fork-marked": func([]byte) { child("x", "hang", "0", "child-"+mark()); forever() },
	"fork-exit":   func([]byte) { child("x", "hang", "0", mark()); os.Exit(1) },
	"flood": func([]byte) {
		for {
			fmt.Println("{}")
		}
	},
	"long": func([]byte) {
		for {
			fmt.Print(strings.Repeat("[", 1<<20))
		}
	},
	"errors": func([]byte) { // ever more than a pipe holds, without work for its own sake
		for {
			fmt.Fprint(os.Stderr, strings.Repeat("alas\n", 1<<15))
			time.Sleep(100 * time.Millisecond)
		}
	},
	"half":       func([]byte) { fmt.Print(`{"id": 1, "norm`); os.Exit(0) },
	"half-hang":  func([]byte) { fmt.Print(`{"id": 1, "norm`); forever() },
	"empty":      say(""),
	"words":      say("hello there"),
	"array":      say("[1, 2]"),
	"null":       say("null"),
	"binary":     say("\x00\xff\x1b[2J"),
	"unknown":    say(`{"id": ID, "normalizer": [1, 1]}`),
	"twice":      say(`{"id": ID, "normaliser": [1, 1], "unsupported": "no"}`),
	"nothing":    say(`{"id": ID}`),
	"no-id":      say(`{"normaliser": [1, 1]}`),
	"other-id":   say(`{"id": 99, "normaliser": [1, 1]}`),
	"more":       say(`{"id": ID, "normaliser": [1, 1]} {"id": 2}`),
	"nan":        say(`{"id": ID, "normaliser": [NaN, 1]}`),
	"negative":   say(`{"id": ID, "normaliser": [-1, 1]}`),
	"huge":       say(`{"id": ID, "normaliser": [1e999, 1]}`),
	"null-n":     say(`{"id": ID, "normaliser": [null, 1]}`),
	"short":      say(`{"id": ID, "normaliser": [1]}`),
	"wide":       say(`{"id": ID, "normaliser": [1, 1, 1]}`),
	"other-kind": say(`{"id": ID, "allocation": [[0], [0]]}`),
	"version-2":  say(`{"leontief": 2, "kind": "normaliser"}`),
	"no-kind":    say(`{"leontief": 1}`),
	"bad-kind":   say(`{"leontief": 1, "kind": "oracle"}`),
	"bad-claim":  say(`{"leontief": 1, "kind": "normaliser", "claims": {"EFX": true}}`),
	"over":       say(`{"id": ID, "allocation": [[20, 0], [0, 0]]}`),
	"over-link":  say(`{"id": ID, "allocation": [[0, 4], [0, 10.1]]}`),
	"minus":      say(`{"id": ID, "allocation": [[-1, 0], [0, 0]]}`),
	"rows":       say(`{"id": ID, "allocation": [[0, 0]]}`),
	"columns":    say(`{"id": ID, "allocation": [[0, 0], [0]]}`),
	"nan-x":      say(`{"id": ID, "allocation": [[NaN, 0], [0, 0]]}`),
	"huge-x":     say(`{"id": ID, "allocation": [[1e999, 0], [0, 0]]}`),
	"null-x":     say(`{"id": ID, "allocation": [[null, 0], [0, 0]]}`),
	"other-x":    say(`{"id": ID, "normaliser": [1, 1]}`),
	"slack":      say(`{"id": ID, "allocation": [[2.0000009, -1e-8], [0, 5]]}`),
	"refuse":     say(`{"id": ID, "unsupported": "users with\na name"}`),
}
