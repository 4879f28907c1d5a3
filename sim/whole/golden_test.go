package whole

import (
	"bufio"
	"flag"
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

var update = flag.Bool("update", false, "write what the scripted schedules come to")

// script is one file of testdata. Its lines, times being in seconds:
//
//	resources cpu mem
//	server NAME CAPACITY… [x COUNT]
//	link NAME CAPACITY
//	job NAME at TIME: TASKS of TIME needs DEMAND… [| LINKDEMAND…] [weight W]
//	rule NAME
//	slot TIME
//	---
//	the schedule: everything that happens, and what became of the jobs
type script struct {
	env  cluster.Environment
	jobs []sim.Job
	rule string
	slot event.Time
}

func seconds(t *testing.T, text string) event.Time {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return event.Time(v * 1e6)
}

func numbers(t *testing.T, fields []string) []float64 {
	var v []float64
	for _, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, x)
	}
	return v
}

func readScript(t *testing.T, text string) *script {
	s := &script{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		switch f[0] {
		case "resources":
			s.env.Resources = f[1:]
		case "server":
			count := 1
			if n := len(f); f[n-2] == "x" {
				count = int(numbers(t, f[n-1:])[0])
				f = f[:n-2]
			}
			s.env.Servers = append(s.env.Servers, cluster.Server{Name: f[1], Capacity: numbers(t, f[2:]), Count: count})
		case "link":
			s.env.Links = append(s.env.Links, cluster.Link{Name: f[1], Capacity: numbers(t, f[2:])[0]})
		case "job":
			s.jobs = append(s.jobs, readJob(t, f))
		case "rule":
			s.rule = f[1]
		case "slot":
			s.slot = seconds(t, f[1])
		default:
			t.Fatalf("unknown line %q", lines.Text())
		}
	}
	return s
}

// readJob reads: job NAME at TIME: TASKS of TIME needs …
func readJob(t *testing.T, f []string) sim.Job {
	u := cluster.NewUser(f[1], nil)
	rest := f[8:]
	if n := len(rest); n > 2 && rest[n-2] == "weight" {
		u.Weight = numbers(t, rest[n-1:])[0]
		rest = rest[:n-2]
	}
	needs, links, _ := strings.Cut(strings.Join(rest, " "), "|")
	u.Demand, u.LinkDemand = numbers(t, strings.Fields(needs)), numbers(t, strings.Fields(links))
	return sim.Job{User: u, Arrival: seconds(t, strings.TrimSuffix(f[3], ":")), Tasks: int64(numbers(t, f[4:5])[0]), Duration: seconds(t, f[6])}
}

func (s *script) run(t *testing.T) string {
	var out strings.Builder
	var ended []int // jobs, each a \x00 in out: what became of them is known at the end
	l := cluster.NewLedger(&s.env)
	name := func(server int) string {
		class := s.env.Servers[l.Class(server)]
		if class.Count == 1 {
			return class.Name
		}
		first := server
		for first > 0 && l.Class(first-1) == l.Class(server) {
			first--
		}
		return fmt.Sprintf("%s/%d", class.Name, server-first+1)
	}
	at := func(t event.Time) string { return strconv.FormatFloat(float64(t)/1e6, 'g', -1, 64) }
	rule := s.rules(t)
	r := &Replay{Env: &s.env, Jobs: s.jobs, Rule: rule, Slot: s.slot, Verify: true}
	r.OnEvent = func(ev *Event) {
		switch ev.Kind {
		case TaskStart:
			fmt.Fprintf(&out, "%-6s %s%d starts on %s, for %s\n", at(ev.At), s.jobs[ev.Job].User.Name, ev.Task+1, name(ev.Server), at(ev.Rest))
		case TaskSuspend:
			fmt.Fprintf(&out, "%-6s %s%d is suspended, %s to go\n", at(ev.At), s.jobs[ev.Job].User.Name, ev.Task+1, at(ev.Rest))
		case TaskEnd:
			fmt.Fprintf(&out, "%-6s %s%d ends\n", at(ev.At), s.jobs[ev.Job].User.Name, ev.Task+1)
		default:
			ended = append(ended, ev.Job)
			out.WriteByte(0)
		}
	}
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if result.Stalls > 0 {
		fmt.Fprintf(&out, "started again %d times\n", result.Stalls)
	}
	text := out.String()
	for _, job := range ended {
		j, line := &result.Jobs[job], ""
		if j.Refused {
			line = fmt.Sprintf("%-6s job %s is refused\n", at(j.Arrival), s.jobs[job].User.Name)
		} else {
			line = fmt.Sprintf("%-6s job %s is done: JCT %s, standalone %s\n", at(j.Completion), s.jobs[job].User.Name, at(j.JCT()), at(event.Time(j.Standalone)))
		}
		text = strings.Replace(text, "\x00", line, 1)
	}
	return text
}

func (s *script) rules(t *testing.T) Rule {
	name, options, rounded := strings.Cut(s.rule, "/")
	if !rounded {
		return mustOrdered(t, name)
	}
	named := strings.Split(options, "/") // fill, caps, floor
	named = append(named, []string{"users", "none", "exact"}[len(named):]...)
	rounding, err := ParseRounding(named[0], "interior", named[1], named[2])
	if err != nil {
		t.Fatal(err)
	}
	rounding.Random = rand.NewPCG(1, 2)
	return Rounded(mustPolicy(t, name), rounding)
}

func TestScriptedSchedules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, want, _ := strings.Cut(string(text), "---\n")
			got := readScript(t, head).run(t)
			if *update {
				if err := os.WriteFile(file, []byte(head+"---\n"+got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
