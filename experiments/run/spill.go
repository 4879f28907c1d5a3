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
)

// spilled is a placement as it is kept: with numbers for names.
type spilled struct {
	job    int
	task   int64 // -1: fluid
	server int   // a single one, or else a class
	single bool
	tasks  float64
	start  int64
	end    int64
	why    int
}

// spill keeps placements in a temporary file. The zero spill is ready for use.
type spill struct {
	file *os.File
	out  *bufio.Writer
	err  error
	last int64 // end of the placement before: they end in order of time
	buf  []byte
}

// put adds a placement; an error is that of flush.
func (s *spill) put(p spilled) {
	if s.err != nil {
		return
	}
	if s.file == nil {
		if s.file, s.err = temporary("leontief-placements-*"); s.err != nil {
			return
		}
		s.out = bufio.NewWriterSize(s.file, 1<<16)
	}
	b := append(s.buf[:0], byte(p.why))
	b = binary.AppendUvarint(b, uint64(p.job))
	b = binary.AppendUvarint(b, uint64(p.task+1))
	b = binary.AppendUvarint(b, uint64(p.server))
	b = binary.AppendUvarint(b, uint64(p.end-s.last))
	b = binary.AppendUvarint(b, uint64(p.end-p.start))
	if !p.single {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.tasks))
	}
	s.last, s.buf = p.end, b
	_, s.err = s.out.Write(b)
}

// flush writes what is left to the file.
func (s *spill) flush() error {
	if s.err == nil && s.out != nil {
		s.err = s.out.Flush()
	}
	if s.err != nil {
		return fmt.Errorf("placements, kept in %s: %w", os.TempDir(), s.err)
	}
	return nil
}

// discard removes the file.
func (s *spill) discard() {
	if s.file != nil {
		discardTemporary(s.file)
		s.file = nil
	}
}

// all returns what was put, in that order, after flush.
func (s *spill) all() iter.Seq2[spilled, error] {
	return func(yield func(spilled, error) bool) {
		if s.file == nil {
			return
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			yield(spilled{}, err)
			return
		}
		in, last := bufio.NewReaderSize(s.file, 1<<16), int64(0)
		for {
			p, err := get(in, last)
			if errors.Is(err, io.EOF) {
				return
			}
			last = p.end
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// get reads a placement; the one before ended at last. It is [io.EOF] where there is no
// further one.
func get(in *bufio.Reader, last int64) (p spilled, err error) {
	why, err := in.ReadByte()
	if err != nil {
		return p, err
	}
	var n [5]uint64
	for k := range n {
		if n[k], err = binary.ReadUvarint(in); err != nil {
			return p, fmt.Errorf("placements: %w", noEOF(err))
		}
	}
	p = spilled{job: int(n[0]), task: int64(n[1]) - 1, server: int(n[2]), end: last + int64(n[3]), why: int(why), tasks: 1}
	p.start, p.single = p.end-int64(n[4]), p.task >= 0
	if !p.single {
		var bits [8]byte
		if _, err := io.ReadFull(in, bits[:]); err != nil {
			return p, fmt.Errorf("placements: %w", noEOF(err))
		}
		p.tasks = math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
	}
	return p, nil
}

// noEOF is the error of a file that ends within a placement.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the temporary file ended too early")
	}
	return err
}
