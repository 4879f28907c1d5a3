package parquet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// SealKey is the metadata key of a file's own checksum. It is the last entry
// of the metadata.
const SealKey = "leontief.sha256"

// ErrDamaged is the error of a file that is not what was written: truncated,
// changed, or no sealed Parquet file at all.
var ErrDamaged = errors.New("damaged, or not a Parquet file that leontief wrote")

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

// findSeal returns the offset of the checksum's digits in the file and its
// size.
func findSeal(f *os.File) (offset, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = info.Size()
	start := max(0, size-tailBytes)
	tail := make([]byte, size-start)
	if _, err := f.ReadAt(tail, start); err != nil && err != io.EOF {
		return 0, 0, err
	}
	at := bytes.LastIndex(tail, sealMark)
	if at < 0 || at+len(sealMark)+sealDigits > len(tail) {
		return 0, 0, fmt.Errorf("%w: no checksum found", ErrDamaged)
	}
	return start + int64(at+len(sealMark)), size, nil
}

// digest returns the SHA-256, in hexadecimal digits, of the file with the
// checksum's digits at offset taken as zeros.
func digest(f *os.File, offset, size int64) (string, error) {
	h := sha256.New()
	after := offset + sealDigits
	source := io.MultiReader(
		io.NewSectionReader(f, 0, offset),
		strings.NewReader(blankSeal),
		io.NewSectionReader(f, after, size-after))
	if _, err := io.Copy(h, source); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// seal writes the checksum of a complete file into it.
func seal(f *os.File) error {
	offset, size, err := findSeal(f)
	if err != nil {
		return err
	}
	sum, err := digest(f, offset, size)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(sum), offset)
	return err
}

// checkSeal compares the checksum of a file with its bytes.
func checkSeal(f *os.File) error {
	offset, size, err := findSeal(f)
	if err != nil {
		return err
	}
	want, err := digest(f, offset, size)
	if err != nil {
		return err
	}
	got := make([]byte, sealDigits)
	if _, err := f.ReadAt(got, offset); err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("%w: its checksum does not fit its bytes", ErrDamaged)
	}
	return nil
}
