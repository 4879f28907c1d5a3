package solve

// sparse is a column over rows; indices may repeat.
type sparse struct {
	row []int
	val []float64
}

func (c *sparse) add(k int, v float64) {
	if v != 0 {
		c.row = append(c.row, k)
		c.val = append(c.val, v)
	}
}

func (c *sparse) reset() { c.row, c.val = c.row[:0], c.val[:0] }

// inverse is the inverse B⁻¹ of the working basis, with m rows and m positions. A row
// is tight if its slack is not basic. There are as many tight rows as basic variables
// that are no slacks, few of m in general, and B⁻¹ is kept for them alone.
//
// Invariants, for every row k:
//   - exactly one of slot[k] and pos[k] is not −1: slot[k] if the row is tight, with
//     tight[slot[k]] = k; else pos[k], the position of its slack;
//   - B⁻¹·e[k] is col(slot[k]) if the row is tight, else the unit vector of pos[k].
type inverse struct {
	m     int
	ld    int // distance of the columns in cols, ≥ m
	cols  []float64
	tight []int
	slot  []int
	pos   []int
}

// reset makes it the unit matrix of m rows: every slack is basic in its own row.
func (v *inverse) reset(m int) {
	v.m, v.ld, v.tight = m, m, v.tight[:0]
	v.slot, v.pos = resize(v.slot, m), resize(v.pos, m)
	for k := range m {
		v.slot[k], v.pos[k] = -1, k
	}
}

// copy makes it a copy of another.
func (v *inverse) copy(from *inverse) {
	v.m, v.ld = from.m, from.ld
	v.cols = append(v.cols[:0], from.cols[:len(from.tight)*from.ld]...)
	v.tight = append(v.tight[:0], from.tight...)
	v.slot, v.pos = append(v.slot[:0], from.slot...), append(v.pos[:0], from.pos...)
}

// col returns B⁻¹·e[k] of the tight row k = tight[t].
func (v *inverse) col(t int) []float64 { return v.cols[t*v.ld : t*v.ld+v.m] }

// addTo adds f·B⁻¹·e[k] to dst.
func (v *inverse) addTo(dst []float64, k int, f float64) {
	if t := v.slot[k]; t >= 0 {
		addScaled(dst, f, v.col(t))
	} else {
		dst[v.pos[k]] += f
	}
}

// rowAt returns row i of B⁻¹ over the tight rows, in dst.
func (v *inverse) rowAt(dst []float64, i int) []float64 {
	dst = resize(dst, len(v.tight))
	for t := range v.tight {
		dst[t] = v.cols[t*v.ld+i]
	}
	return dst
}

// exchange replaces the basic column at position i by one whose image under B⁻¹ is
// alpha. The slots are those of before.
func (v *inverse) exchange(i int, alpha []float64) {
	inv := 1 / alpha[i]
	for t := range v.tight {
		col := v.col(t)
		f := col[i]
		if f == 0 {
			continue
		}
		f *= inv
		addScaled(col, -f, alpha)
		col[i] = f
	}
}

// increase adds to the basic column at position i one whose image under B⁻¹ is alpha;
// pivot is 1 + alpha[i].
func (v *inverse) increase(i int, alpha []float64, pivot float64) {
	for t := range v.tight {
		col := v.col(t)
		f := col[i] / pivot
		if f == 0 {
			continue
		}
		addScaled(col, -f, alpha)
		col[i] = f
	}
}

// tighten gives row k a column after exchange: its slack has just left position i, so
// its column was the unit vector of i before.
func (v *inverse) tighten(k, i int, alpha []float64) {
	t := len(v.tight)
	v.tight = append(v.tight, k)
	v.slot[k], v.pos[k] = t, -1
	if need := (t + 1) * v.ld; need > len(v.cols) {
		v.cols = append(v.cols, make([]float64, max(need, 2*len(v.cols))-len(v.cols))...)
	}
	col := v.col(t)
	f := 1 / alpha[i]
	for l, a := range alpha[:v.m] {
		col[l] = -f * a
	}
	col[i] = f
}

// loosen takes the column of row k away after exchange: its slack has just become basic
// at position i. The last column takes its slot.
func (v *inverse) loosen(k, i int) {
	t, last := v.slot[k], len(v.tight)-1
	if t != last {
		copy(v.col(t), v.col(last))
		moved := v.tight[last]
		v.tight[t], v.slot[moved] = moved, t
	}
	v.tight = v.tight[:last]
	v.slot[k], v.pos[k] = -1, i
}

// grow adds a row whose slack is basic at a new position. The row of B⁻¹ there is 0
// until the caller fills it in.
func (v *inverse) grow() {
	v.m++
	if v.m > v.ld {
		ld := v.ld + max(16, v.ld/2)
		cols := make([]float64, max(len(v.tight)*ld, 1))
		for t := range v.tight {
			copy(cols[t*ld:], v.cols[t*v.ld:t*v.ld+v.m-1])
		}
		v.cols, v.ld = cols, ld
	}
	for t := range v.tight {
		v.cols[t*v.ld+v.m-1] = 0
	}
	v.slot, v.pos = append(v.slot, -1), append(v.pos, v.m-1)
}
