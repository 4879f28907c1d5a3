package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/output"
)

// Writer writes one table, to a file ([Create]) or anywhere else ([NewWriter]). A
// file appears under its name only when Close has succeeded; until then the rows
// are in a temporary file in the same folder.
type Writer struct {
	columns []Column
	sealer  *sealer
	out     *file.Writer
	err     error
	closed  bool

	path string
	tmp  *output.File // nil: not a file of ours
}

// NewWriter starts a table on out, to which Close writes the last of it. The
// metadata keys must differ from each other and from [SealKey].
func NewWriter(out io.Writer, columns []Column, meta []KeyValue) (*Writer, error) {
	kv := metadata.NewKeyValueMetadata()
	for _, m := range append(slices.Clip(meta), KeyValue{SealKey, blankSeal}) {
		if kv.FindValue(m.Key) != nil {
			panic(fmt.Sprintf("parquet: metadata key %q is reserved or given twice", m.Key))
		}
		if err := kv.Append(m.Key, m.Value); err != nil {
			return nil, fmt.Errorf("metadata %s: %w", m.Key, err)
		}
	}
	w := &Writer{columns: columns, sealer: newSealer(out)}
	err := guard(func() error {
		w.out = file.NewParquetWriter(w.sealer, node(columns),
			file.WithWriterProps(properties(columns)), file.WithWriteMetadata(kv))
		return nil
	})
	return w, err
}

// Create starts a table in a file. The caller must call Close or Abort.
func Create(path string, columns []Column, meta []KeyValue) (*Writer, error) {
	tmp, err := output.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(tmp, columns, meta)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), tmp.Abort())
	}
	w.path, w.tmp = path, tmp
	return w, nil
}

// properties fixes everything that decides the bytes of a file. Plain and
// dictionary encodings only: the delta encodings of this library fail on some
// columns.
func properties(columns []Column) *arrowparquet.WriterProperties {
	all := []arrowparquet.WriterProperty{
		arrowparquet.WithCompression(compress.Codecs.Snappy),
		arrowparquet.WithDictionaryDefault(true),
		// A dictionary never overflows: for a column with both kinds of pages the
		// library writes its statistics in the order of a map.
		arrowparquet.WithDictionaryPageSizeLimit(1 << 40),
		arrowparquet.WithVersion(arrowparquet.V2_LATEST),
		arrowparquet.WithCreatedBy("leontief"),
	}
	for _, c := range columns {
		if c.Plain {
			all = append(all, arrowparquet.WithDictionaryFor(c.Name, false))
		}
	}
	return arrowparquet.NewWriterProperties(all...)
}

// Write appends one row group: a batch of equally many values for each
// column. It panics when the batch does not fit the columns, which is the
// caller's mistake. After an error the writer is of no use but to Abort.
func (w *Writer) Write(batch []Values) error {
	rows := Rows(w.columns, batch)
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

// writeColumn writes the values of one column chunk and closes it.
func writeColumn(column file.ColumnChunkWriter, v *Values) error {
	var err error
	optional := column.Descr().MaxDefinitionLevel() > 0
	switch c := column.(type) {
	case *file.Int64ColumnChunkWriter:
		values, levels := present(v.Ints, v.Nulls, optional)
		_, err = c.WriteBatch(values, levels, nil)
	case *file.Float64ColumnChunkWriter:
		values, levels := present(v.Floats, v.Nulls, optional)
		_, err = c.WriteBatch(values, levels, nil)
	case *file.BooleanColumnChunkWriter:
		values, levels := present(v.Bools, v.Nulls, optional)
		_, err = c.WriteBatch(values, levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		values, levels := present(v.Strings, v.Nulls, optional)
		_, err = c.WriteBatch(byteArrays(values), levels, nil)
	default:
		panic(fmt.Sprintf("parquet: no writer for %T", column))
	}
	if err != nil {
		return err
	}
	return column.Close()
}

// byteArrays are texts as the library wants them; equal ones that follow each other are one.
func byteArrays(texts []string) []arrowparquet.ByteArray {
	arrays := make([]arrowparquet.ByteArray, len(texts))
	for i, s := range texts {
		if i > 0 && s == texts[i-1] {
			arrays[i] = arrays[i-1]
			continue
		}
		arrays[i] = arrowparquet.ByteArray(s)
	}
	return arrays
}

// present returns the values that are there and, for an optional column, a level
// for each value, as the format has them: 1, or 0 for one that is missing.
func present[T any](values []T, nulls []bool, optional bool) (there []T, levels []int16) {
	if !optional {
		return values, nil
	}
	if !slices.Contains(nulls, true) {
		return values, slices.Repeat([]int16{1}, len(values))
	}
	levels = make([]int16, len(values))
	for i, v := range values {
		if i >= len(nulls) || !nulls[i] {
			levels[i] = 1
			there = append(there, v)
		}
	}
	return there, levels
}

// Close writes the footer with the seal in it. A file is then forced to disk and
// given its name, replacing a file of that name; on an error nothing is left behind
// and a file of that name is as it was.
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
	w.sealer.footer = &bytes.Buffer{}
	steps := []func() error{func() error { return guard(w.out.Close) }, w.sealer.close}
	if w.tmp != nil {
		steps = append(steps, w.tmp.Commit)
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
	if w.tmp == nil {
		return nil
	}
	return w.tmp.Abort()
}

// fail returns the writer's error with the file's name.
func (w *Writer) fail() error {
	if w.err == nil || w.tmp == nil {
		return w.err
	}
	return fmt.Errorf("%s: %w", w.path, w.err)
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
