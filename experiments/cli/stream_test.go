package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/input"
)

// called runs a command line and returns its exit status and what it wrote.
func called(in io.Reader, args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = Main(args, Streams{in, &o, &e})
	return status, o.String(), e.String()
}

// someEnvironments are random ones, a line each, among them some that are refused.
func someEnvironments(t *testing.T) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(15, 1))
	lines := []string{`{"resources": ["cpu", "cpu"], "servers": [{"name": "s", "capacity": [1]}], "users": []}`, ``, `{`, `7`, "\xff"}
	for i := range 60 {
		env := twin.Random(rng, twin.Options{
			Users: 1 + rng.IntN(8), Servers: 1 + rng.IntN(4), Resources: 1 + rng.IntN(3), Links: rng.IntN(3),
			Weights: i%2 == 0, Caps: i%3 == 0, Eligibility: i%4 == 0, ZeroDemands: i%5 == 0, ZeroCapacities: i%7 == 0, DemandOn: i%6 == 0,
		})
		var b, line bytes.Buffer
		if err := cluster.WriteEnvironment(&b, env); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&line, b.Bytes()); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line.String())
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

// alone is what a stream should answer to a line, from a command of its own.
func alone(t *testing.T, number int, line, policy string) string {
	t.Helper()
	status, out, errs := called(strings.NewReader(line), "allocate", "-", "--policy", policy, "--format", "json")
	if status == statusOK {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(out)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := strings.TrimSuffix(strings.TrimPrefix(errs, "leontief: "), "\n")
	text = strings.Replace(text, "-:", fmt.Sprintf("line %d:", number), 1)
	if strings.TrimSpace(line) == "" {
		text = fmt.Sprintf("line %d: empty, where an environment is wanted", number)
	}
	return fmt.Sprintf(`{"error":%q}`, text)
}

// A stream answers every line as a command of its own would, at any number of workers.
func TestAStreamIsManyCommands(t *testing.T) {
	lines := someEnvironments(t)
	for _, policy := range []string{"tsf-er", "mnw", "cru", "ps-dsf", "magiks-rim", "cru,tsf", "cru,ps-dsf"} {
		var want strings.Builder
		answered := map[bool]int{}
		for i, line := range lines {
			answer := alone(t, i+1, line, policy)
			answered[strings.HasPrefix(answer, `{"error"`)]++
			want.WriteString(answer + "\n")
		}
		if answered[true] < 5 || answered[false] < 5 {
			t.Errorf("%s: answers and refusals: %v", policy, answered)
		}
		for _, workers := range []string{"1", "2", "7"} {
			status, out, errs := called(strings.NewReader(strings.Join(lines, "\n")), "allocate", "--stream", "--policy", policy, "--workers", workers)
			if status != statusOK || errs != "" || out != want.String() {
				t.Errorf("%s, %s workers: status %d, %s; first difference:\n%s", policy, workers, status, errs, difference(out, want.String()))
			}
		}
	}
}

func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\ngot  %s\nwant %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(a), len(b))
}

const oneUser = `{"resources":["cpu"],"servers":[{"name":"s","capacity":[5]}],"users":[{"name":"u","demand":[2]}]}`

// An answer comes before the next line is there: a program may wait for it.
func TestAStreamAnswersAtOnce(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- Main([]string{"allocate", "--stream", "--policy", "tsf"}, Streams{in, out, io.Discard})
	}()
	answers := bufio.NewReader(read)
	for range 20 {
		fmt.Fprintln(write, oneUser)
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"tasks":2.5`) {
			t.Fatalf("%q, %v", line, err)
		}
	}
	write.Close()
	if status := <-ended; status != statusOK {
		t.Errorf("status %d", status)
	}
}

// endless repeats a text, and counts how often it was read.
type endless struct {
	text string
	left string
	read atomic.Int64 // the reader may outlive the command
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == "" {
		e.left = e.text
		e.read.Add(1)
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// limited refuses to be written to after some lines.
type limited struct{ lines int }

func (l *limited) Write(p []byte) (int, error) {
	if l.lines -= bytes.Count(p, []byte("\n")); l.lines < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// Of an endless input no more is read than is worked at, and output that can not be
// written ends the command.
func TestAStreamIsReadAsItIsAnswered(t *testing.T) {
	in := &endless{text: oneUser + "\n"} // a line a read
	var errs bytes.Buffer
	status := Main([]string{"allocate", "--stream", "--policy", "tsf", "--workers", "2"}, Streams{in, &limited{1000}, &errs})
	if status != statusInternal || !strings.Contains(errs.String(), "full") {
		t.Errorf("status %d: %s", status, &errs)
	}
	if read := in.read.Load(); read > 1200 {
		t.Errorf("%d lines were read to answer 1000", read)
	}
}

// A line beyond the limit is refused in its place, and not kept.
func TestAStreamHasNoEndlessLine(t *testing.T) {
	long := io.LimitReader(&endless{text: strings.Repeat(" ", 4096)}, 8*input.TextLimit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, out, errs := called(io.MultiReader(strings.NewReader(oneUser+"\n"), long, strings.NewReader("\n"+oneUser)), "allocate", "--stream", "--policy", "tsf")
	runtime.ReadMemStats(&after)
	lines := strings.Split(out, "\n")
	if status != statusOK || errs != "" || len(lines) != 4 || lines[0] != lines[2] || lines[1] != `{"error":"line 2: too large: more than 64 MiB, the most that is read of a line"}` {
		t.Errorf("status %d: %s%q", status, errs, lines)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*input.TextLimit {
		t.Errorf("%d MiB were used", used>>20)
	}
}
