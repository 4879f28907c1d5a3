package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
)

// encoding is the number of an encoding in the format.
type encoding int32

// The encodings that are read.
const (
	plain           encoding = 0
	plainDictionary encoding = 2
	runs            encoding = 3
	deltaPacked     encoding = 5
	deltaLength     encoding = 6
	deltaBytes      encoding = 7
	dictionaryRuns  encoding = 8
	streamSplit     encoding = 9
)

// String returns the format's name.
func (e encoding) String() string {
	names := [...]string{"PLAIN", "encoding 1", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED",
		"DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}
	if e < 0 || int(e) >= len(names) {
		return fmt.Sprintf("encoding %d", int32(e))
	}
	return names[e]
}

// longestText bounds a text value, in bytes.
const longestText = 1 << 20

// decoder reads the values of a page, without the nulls.
type decoder interface {
	// decode appends n values. It is an error if there are not so many.
	decode(to *Values, n int) error
	// rest returns how many bytes were not needed; 0 where the encoding can not
	// tell.
	rest() int
}

// physical is how the values of a column are stored.
type physical struct {
	kind arrowparquet.Type
	size int // bytes of a value in encoding PLAIN; 0: they vary, or bits
}

// newDecoder returns the decoder of n values.
func newDecoder(e encoding, of physical, data []byte, n int, dictionary *Values) (decoder, error) {
	texts := of.kind == arrowparquet.Types.ByteArray || of.kind == arrowparquet.Types.FixedLenByteArray
	integers := of.kind == arrowparquet.Types.Int32 || of.kind == arrowparquet.Types.Int64
	switch {
	case e == plain && of.kind == arrowparquet.Types.Boolean:
		return &plainBits{data: data}, nil
	case e == plain && of.size == 0:
		return &plainTexts{data: data}, nil
	case e == plain:
		return &plainFixed{of, data}, nil
	case (e == dictionaryRuns || e == plainDictionary) && of.kind != arrowparquet.Types.Boolean:
		return newDictionary(of, data, dictionary)
	case e == runs && of.kind == arrowparquet.Types.Boolean:
		data, _, err := prefixed(data)
		return &runBits{hybrid{data: data, width: 1}}, err
	case e == deltaPacked && integers:
		return newDelta(of, data, n)
	case e == deltaLength && of.kind == arrowparquet.Types.ByteArray:
		return newDeltaLength(of, data, n)
	case e == deltaBytes && texts:
		return newDeltaBytes(of, data, n)
	case e == streamSplit && of.size > 1:
		return newSplit(of, data, n)
	}
	return nil, fmt.Errorf("encoding %v of %v, which is not read", e, of.kind)
}

// appendFixed appends a value of a fixed size, as encoding PLAIN has it.
func (of physical) appendFixed(to *Values, value []byte) {
	switch of.kind {
	case arrowparquet.Types.Int32:
		to.Ints = append(to.Ints, int64(int32(binary.LittleEndian.Uint32(value))))
	case arrowparquet.Types.Int64:
		to.Ints = append(to.Ints, int64(binary.LittleEndian.Uint64(value)))
	case arrowparquet.Types.Float:
		to.Floats = append(to.Floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(value))))
	case arrowparquet.Types.Double:
		to.Floats = append(to.Floats, math.Float64frombits(binary.LittleEndian.Uint64(value)))
	default: // INT96, FIXED_LEN_BYTE_ARRAY
		to.Strings = append(to.Strings, string(value))
	}
}

// plainFixed reads values of a fixed size in encoding PLAIN.
type plainFixed struct {
	physical
	data []byte
}

func (d *plainFixed) decode(to *Values, n int) error {
	if len(d.data)/d.size < n {
		return errShort
	}
	for range n {
		d.appendFixed(to, d.data[:d.size])
		d.data = d.data[d.size:]
	}
	return nil
}

func (d *plainFixed) rest() int { return len(d.data) }

// plainTexts reads texts in encoding PLAIN: each behind its length.
type plainTexts struct{ data []byte }

func (d *plainTexts) decode(to *Values, n int) error {
	for range n {
		text, rest, err := prefixed(d.data)
		if err != nil {
			return err
		}
		if len(text) > longestText {
			return errLongText(len(text))
		}
		to.Strings = append(to.Strings, string(text))
		d.data = rest
	}
	return nil
}

func (d *plainTexts) rest() int { return len(d.data) }

func errLongText(n int) error {
	return fmt.Errorf("a text of %d bytes; at most %d MiB are read", n, longestText>>20)
}

// plainBits reads Booleans in encoding PLAIN: a bit each.
type plainBits struct {
	data []byte
	bit  int
}

func (d *plainBits) decode(to *Values, n int) error {
	if 8*len(d.data)-d.bit < n {
		return errShort
	}
	for range n {
		to.Bools = append(to.Bools, d.data[d.bit/8]>>(d.bit%8)&1 == 1)
		d.bit++
	}
	return nil
}

func (d *plainBits) rest() int { return len(d.data) - (d.bit+7)/8 }

// runBits reads Booleans in encoding RLE.
type runBits struct{ hybrid }

func (d *runBits) decode(to *Values, n int) error {
	return d.each(n, func(some []uint32) error {
		for _, v := range some {
			to.Bools = append(to.Bools, v != 0)
		}
		return nil
	})
}

func (d *runBits) rest() int { return 0 }

// dictionary reads values by their places in a dictionary.
type dictionary struct {
	of      physical
	indices hybrid
	values  *Values
	size    int
}

func newDictionary(of physical, data []byte, values *Values) (decoder, error) {
	if values == nil {
		return nil, fmt.Errorf("%w: a page needs a dictionary, and there is none before it", ErrFormat)
	}
	indices, err := dictionaryWidth(data)
	return &dictionary{of, indices, values, values.len(of.slot())}, err
}

func (d *dictionary) decode(to *Values, n int) error {
	return d.indices.each(n, func(some []uint32) error {
		for _, at := range some {
			if int(at) >= d.size {
				return fmt.Errorf("%w: value %d of a dictionary of %d", ErrFormat, at, d.size)
			}
			switch d.of.slot() {
			case Int64:
				to.Ints = append(to.Ints, d.values.Ints[at])
			case Float64:
				to.Floats = append(to.Floats, d.values.Floats[at])
			default:
				to.Strings = append(to.Strings, d.values.Strings[at])
			}
		}
		return nil
	})
}

func (d *dictionary) rest() int { return 0 }

// split reads values whose first bytes stand together, then the second ones, and
// so on.
type split struct {
	of   physical
	data []byte
	n, i int
}

func newSplit(of physical, data []byte, n int) (decoder, error) {
	if len(data) != n*of.size {
		return nil, fmt.Errorf("%w: %d values of %d bytes in %d bytes", ErrFormat, n, of.size, len(data))
	}
	return &split{of: of, data: data, n: n}, nil
}

func (d *split) decode(to *Values, n int) error {
	if d.n-d.i < n {
		return errShort
	}
	value := make([]byte, d.of.size)
	for range n {
		for k := range value {
			value[k] = d.data[k*d.n+d.i]
		}
		d.of.appendFixed(to, value)
		d.i++
	}
	return nil
}

func (d *split) rest() int { return 0 }

// slot is the slice of [Values] that holds the values.
func (of physical) slot() Kind {
	switch of.kind {
	case arrowparquet.Types.Boolean:
		return Bool
	case arrowparquet.Types.Int32, arrowparquet.Types.Int64:
		return Int64
	case arrowparquet.Types.Float, arrowparquet.Types.Double:
		return Float64
	}
	return String
}
