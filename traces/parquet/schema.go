// Package parquet writes and reads flat tables as sealed Parquet files ([Writer],
// [Reader]), and reads those of other writers ([Table]). It is the only package
// that knows which Parquet library is underneath: that library writes, and decodes footers; pages
// are read here (see [Table] for why and what).
//
// A table has columns of four kinds, in which values may be missing where the
// column says so, and text metadata. A sealed file is an ordinary Parquet file (any Parquet program reads it) whose metadata
// holds, under the key [SealKey], the SHA-256 of the whole file, taken with
// that checksum's own 64 digits set to zeros. [Open] compares it before
// anything in the file is interpreted, so that no kind of damage (a truncated
// copy, a flipped bit in a value, in a page header or in the footer) reaches
// the Parquet decoder or passes for data.
//
// The same rows and metadata give the same bytes.
package parquet

import (
	"errors"
	"fmt"
	"slices"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// Kind is the type of a column's values.
type Kind int

// The kinds of columns.
const (
	Int64 Kind = iota
	Float64
	Bool
	String
)

// Column is one column of a table. The name carries the unit.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // values may be missing
	Plain    bool // hardly a value repeats: they are written without a dictionary
	Later    bool // files of before do not have it: [Open] takes those without it, and all behind it
}

// String returns how messages name the column.
func (c Column) String() string {
	values := "a required"
	if c.Optional {
		values = "an optional"
	}
	return fmt.Sprintf("%s %q (%v)", values, c.Name, c.Kind.physical())
}

// KeyValue is one entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// Values holds a batch of one column's values in the slice of the column's
// kind; the others are nil.
type Values struct {
	Ints    []int64
	Floats  []float64
	Bools   []bool
	Strings []string
	// Nulls says which values are missing: there is 0 or the like in their places.
	// It may be shorter than the values: those behind its end are there.
	Nulls []bool
}

// Null reports whether value i is missing.
func (v *Values) Null(i int) bool { return i < len(v.Nulls) && v.Nulls[i] }

// AppendNull appends a value that is missing to those of a column of the kind.
func (v *Values) AppendNull(k Kind) {
	v.Nulls = append(v.Nulls, make([]bool, v.len(k)-len(v.Nulls))...)
	v.appendNulls(k, 1)
}

// Rows returns the number of rows of a batch of a table of these columns. It
// panics when the batch does not fit the columns, which is the caller's mistake.
func Rows(columns []Column, batch []Values) int {
	if len(batch) != len(columns) {
		panic(fmt.Sprintf("parquet: %d columns in a batch of a table of %d", len(batch), len(columns)))
	}
	rows := batch[0].len(columns[0].Kind)
	for i, c := range columns {
		if n := batch[i].len(c.Kind); n != rows {
			panic(fmt.Sprintf("parquet: column %s has %d values, column %s %d", c.Name, n, columns[0].Name, rows))
		}
		if len(batch[i].Nulls) > rows {
			panic(fmt.Sprintf("parquet: column %s has %d values, %d of which may be missing", c.Name, rows, len(batch[i].Nulls)))
		}
		if !c.Optional && slices.Contains(batch[i].Nulls, true) {
			panic(fmt.Sprintf("parquet: a value is missing in column %s, which is not optional", c.Name))
		}
	}
	return rows
}

// RowGroup is the number of rows that a writer collects before it writes them
// and that a reader holds at a time.
const RowGroup = 1 << 16

// ErrSchema is the error of a file whose columns are not those asked for.
var ErrSchema = errors.New("unexpected columns")

// len returns the number of values of the given kind.
func (v *Values) len(k Kind) int {
	switch k {
	case Int64:
		return len(v.Ints)
	case Float64:
		return len(v.Floats)
	case Bool:
		return len(v.Bools)
	default:
		return len(v.Strings)
	}
}

// node returns the Parquet schema of the columns, in their order.
func node(columns []Column) *schema.GroupNode {
	fields := make(schema.FieldList, len(columns))
	for i, c := range columns {
		fields[i] = leaf(c)
	}
	return schema.MustGroup(schema.NewGroupNode("schema", arrowparquet.Repetitions.Required, fields, -1))
}

// leaf returns the schema node of one column.
func leaf(c Column) schema.Node {
	values := arrowparquet.Repetitions.Required
	if c.Optional {
		values = arrowparquet.Repetitions.Optional
	}
	if c.Kind == String {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(
			c.Name, values, schema.StringLogicalType{}, arrowparquet.Types.ByteArray, 0, -1))
	}
	return schema.MustPrimitive(schema.NewPrimitiveNode(c.Name, values, c.Kind.physical(), -1, -1))
}

// physical returns how values of the kind are stored.
func (k Kind) physical() arrowparquet.Type {
	switch k {
	case Int64:
		return arrowparquet.Types.Int64
	case Float64:
		return arrowparquet.Types.Double
	case Bool:
		return arrowparquet.Types.Boolean
	}
	return arrowparquet.Types.ByteArray
}

// appendNulls appends n values that are missing.
func (v *Values) appendNulls(k Kind, n int) {
	switch k {
	case Int64:
		v.Ints = append(v.Ints, make([]int64, n)...)
	case Float64:
		v.Floats = append(v.Floats, make([]float64, n)...)
	case Bool:
		v.Bools = append(v.Bools, make([]bool, n)...)
	default:
		v.Strings = append(v.Strings, make([]string, n)...)
	}
	for range n {
		v.Nulls = append(v.Nulls, true)
	}
}

// reset empties the batch and keeps its memory.
func (v *Values) reset() {
	v.Ints, v.Floats, v.Bools, v.Strings, v.Nulls = v.Ints[:0], v.Floats[:0], v.Bools[:0], v.Strings[:0], v.Nulls[:0]
}
