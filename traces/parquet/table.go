package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// BatchRows is the number of rows that [Table.Batches] gives at a time.
const BatchRows = 4096

// Table is a Parquet file of any writer: what its footer says, checked, and its
// rows. Everything in the file may be damaged: whatever it says, reading it ends,
// and memory holds one page of each column that is read (at most 256 MiB, and
// that only if the file holds a page that unpacks to so much), its dictionary,
// and a batch of rows.
//
// Read are flat columns, required or optional, of all physical types; data pages
// of both versions; the encodings PLAIN, dictionaries, RLE, the three DELTA ones
// and BYTE_STREAM_SPLIT; and pages that are not compressed or by Snappy, gzip,
// Brotli, Zstandard or LZ4_RAW. Anything else is an error that names it, the
// column and the row group. Where pages have checksums they are compared.
//
// The library's own reader of columns (version 15) can not be used on files of
// others: it forgets errors in the head of a page, runs without end where a page
// holds fewer values than it says, allocates what a damaged length asks for, fills
// up with zeros what unpacks to too little, and does not compare checksums. Only
// the panics among these can be recovered from.
type Table struct {
	r      io.ReaderAt
	size   int64
	meta   *metadata.FileMetaData
	fields []field
}

// field is a top-level column.
type field struct {
	physical
	name     string
	leaf     int // among the leaves of the schema
	optional bool
	nested   bool
	text     texter // see [Table.Texts]
	kind     string // of the values, for messages
}

// ErrNested is the error of a column that is no flat one.
var ErrNested = errors.New("nested or repeated: only flat columns are read")

// NewTable reads the footer of a file. Damage is an error that wraps
// [ErrFormat].
func NewTable(r io.ReaderAt, size int64) (*Table, error) {
	meta, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	t := &Table{r: r, size: size, meta: meta}
	err = guard(t.readSchema)
	if err == nil {
		err = t.checkRows()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// readSchema lists the top-level columns.
func (t *Table) readSchema() error {
	leaf, root := 0, t.meta.Schema.Root()
	for i := range root.NumFields() {
		node := root.Field(i)
		f := field{name: node.Name(), leaf: leaf, optional: node.RepetitionType() == arrowparquet.Repetitions.Optional}
		leaf += leaves(node)
		p, flat := node.(*schema.PrimitiveNode)
		f.nested = !flat || node.RepetitionType() == arrowparquet.Repetitions.Repeated
		if !f.nested {
			var err error
			if f.physical, err = physicalOf(p); err != nil {
				return fmt.Errorf("column %q: %w", f.name, err)
			}
			f.text, f.kind = texterOf(p)
		}
		t.fields = append(t.fields, f)
	}
	return nil
}

// leaves counts the columns of values below a node of the schema.
func leaves(node schema.Node) int {
	group, ok := node.(*schema.GroupNode)
	if !ok {
		return 1
	}
	n := 0
	for i := range group.NumFields() {
		n += leaves(group.Field(i))
	}
	return n
}

// physicalOf returns how the values of a column are stored.
func physicalOf(p *schema.PrimitiveNode) (physical, error) {
	of := physical{kind: p.PhysicalType()}
	switch of.kind {
	case arrowparquet.Types.Boolean, arrowparquet.Types.ByteArray:
	case arrowparquet.Types.Int32, arrowparquet.Types.Float:
		of.size = 4
	case arrowparquet.Types.Int64, arrowparquet.Types.Double:
		of.size = 8
	case arrowparquet.Types.Int96:
		of.size = 12
	case arrowparquet.Types.FixedLenByteArray:
		if of.size = p.TypeLength(); of.size < 1 || of.size > longestText {
			return of, fmt.Errorf("%w: values of %d bytes", ErrFormat, of.size)
		}
	default:
		return of, fmt.Errorf("%w: values of type %v", ErrFormat, of.kind)
	}
	return of, nil
}

// checkRows compares the numbers of rows in the footer with each other.
func (t *Table) checkRows() error {
	left := t.meta.NumRows
	for g, group := range t.meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > left {
			return fmt.Errorf("%w: row group %d has %d rows of %d", ErrFormat, g+1, group.NumRows, t.meta.NumRows)
		}
		left -= group.NumRows
	}
	if left != 0 {
		return fmt.Errorf("%w: %d rows in the row groups, %d in all", ErrFormat, t.meta.NumRows-left, t.meta.NumRows)
	}
	return nil
}

// Names returns the names of the top-level columns, in their order.
func (t *Table) Names() []string {
	names := make([]string, len(t.fields))
	for i := range t.fields {
		names[i] = t.fields[i].name
	}
	return names
}

// Rows returns the number of rows that the footer says.
func (t *Table) Rows() int64 { return t.meta.NumRows }

// Meta returns the metadata in the order of the file.
func (t *Table) Meta() []KeyValue {
	kv := t.meta.KeyValueMetadata()
	keys, values := kv.Keys(), kv.Values()
	meta := make([]KeyValue, len(keys))
	for i := range keys {
		meta[i] = KeyValue{keys[i], values[i]}
	}
	return meta
}

// Batch is the values of some columns in rows that follow each other.
type Batch struct {
	Columns []Values
	Rows    int
}

// Batches iterates over the values of columns, by their places among
// [Table.Names], in the order of the file: as many rows as the footer says, at most
// [BatchRows] at a time, or an error, after which it ends. The values are valid
// until the next batch.
func (t *Table) Batches(columns []int) iter.Seq2[Batch, error] { return t.batches(columns, BatchRows) }

func (t *Table) batches(columns []int, most int64) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for g := range t.meta.RowGroups {
			left := t.meta.RowGroups[g].NumRows
			if left == 0 {
				continue
			}
			batch := Batch{Columns: make([]Values, len(columns))}
			chunks, err := t.openGroup(g, columns)
			for ; err == nil && left > 0; left -= int64(batch.Rows) {
				batch.Rows = int(min(most, left))
				err = t.each(g, columns, func(i int) error {
					batch.Columns[i].reset()
					return chunks[i].read(&batch.Columns[i], batch.Rows)
				})
				if err == nil && !yield(batch, nil) {
					return
				}
			}
			if err != nil {
				yield(Batch{}, err)
				return
			}
		}
	}
}

// openGroup opens columns of a row group, to be read side by side.
func (t *Table) openGroup(g int, columns []int) ([]*chunk, error) {
	chunks := make([]*chunk, len(columns))
	return chunks, t.each(g, columns, func(i int) (err error) {
		if t.fields[columns[i]].nested {
			return ErrNested
		}
		chunks[i], err = t.openChunk(g, columns[i])
		return err
	})
}

// each calls f for columns of a row group; an error names the two.
func (t *Table) each(g int, columns []int, f func(i int) error) error {
	for i, column := range columns {
		if err := guard(func() error { return f(i) }); err != nil {
			return fmt.Errorf("row group %d, column %q: %w", g+1, t.fields[column].name, err)
		}
	}
	return nil
}
