package plots

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// ErrNotTable is the error of a file that is no result table of this layout:
// another Parquet file, say.
var ErrNotTable = errors.New("not a result table")

// ReadTable returns the rows of a table that [WriteTable] wrote, in their
// order. A file that is damaged, cut short or of another layout is an error
// that names the file.
func ReadTable(path string) ([]Row, error) {
	rows, _, err := ReadTableMeta(path)
	return rows, err
}

// ReadTableMeta is [ReadTable] with what the file says about itself.
func ReadTableMeta(path string) ([]Row, Meta, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	rows, meta, err := decodeTable(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, meta, nil
}

// decodeTable reads one column after the other on the calling goroutine: arrow
// panics on some damaged files, and only a panic on this goroutine can be
// turned into an error.
func decodeTable(data []byte) (rows []Row, meta Meta, err error) {
	defer func() {
		if p := recover(); p != nil {
			rows, meta, err = nil, nil, fmt.Errorf("damaged Parquet file: %v", p)
		}
	}()
	if err := checkSeal(data); err != nil {
		return nil, nil, err
	}
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if err := checkLayout(r.MetaData(), len(data)); err != nil {
		return nil, nil, err
	}
	for g := range r.NumRowGroups() {
		more, err := readGroup(r.RowGroup(g))
		if err != nil {
			return nil, nil, fmt.Errorf("row group %d: %w", g, err)
		}
		rows = append(rows, more...)
	}
	for i := range rows {
		if err := checkRow(&rows[i]); err != nil {
			return nil, nil, fmt.Errorf("row %d, %w", i, err)
		}
	}
	meta, err = fileMeta(r.MetaData().KeyValueMetadata())
	return rows, meta, err
}

// checkLayout compares the footer with the layout of a table and with the size
// of the file before anything is read on its word.
func checkLayout(m *metadata.FileMetaData, size int) error {
	if m.Schema.NumColumns() != len(columns) {
		return fmt.Errorf("%w: %d columns, want %d", ErrNotTable, m.Schema.NumColumns(), len(columns))
	}
	for k, c := range columns {
		d := m.Schema.Column(k)
		if d.Name() != c.name || d.PhysicalType() != c.physical() || d.MaxRepetitionLevel() != 0 {
			return fmt.Errorf("%w: column %d is %q (%v), want %q (%v)", ErrNotTable,
				k, d.Name(), d.PhysicalType(), c.name, c.physical())
		}
	}
	for g := range len(m.RowGroups) {
		for k, c := range columns {
			chunk, err := m.RowGroup(g).ColumnChunk(k)
			if err != nil {
				return err
			}
			start, n := chunk.DataPageOffset(), chunk.TotalCompressedSize()
			if chunk.HasDictionaryPage() { // it comes first, and counts
				start = min(start, chunk.DictionaryPageOffset())
			}
			if start < 0 || n < 0 || start > int64(size) || n > int64(size)-start {
				return fmt.Errorf("damaged Parquet file: column %s lies outside it", c.name)
			}
		}
	}
	return nil
}

func (c column) physical() parquet.Type {
	switch {
	case c.i64 != nil:
		return parquet.Types.Int64
	case c.f64 != nil:
		return parquet.Types.Double
	}
	return parquet.Types.ByteArray
}

// fileMeta takes the table's own keys out of the file's.
func fileMeta(kv metadata.KeyValueMetadata) (Meta, error) {
	meta := Meta{}
	for i, k := range kv.Keys() {
		switch v := kv.Values()[i]; {
		case k == keyVersion && v != schemaVersion:
			return nil, fmt.Errorf("result table of version %q, this program reads %q", v, schemaVersion)
		case !strings.HasPrefix(k, reservedKeys):
			meta[k] = v
		}
	}
	return meta, nil
}

// batch is the number of values read at a time: memory follows what the file
// holds and not what its footer promises.
const batch = 4096

func readGroup(g *file.RowGroupReader) ([]Row, error) {
	var rows []Row
	texts := map[string]string{}
	for k, c := range columns {
		chunk, err := g.Column(k)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		at := func(i int) *Row {
			if k == 0 && i == len(rows) {
				rows = append(rows, Row{})
			}
			return &rows[i]
		}
		var n int
		switch r := chunk.(type) {
		case *file.ByteArrayColumnChunkReader:
			n, err = readColumn(r, func(i int, v parquet.ByteArray) { *c.text(at(i)) = intern(texts, v) })
		case *file.Int64ColumnChunkReader:
			n, err = readColumn(r, func(i int, v int64) { *c.i64(at(i)) = v })
		case *file.Float64ColumnChunkReader:
			n, err = readColumn(r, func(i int, v float64) { *c.f64(at(i)) = v })
		}
		if err == nil && int64(n) != g.NumRows() {
			err = fmt.Errorf("%d values in %d rows", n, g.NumRows())
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return rows, nil
}

// columnReader is what arrow's readers of one column chunk have in common.
type columnReader[T any] interface {
	HasNext() bool
	Err() error
	ReadBatch(batchSize int64, values []T, defLvls, repLvls []int16) (total int64, valuesRead int, err error)
}

// readColumn gives every value of r to put and returns how many there were.
func readColumn[T any](r columnReader[T], put func(i int, v T)) (int, error) {
	values, levels, n := make([]T, batch), make([]int16, batch), 0
	for r.HasNext() {
		total, read, err := r.ReadBatch(batch, values, levels, nil)
		if err != nil {
			return n, err
		}
		if int64(read) != total {
			return n, fmt.Errorf("no value in one of the rows %d to %d", n, n+int(total)-1)
		}
		if read == 0 {
			return n, fmt.Errorf("damaged page after row %d", n)
		}
		for i, v := range values[:read] {
			put(n+i, v)
		}
		n += read
	}
	return n, r.Err()
}

// intern returns v as a string, one string for equal values.
func intern(known map[string]string, v []byte) string {
	if s, ok := known[string(v)]; ok {
		return s
	}
	s := string(v)
	known[s] = s
	return s
}
