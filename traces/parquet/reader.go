package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/leontief-sim/leontief/traces/input"
)

// Reader reads a sealed table in batches of at most [RowGroup] rows. It may be read by
// several at once.
type Reader struct {
	path    string
	file    *os.File // nil where the table is in memory
	in      *Table
	columns []Column
	places  []int // of the columns
}

// Open checks the seal of a file, then its columns, and returns a reader. The
// columns must be the given ones in their order, with missing
// values where the given ones are optional; those that came later may be missing
// together with all behind them. nil allows any, see [Reader.Columns].
// A file that is not what was written gives an error that wraps [ErrDamaged]; one
// with other columns an error that wraps [ErrSchema]. Every error names the file.
func Open(path string, columns []Column) (*Reader, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, file: f}
	info, err := f.Stat()
	if err == nil {
		err = r.open(f, info.Size(), columns)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", input.Path(path), err), f.Close())
	}
	return r, nil
}

// OpenBytes is [Open] of a file of which all bytes were read already, from a pipe say.
// Its name is for errors.
func OpenBytes(name string, data []byte, columns []Column) (*Reader, error) {
	r := &Reader{path: name}
	if err := r.open(bytes.NewReader(data), int64(len(data)), columns); err != nil {
		return nil, fmt.Errorf("%s: %w", input.Path(name), err)
	}
	return r, nil
}

func (r *Reader) open(in io.ReaderAt, size int64, columns []Column) (err error) {
	if err := checkSeal(in, size); err != nil {
		return err
	}
	if r.in, err = NewTable(in, size); err != nil {
		return err
	}
	if r.columns, err = r.in.columns(); err != nil {
		return err
	}
	for i := range r.columns {
		r.places = append(r.places, i)
	}
	if columns == nil {
		return nil
	}
	return matches(r.columns, columns)
}

// columns returns the columns of a table of ours.
func (t *Table) columns() ([]Column, error) {
	columns := make([]Column, len(t.fields))
	for i := range t.fields {
		f := &t.fields[i]
		columns[i] = Column{Name: f.name, Kind: f.slot(), Optional: f.optional}
		if f.nested || f.physical.kind != columns[i].Kind.physical() {
			return nil, fmt.Errorf("%w: column %q has values of type %s", ErrSchema, f.name, f.kind)
		}
	}
	return columns, nil
}

// matches compares columns with those that are wanted.
func matches(columns, want []Column) error {
	if len(columns) > len(want) || len(columns) < len(want) && !want[len(columns)].Later {
		return fmt.Errorf("%w: %d, not %d", ErrSchema, len(columns), len(want))
	}
	for i, c := range columns {
		w := want[i]
		if w.Plain, w.Later = false, false; c != w {
			return fmt.Errorf("%w: column %d is %v, not %v", ErrSchema, i+1, c, w)
		}
	}
	return nil
}

// Columns returns the columns in their order.
func (r *Reader) Columns() []Column { return r.columns }

// Meta returns the metadata in the order in which it was given to the writer,
// without the seal.
func (r *Reader) Meta() []KeyValue {
	var meta []KeyValue
	for _, kv := range r.in.Meta() {
		if kv.Key != SealKey {
			meta = append(meta, kv)
		}
	}
	return meta
}

// Rows returns the number of rows of the table.
func (r *Reader) Rows() int64 { return r.in.Rows() }

// Batches iterates over the values of the columns, at most [RowGroup] rows at a
// time, which are valid until the next batch. After an error it ends.
func (r *Reader) Batches() iter.Seq2[[]Values, error] { return r.batches(RowGroup) }

func (r *Reader) batches(most int64) iter.Seq2[[]Values, error] {
	return func(yield func([]Values, error) bool) {
		for batch, err := range r.in.batches(r.places, most) {
			if err != nil {
				err = fmt.Errorf("%s: %w", input.Path(r.path), err)
			}
			if !yield(batch.Columns, err) {
				return
			}
		}
	}
}

// Close closes the file, if there is one.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
