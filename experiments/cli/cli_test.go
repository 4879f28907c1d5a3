package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTheFirstInterruptEndsTheContext(t *testing.T) {
	var messages bytes.Buffer
	ctx, stop := onInterrupt(&messages)
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the context goes on")
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errInterrupted) {
		t.Errorf("cause %v", cause)
	}
	if !strings.Contains(messages.String(), "interrupt again to stop at once") {
		t.Errorf("message %q", messages.String())
	}
}

func TestPlainProgressIsALineATenth(t *testing.T) {
	var b bytes.Buffer
	f := runFlags{progress: "auto"} // a buffer is no terminal
	show := f.reporter(&b)
	for done := 1; done <= 40; done++ {
		show("one", done, 40)
	}
	show("two", 1, 3)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 11 || lines[0] != "one: 4 of 40" || lines[9] != "one: 40 of 40" || lines[10] != "two: 1 of 3" {
		t.Errorf("%q", lines)
	}
}

func TestBarProgressDraws(t *testing.T) {
	var b bytes.Buffer
	f := runFlags{progress: "bar"}
	show := f.reporter(&b)
	show("stage", 1, 2)
	show("stage", 2, 2)
	if !strings.Contains(b.String(), "stage") {
		t.Errorf("nothing was drawn: %q", b.String())
	}
}

func TestExitStatuses(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want int
	}{
		{[]string{"version"}, statusOK},
		{[]string{"nothing"}, statusInput},
		{[]string{"allocate", "a", "b", "--policy", "x"}, statusInput},
	} {
		var out, errs bytes.Buffer
		if got := Main(tc.args, Streams{strings.NewReader(""), &out, &errs}); got != tc.want {
			t.Errorf("%v: status %d, want %d", tc.args, got, tc.want)
		}
		if tc.want != statusOK && (out.Len() > 0 || errs.Len() == 0) {
			t.Errorf("%v: output %q, messages %q", tc.args, &out, &errs)
		}
	}
	// A full disk is not the input's fault.
	if got := Main([]string{"version"}, Streams{strings.NewReader(""), full{}, &bytes.Buffer{}}); got != statusInternal {
		t.Errorf("output that can not be written: status %d", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
