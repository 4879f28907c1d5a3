package solve

// snapshot is a copy of the state of a basis.
type snapshot struct {
	valid                  bool
	m, gpos                int
	level                  float64
	cols, val, fixed, rate []float64
	tight, slot, pos, key  []int
	head, next             []int
	in                     []variable
	here                   []bool
}

func (s *snapshot) take(b *basis) {
	s.valid, s.m, s.gpos, s.level = true, b.m, b.gpos, b.level
	s.cols = append(s.cols[:0], b.cols[:len(b.tight)*b.ld]...)
	s.val, s.fixed, s.rate = append(s.val[:0], b.val...), append(s.fixed[:0], b.fixed...), append(s.rate[:0], b.rate...)
	s.tight, s.slot = append(s.tight[:0], b.tight...), append(s.slot[:0], b.slot...)
	s.pos, s.key = append(s.pos[:0], b.pos...), append(s.key[:0], b.key...)
	s.head, s.next = append(s.head[:0], b.head...), append(s.next[:0], b.next...)
	s.in, s.here = append(s.in[:0], b.in...), append(s.here[:0], b.here...)
}

func (s *snapshot) restore(b *basis) {
	s.valid = false
	b.m, b.gpos, b.level = s.m, s.gpos, s.level
	copy(b.cols, s.cols)
	b.tight = append(b.tight[:0], s.tight...)
	copy(b.val, s.val)
	copy(b.fixed, s.fixed)
	copy(b.rate, s.rate)
	copy(b.slot, s.slot)
	copy(b.pos, s.pos)
	copy(b.key, s.key)
	copy(b.head, s.head)
	copy(b.next, s.next)
	copy(b.in, s.in)
	copy(b.here, s.here)
}
