package results

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/output"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Meta is what a table's file says about itself beside its rows: seed, spec,
// versions. Keys that start with "leontief." are reserved.
type Meta map[string]string

const (
	reservedKeys  = "leontief."
	keyVersion    = "leontief.table.version"
	schemaVersion = "4"
)

// ErrNotTable is the error of a file that is no result table of this layout:
// another Parquet file, say.
var ErrNotTable = errors.New("not a result table")

// layout returns the columns of a table of rows with these heads: those of every table,
// and between them one for each parameter that some row has, in order of name. A column
// whose values are whole numbers and others holds numbers, one that also has texts
// holds texts.
func layout(heads []Row) []parquet.Column {
	types := map[string]Type{}
	seen := map[Point]bool{}
	for i := range heads {
		p := heads[i].Point
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, name := range p.Names() {
			types[name] = max(types[name], p.At(name).Type())
		}
	}
	text := func(name string) parquet.Column {
		return parquet.Column{Name: name, Kind: parquet.String, Optional: true}
	}
	columns := []parquet.Column{text("experiment"), text("item"), text("policy")}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		kind := [...]parquet.Kind{Int: parquet.Int64, Float: parquet.Float64, Text: parquet.String}[types[name]]
		columns = append(columns, parquet.Column{Name: name, Kind: kind, Optional: true})
	}
	return append(columns,
		parquet.Column{Name: "instance", Kind: parquet.Int64},
		text("user"),
		parquet.Column{Name: "time_s", Kind: parquet.Float64, Optional: true},
		parquet.Column{Name: "metric", Kind: parquet.String},
		parquet.Column{Name: "value", Kind: parquet.Float64, Plain: true},
		parquet.Column{Name: "unit", Kind: parquet.String},
		text("workload"))
}

// WriteTable writes rows, in their order, as one sealed Parquet file. The file
// appears whole or not at all, and equal rows and meta give equal bytes. It returns
// an error that names the row (from 0) and the column where a number is not finite,
// a text is not UTF-8, or the metric is not registered or has another unit.
func WriteTable(path string, rows []Row, meta Meta) error {
	return WritePacked(path, Pack(rows), meta)
}

// WritePacked is [WriteTable] of packed rows.
func WritePacked(path string, rows *Packed, meta Meta) error {
	data, err := encodeTable(rows, meta)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return output.WriteFile(path, data)
}

func encodeTable(rows *Packed, meta Meta) ([]byte, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	pairs := []parquet.KeyValue{{Key: keyVersion, Value: schemaVersion}}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if strings.HasPrefix(key, reservedKeys) {
			return nil, fmt.Errorf("metadata key %q is reserved", key)
		}
		pairs = append(pairs, parquet.KeyValue{Key: key, Value: meta[key]})
	}
	var buf bytes.Buffer
	rows = rows.packed()
	columns := layout(rows.heads)
	w, err := parquet.NewWriter(&buf, columns, pairs)
	if err != nil {
		return nil, err
	}
	for from := 0; from < rows.Len(); from += parquet.RowGroup {
		batch, to := make([]parquet.Values, len(columns)), min(from+parquet.RowGroup, rows.Len())
		for k, c := range columns {
			batch[k] = rows.column(c, from, to)
		}
		if err := w.Write(batch); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return buf.Bytes(), err
}

