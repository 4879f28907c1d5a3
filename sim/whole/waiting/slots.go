package waiting

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// slots are the places for users in a userTree, leaf by leaf.
type slots struct {
	user  []int32
	down  sketched     // the demand; of an empty slot within nothing
	up    sketched     // the same, rounded up
	turn  []order.Turn // of an empty slot [order.Nobody]
	tried []int64
	kind  []*Kind
}

// resize makes room for n slots; the new ones are empty.
func (s *slots) resize(n int) {
	old := len(s.user)
	s.clear(int32(min(n, old)), int32(old))
	s.user, s.turn = sized(s.user, n), sized(s.turn, n)
	s.tried, s.kind = sized(s.tried, n), sized(s.kind, n)
	s.down.resize(n)
	s.up.resize(n)
	s.clear(int32(min(n, old)), int32(n))
}

// sized makes a slice shorter or longer.
func sized[T any](s []T, n int) []T { return slices.Grow(s, max(n-len(s), 0))[:n] }

// clear empties a run of slots.
func (s *slots) clear(first, end int32) {
	for i := first; i < end; i++ {
		s.user[i], s.turn[i], s.kind[i] = -1, order.Nobody, nil
		s.down.put(i, impossible)
		s.up.put(i, sketch{})
	}
}

// transfer copies a user to a slot of others.
func (s *slots) transfer(from int32, others *slots, to int32) {
	others.user[to], others.turn[to], others.tried[to], others.kind[to] = s.user[from], s.turn[from], s.tried[from], s.kind[from]
	others.down.put(to, s.down.at(from))
	others.up.put(to, s.up.at(from))
}

// copy takes over a run of slots.
func (s *slots) copy(from *slots, first, end int32) {
	copy(s.user[first:end], from.user[first:end])
	copy(s.turn[first:end], from.turn[first:end])
	copy(s.tried[first:end], from.tried[first:end])
	copy(s.kind[first:end], from.kind[first:end])
	s.down.copy(&from.down, first, end)
	s.up.copy(&from.up, first, end)
}
