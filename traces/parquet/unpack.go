package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// lz4Raw is the codec LZ4_RAW, which the library does not name.
const lz4Raw = compress.Compression(7)

// unpack returns the n bytes that a page unpacks to. Fewer or more are an error:
// the codecs of the library leave zeros, or forget what is too much. Memory
// follows what is there and not what the header says.
func unpack(codec compress.Compression, packed []byte, n int) ([]byte, error) {
	if codec == compress.Codecs.Uncompressed {
		if len(packed) != n {
			return nil, fmt.Errorf("%w: a page of %d bytes that says %d", ErrFormat, len(packed), n)
		}
		return packed, nil
	}
	if n == 0 && len(packed) == 0 { // a page of nulls alone
		return nil, nil
	}
	read, known := map[compress.Compression]func([]byte, int) ([]byte, error){
		compress.Codecs.Snappy: unpackSnappy, lz4Raw: unpackLZ4, compress.Codecs.Zstd: unpackZstd,
		compress.Codecs.Gzip: unpackGzip, compress.Codecs.Brotli: unpackBrotli,
	}[codec]
	if !known {
		return nil, fmt.Errorf("compressed by %s, which is not read (read are UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW)", codecName(codec))
	}
	out, err := read(packed, n)
	if err == nil && len(out) != n {
		err = fmt.Errorf("%d bytes instead of %d", len(out), n)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a page compressed by %s: %w", ErrFormat, codecName(codec), err)
	}
	return out, nil
}

func codecName(codec compress.Compression) string {
	if codec == compress.Codecs.Lz4 {
		return "LZ4 in Hadoop's framing"
	}
	if name := codec.String(); name != "<UNSET>" {
		return name
	}
	return fmt.Sprintf("codec %d", int32(codec))
}

// The most that a byte unpacks to: by Snappy a copy of 64 bytes takes three, by
// LZ4 each byte of a length stands for 255.
const snappyMost, lz4Most = 22, 256

var errGrows = errors.New("it says that it unpacks to more than it can")

func unpackSnappy(packed []byte, n int) ([]byte, error) {
	says, err := snappy.DecodedLen(packed)
	if err != nil {
		return nil, err
	}
	if says != n {
		return nil, fmt.Errorf("%d bytes instead of %d", says, n)
	}
	if n > snappyMost*len(packed)+64 {
		return nil, errGrows
	}
	return snappy.Decode(nil, packed)
}

func unpackLZ4(packed []byte, n int) ([]byte, error) {
	if n > lz4Most*len(packed)+64 {
		return nil, errGrows
	}
	out := make([]byte, n)
	m, err := lz4.UncompressBlock(packed, out)
	if err != nil {
		return nil, err
	}
	return out[:m], nil
}

// unpacksZstd works on the goroutine that calls it.
var unpacksZstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(largestPage))
})

func unpackZstd(packed []byte, n int) ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(packed); err != nil {
		return nil, err
	}
	if head.HasFCS && head.FrameContentSize > uint64(n) {
		return nil, fmt.Errorf("%d bytes instead of %d", head.FrameContentSize, n)
	}
	z, err := unpacksZstd()
	if err != nil {
		return nil, err
	}
	return z.DecodeAll(packed, nil)
}

func unpackGzip(packed []byte, n int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return readAtMost(z, n)
}

func unpackBrotli(packed []byte, n int) ([]byte, error) {
	return readAtMost(brotli.NewReader(bytes.NewReader(packed)), n)
}

// readAtMost reads to the end, or to one byte more than n.
func readAtMost(r io.Reader, n int) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, int64(n)+1))
}
