package cluster

import "math/bits"

// Set is a set of server indices, one bit a server. The nil Set is the
// absence of a constraint: it holds every server. An empty set that is not
// nil holds none.
type Set []uint64

// NewSet returns the set of the given indices out of 0..n-1.
func NewSet(n int, members ...int) Set {
	set := make(Set, (n+63)/64)
	for _, s := range members {
		set.Add(s)
	}
	return set
}

// Add puts s into the set, which must have room for it.
func (set Set) Add(s int) { set[s>>6] |= 1 << (uint(s) & 63) }

// Has reports whether s is in the set; the nil set holds every server.
func (set Set) Has(s int) bool {
	if set == nil {
		return true
	}
	w := s >> 6
	return w < len(set) && set[w]>>(uint(s)&63)&1 == 1
}

// Len returns the number of members. It has no meaning for the nil set, whose
// size depends on the environment, and panics there.
func (set Set) Len() int {
	if set == nil {
		panic("cluster: Len of the nil Set, which holds every server")
	}
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}
