package mapped

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/rows"
)

// eachRow is called with the values of a row's wanted columns, "" for what is
// missing. number is the line of a CSV file, or the row of a Parquet file, from
// 1.
type eachRow func(number int64, values []string) error

// read calls f for every row of a table, whose form its name tells. columns are
// the names of the wanted columns. The sum receives the bytes of the file.
func read(path string, columns []string, form CSV, sum *traces.SourceSum, f eachRow) error {
	if strings.HasSuffix(path, ".parquet") {
		return readParquet(path, columns, sum, f)
	}
	return readCSV(path, columns, form, sum, f)
}

func readCSV(path string, columns []string, form CSV, sum *traces.SourceSum, f eachRow) error {
	broken := func(err error) error { return readError(path, 1, err) }
	return rows.File{Path: path, Sum: sum, Name: "table", Broken: broken}.Read(func(text io.Reader) error {
		return scanCSV(path, text, columns, form, f)
	})
}

// scanCSV reads a header and the rows below it.
func scanCSV(path string, text io.Reader, columns []string, form CSV, f eachRow) error {
	lines := csv.NewReader(skipMark(text))
	lines.ReuseRecord = true
	for _, c := range form.Delimiter {
		lines.Comma = c
	}
	for _, c := range form.Comment {
		lines.Comment = c
	}
	header, err := lines.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: the file is empty", path)
	}
	if err != nil {
		return readError(path, 1, err)
	}
	place, err := find(path, header, columns)
	if err != nil {
		return err
	}
	values := make([]string, len(columns))
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return readError(path, 0, err)
		}
		line, _ := lines.FieldPos(0) // only after a whole row: it panics where none was read
		for i, p := range place {
			values[i] = strings.Clone(strings.TrimSpace(fields[p]))
		}
		if err := f(int64(line), values); err != nil {
			return fmt.Errorf("%s: row %d: %w", path, line, err)
		}
	}
}

// skipMark drops the byte order mark that some programs write first.
func skipMark(text io.Reader) io.Reader {
	in := bufio.NewReader(text)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	return in
}

func readError(path string, line int, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file ends in the middle: %w", path, err)
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s: row %d: %w", path, parse.Line, parse.Err)
	}
	if line == 0 {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: row %d: %w", path, line, err)
}

// find returns where the wanted columns stand. A column that is not there, or
// twice, is an error.
func find(path string, header, columns []string) ([]int, error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.TrimSpace(h)
	}
	var problems []error
	place := make([]int, len(columns))
	for i, c := range columns {
		place[i] = slices.Index(names, c)
		switch {
		case place[i] < 0:
			problems = append(problems, fmt.Errorf("%s: no column %q (columns: %s)", path, c, strings.Join(names, ", ")))
		case slices.Contains(names[place[i]+1:], c):
			problems = append(problems, fmt.Errorf("%s: two columns %q", path, c))
		}
	}
	return place, errors.Join(problems...)
}

// readParquet reads on the calling goroutine alone: arrow panics on some
// damaged files, and only a panic on this goroutine can be turned into an error.
func readParquet(path string, columns []string, sum *traces.SourceSum, f eachRow) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if _, err := io.Copy(io.Discard, sum.Reader("table", in)); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: damaged Parquet file: %v", path, p)
		}
	}()
	r, err := file.NewParquetReader(in, file.WithReadProps(parquet.NewReaderProperties(memory.NewGoAllocator())))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return scanParquet(path, r, columns, f)
}

func scanParquet(path string, r *file.Reader, columns []string, f eachRow) error {
	schema := r.MetaData().Schema
	var header []string
	for i := range schema.NumColumns() {
		header = append(header, schema.Column(i).Path())
	}
	place, err := find(path, header, columns)
	if err != nil {
		return err
	}
	rows, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: 4096}, memory.NewGoAllocator())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	number := int64(0)
	values := make([]string, len(columns))
	for group := range r.NumRowGroups() {
		table, err := rows.RowGroup(group).ReadTable(context.Background(), slices.Compact(slices.Sorted(slices.Values(place))))
		if err != nil {
			return fmt.Errorf("%s: row group %d: %w", path, group+1, err)
		}
		batches := array.NewTableReader(table, 4096)
		for batches.Next() {
			batch := batches.Record()
			for i := range int(batch.NumRows()) {
				number++
				for k, c := range columns {
					values[k] = text(batch.Column(batch.Schema().FieldIndices(c)[0]), i)
				}
				if err := f(number, values); err != nil {
					return fmt.Errorf("%s: row %d: %w", path, number, err)
				}
			}
		}
		batches.Release()
		table.Release()
	}
	return nil
}

// text returns a value as text: "" for a null, and times as dates in the form
// of RFC 3339.
func text(column arrow.Array, i int) string {
	if column.IsNull(i) {
		return ""
	}
	if stamps, ok := column.(*array.Timestamp); ok {
		unit := stamps.DataType().(*arrow.TimestampType).Unit
		return stamps.Value(i).ToTime(unit).UTC().Format(time.RFC3339Nano)
	}
	return strings.Clone(strings.TrimSpace(column.ValueStr(i)))
}
