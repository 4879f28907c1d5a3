package parquet

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// SealKey is the metadata key of a file's own checksum. It is the last entry
// of the metadata.
const SealKey = "leontief.sha256"

// ErrDamaged is the error of a file that is not what was written: truncated,
// changed, or no sealed Parquet file at all.
var ErrDamaged = errors.New("damaged, or not a Parquet file that leontief wrote")

// ErrUnsealed is the error of a file that ends like a Parquet file and has no
// seal: somebody else's. It is an [ErrDamaged], too.
var ErrUnsealed = fmt.Errorf("%w: no checksum found", ErrDamaged)

const (
	sealDigits = 2 * sha256.Size
	// tailBytes is how far from the end of a file the seal is looked for. Only
	// the writer's name and the column orders, a few bytes a column, follow it.
	tailBytes = 1 << 16
)

var blankSeal = strings.Repeat("0", sealDigits)

// sealMark is what precedes the digits in the footer, in the compact encoding
// of Thrift: the key's length, the key, the header of the next text field and
// its length.
var sealMark = append(append([]byte{byte(len(SealKey))}, SealKey...), 0x18, sealDigits)

// findSeal returns the offset of the checksum's digits in the footer, or the end of
// one.
func findSeal(footer []byte) (offset int, err error) {
	at := bytes.LastIndex(footer, sealMark)
	switch {
	case !bytes.HasSuffix(footer, magic):
		return 0, fmt.Errorf("%w: cut short, or no Parquet file at all", ErrDamaged)
	case at < 0 || at+len(sealMark)+sealDigits > len(footer):
		return 0, ErrUnsealed
	}
	return at + len(sealMark), nil
}

// sealer passes on what is written to it and takes its checksum. It keeps the
// footer back, to write the checksum into it.
type sealer struct {
	out    *bufio.Writer
	sum    hash.Hash
	footer *bytes.Buffer // nil before the footer
}

func newSealer(out io.Writer) *sealer {
	return &sealer{out: bufio.NewWriterSize(out, 1<<18), sum: sha256.New()}
}

func (s *sealer) Write(p []byte) (int, error) {
	if s.footer != nil {
		return s.footer.Write(p)
	}
	s.sum.Write(p)
	return s.out.Write(p)
}

// close writes the footer with the checksum in it.
func (s *sealer) close() error {
	footer := s.footer.Bytes()
	at, err := findSeal(footer)
	if err != nil {
		return err
	}
	s.sum.Write(footer)
	hex.Encode(footer[at:], s.sum.Sum(nil))
	if _, err := s.out.Write(footer); err != nil {
		return err
	}
	return s.out.Flush()
}

// checkSeal compares the checksum of a file with its bytes.
func checkSeal(r io.ReaderAt, size int64) error {
	start := max(0, size-tailBytes)
	tail := make([]byte, size-start)
	if _, err := r.ReadAt(tail, start); err != nil && err != io.EOF {
		return err
	}
	at, err := findSeal(tail)
	if err != nil {
		return err
	}
	digits := tail[at : at+sealDigits]
	says := string(digits)
	copy(digits, blankSeal)
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(r, 0, start)); err != nil {
		return err
	}
	h.Write(tail)
	if hex.EncodeToString(h.Sum(nil)) != says {
		return fmt.Errorf("%w: its checksum does not fit its bytes", ErrDamaged)
	}
	return nil
}
