package rows

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/leontief-sim/leontief/traces"
)

// File is a file of text, packed by gzip if its path ends in .gz.
type File struct {
	Path string
	// Sum receives all bytes of the file, under this name; nil: nobody does.
	Sum  *traces.SourceSum
	Name string
	// Broken describes an error of unpacking.
	Broken func(error) error
}

// Read calls f with the unpacked text. What f leaves of the file is read, too: it
// must be sound, and it belongs to the checksum.
func (file File) Read(f func(text io.Reader) error) (err error) {
	in, err := os.Open(file.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var raw io.Reader = in
	if file.Sum != nil {
		raw = file.Sum.Reader(file.Name, in)
	}
	text := raw
	if packed(file.Path) {
		if text, err = gzip.NewReader(raw); err != nil {
			return file.Broken(err)
		}
	}
	if err := f(text); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, text); err != nil {
		return file.Broken(err)
	}
	// Bytes that the decompressor did not need belong to the checksum as well.
	_, err = io.Copy(io.Discard, raw)
	return err
}

// Read reads the row's file as [File.Read] does. The sum may be nil.
func (r *Row) Read(name string, sum *traces.SourceSum, f func(text io.Reader) error) error {
	return File{Path: r.file, Sum: sum, Name: name, Broken: r.Broken}.Read(f)
}

func packed(path string) bool { return strings.HasSuffix(path, ".gz") }
