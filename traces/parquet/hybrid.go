package parquet

import (
	"encoding/binary"
	"fmt"
)

// errShort is the error of a page that holds fewer values than it says.
var errShort = fmt.Errorf("%w: a page holds fewer values than it says", ErrFormat)

// hybrid reads numbers in runs: a number that is repeated, or numbers of a fixed
// width in bits, packed (encoding RLE).
type hybrid struct {
	data  []byte // after the run
	width uint   // bits of a number, 0 to 32

	left   int    // numbers of the run to come
	value  uint32 // of a repeated one
	packed []byte // of a packed one; nil: repeated
	bit    int    // in packed
}

// read fills out.
func (h *hybrid) read(out []uint32) error {
	if h.width == 0 { // all are 0; some writers write no run then
		clear(out)
		return nil
	}
	for len(out) > 0 {
		if h.left == 0 {
			if err := h.next(); err != nil {
				return err
			}
		}
		n := min(h.left, len(out))
		for i := range out[:n] {
			if h.packed == nil {
				out[i] = h.value
				continue
			}
			out[i] = uint32(bitsAt(h.packed, h.bit, h.width))
			h.bit += int(h.width)
		}
		h.left -= n
		out = out[n:]
	}
	return nil
}

// each calls f with some of the next n numbers after the other, to an error.
func (h *hybrid) each(n int, f func(some []uint32) error) error {
	var buf [256]uint32
	for ; n > 0; n -= len(buf) {
		some := buf[:min(n, len(buf))]
		if err := h.read(some); err != nil {
			return err
		}
		if err := f(some); err != nil {
			return err
		}
	}
	return nil
}

// next begins a run.
func (h *hybrid) next() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head>>1 == 0 || head>>1 > 1<<31 {
		return errShort
	}
	h.data = h.data[n:]
	if head&1 == 0 {
		size := int(h.width+7) / 8
		if len(h.data) < size {
			return errShort
		}
		h.value, h.packed = 0, nil
		for i := range size {
			h.value |= uint32(h.data[i]) << (8 * i)
		}
		h.left, h.data = int(head>>1), h.data[size:]
		return nil
	}
	// The last run may be cut behind the last number that is needed.
	size := min(int(head>>1)*int(h.width), len(h.data))
	h.packed, h.bit, h.data = h.data[:size], 0, h.data[size:]
	if h.left = size * 8 / int(h.width); h.left == 0 {
		return errShort
	}
	return nil
}

// bitsAt returns the number of the given width, up to 64 bits, that begins at a
// bit. The bits must be there.
func bitsAt(data []byte, bit int, width uint) uint64 {
	data, shift := data[bit/8:], uint(bit%8)
	if width+shift <= 64 && len(data) >= 8 {
		return binary.LittleEndian.Uint64(data) >> shift & (1<<width - 1)
	}
	var v uint64
	for i := 0; uint(8*i) < width+shift; i++ {
		if at := 8*i - int(shift); at >= 0 {
			v |= uint64(data[i]) << at
		} else {
			v |= uint64(data[i]) >> -at
		}
	}
	if width == 64 {
		return v
	}
	return v & (1<<width - 1)
}

// dictionaryWidth reads the width of indices from the first byte of a page.
func dictionaryWidth(data []byte) (hybrid, error) {
	if len(data) == 0 {
		return hybrid{}, nil // no values
	}
	if data[0] > 32 {
		return hybrid{}, fmt.Errorf("%w: indices of %d bits", ErrFormat, data[0])
	}
	return hybrid{data: data[1:], width: uint(data[0])}, nil
}

// prefixed takes the runs that stand behind their own length.
func prefixed(data []byte) (runs, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errShort
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return nil, nil, errShort
	}
	return data[4 : 4+n], data[4+n:], nil
}
