package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/leontief-sim/leontief/traces/output"

	"github.com/leontief-sim/leontief/traces/input"
)

// Writer writes one table. The file appears under its name only when Close
// has succeeded; until then the rows are in a temporary file in the same
// folder.
type Writer struct {
	path    string
	columns []Column
	tmp     *output.File
	buf     *bufio.Writer
	out     *file.Writer
	err     error
	closed  bool
}

// Create starts a table. The metadata keys must differ from each other and
// from [SealKey]. The caller must call Close or Abort.
func Create(path string, columns []Column, meta []KeyValue) (*Writer, error) {
	kv := metadata.NewKeyValueMetadata()
	for _, m := range meta {
		if m.Key == SealKey || kv.FindValue(m.Key) != nil {
			panic(fmt.Sprintf("parquet: metadata key %q is reserved or given twice", m.Key))
		}
		if err := kv.Append(m.Key, m.Value); err != nil {
			return nil, fmt.Errorf("%s: metadata %s: %w", path, m.Key, err)
		}
	}
	if err := kv.Append(SealKey, blankSeal); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tmp, err := output.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, columns: columns, tmp: tmp, buf: bufio.NewWriterSize(tmp, 1<<18)}
	w.err = guard(func() error {
		w.out = file.NewParquetWriter(noClose{w.buf}, node(columns),
			file.WithWriterProps(properties()), file.WithWriteMetadata(kv))
		return nil
	})
	if w.err != nil {
		return nil, errors.Join(w.fail(), w.Abort())
	}
	return w, nil
}

// properties fixes everything that decides the bytes of a file. Plain and
// dictionary encodings only: the delta encodings of this library fail on some
// columns.
func properties() *arrowparquet.WriterProperties {
	return arrowparquet.NewWriterProperties(
		arrowparquet.WithCompression(compress.Codecs.Snappy),
		arrowparquet.WithDictionaryDefault(true),
		// A dictionary never overflows: for a column with both kinds of pages the
		// library writes its statistics in the order of a map.
		arrowparquet.WithDictionaryPageSizeLimit(1<<40),
		arrowparquet.WithVersion(arrowparquet.V2_LATEST),
		arrowparquet.WithCreatedBy("leontief"),
	)
}

// noClose keeps the Parquet writer from closing what the Writer closes.
type noClose struct{ *bufio.Writer }

// Write appends one row group: a batch of equally many values for each
// column. It panics when the batch does not fit the columns, which is the
// caller's mistake. After an error the writer is of no use but to Abort.
func (w *Writer) Write(batch []Values) error {
	rows := rowsOf(w.columns, batch)
	if w.err != nil || rows == 0 {
		return w.err
	}
	w.err = guard(func() error {
		group := w.out.AppendRowGroup()
		for i := range w.columns {
			column, err := group.NextColumn()
			if err != nil {
				return err
			}
			if err := writeColumn(column, &batch[i]); err != nil {
				return err
			}
		}
		return group.Close()
	})
	return w.fail()
}

// rowsOf returns the number of rows of a batch.
func rowsOf(columns []Column, batch []Values) int {
	if len(batch) != len(columns) {
		panic(fmt.Sprintf("parquet: %d columns in a batch of a table of %d", len(batch), len(columns)))
	}
	rows := batch[0].len(columns[0].Kind)
	for i, c := range columns {
		if n := batch[i].len(c.Kind); n != rows {
			panic(fmt.Sprintf("parquet: column %s has %d values, column %s %d", c.Name, n, columns[0].Name, rows))
		}
	}
	return rows
}

// writeColumn writes the values of one column chunk and closes it.
func writeColumn(column file.ColumnChunkWriter, v *Values) error {
	var err error
	switch c := column.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = c.WriteBatch(v.Ints, nil, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = c.WriteBatch(v.Floats, nil, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = c.WriteBatch(v.Bools, nil, nil)
	case *file.ByteArrayColumnChunkWriter:
		bytes := make([]arrowparquet.ByteArray, len(v.Strings))
		for i, s := range v.Strings {
			bytes[i] = arrowparquet.ByteArray(s)
		}
		_, err = c.WriteBatch(bytes, nil, nil)
	default:
		panic(fmt.Sprintf("parquet: no writer for %T", column))
	}
	if err != nil {
		return err
	}
	return column.Close()
}

// Close writes the footer, seals the file, forces it to disk and gives it its
// name, replacing a file of that name. On an error nothing is left behind and
// a file of that name is as it was.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.err = w.finish()
	if w.err != nil {
		return errors.Join(w.fail(), w.Abort())
	}
	w.closed = true
	return nil
}

// finish does the steps of Close up to the renaming.
func (w *Writer) finish() error {
	if w.err != nil {
		return w.err
	}
	steps := []func() error{
		func() error { return guard(w.out.Close) },
		w.buf.Flush,
		func() error { return seal(w.tmp.File) },
		w.tmp.Commit,
		func() error { return syncFolder(filepath.Dir(w.path)) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Abort discards the table. After Close it does nothing.
func (w *Writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.tmp.Abort()
}

// fail returns the writer's error with the file's name.
func (w *Writer) fail() error {
	if w.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", w.path, w.err)
}

// syncFolder makes a renaming in the folder durable.
var syncFolder = func(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// errLibrary is the error of a panic of the Parquet library.
var errLibrary = errors.New("the Parquet library failed on it")

// guard runs code of the Parquet library, which panics on some failures, and
// turns a panic into an error. The library is used without goroutines, so
// this sees all of them.
func guard(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // says nothing about the file
			err = errLibrary
		default:
			err = fmt.Errorf("%w: %s", errLibrary, input.Line(fmt.Sprint(p)))
		}
	}()
	return f()
}
