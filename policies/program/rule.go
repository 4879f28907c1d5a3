package program

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Options say how the programs of rules are run.
type Options struct {
	// Dir is where the command finds its files; "" for the working directory.
	Dir string
	// Limit is the longest time for an answer; 0 for [Limit].
	Limit time.Duration
	// Errors is shown what a program writes to its standard error, the name of the
	// rule before each line; nil: nobody is.
	Errors io.Writer
}

// Limit is the longest time for an answer where no other is given.
const Limit = time.Minute

// Rule is an allocation rule that is a program. It can be used by several goroutines.
type Rule struct {
	name    string
	words   []string
	options Options
	what    policies.Program
	hello   hello
	remove  func() // takes the name out of the registry

	mu     sync.Mutex
	idle   []*process
	busy   map[*process]bool
	failed error // that of the first process that failed
	closed bool
}

// Open starts the program of a command and registers it as a rule, until it is closed.
//
// The command is split into words at blanks, quotes around a word or a part of it being
// taken off; no shell sees it. A name that is registered already, a command that cannot
// be started and a program that does not speak the protocol are errors.
func Open(name, command string, o Options) (*Rule, error) {
	if o.Limit == 0 {
		o.Limit = Limit
	}
	r := &Rule{name: name, options: o, busy: map[*process]bool{}}
	var err error
	if r.words, err = split(command); err != nil {
		return nil, fmt.Errorf("rule %s: %w", name, err)
	}
	meta := policies.Meta{Name: name, Program: &r.what, New: func(params policies.Params) (policies.Policy, error) {
		return r.policy(), params.Refuse()
	}}
	if r.remove, err = policies.Add(meta); err != nil { // before a process is started
		return nil, err
	}
	if err := r.begin(command); err != nil {
		r.Close()
		return nil, err
	}
	r.remove()
	if r.remove, err = policies.Add(r.describe(meta)); err != nil {
		panic(err) // it was just free
	}
	return r, nil
}

// begin starts the first process and learns from it what the rule is.
func (r *Rule) begin(command string) error {
	files, err := checksums(r.words, r.options.Dir)
	if err != nil {
		return fmt.Errorf("rule %s: %w", r.name, err)
	}
	r.what = policies.Program{Command: command, Files: files}
	p, err := r.start()
	if err != nil {
		return err
	}
	r.hello = p.hello
	r.what.Version = p.hello.Version
	r.idle = append(r.idle, p)
	return nil
}

// describe completes what the registry holds of the rule.
func (r *Rule) describe(m policies.Meta) policies.Meta {
	m.Title, m.Paper = r.hello.Title, "the program "+r.what.Command
	for _, p := range policies.Properties {
		if holds, claimed := r.hello.Claims[p]; claimed {
			m.Claims = append(m.Claims, policies.Claim{Property: p, Holds: holds})
		}
	}
	m.Family, m.Definition = policies.FamilyProgram, "Who gets what is what the program answers."
	if r.hello.Kind == kindNormaliser {
		m.Family, m.Definition = policies.FamilyEgalitarian, "N is what the program answers."
	}
	m.Refuses = "what the program answers that it does not support"
	return m
}

// policy is the rule by its kind.
func (r *Rule) policy() policies.Policy {
	if r.hello.Kind == kindNormaliser {
		return policies.Egalitarian(r.normalise)
	}
	return r
}

// normalise asks the program for N.
func (r *Rule) normalise(env *cluster.Environment) ([]float64, error) {
	if len(env.Users) == 0 {
		return nil, nil
	}
	var norm []float64
	err := r.ask(env, func(a *answer) (err error) {
		norm, err = a.normaliser(len(env.Users))
		return err
	})
	return norm, err
}

// Allocate implements [policies.Policy] for a program that answers with allocations:
// x[j,s] for every user and server of the environment. It is checked: every capacity
// and task cap to [Tolerance] relative, and as much as that below 0 or where a user may
// not run. Within that the answer is moved into the feasible region: what should be 0
// is, and all is divided by 1 plus the largest relative excess. Beyond it, or where a
// number is missing, the [*Error] names what is violated.
func (r *Rule) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	if len(env.Users) == 0 {
		return &cluster.Allocation{Region: env}, nil
	}
	var a *cluster.Allocation
	err := r.ask(env, func(answer *answer) (err error) {
		a, err = answer.allocation(env)
		return err
	})
	return a, err
}

