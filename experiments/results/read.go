package results

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/parquet"
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
func ReadTableMeta(path string) (rows []Row, meta Meta, err error) {
	r, err := parquet.Open(path, layout())
	if errors.Is(err, parquet.ErrSchema) || errors.Is(err, parquet.ErrUnsealed) {
		err = fmt.Errorf("%w: %w", ErrNotTable, err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if meta, err = fileMeta(r.Meta()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", input.Path(path), err)
	}
	texts := map[string]string{}
	for {
		batch, err := r.Next()
		if err == io.EOF {
			return rows, meta, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for i := range parquet.Rows(r.Columns(), batch) {
			row := rowOf(batch, i, texts)
			if err := checkRow(&row); err != nil {
				return nil, nil, fmt.Errorf("%s: row %d, %w", input.Path(path), len(rows), err)
			}
			rows = append(rows, row)
		}
	}
}

func (c column) kind() parquet.Kind {
	switch {
	case c.i64 != nil:
		return parquet.Int64
	case c.f64 != nil:
		return parquet.Float64
	}
	return parquet.String
}

// rowOf returns row i of a batch, with one string for equal texts.
func rowOf(batch []parquet.Values, i int, texts map[string]string) (row Row) {
	for k, c := range columns {
		switch v := &batch[k]; {
		case c.i64 != nil:
			*c.i64(&row) = v.Ints[i]
		case c.f64 != nil:
			*c.f64(&row) = v.Floats[i]
		default:
			*c.text(&row) = intern(texts, v.Strings[i])
		}
	}
	return row
}

// fileMeta takes the table's own keys out of the file's.
func fileMeta(pairs []parquet.KeyValue) (Meta, error) {
	meta := Meta{}
	for _, kv := range pairs {
		switch k, v := kv.Key, kv.Value; {
		case k == keyVersion && v != schemaVersion:
			return nil, fmt.Errorf("result table of version %q, this program reads %q", v, schemaVersion)
		case !strings.HasPrefix(k, reservedKeys):
			meta[k] = v
		}
	}
	return meta, nil
}

// intern returns v as a string, one string for equal values.
func intern(known map[string]string, v string) string {
	if s, ok := known[v]; ok {
		return s
	}
	known[v] = v
	return v
}
