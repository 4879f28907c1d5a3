package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/thrift/lib/go/thrift"
)

// The bounds on what a footer may hold. A damaged one must not cost memory.
const (
	largestFooter = 16 << 20 // bytes; about 100,000 column chunks
	deepest       = 64       // levels of nesting, of its structures and of its schema
)

// ErrFormat is the error of a file that is not in the Parquet format, or damaged.
var ErrFormat = errors.New("damaged, or no Parquet file")

// The first and last bytes of a file.
var magic, encrypted = []byte("PAR1"), []byte("PARE")

// trailer is the length of the footer and the magic bytes behind it.
const trailer = 8

// readFooter reads the footer of a file. The library that decodes it believes the
// lengths in it, and follows its schema as deep as it goes, so they are checked
// first: every list has as many elements as it says.
func readFooter(r io.ReaderAt, size int64) (*metadata.FileMetaData, error) {
	if size < int64(len(magic)+trailer) {
		return nil, fmt.Errorf("%w: %d bytes", ErrFormat, size)
	}
	var head [4]byte
	var tail [trailer]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(tail[:], size-trailer); err != nil && err != io.EOF {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case bytes.Equal(tail[4:], encrypted) || bytes.Equal(head[:], encrypted):
		return nil, errors.New("an encrypted Parquet file, which is not read")
	case !bytes.Equal(head[:], magic):
		return nil, fmt.Errorf("%w: it does not begin with PAR1", ErrFormat)
	case !bytes.Equal(tail[4:], magic):
		return nil, fmt.Errorf("%w: it does not end with PAR1 (cut short?)", ErrFormat)
	case length > size-int64(len(magic)+trailer):
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrFormat, length, size)
	case length > largestFooter:
		return nil, fmt.Errorf("a footer of %d bytes; at most %d MiB are read", length, largestFooter>>20)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-trailer-length); err != nil {
		return nil, err
	}
	if err := checkFooter(footer); err != nil {
		return nil, fmt.Errorf("%w: footer: %w", ErrFormat, err)
	}
	var meta *metadata.FileMetaData
	err := guard(func() (err error) {
		meta, err = metadata.NewFileMetaData(footer, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: footer: %w", ErrFormat, err)
	}
	return meta, nil
}

// schemaField is the number of the schema among the fields of a footer, and
// childrenField that of the number of children among those of a schema element.
const schemaField, childrenField = 2, 5

// checkFooter walks through a footer without keeping anything of it.
func checkFooter(footer []byte) error {
	p := compact(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(footer)}, len(footer))
	return fieldsOf(p, func(id int16, t thrift.TType) error {
		if id == schemaField && t == thrift.LIST {
			return checkSchema(p)
		}
		return skip(p, t)
	})
}

// checkSchema walks through the schema: a tree, each node before its children.
func checkSchema(p thrift.TProtocol) error {
	element, n, err := p.ReadListBegin(context.Background())
	if err != nil {
		return err
	}
	if element != thrift.STRUCT || n == 0 {
		return errors.New("no schema")
	}
	open := []int32{1} // children to come, by level
	for range n {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 || len(open) > deepest {
			return fmt.Errorf("the schema is no tree of at most %d levels", deepest)
		}
		open[len(open)-1]--
		children, err := childrenOf(p)
		if err != nil {
			return err
		}
		open = append(open, children)
	}
	for _, left := range open {
		if left != 0 {
			return errors.New("the schema is no tree: a column is missing")
		}
	}
	return nil
}

// childrenOf reads a schema element and returns the number of its children.
func childrenOf(p thrift.TProtocol) (children int32, err error) {
	err = fieldsOf(p, func(id int16, t thrift.TType) error {
		if id != childrenField || t != thrift.I32 {
			return skip(p, t)
		}
		children, err = p.ReadI32(context.Background())
		if err == nil && children < 0 {
			err = errors.New("a schema element with fewer than no children")
		}
		return err
	})
	return children, err
}

// compact returns a reader of Thrift's compact protocol. No list and no text in it
// may be longer than limit.
func compact(from thrift.TTransport, limit int) thrift.TProtocol {
	return thrift.NewTCompactProtocolConf(from, &thrift.TConfiguration{MaxMessageSize: int32(limit), MaxFrameSize: int32(limit)})
}

// fieldsOf calls f for every field of a structure; f reads the field's value.
func fieldsOf(p thrift.TProtocol, f func(id int16, t thrift.TType) error) error {
	ctx := context.Background()
	if _, err := p.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, t, id, err := p.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if t == thrift.STOP {
			return p.ReadStructEnd(ctx)
		}
		if err := f(id, t); err != nil {
			return err
		}
	}
}

func skip(p thrift.TProtocol, t thrift.TType) error {
	return thrift.Skip(context.Background(), p, t, deepest)
}
