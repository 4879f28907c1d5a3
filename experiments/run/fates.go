package run

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
)

// fates keeps what became of jobs that are not held: a record each, by number, in a
// temporary file. So they go out in the order in which jobs end, and come back in that of
// their numbers. The zero fates is ready for use.
type fates struct {
	file *os.File
	buf  [fateBytes]byte
}

// fateBytes is the size of a record: three times and a count, and a byte of flags.
const fateBytes = 4*8 + 1

const (
	fateRefused = 1 << iota
	fateBeyondClock
)

// put notes what became of a job.
func (f *fates) put(number int, r *sim.JobResult) (err error) {
	if f.file == nil {
		if f.file, err = temporary("leontief-jobs-*"); err != nil {
			return err
		}
	}
	for k, v := range [...]uint64{uint64(r.FirstStart), uint64(r.Completion), math.Float64bits(r.Standalone), uint64(r.Suspensions)} {
		binary.LittleEndian.PutUint64(f.buf[8*k:], v)
	}
	flags := byte(0)
	if r.Refused {
		flags |= fateRefused
	}
	if r.BeyondClock {
		flags |= fateBeyondClock
	}
	f.buf[fateBytes-1] = flags
	_, err = f.file.WriteAt(f.buf[:], int64(number)*fateBytes)
	return err
}

// all returns what was put by the number of the job, without the time of arrival.
func (f *fates) all() iter.Seq2[sim.JobResult, error] {
	return func(yield func(sim.JobResult, error) bool) {
		if f.file == nil {
			return
		}
		in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, math.MaxInt64), 1<<16)
		var b [fateBytes]byte
		for {
			if _, err := io.ReadFull(in, b[:]); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(sim.JobResult{}, fmt.Errorf("jobs, kept in %s: %w", os.TempDir(), err))
				}
				return
			}
			number := func(k int) uint64 { return binary.LittleEndian.Uint64(b[8*k:]) }
			flags := b[fateBytes-1]
			r := sim.JobResult{FirstStart: event.Time(number(0)), Completion: event.Time(number(1)), Standalone: math.Float64frombits(number(2)),
				Suspensions: int64(number(3)), Refused: flags&fateRefused != 0, BeyondClock: flags&fateBeyondClock != 0}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// discard removes the file.
func (f *fates) discard() {
	if f.file != nil {
		discardTemporary(f.file)
		f.file = nil
	}
}

// temporary creates a temporary file, which has no name any more once it is open where the
// system can do that.
func temporary(pattern string) (*os.File, error) {
	file, err := os.CreateTemp("", pattern)
	if err == nil {
		_ = os.Remove(file.Name()) // again in discardTemporary, where an open file keeps its name
	}
	return file, err
}

func discardTemporary(file *os.File) {
	file.Close()
	_ = os.Remove(file.Name())
}

// fate is a job and what became of it.
type fate struct {
	submission
	*sim.JobResult
}

// Discard removes what is kept of the jobs in a file.
func (o *Outcome) Discard() {
	if o != nil {
		o.kept.discard()
	}
}

// fates iterates over the jobs of a case, by number, and what became of them.
func (c *Case) fates(o *Outcome) iter.Seq2[fate, error] {
	return func(yield func(fate, error) bool) {
		next, end := iter.Pull2(o.each())
		defer end()
		for s, err := range c.submissions() {
			if err != nil {
				yield(fate{}, err)
				return
			}
			r, err, ok := next()
			if err == nil && !ok {
				err = fmt.Errorf("job %s has no result", s.ID)
			}
			r.Arrival = event.Time(s.SubmitUS)
			if !yield(fate{s, &r}, err) || err != nil {
				return
			}
		}
	}
}

// each iterates over what became of the jobs, by number.
func (o *Outcome) each() iter.Seq2[sim.JobResult, error] {
	if o.Jobs == nil {
		return o.kept.all()
	}
	return func(yield func(sim.JobResult, error) bool) {
		for i := range o.Jobs {
			if !yield(o.Jobs[i], nil) {
				return
			}
		}
	}
}