// ask sends an environment to a process and has its answer taken. What is wrong with it
// ends the process, and the rule.
func (r *Rule) ask(env *cluster.Environment, take func(*answer) error) error {
	p, err := r.get()
	if err != nil {
		return err
	}
	request := p.request(env)
	line, err := p.exchange(request, r.options.Limit)
	var got *answer
	if err == nil {
		got, err = parseAnswer(line, p.asked)
	}
	if err == nil && got.Unsupported == nil {
		err = take(got)
	}
	if err != nil {
		return r.fail(p, request, err)
	}
	r.put(p)
	if got.Unsupported != nil {
		return &policies.UnsupportedError{Reason: oneLine(*got.Unsupported)}
	}
	return nil
}

// get takes a process that is idle, or starts one.
func (r *Rule) get() (*process, error) {
	if p, err := r.found(); p != nil || err != nil {
		return p, err
	}
	p, err := r.start()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		r.failed = cmp.Or(r.failed, err)
		return nil, r.failed
	case r.closed:
		p.end(0)
		return nil, errClosed
	}
	r.busy[p] = true
	return p, nil
}

// errClosed is returned by a rule that was closed: its command is over.
var errClosed = errors.New("program: the rule was closed")

// found returns a process that is idle, nil where there is none.
func (r *Rule) found() (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle)
	switch {
	case r.failed != nil:
		return nil, r.failed
	case r.closed:
		return nil, errClosed
	case n == 0:
		return nil, nil
	}
	p := r.idle[n-1]
	r.idle = r.idle[:n-1]
	r.busy[p] = true
	return p, nil
}

// put gives a process back.
func (r *Rule) put(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, p)
	if r.closed {
		p.end(0)
		return
	}
	r.idle = append(r.idle, p)
}

// fail ends a process and returns the error that the rule has from then on. The first
// one counts: those of other processes say nothing more.
func (r *Rule) fail(p *process, request string, reason error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, p)
	if r.failed != nil {
		p.end(0)
		return r.failed
	}
	r.failed = r.failure(p, request, reason)
	return r.failed
}

// failure ends a process and says why, with the request that it failed at.
func (r *Rule) failure(p *process, request string, reason error) error {
	patience := time.Duration(0)
	if reason == errEnded {
		patience = grace // its output has ended, and how it ends is to be told
	}
	p.end(patience)
	e := &Error{Rule: r.name, Command: r.what.Command, Dir: r.options.Dir, Reason: reason}
	if e.Reason == errEnded {
		e.Reason = fmt.Errorf("it ended (%s) before it answered", p.state())
	}
	e.save(request)
	return e
}

// start starts a process and greets it.
func (r *Rule) start() (*process, error) {
	p, err := launch(r.name, r.words, r.options)
	if err != nil {
		return nil, &Error{Rule: r.name, Command: r.what.Command, Reason: err}
	}
	line, err := p.exchange(greeting, r.options.Limit)
	if err == nil {
		p.hello, err = parseHello(line)
	}
	if err == nil {
		err = r.same(p)
	}
	if err != nil {
		return nil, r.failure(p, "", err)
	}
	return p, nil
}

// same returns an error where a process is of another program than the first one.
func (r *Rule) same(p *process) error {
	files, err := checksums(r.words, r.options.Dir)
	if err != nil {
		return err
	}
	for _, name := range r.words {
		if files[name] != r.what.Files[name] {
			return fmt.Errorf("%s has changed since the rule was started", name)
		}
	}
	if first := r.hello; first.Kind != "" && (first.Kind != p.hello.Kind || first.Version != p.hello.Version) {
		return fmt.Errorf("it says that it is %s %q, and said %s %q before", p.hello.Kind, p.hello.Version, first.Kind, first.Version)
	}
	return nil
}

// Close ends all processes of the rule and takes its name out of the registry. Those
// that are idle have a moment to end by themselves.
func (r *Rule) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.remove()
	var ending sync.WaitGroup
	for _, p := range r.idle {
		ending.Go(func() { p.end(grace) })
	}
	for p := range r.busy {
		ending.Go(func() { p.end(0) })
	}
	ending.Wait()
	r.idle = nil
}

// Processes returns the process ids of the rule's processes, for tests.
func (r *Rule) Processes() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []int
	for _, p := range r.idle {
		all = append(all, p.cmd.Process.Pid)
	}
	for p := range r.busy {
		all = append(all, p.cmd.Process.Pid)
	}
	slices.Sort(all)
	return all
}

// oneLine is a text of the program for a message.
func oneLine(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
