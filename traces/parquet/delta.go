package parquet

import (
	"encoding/binary"
	"fmt"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
)

// largestBlock bounds the values of a block of differences. Writers have 128 to
// 2,048.
const largestBlock = 1 << 16

// delta reads integers as differences to the one before (encoding
// DELTA_BINARY_PACKED): blocks with a least difference, of small blocks with a
// width in bits.
type delta struct {
	narrow bool // the integers have 32 bits
	data   []byte

	left   int   // integers to come
	last   int64 // the next one, before the first block; then the one before
	begun  bool  // the first integer was read
	small  int   // integers of a small block
	count  int   // small blocks of a block
	least  int64
	widths []byte // of the small blocks to come
	packed []byte // the small block
	width  uint
	bit    int
	inside int // differences left in the small block
}

// newDelta reads the head of n integers.
func newDelta(of physical, data []byte, n int) (*delta, error) {
	d := &delta{narrow: of.kind != arrowparquet.Types.Int64, data: data, left: n}
	if n == 0 && len(data) == 0 {
		return d, nil
	}
	block, count, total := d.uvarint(), d.uvarint(), d.uvarint()
	d.last = d.varint()
	if d.data == nil || block == 0 || block > largestBlock || count == 0 || count > block || block%(8*count) != 0 {
		return nil, fmt.Errorf("%w: head of %v", ErrFormat, deltaPacked)
	}
	if total != uint64(n) {
		return nil, fmt.Errorf("%w: %d values of %v instead of %d", ErrFormat, total, deltaPacked, n)
	}
	d.small, d.count = int(block/count), int(count)
	return d, nil
}

// uvarint reads a number; without one data is nil.
func (d *delta) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data = nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

// varint reads a number with a sign.
func (d *delta) varint() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// next returns the next integer.
func (d *delta) next() (int64, error) {
	if d.left == 0 {
		return 0, errShort
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.integer(), nil
	}
	if d.inside == 0 {
		if err := d.nextSmall(); err != nil {
			return 0, err
		}
	}
	if d.width > 0 {
		if d.bit+int(d.width) > 8*len(d.packed) {
			return 0, errShort
		}
		d.last += int64(bitsAt(d.packed, d.bit, d.width))
		d.bit += int(d.width)
	}
	d.last += d.least
	d.inside--
	return d.integer(), nil
}

// integer is the last one: sums wrap around.
func (d *delta) integer() int64 {
	if d.narrow {
		return int64(int32(d.last))
	}
	return d.last
}

// nextSmall begins a small block, and a block where that is needed.
func (d *delta) nextSmall() error {
	if len(d.widths) == 0 {
		d.least = d.varint()
		if d.data == nil || len(d.data) < d.count {
			return errShort
		}
		d.widths, d.data = d.data[:d.count], d.data[d.count:]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return fmt.Errorf("%w: differences of %d bits", ErrFormat, d.width)
	}
	size := min(d.small*int(d.width)/8, len(d.data))
	d.packed, d.bit, d.data = d.data[:size], 0, d.data[size:]
	d.inside = d.small
	return nil
}

func (d *delta) decode(to *Values, n int) error {
	for range n {
		v, err := d.next()
		if err != nil {
			return err
		}
		to.Ints = append(to.Ints, v)
	}
	return nil
}

func (d *delta) rest() int { return len(d.data) }

// after returns what stands behind the integers, which are not read by it.
func (d *delta) after() ([]byte, error) {
	ahead := *d
	for ahead.left > 0 {
		if _, err := ahead.next(); err != nil {
			return nil, err
		}
	}
	return ahead.data, nil
}

// deltaTexts reads texts whose lengths stand before all of them (encoding
// DELTA_LENGTH_BYTE_ARRAY).
type deltaTexts struct {
	lengths *delta
	data    []byte
}

func newDeltaLength(of physical, data []byte, n int) (*deltaTexts, error) {
	lengths, err := newDelta(physical{kind: arrowparquet.Types.Int32}, data, n)
	if err != nil {
		return nil, err
	}
	data, err = lengths.after()
	return &deltaTexts{lengths, data}, err
}

// next returns the next text, which is part of the page.
func (d *deltaTexts) next() ([]byte, error) {
	n, err := d.lengths.next()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.data)) {
		return nil, errShort
	}
	if n > longestText {
		return nil, errLongText(int(n))
	}
	text := d.data[:n]
	d.data = d.data[n:]
	return text, nil
}

func (d *deltaTexts) decode(to *Values, n int) error {
	for range n {
		text, err := d.next()
		if err != nil {
			return err
		}
		to.Strings = append(to.Strings, string(text))
	}
	return nil
}

func (d *deltaTexts) rest() int { return len(d.data) }

// mostTexts bounds, in bytes, the texts that are made at a time of a page in
// which each is a part of the one before.
const mostTexts = 64 << 20

// deltaPrefixes reads texts of which each begins like the one before (encoding
// DELTA_BYTE_ARRAY).
type deltaPrefixes struct {
	size     int // of every text; 0: they vary
	prefixes *delta
	suffixes *deltaTexts
	last     string
}

func newDeltaBytes(of physical, data []byte, n int) (*deltaPrefixes, error) {
	prefixes, err := newDelta(physical{kind: arrowparquet.Types.Int32}, data, n)
	if err != nil {
		return nil, err
	}
	if data, err = prefixes.after(); err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLength(of, data, n)
	return &deltaPrefixes{size: of.size, prefixes: prefixes, suffixes: suffixes}, err
}

func (d *deltaPrefixes) decode(to *Values, n int) error {
	made := 0
	for range n {
		prefix, err := d.prefixes.next()
		if err != nil {
			return err
		}
		suffix, err := d.suffixes.next()
		if err != nil {
			return err
		}
		if prefix < 0 || prefix > int64(len(d.last)) {
			return fmt.Errorf("%w: a text begins with %d bytes of one of %d", ErrFormat, prefix, len(d.last))
		}
		if len(suffix) > 0 || int(prefix) < len(d.last) {
			d.last = d.last[:prefix] + string(suffix)
			made += len(d.last)
		}
		switch {
		case len(d.last) > longestText:
			return errLongText(len(d.last))
		case made > mostTexts:
			return fmt.Errorf("texts of more than %d MiB in %d rows", mostTexts>>20, n)
		case d.size > 0 && len(d.last) != d.size:
			return fmt.Errorf("%w: a value of %d bytes instead of %d", ErrFormat, len(d.last), d.size)
		}
		to.Strings = append(to.Strings, d.last)
	}
	return nil
}

func (d *deltaPrefixes) rest() int { return len(d.suffixes.data) }
