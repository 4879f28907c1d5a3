// Package stream derives random streams from names.
//
// A stream is named by where it is used: the experiment, the part of the
// scenario that describes the workload (not the policy), the instance and the
// stream's own name. Two policies that are compared draw the same workload,
// adding a policy or a column moves no other number, and the order in which
// workers run does not matter.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// New returns the random stream of the given name, whose parts are strings
// and integers (int, int64 or uint64). It is a ChaCha8 generator with the key
// SHA-256(parts), each part being written with its type and length, so that
// ("ab", "c") and ("a", "bc") differ, as do 1 and "1". Integers of the same
// value are the same part whatever their Go type. A part of another type
// panics.
//
// The same parts give the same numbers on every machine and in every version
// of leontief; a test holds the first of them.
func New(parts ...any) *rand.Rand {
	return rand.New(rand.NewChaCha8(Key(parts...)))
}

// Key returns the 32 bytes with which [New] starts its generator.
func Key(parts ...any) [32]byte {
	var name []byte
	for _, part := range parts {
		name = appendPart(name, part)
	}
	return sha256.Sum256(name)
}

// appendPart writes one part: 's', the length and the bytes of a string; 'i'
// and eight bytes for an integer that fits int64; 'u' and eight bytes for a
// larger one.
func appendPart(name []byte, part any) []byte {
	switch p := part.(type) {
	case string:
		name = binary.BigEndian.AppendUint64(append(name, 's'), uint64(len(p)))
		return append(name, p...)
	case int:
		return appendInt(name, int64(p))
	case int64:
		return appendInt(name, p)
	case uint64:
		if p > 1<<63-1 {
			return binary.BigEndian.AppendUint64(append(name, 'u'), p)
		}
		return appendInt(name, int64(p))
	}
	panic(fmt.Sprintf("stream: a part of type %T; only strings and integers name a stream", part))
}

func appendInt(name []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(name, 'i'), uint64(v))
}
