package waiting

import (
	"math/bits"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// sketch is a vector of amounts in brief, first of resources, then of links: 15
// bits each, in the manner of a floating-point number, below a bit that is 0. To
// compare all of them takes two subtractions. Amounts beyond the first
// sketchFields are left out.
//
// An amount is rounded down, or up where that is said; both are monotone. So if
// a demand is at most what is free, the sketch of the demand is within that of
// what is free: one that is not fits for certain nowhere, one that is may still
// not fit, if it exceeds what is free by less than 2^-9 of it. And if a demand
// rounded up is within free amounts rounded down, it is at most these.
type sketch struct{ a, b uint64 }

const (
	perWord      = 4
	sketchFields = 2 * perWord
	fieldBits    = 16
	fieldMask    = 1<<15 - 1
	mantissa     = 9
	guards       = 0x8000_8000_8000_8000
)

var (
	plenty     = sketch{0x7ffe_7ffe_7ffe_7ffe, 0x7ffe_7ffe_7ffe_7ffe} // what every demand is within
	impossible = sketch{0x7fff_7fff_7fff_7fff, 0x7fff_7fff_7fff_7fff} // within nothing
)

// brief returns an amount that is not negative, rounded down to a field of a
// sketch.
func brief(v int64) uint64 {
	e := max(bits.Len64(uint64(v))-mantissa-1, 0)
	return uint64(e)<<mantissa + uint64(v)>>e
}

// amount returns the smallest amount that is rounded down to a field.
func amount(field uint64) int64 {
	e := max(int(field>>mantissa)-1, 0)
	return int64((field - uint64(e)<<mantissa) << e)
}

// briefUp returns an amount rounded up to a field.
func briefUp(v int64) uint64 {
	field := brief(v)
	if amount(field) != v {
		field++
	}
	return field
}

// field returns amount i in brief; 0 if it is left out.
func (s sketch) field(i int) uint64 {
	switch {
	case i < perWord:
		return s.a >> (uint(i) * fieldBits) & fieldMask
	case i < sketchFields:
		return s.b >> (uint(i-perWord) * fieldBits) & fieldMask
	}
	return 0
}

// with returns the sketch with another amount i.
func (s sketch) with(i int, field uint64) sketch {
	shift := uint(i%perWord) * fieldBits
	switch {
	case i < perWord:
		s.a = s.a&^(fieldMask<<shift) | field<<shift
	case i < sketchFields:
		s.b = s.b&^(fieldMask<<shift) | field<<shift
	}
	return s
}

// within reports whether no amount is above that of another sketch.
func (s sketch) within(room sketch) bool {
	return ((room.a|guards)-s.a)&((room.b|guards)-s.b)&guards == guards
}

// least returns the smaller one of every two amounts.
func least(x, y sketch) sketch {
	a, b := notLess(x.a, y.a), notLess(x.b, y.b)
	return sketch{y.a&a | x.a&^a, y.b&b | x.b&^b}
}

// most returns the larger one of every two amounts.
func most(x, y sketch) sketch {
	a, b := notLess(x.a, y.a), notLess(x.b, y.b)
	return sketch{x.a&a | y.a&^a, x.b&b | y.b&^b}
}

// notLess returns a mask of the fields of a word that are at least those of
// another.
func notLess(x, y uint64) uint64 {
	m := ((x | guards) - y) & guards
	return m - m>>15
}

// sketchDemand returns the sketches of a demand of resources and links, rounded
// down and up.
func sketchDemand(resources, links []int64) (down, up sketch) {
	for i, v := range resources {
		down, up = down.with(i, brief(v)), up.with(i, briefUp(v))
	}
	for i, v := range links {
		e := len(resources) + i
		down, up = down.with(e, brief(v)), up.with(e, briefUp(v))
	}
	return down, up
}

// sketches are those of what is free in a ledger.
type sketches struct {
	rooms []sketch // per server, links being no matter
	links sketch   // of links that reach every server, all else being no matter
}

func newSketches(l *cluster.Ledger) sketches {
	s := sketches{links: plenty, rooms: make([]sketch, l.Servers())}
	for server := range s.rooms {
		s.rooms[server] = plenty
		s.server(l, int32(server))
	}
	return s
}

// server brings the sketch of a server up to date.
func (s *sketches) server(l *cluster.Ledger, server int32) {
	room := &s.rooms[server]
	for r, free := range l.Free(int(server)) {
		word, shift := &room.a, uint(r)*fieldBits
		switch {
		case r >= sketchFields:
			return
		case r >= perWord:
			word, shift = &room.b, shift-perWord*fieldBits
		}
		*word = *word&^(fieldMask<<shift) | brief(free)<<shift
	}
}

// linksOf returns the sketch of what is free of some links, all else being no
// matter.
func linksOf(l *cluster.Ledger, links []int32, resources int) sketch {
	s, free := plenty, l.LinkFree()
	for _, e := range links {
		s = s.with(resources+int(e), brief(free[e]))
	}
	return s
}
