package traces

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// SourceSum computes the checksum of a trace's source files: the SHA-256 of
// one line per file, "<sha256 of the file>  <name>\n", in the order in which
// the files are opened (the output of sha256sum, hashed once more).
//
// The zero value is ready for use.
type SourceSum struct {
	names []string
	sums  []hash.Hash
}

// Reader returns a reader of r that adds what is read to the checksum of the
// file of that name. Only bytes that are read count: the caller reads to the
// end.
func (s *SourceSum) Reader(name string, r io.Reader) io.Reader {
	h := sha256.New()
	s.names, s.sums = append(s.names, name), append(s.sums, h)
	return io.TeeReader(r, h)
}

// Sum returns the checksum in hexadecimal digits; empty when there was no
// file.
func (s *SourceSum) Sum() string {
	if len(s.names) == 0 {
		return ""
	}
	all := sha256.New()
	for i, name := range s.names {
		// Writing to a hash never fails.
		_, _ = io.WriteString(all, hex.EncodeToString(s.sums[i].Sum(nil))+"  "+name+"\n")
	}
	return hex.EncodeToString(all.Sum(nil))
}
