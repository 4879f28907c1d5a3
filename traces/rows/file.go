package rows

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
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
// must be sound, and it belongs to the checksum. A file that is no regular one is
// an error ([input.Open]), and so is one that unpacks to more than can be meant
// ([ErrBomb]).
func (file File) Read(f func(text io.Reader) error) (err error) {
	in, err := input.Open(file.Path)
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
		from := &counter{r: raw}
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return file.Broken(err)
		}
		text = &bounded{r: unpacked, from: from}
		raw = from
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

// The bound on unpacking: a text may have any size, but beyond bombSize it may not
// be more than bombRatio times as large as what it was packed in. The traces that
// are read here, and CSV files of numbers in general, are packed to a tenth; gzip
// can do a thousandth.
const bombRatio = 200

var bombSize int64 = 16 << 20 // a variable for the tests

// ErrBomb is the error of a packed file that unpacks to more than its content can
// need.
var ErrBomb = fmt.Errorf("the file unpacks to more than %d times its size and to more than %d MiB: no table does", bombRatio, bombSize>>20)

// counter counts what was read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded is an unpacked text within the bound.
type bounded struct {
	r    io.Reader
	from *counter
	n    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	if b.n > bombSize && b.n/bombRatio > b.from.n {
		return 0, ErrBomb
	}
	return n, err
}

// Read reads the row's file as [File.Read] does. The sum may be nil.
func (r *Row) Read(name string, sum *traces.SourceSum, f func(text io.Reader) error) error {
	return File{Path: r.file, Sum: sum, Name: name, Broken: r.Broken}.Read(f)
}

func packed(path string) bool { return strings.HasSuffix(path, ".gz") }
