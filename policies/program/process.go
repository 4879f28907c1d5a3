package program

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/sim/cluster"
)

const (
	// longest is the longest answer, in bytes: 1,000 users on 1,000 servers in full
	// double precision are a third of it.
	longest = 64 << 20
	// longestError is where a line of standard error is broken.
	longestError = 4 << 10
	// grace is how long an idle process has to end when its input has ended, and
	// how long the ends of its streams are waited for when it is dead.
	grace = time.Second
)

// What can go wrong with a process while it is asked.
var (
	errEnded   = errors.New("it ended before it answered")
	errTooLong = fmt.Errorf("its answer is longer than %d MB", longest>>20)
)

// process is a program that runs. It is used by one goroutine at a time.
type process struct {
	cmd   *exec.Cmd
	hello hello
	asked int64    // the id of the last request
	in    *os.File // to its standard input
	out   *os.File // from its standard output
	lines *bufio.Reader
	said  chan struct{} // closed when its standard error has ended
	over  chan struct{} // closed when it has ended, and its group with it
}

// launch starts a process.
func launch(name string, words []string, o Options) (*process, error) {
	p := &process{cmd: exec.Command(words[0], words[1:]...), said: make(chan struct{}), over: make(chan struct{})}
	var theirs, ours []*os.File
	pipe := func(reads bool) (their, our *os.File, err error) {
		r, w, err := os.Pipe()
		if reads {
			r, w = w, r
		}
		if err == nil {
			theirs, ours = append(theirs, r), append(ours, w)
		}
		return r, w, err
	}
	in, toIn, err1 := pipe(false)
	out, fromOut, err2 := pipe(true)
	errs, fromErrs, err3 := pipe(true)
	err := errors.Join(err1, err2, err3)
	if err == nil {
		p.in, p.out, p.lines = toIn, fromOut, bufio.NewReaderSize(fromOut, 64<<10)
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = in, out, errs, o.Dir
		// What Python prints is to leave it at once, whoever forgets to flush.
		p.cmd.Env = append(os.Environ(), "PYTHONUNBUFFERED=1")
		apart(p.cmd)
		err = p.cmd.Start()
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	watch(p.cmd.Process.Pid)
	go p.wait()
	go p.tell(fromErrs, name, o.Errors)
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// wait reaps the process, and ends at once what it has left behind.
func (p *process) wait() {
	_ = p.cmd.Wait() // its state says the same
	killGroup(p.cmd)
	unwatch(p.cmd.Process.Pid)
	close(p.over)
}

// tell shows the standard error of the process, the rule's name before each line.
func (p *process) tell(from *os.File, name string, to io.Writer) {
	defer close(p.said)
	defer from.Close()
	lines := bufio.NewReaderSize(from, longestError)
	for {
		line, err := lines.ReadSlice('\n')
		if text := bytes.TrimRight(line, "\r\n"); to != nil && len(line) > 0 {
			fmt.Fprintf(to, "%s: %s\n", name, text) // in one piece: others write too
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// request is the line of a new request, without its end.
func (p *process) request(env *cluster.Environment) string {
	p.asked++
	return `{"id": ` + strconv.FormatInt(p.asked, 10) + `, "environment": ` + env.Line() + `}`
}

// exchange writes a line and reads one, both within the limit. After an error the
// process is of no use any more.
func (p *process) exchange(request string, limit time.Duration) (line []byte, err error) {
	done := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, request+"\n")
		if err == nil {
			line, err = p.line()
		} else {
			err = errEnded
		}
		done <- err
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err := <-done:
		return line, err
	case <-late.C:
		p.end(0) // which ends the goroutine
		<-done
		return nil, fmt.Errorf("it did not answer within %v", limit)
	}
}

// line reads a line, without its end.
func (p *process) line() ([]byte, error) {
	var all []byte
	for {
		part, err := p.lines.ReadSlice('\n')
		switch {
		case len(all)+len(part) > longest:
			return nil, errTooLong
		case err == nil:
			return bytes.TrimRight(append(all, part...), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, errEnded
		}
		all = append(all, part...)
	}
}

// end ends the process with its group: its input ends, and when the time to do so by
// itself is over it is killed. When end returns, it is no more.
func (p *process) end(patience time.Duration) {
	p.in.Close()
	if !p.overIn(patience) {
		killGroup(p.cmd)
		<-p.over
	}
	select { // another process may have its standard error
	case <-p.said:
	case <-time.After(grace):
	}
	p.out.Close()
}

// overIn waits for the end of the process.
func (p *process) overIn(patience time.Duration) bool {
	select {
	case <-p.over:
		return true
	default:
	}
	if patience == 0 {
		return false
	}
	select {
	case <-p.over:
		return true
	case <-time.After(patience):
		return false
	}
}

// state says how the process ended.
func (p *process) state() string { return p.cmd.ProcessState.String() }

// Error says what is wrong with the program of a rule.
type Error struct {
	Rule    string
	Command string
	Dir     string // in which the command was run; "" for the working directory
	Reason  error
	File    string // with what the program was sent; "" where nothing was asked
}

func (e *Error) Error() string {
	text := fmt.Sprintf("rule %s (%s): %v", e.Rule, e.Command, e.Reason)
	if e.File == "" {
		return text
	}
	where := ""
	if e.Dir != "" {
		where = " in " + e.Dir
	}
	return fmt.Sprintf("%s; the request is in %s, and what replays it%s is: %s < %[2]s", text, e.File, where, e.Command)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// save writes what the program was sent, greeting and request, into a file for
// temporary files.
func (e *Error) save(request string) {
	if request == "" {
		return
	}
	f, err := os.CreateTemp("", "leontief-"+e.Rule+"-*.jsonl")
	if err == nil {
		_, err = io.WriteString(f, greeting+"\n"+request+"\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		e.Reason = fmt.Errorf("%w (and the request cannot be saved: %s)", e.Reason, strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	e.File = f.Name()
}
