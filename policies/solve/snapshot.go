package solve

// snapshot is a copy of the state of a basis without surpluses and envy rows.
type snapshot struct {
	valid bool
	inverse
	basics
	common
	here        []bool
	key         []int
	fixed, rate []float64
}

// take copies the state of b.
func (s *snapshot) take(b *basis) {
	s.valid, s.common = true, b.common
	s.inverse.copy(&b.inverse)
	s.basics.copy(&b.basics)
	s.here, s.key = append(s.here[:0], b.here...), append(s.key[:0], b.key...)
	s.fixed, s.rate = append(s.fixed[:0], b.fixed...), append(s.rate[:0], b.rate...)
}

// restore gives b the state that was taken, once.
func (s *snapshot) restore(b *basis) {
	s.valid, b.common = false, s.common
	b.inverse.copy(&s.inverse)
	b.basics.copy(&s.basics)
	copy(b.here, s.here)
	copy(b.key, s.key)
	copy(b.fixed, s.fixed)
	copy(b.rate, s.rate)
}

// copy makes them a copy of others.
func (v *basics) copy(from *basics) {
	v.in, v.val = append(v.in[:0], from.in...), append(v.val[:0], from.val...)
	v.head, v.next = append(v.head[:0], from.head...), append(v.next[:0], from.next...)
}
