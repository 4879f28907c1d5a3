package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/input"
)

// cutError says that a stream was interrupted.
type cutError struct{ lines int }

func (e *cutError) Error() string {
	return fmt.Sprintf("interrupted: the answers to the first %d lines were written", e.lines)
}

// streamLine is an environment of a stream, and where its answer comes.
type streamLine struct {
	number int // from 1
	text   []byte
	err    error // why there is no text
	answer chan streamAnswer
}

// streamAnswer is a line of the output, and the error behind it if the input is not
// to blame for that.
type streamAnswer struct {
	text []byte
	ours error
}

// runStream answers each environment of standard input, one a line, by a line of
// standard output in the same order: what [command.runAllocate] prints as JSON, or
// {"error": …}. Workers have rules of their own. A few lines a worker are in
// memory, each of at most [input.TextLimit] bytes, and an answer is written as soon as
// it and those before it are there.
//
// A failure that the input is not to blame for has its place in the output too, and
// the first of them ends the command with its status after the last line.
func (c *command) runStream(ctx context.Context, f allocateFlags) error {
	var rules [][]policies.Policy
	for range f.workers {
		own, err := f.rules()
		if err != nil {
			return err
		}
		rules = append(rules, own)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work, order := make(chan *streamLine, f.workers), make(chan *streamLine, 2*f.workers)
	// An interrupt leaves the reader behind, where it waits for a line; it ends with the process.
	go readLines(ctx, c.In, work, order)
	var workers sync.WaitGroup
	for _, own := range rules {
		workers.Go(func() {
			for line := range work {
				line.answer <- f.answer(own, line)
			}
		})
	}
	return c.writeAnswers(ctx, order)
}

// writeAnswers writes the answers to lines in their order until there are no more.
func (c *command) writeAnswers(ctx context.Context, order <-chan *streamLine) error {
	var ours error
	for done := 0; ; done++ {
		var line *streamLine
		select {
		case line = <-order:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return errors.Join(&cutError{done}, ours)
		}
		if line == nil {
			return ours
		}
		answer := <-line.answer
		if answer.text == nil { // standard input can not be read further
			return errors.Join(answer.ours, ours)
		}
		if _, err := c.data.Write(answer.text); err != nil {
			return internal(err)
		}
		if ours == nil {
			ours = answer.ours
		}
	}
}

// answer is the line that answers another one.
func (f *allocateFlags) answer(rules []policies.Policy, line *streamLine) streamAnswer {
	if line.err != nil && !errors.Is(line.err, input.ErrTooLarge) {
		return streamAnswer{ours: line.err}
	}
	var text []byte
	err := run.Guard(func() (err error) {
		text, err = f.allocateText(rules, line)
		return err
	})
	var ours error
	if len(run.Faults(err)) > 0 || isOne(err, new(internalError)) {
		ours = fmt.Errorf("line %d: %w", line.number, err)
	}
	if text == nil {
		return streamAnswer{refusal(err), ours}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(err) // what was just written is JSON
	}
	return streamAnswer{append(b.Bytes(), '\n'), ours}
}

// allocateText is what is printed of the environment in a line.
func (f *allocateFlags) allocateText(rules []policies.Policy, line *streamLine) ([]byte, error) {
	name := fmt.Sprintf("line %d", line.number)
	if line.err != nil {
		return nil, fmt.Errorf("%s: %w", name, line.err)
	}
	text := line.text
	if line.number == 1 {
		var err error
		if text, err = input.TrimMark(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: empty, where an environment is wanted", name)
	}
	env, err := parseEnvironment(name, text, cluster.ReadEnvironment)
	if err != nil {
		return nil, err
	}
	return show(f.divideAll(rules, env), true)
}

// refusal is the line that says why there is no allocation.
func refusal(err error) []byte {
	text := err.Error()
	switch {
	case len(run.Faults(err)) > 0:
		text = "a fault of leontief: " + text
	case isOne(err, new(internalError)):
		text = "internal failure: " + text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]string{"error": text}); err != nil {
		panic(err) // a text can be written
	}
	return b.Bytes()
}

// readLines hands each line of r to work and then to order, until the end of r or of
// ctx. Invariant: a line in order is in work or has been, so that its answer comes.
// The last line need not end with a line break.
func readLines(ctx context.Context, r io.Reader, work, order chan<- *streamLine) {
	defer close(order)
	defer close(work)
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) && text == nil {
			return
		}
		line := &streamLine{number: number, text: text, answer: make(chan streamAnswer, 1)}
		if err != nil && !errors.Is(err, io.EOF) {
			line.err = err
		}
		for _, to := range []chan<- *streamLine{work, order} {
			select {
			case to <- line:
			case <-ctx.Done():
				return
			}
		}
		if err != nil && !errors.Is(err, input.ErrTooLarge) {
			return
		}
	}
}

// readLine reads to the end of a line, which it leaves out. Of a line beyond
// [input.TextLimit] nothing is kept, and the error wraps [input.ErrTooLarge]. At the end
// the error is [io.EOF], with the text of a line that has no line break, else nil.
func readLine(r *bufio.Reader) (text []byte, err error) {
	large := false
	for {
		part, err := r.ReadSlice('\n')
		if large = large || len(text)+len(part) > input.TextLimit; large {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case large && (err == nil || errors.Is(err, io.EOF)):
			return nil, fmt.Errorf("%w: more than %d MiB, the most that is read of a line", input.ErrTooLarge, input.TextLimit>>20)
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return bytes.TrimSuffix(text, []byte("\n")), err
	}
}
