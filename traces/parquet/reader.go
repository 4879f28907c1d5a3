package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// Reader reads a table one row group at a time.
type Reader struct {
	path    string
	columns []Column
	f       *os.File
	in      *file.Reader
	next    int
}

// Open checks the seal of a file, then its columns, and returns a reader at
// its first row. A file that is not what was written gives an error that
// wraps [ErrDamaged]; one with other columns an error that wraps [ErrSchema].
// Every error names the file.
func Open(path string, columns []Column) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, columns: columns, f: f}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return r, nil
}

func (r *Reader) open() error {
	if err := checkSeal(r.f); err != nil {
		return err
	}
	return guard(func() (err error) {
		props := arrowparquet.NewReaderProperties(memory.NewGoAllocator())
		if r.in, err = file.NewParquetReader(r.f, file.WithReadProps(props)); err != nil {
			return err
		}
		return checkColumns(r.in.MetaData().Schema, r.columns)
	})
}

// Meta returns the metadata in the order in which it was given to [Create],
// without the seal.
func (r *Reader) Meta() []KeyValue {
	kv := r.in.MetaData().KeyValueMetadata()
	keys, values := kv.Keys(), kv.Values()
	var meta []KeyValue
	for i, k := range keys {
		if k != SealKey {
			meta = append(meta, KeyValue{k, values[i]})
		}
	}
	return meta
}

// Rows returns the number of rows of the table.
func (r *Reader) Rows() int64 { return r.in.NumRows() }

// Next returns the values of the next row group, a batch for each column. At
// the end it returns io.EOF itself.
func (r *Reader) Next() ([]Values, error) {
	if r.next >= r.in.NumRowGroups() {
		return nil, io.EOF
	}
	batch := make([]Values, len(r.columns))
	err := guard(func() error {
		group := r.in.RowGroup(r.next)
		for i, c := range r.columns {
			column, err := group.Column(i)
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			if batch[i], err = readColumn(column, group.NumRows()); err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: row group %d: %w", r.path, r.next+1, err)
	}
	r.next++
	return batch, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.f.Close() }

// readColumn reads one column chunk of the given number of rows.
func readColumn(column file.ColumnChunkReader, rows int64) (Values, error) {
	var v Values
	var read int64
	var err error
	switch c := column.(type) {
	case *file.Int64ColumnChunkReader:
		v.Ints = make([]int64, rows)
		read, _, err = c.ReadBatch(rows, v.Ints, nil, nil)
	case *file.Float64ColumnChunkReader:
		v.Floats = make([]float64, rows)
		read, _, err = c.ReadBatch(rows, v.Floats, nil, nil)
	case *file.BooleanColumnChunkReader:
		v.Bools = make([]bool, rows)
		read, _, err = c.ReadBatch(rows, v.Bools, nil, nil)
	case *file.ByteArrayColumnChunkReader:
		v.Strings, read, err = readStrings(c, rows)
	}
	if err == nil {
		err = column.Err()
	}
	if err == nil && read != rows {
		err = fmt.Errorf("%d values instead of %d", read, rows)
	}
	return v, err
}

// readStrings reads a text column in small steps: the bytes that the library
// returns are its own and are gone with the next page.
func readStrings(c *file.ByteArrayColumnChunkReader, rows int64) ([]string, int64, error) {
	out := make([]string, 0, rows)
	page := make([]arrowparquet.ByteArray, 1024)
	for int64(len(out)) < rows && c.HasNext() {
		want := min(int64(len(page)), rows-int64(len(out)))
		n, _, err := c.ReadBatch(want, page, nil, nil)
		if err != nil || n == 0 {
			return out, int64(len(out)), err
		}
		for _, b := range page[:n] {
			out = append(out, string(b))
		}
	}
	return out, int64(len(out)), nil
}
