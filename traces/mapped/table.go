package mapped

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/parquet"
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

// scanCSV reads a header, where the form has no names, and the rows below it.
func scanCSV(path string, text io.Reader, columns []string, form CSV, f eachRow) error {
	text, err := input.Text(text)
	if err != nil {
		return readError(path, 1, err)
	}
	limited := &rows.Limited{R: text}
	limited.Next()
	lines := csv.NewReader(limited)
	lines.ReuseRecord = true
	for _, c := range form.Delimiter {
		lines.Comma = c
	}
	for _, c := range form.Comment {
		lines.Comment = c
	}
	header := form.Names
	if lines.FieldsPerRecord = len(header); header == nil {
		header, err = lines.Read()
	}
	if err == io.EOF {
		return fmt.Errorf("%s: the file is empty", input.Path(path))
	}
	if err != nil {
		return readError(path, 1, err)
	}
	place, err := find(path, header, columns)
	if err != nil {
		return err
	}
	return eachLine(path, lines, limited, place, form.Names, f)
}

// eachLine calls f for every row but a first one that is one of names.
func eachLine(path string, lines *csv.Reader, limited *rows.Limited, place []int, names []string, f eachRow) error {
	values := make([]string, len(place))
	for last, first := 1, names != nil; ; first = false {
		limited.Next()
		fields, err := lines.Read()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, rows.ErrLong) {
			return readError(path, last+1, err)
		}
		if err != nil {
			return readError(path, 0, err)
		}
		last, _ = lines.FieldPos(len(fields) - 1)
		if first && slices.Equal(fields, names) {
			continue
		}
		line, _ := lines.FieldPos(0) // only after a whole row: it panics where none was read
		for i, p := range place {
			values[i] = strings.Clone(strings.TrimSpace(fields[p]))
		}
		if err := f(int64(line), values); err != nil {
			return fmt.Errorf("%s: row %d: %w", input.Path(path), line, err)
		}
	}
}

func readError(path string, line int, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file ends in the middle: %w", input.Path(path), err)
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s: row %d: %w", input.Path(path), parse.Line, parse.Err)
	}
	if line == 0 {
		return fmt.Errorf("%s: %w", input.Path(path), err)
	}
	return fmt.Errorf("%s: row %d: %w", input.Path(path), line, err)
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
			problems = append(problems, fmt.Errorf("%s: no column %s (columns: %s)", input.Path(path), input.Quote(c), input.Names(names)))
		case slices.Contains(names[place[i]+1:], c):
			problems = append(problems, fmt.Errorf("%s: two columns %s", input.Path(path), input.Quote(c)))
		}
	}
	return place, errors.Join(problems...)
}

func readParquet(path string, columns []string, sum *traces.SourceSum, f eachRow) (err error) {
	in, err := input.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	size, err := io.Copy(io.Discard, sum.Reader("table", in))
	if err != nil {
		return err
	}
	table, err := parquet.NewTable(in, size)
	if err != nil {
		return fmt.Errorf("%s: %w", input.Path(path), err)
	}
	return scanParquet(path, table, columns, f)
}

func scanParquet(path string, table *parquet.Table, columns []string, f eachRow) error {
	place, err := find(path, table.Names(), columns)
	if err != nil {
		return err
	}
	texts := make([]func(v *parquet.Values, i int) (string, error), len(place))
	for k, p := range place {
		if texts[k], err = table.Texts(p); err != nil {
			return fmt.Errorf("%s: %w", input.Path(path), err)
		}
	}
	number, values := int64(0), make([]string, len(columns))
	for batch, err := range table.Batches(place) {
		if err != nil {
			return fmt.Errorf("%s: %w", input.Path(path), err)
		}
		for i := range batch.Rows {
			number++
			if err = parquetRow(batch.Columns, i, columns, texts, values); err == nil {
				err = f(number, values)
			}
			if err != nil {
				return fmt.Errorf("%s: row %d: %w", input.Path(path), number, err)
			}
		}
	}
	return nil
}

// parquetRow writes row i of a batch as text.
func parquetRow(batch []parquet.Values, i int, columns []string, texts []func(*parquet.Values, int) (string, error), values []string) error {
	for k := range batch {
		text, err := texts[k](&batch[k], i)
		if err != nil {
			return fmt.Errorf("column %s: %w", input.Quote(columns[k]), err)
		}
		values[k] = strings.TrimSpace(text)
	}
	return nil
}
