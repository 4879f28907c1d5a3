package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/leontief-sim/leontief/traces/input"
)

// Reader reads a sealed table in batches of at most [RowGroup] rows.
type Reader struct {
	path    string
	columns []int
	f       *os.File
	in      *Table
	group   *groupReader // nil before the first
	next    int          // row group
}

// Open checks the seal of a file, then its columns, and returns a reader at
// its first row. A file that is not what was written gives an error that
// wraps [ErrDamaged]; one with other columns an error that wraps [ErrSchema].
// Every error names the file.
func Open(path string, columns []Column) (*Reader, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, f: f}
	if err := r.open(columns); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", input.Path(path), err), f.Close())
	}
	return r, nil
}

func (r *Reader) open(columns []Column) error {
	if err := checkSeal(r.f); err != nil {
		return err
	}
	info, err := r.f.Stat()
	if err != nil {
		return err
	}
	if r.in, err = NewTable(r.f, info.Size()); err != nil {
		return err
	}
	for i := range columns {
		r.columns = append(r.columns, i)
	}
	return r.in.Matches(columns)
}

// Meta returns the metadata in the order in which it was given to [Create],
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

// Next returns the values of the next rows, a batch for each column, which are
// valid until the next call. At the end it returns io.EOF itself.
func (r *Reader) Next() ([]Values, error) {
	for r.group == nil || r.group.left == 0 {
		if r.next == len(r.in.meta.RowGroups) {
			return nil, io.EOF
		}
		group, err := r.in.openGroup(r.next, r.columns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", input.Path(r.path), err)
		}
		r.group = group
		r.next++
	}
	batch, _, err := r.group.next(RowGroup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Path(r.path), err)
	}
	return batch, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.f.Close() }
