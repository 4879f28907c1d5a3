package parquet

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Layout is the columns of a table whose rows are values of T, a struct. A field
// with the tag parquet:"NAME" is a column: a string, int64, float64 or bool, or a
// pointer to one, which is nil where the value is missing. Behind a comma the tag may
// say plain and later (see [Column]), and null: the zero value is a missing one.
type Layout[T any] struct {
	Columns []Column
	fields  []int // of T, one a column
}

// kinds are the kinds of columns by the kind of the field.
var kinds = map[reflect.Kind]Kind{reflect.String: String, reflect.Int64: Int64, reflect.Float64: Float64, reflect.Bool: Bool}

// LayoutOf returns the layout of rows of T. It panics if a field with a tag can not
// be a column.
func LayoutOf[T any]() Layout[T] {
	var l Layout[T]
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		field := of.Field(i)
		name, tagged := field.Tag.Lookup("parquet")
		if !tagged {
			continue
		}
		value := field.Type
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		kind, known := kinds[value.Kind()]
		if !known {
			panic(fmt.Sprintf("parquet: %v.%s is no column", of, field.Name))
		}
		tag := strings.Split(name, ",")
		says := func(what string) bool { return slices.Contains(tag[1:], what) }
		l.Columns = append(l.Columns, Column{Name: tag[0], Kind: kind, Optional: value != field.Type || says("null"),
			Plain: says("plain"), Later: says("later")})
		l.fields = append(l.fields, i)
	}
	return l
}

// append adds a row to a batch.
func (l *Layout[T]) append(batch []Values, row *T) {
	value := reflect.ValueOf(row).Elem()
	for k, at := range l.fields {
		field, c, to := value.Field(at), &l.Columns[k], &batch[k]
		if c.Optional {
			if field.IsZero() {
				to.AppendNull(c.Kind)
				continue
			}
			if field.Kind() == reflect.Pointer {
				field = field.Elem()
			}
		}
		switch c.Kind {
		case Int64:
			to.Ints = append(to.Ints, field.Int())
		case Float64:
			to.Floats = append(to.Floats, field.Float())
		case Bool:
			to.Bools = append(to.Bools, field.Bool())
		default:
			to.Strings = append(to.Strings, field.String())
		}
	}
}

// at returns row i of a batch. The fields of columns that it has not are zero.
func (l *Layout[T]) at(batch []Values, i int) (row T) {
	value := reflect.ValueOf(&row).Elem()
	for k, at := range l.fields[:len(batch)] {
		field, c, from := value.Field(at), &l.Columns[k], &batch[k]
		if c.Optional {
			if from.Null(i) {
				continue
			}
			if field.Kind() == reflect.Pointer {
				field.Set(reflect.New(field.Type().Elem()))
				field = field.Elem()
			}
		}
		switch c.Kind {
		case Int64:
			field.SetInt(from.Ints[i])
		case Float64:
			field.SetFloat(from.Floats[i])
		case Bool:
			field.SetBool(from.Bools[i])
		default:
			field.SetString(from.Strings[i])
		}
	}
	return row
}

// WriteRows writes a table of rows of T to a file. An error that comes with a row
// ends it, with the file and the number of the row, from 1; nothing is left then.
func WriteRows[T any](path string, rows iter.Seq2[T, error], meta []KeyValue) error {
	l := LayoutOf[T]()
	w, err := Create(path, l.Columns, meta)
	if err != nil {
		return err
	}
	batch, n := make([]Values, len(l.Columns)), 0
	for row, err := range rows {
		n++
		if err != nil {
			return errors.Join(fmt.Errorf("%s: row %d: %w", path, n, err), w.Abort())
		}
		l.append(batch, &row)
		if n%RowGroup == 0 {
			if err := w.Write(batch); err != nil {
				return errors.Join(err, w.Abort())
			}
			for k := range batch {
				batch[k].reset()
			}
		}
	}
	if err := w.Write(batch); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// RowsOf iterates over the rows of a table that was opened with the columns of
// T's layout. After an error, which comes with a zero row, it ends. [BatchRows] rows are
// held.
func RowsOf[T any](r *Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		l := LayoutOf[T]()
		for batch, err := range r.batches(BatchRows) {
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for i := range Rows(r.columns, batch) {
				if !yield(l.at(batch, i), nil) {
					return
				}
			}
		}
	}
}