// checkRows returns an error that names the row and the column that no table may hold.
func checkRows(rows *Packed) error {
	if rows.sound() {
		return nil
	}
	last := Point{}
	for i := range rows.Len() {
		r := rows.row(i)
		if err := r.check(last); err != nil {
			return fmt.Errorf("row %d, %w", i, err)
		}
		last = r.Point
		if err := r.checkUnit(); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// ReadTable returns the rows of a table that [WriteTable] wrote, in their
// order. A file that is damaged, cut short or of another layout is an error
// that names the file.
func ReadTable(path string) ([]Row, error) {
	rows, _, err := ReadTableMeta(path)
	return rows, err
}

// ReadTableMeta is [ReadTable] with what the file says about itself.
func ReadTableMeta(path string) (rows []Row, meta Meta, err error) {
	of := func(n int) { rows = slices.Grow(rows, min(n, mostAtOnce)) }
	meta, err = readTable(path, of, func(r Row) { rows = append(rows, r) })
	if err != nil {
		return nil, nil, err
	}
	return rows, meta, nil
}

// ReadPacked is [ReadTableMeta] of rows that are packed as they are read.
func ReadPacked(path string) (*Packed, Meta, error) {
	rows := &Packed{}
	meta, err := readTable(path, rows.grow, rows.Add)
	if err != nil {
		return nil, nil, err
	}
	return rows, meta, nil
}

// mostAtOnce is the number of rows for which there is memory before they are read: a file
// that is damaged may say any number.
const mostAtOnce = 1 << 20

// readTable says how many rows there are, and gives them one by one.
func readTable(path string, of func(rows int), add func(Row)) (meta Meta, err error) {
	r, err := parquet.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	inFile := func(err error) error { return fmt.Errorf("%s: %w", input.Path(path), err) }
	if meta, err = metaOf(r.Meta()); err == nil {
		err = checkColumns(r.Columns())
	}
	if err != nil {
		return nil, inFile(err)
	}
	of(int(r.Rows()))
	reader, last, n := newRowReader(r.Columns()), Point{}, 0
	for batch, err := range r.Batches() {
		if err != nil {
			return nil, err
		}
		for i := range batch[reader.at("instance")].Ints {
			row := reader.row(batch, i)
			if err := row.check(last); err != nil {
				return nil, inFile(fmt.Errorf("row %d, %w", n, err))
			}
			last = row.Point
			add(row)
			n++
		}
	}
	return meta, nil
}

// metaOf takes the table's own key out of the file's.
func metaOf(pairs []parquet.KeyValue) (Meta, error) {
	meta, version := Meta{}, ""
	for _, pair := range pairs {
		if pair.Key == keyVersion {
			version = pair.Value
			continue
		}
		meta[pair.Key] = pair.Value
	}
	switch version {
	case schemaVersion:
		return meta, nil
	case "":
		return nil, fmt.Errorf("%w: it says no version of its layout", ErrNotTable)
	}
	return nil, fmt.Errorf("result table of version %q, this program reads %q", version, schemaVersion)
}

// checkColumns compares columns with those that every table has.
func checkColumns(columns []parquet.Column) error {
	all := layout(nil)
	n := len(columns)
	if n < len(all) || !slices.Equal(names(columns[:len(before)]), names(all[:len(before)])) || !slices.Equal(names(columns[n-len(behind):]), names(all[len(before):])) {
		return fmt.Errorf("%w: it has the columns %v", ErrNotTable, names(columns))
	}
	fixed := slices.Concat(columns[:len(before)], columns[n-len(behind):])
	for i, c := range fixed {
		if c.Kind != all[i].Kind || c.Optional != all[i].Optional {
			return fmt.Errorf("%w: column %s is of another type", ErrNotTable, c.Name)
		}
	}
	return nil
}

func names(columns []parquet.Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

// rowReader makes rows of batches, with one string for equal texts and one point
// for rows of the same parameters that follow each other.
type rowReader struct {
	columns      []parquet.Column
	texts        map[string]string
	values, last []Value // of this row and of the one before
	point        Point   // of the row before
}

func newRowReader(columns []parquet.Column) *rowReader {
	return &rowReader{columns: columns, texts: map[string]string{}, values: make([]Value, len(columns)), last: make([]Value, len(columns))}
}

func (d *rowReader) at(name string) int {
	return slices.IndexFunc(d.columns, func(c parquet.Column) bool { return c.Name == name })
}

// row returns row i of a batch.
func (d *rowReader) row(batch []parquet.Values, i int) Row {
	for k, c := range d.columns {
		d.values[k] = d.value(c, &batch[k], i)
	}
	values, n := d.values, len(d.values)
	text := func(k int) string { return values[k].text }
	row := Row{Experiment: text(0), Item: text(1), Policy: text(2), Instance: values[n-7].whole, User: text(n - 6),
		Timed: !values[n-5].IsNull(), TimeS: values[n-5].float, Metric: text(n - 4), Value: values[n-3].float, Unit: text(n - 2), Workload: text(n - 1)}
	from, to := len(before), n-len(behind)
	if !slices.Equal(values[from:to], d.last[from:to]) {
		d.point = pointOfColumns(d.columns[from:to], values[from:to])
	}
	d.values, d.last = d.last, d.values
	row.Point = d.point
	return row
}

// pointOfColumns returns the point of the values of columns.
func pointOfColumns(columns []parquet.Column, values []Value) Point {
	if !slices.IsSortedFunc(columns, func(a, b parquet.Column) int { return strings.Compare(a.Name, b.Name) }) {
		all := map[string]Value{}
		for k, v := range values {
			all[columns[k].Name] = v
		}
		return NewPoint(all)
	}
	var p params
	for k, v := range values {
		if !v.IsNull() {
			p.names, p.values = append(p.names, columns[k].Name), append(p.values, v)
		}
	}
	return p.point()
}

// value returns value i of a column.
func (d *rowReader) value(c parquet.Column, from *parquet.Values, i int) Value {
	if c.Optional && from.Nulls[i] {
		return Value{}
	}
	switch c.Kind {
	case parquet.Int64:
		return OfInt(from.Ints[i])
	case parquet.Float64:
		return Value{of: Float, float: from.Floats[i]} // check refuses what is not finite
	case parquet.Bool:
		return OfText(fmt.Sprint(from.Bools[i]))
	}
	text, known := d.texts[from.Strings[i]]
	if !known {
		text = from.Strings[i]
		d.texts[text] = text
	}
	return OfText(text)
}
