package parquet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/thrift/lib/go/thrift"
)

// The bounds on pages: of a header (with the least and the largest value in it),
// and of what a page may unpack to.
const (
	largestHeader = 1 << 20
	largestPage   = 256 << 20
)

// The types of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// pageHeader is what the header of a page says.
type pageHeader struct {
	kind             int32
	unpacked, packed int32 // bytes
	crc              uint32
	hasCRC           bool
	values           int32 // with nulls
	nulls            int32 // version 2
	encoding         encoding
	levels           encoding // of the definition levels, version 1
	defBytes         int32    // of the definition levels, version 2
	repBytes         int32
	isPacked         bool // version 2: the values are
}

// readPageHeader reads the header of the next page.
func readPageHeader(in *bufio.Reader) (h pageHeader, err error) {
	h.isPacked = true
	var crc int32
	how := (*int32)(&h.encoding)
	// Where the fields of the header go, by their numbers, and those of the structure that
	// depends on the type of the page: 5 for version 1, 7 for a dictionary, 8 for version 2.
	fields := map[int16]*int32{1: &h.kind, 2: &h.unpacked, 3: &h.packed, 4: &crc}
	ofType := map[int16]map[int16]*int32{
		5: {1: &h.values, 2: how, 3: (*int32)(&h.levels)},
		7: {1: &h.values, 2: how},
		8: {1: &h.values, 2: &h.nulls, 4: how, 5: &h.defBytes, 6: &h.repBytes},
	}
	p := compact(thrift.NewStreamTransportR(in), largestHeader)
	err = fieldsOf(p, func(id int16, t thrift.TType) error {
		if inner := ofType[id]; inner != nil && t == thrift.STRUCT {
			return fieldsOf(p, func(of int16, t thrift.TType) (err error) {
				if id == 8 && of == 7 && t == thrift.BOOL {
					h.isPacked, err = p.ReadBool(context.Background())
					return err
				}
				return readNumber(p, t, inner[of])
			})
		}
		h.hasCRC = h.hasCRC || id == 4
		return readNumber(p, t, fields[id])
	})
	h.crc = uint32(crc)
	if err == nil && (h.unpacked < 0 || h.packed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0) {
		err = errors.New("a negative length")
	}
	if err == nil && h.unpacked > largestPage {
		return h, fmt.Errorf("a page of %d bytes; at most %d MiB are read", h.unpacked, largestPage>>20)
	}
	if err != nil {
		return h, fmt.Errorf("%w: header of a page: %w", ErrFormat, err)
	}
	return h, nil
}

// readNumber reads a field into to, or over it where to is nil.
func readNumber(p thrift.TProtocol, t thrift.TType, to *int32) (err error) {
	if to == nil || t != thrift.I32 {
		return skip(p, t)
	}
	*to, err = p.ReadI32(context.Background())
	return err
}

// readPage returns the bytes of a page as they are in the file, and compares them
// with their checksum where there is one. left is what is left of the chunk at
// most.
func readPage(in *bufio.Reader, h pageHeader, left int64) ([]byte, error) {
	if int64(h.packed) > left {
		return nil, fmt.Errorf("%w: a page of %d bytes in a column chunk of %d", ErrFormat, h.packed, left)
	}
	body := make([]byte, h.packed)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, fmt.Errorf("%w: the column chunk ends in a page", ErrFormat)
	}
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return nil, fmt.Errorf("%w: the checksum of a page does not fit its bytes", ErrFormat)
	}
	return body, nil
}

// unpackV2 unpacks the values of a page of version 2, whose levels stand before
// them as they are.
func unpackV2(codec compress.Compression, h pageHeader, body []byte) (levels, values []byte, err error) {
	head := int64(h.defBytes) + int64(h.repBytes)
	if head > int64(len(body)) || head > int64(h.unpacked) {
		return nil, nil, fmt.Errorf("%w: levels of %d bytes in a page of %d", ErrFormat, head, len(body))
	}
	levels, values = body[h.repBytes:head], body[head:]
	if !h.isPacked {
		codec = compress.Codecs.Uncompressed
	}
	values, err = unpack(codec, values, int(h.unpacked)-int(head))
	return levels, values, err
}
