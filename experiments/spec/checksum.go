package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/leontief-sim/leontief/traces/input"
)

// checksum returns the SHA-256 of a file.
func Checksum(path string) (string, error) {
	f, err := input.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest returns the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
