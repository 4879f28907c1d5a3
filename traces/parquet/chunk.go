package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
)

// chunk reads the values of one column in one row group, page by page. All of it
// happens on the calling goroutine, and memory holds one page and the
// dictionary.
type chunk struct {
	in       *bufio.Reader
	left     int64 // bytes of the chunk
	codec    compress.Compression
	of       physical
	optional bool

	values     int64 // not in a page yet
	dictionary *Values
	page       decoder
	levels     hybrid // of the page, where the column is optional
	inPage     int    // values of the page to come, with nulls
}

// openChunk checks what the footer says about a column of a row group.
func (t *Table) openChunk(group, field int) (*chunk, error) {
	f := &t.fields[field]
	row := t.meta.RowGroups[group]
	if f.leaf >= len(row.Columns) || row.Columns[f.leaf].MetaData == nil {
		return nil, fmt.Errorf("%w: the row group does not have the column", ErrFormat)
	}
	column := row.Columns[f.leaf]
	m := column.MetaData
	switch {
	case column.CryptoMetadata != nil:
		return nil, errors.New("encrypted, which is not read")
	case column.GetFilePath() != "":
		return nil, errors.New("the values are in another file, which is not read")
	case arrowparquet.Type(m.Type) != f.physical.kind:
		return nil, fmt.Errorf("%w: values of %v in a column of %v", ErrFormat, m.Type, f.physical.kind)
	case m.NumValues != row.NumRows:
		return nil, fmt.Errorf("%w: %d values in %d rows", ErrFormat, m.NumValues, row.NumRows)
	}
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d != nil && *d > 0 && *d < start { // 0 is written where there is none
		start = *d
	}
	if n := m.TotalCompressedSize; start < int64(len(magic)) || n < 0 || start > t.size || n > t.size-start {
		return nil, fmt.Errorf("%w: the values lie outside the file", ErrFormat)
	}
	return &chunk{
		in:   bufio.NewReaderSize(io.NewSectionReader(t.r, start, m.TotalCompressedSize), 1<<13),
		left: m.TotalCompressedSize, codec: compress.Compression(m.Codec), of: f.physical, optional: f.optional, values: m.NumValues,
	}, nil
}

// read appends n values.
func (c *chunk) read(to *Values, n int) error {
	for n > 0 {
		for c.inPage == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
		}
		some := min(n, c.inPage)
		if err := c.readPage(to, some); err != nil {
			return err
		}
		c.inPage -= some
		n -= some
		if c.inPage == 0 {
			if err := c.endPage(); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPage appends n values of the page.
func (c *chunk) readPage(to *Values, n int) error {
	if !c.optional {
		return c.page.decode(to, n)
	}
	levels := make([]uint32, n)
	if err := c.levels.read(levels); err != nil {
		return err
	}
	for i := 0; i < n; {
		end := i + 1
		for end < n && levels[end] == levels[i] {
			end++
		}
		switch levels[i] {
		case 0:
			to.appendNulls(c.of.slot(), end-i)
		case 1:
			if err := c.page.decode(to, end-i); err != nil {
				return err
			}
			to.Nulls = append(to.Nulls, make([]bool, end-i)...)
		default:
			return fmt.Errorf("%w: a definition level of %d", ErrFormat, levels[i])
		}
		i = end
	}
	return nil
}

// endPage compares what a page held with what its values needed.
func (c *chunk) endPage() error {
	if rest := c.page.rest(); rest != 0 {
		return fmt.Errorf("%w: a page of %d bytes more than its values", ErrFormat, rest)
	}
	return nil
}

// nextPage reads pages to the next one that holds values.
func (c *chunk) nextPage() error {
	if c.values == 0 || c.left <= 0 {
		return fmt.Errorf("%w: the column chunk ends before its values do", ErrFormat)
	}
	h, err := readPageHeader(c.in)
	if err != nil {
		return err
	}
	body, err := readPage(c.in, h, c.left)
	if err != nil {
		return err
	}
	c.left -= int64(h.packed)
	switch h.kind {
	case dictionaryPage:
		return c.readDictionary(h, body)
	case dataPage:
		return c.openV1(h, body)
	case dataPageV2:
		return c.openV2(h, body)
	}
	return nil // an index; others are to be skipped
}

// readDictionary reads the values that later pages refer to.
func (c *chunk) readDictionary(h pageHeader, body []byte) error {
	if c.dictionary != nil {
		return fmt.Errorf("%w: two dictionaries in a column chunk", ErrFormat)
	}
	if h.encoding != plain && h.encoding != plainDictionary {
		return fmt.Errorf("a dictionary in encoding %v, which is not read", h.encoding)
	}
	data, err := unpack(c.codec, body, int(h.unpacked))
	if err != nil {
		return err
	}
	values, err := newDecoder(plain, c.of, data, int(h.values), nil)
	if err != nil {
		return err
	}
	c.dictionary = &Values{}
	return values.decode(c.dictionary, int(h.values))
}

// openV1 begins a data page of version 1: levels and values are packed together.
func (c *chunk) openV1(h pageHeader, body []byte) error {
	data, err := unpack(c.codec, body, int(h.unpacked))
	if err != nil {
		return err
	}
	levels := []byte(nil)
	if c.optional {
		if h.levels != runs {
			return fmt.Errorf("definition levels in encoding %v, which is not read", h.levels)
		}
		if levels, data, err = prefixed(data); err != nil {
			return err
		}
	}
	return c.openPage(h, levels, data)
}

func (c *chunk) openV2(h pageHeader, body []byte) error {
	levels, data, err := unpackV2(c.codec, h, body)
	if err != nil {
		return err
	}
	if !c.optional && h.nulls != 0 {
		return fmt.Errorf("%w: nulls in a column that has none", ErrFormat)
	}
	return c.openPage(h, levels, data)
}

// openPage begins a page of these levels and values. Of an optional column the
// values that are there are counted first: some encodings need their number.
func (c *chunk) openPage(h pageHeader, levels, data []byte) (err error) {
	if int64(h.values) > c.values {
		return fmt.Errorf("%w: more values than rows", ErrFormat)
	}
	c.values -= int64(h.values)
	c.inPage = int(h.values)
	n := int(h.values)
	if c.optional {
		c.levels = hybrid{data: levels, width: 1}
		if n, err = countPresent(c.levels, n); err != nil {
			return err
		}
		if h.kind == dataPageV2 && n != int(h.values-h.nulls) {
			return fmt.Errorf("%w: %d nulls in a page that says %d", ErrFormat, int(h.values)-n, h.nulls)
		}
	}
	c.page, err = newDecoder(h.encoding, c.of, data, n, c.dictionary)
	return err
}

// countPresent counts the values that are not null among the first n.
func countPresent(levels hybrid, n int) (int, error) {
	there := 0
	err := levels.each(n, func(some []uint32) error {
		for _, level := range some {
			if level == 1 {
				there++
			}
		}
		return nil
	})
	return there, err
}
