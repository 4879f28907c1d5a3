package solve

import "gonum.org/v1/gonum/floats"

// g returns the common level.
func (b *basis) g() float64 {
	if b.gpos >= 0 {
		return b.val[b.gpos]
	}
	return b.level
}

// answer returns how the key of user j changes with its basic variable at position i:
// other work takes from the total, a surplus adds to it.
func (b *basis) answer(j, i int) float64 {
	if b.isTask(b.in[i]) {
		return -1
	}
	return b.side[j]
}

// keyValue returns y[j,key[j]], what the others leave of the total.
func (b *basis) keyValue(j int) float64 {
	v := b.fixed[j] + b.rate[j]*b.g()
	for i := b.head[j]; i >= 0; i = b.next[i] {
		v += b.answer(j, i) * b.val[i]
	}
	return v
}

// keyRate returns how fast y[j,key[j]] changes with the step of the variable
// whose working column is in alpha, apart from what that variable itself does
// to it.
func (b *basis) keyRate(j int) float64 {
	v := 0.0
	if b.gpos >= 0 {
		v -= b.rate[j] * b.alpha[b.gpos]
	}
	for i := b.head[j]; i >= 0; i = b.next[i] {
		v -= b.answer(j, i) * b.alpha[i]
	}
	return v
}

// keyRow sets b.row to κᵀ·B⁻¹ over the tight rows, where κ says how the key of user j
// answers to each basic variable.
func (b *basis) keyRow(j int) {
	b.row = resize(b.row, len(b.tight))
	for t := range b.tight {
		col := b.col(t)
		v := 0.0
		if b.gpos >= 0 {
			v += b.rate[j] * col[b.gpos]
		}
		for i := b.head[j]; i >= 0; i = b.next[i] {
			v += b.answer(j, i) * col[i]
		}
		b.row[t] = v
	}
}

// swapKey makes the basic task variable at position i the key of its user and puts the
// old key in its place. No value changes; of the inverse only row i does.
func (b *basis) swapKey(j, i int) {
	value := b.keyValue(j)
	for t := range b.tight {
		col := b.col(t)
		v := -col[i]
		for l := b.head[j]; l >= 0; l = b.next[l] {
			if l != i {
				v += b.answer(j, l) * col[l]
			}
		}
		if b.gpos >= 0 {
			v += b.rate[j] * col[b.gpos]
		}
		col[i] = v
	}
	s := b.serverOf(b.in[i])
	b.in[i] = b.taskVar(j, b.key[j])
	b.key[j] = s
	b.val[i] = value
}

// flipKey lets y[j,s] enter as the new key of j while the old key leaves at 0, without a
// change of the working basis; alpha holds its working column and theta the step.
func (b *basis) flipKey(j, s int, theta float64) {
	b.keyRow(j)
	pivot := 1.0
	if b.gpos >= 0 {
		pivot += b.rate[j] * b.alpha[b.gpos]
	}
	for i := b.head[j]; i >= 0; i = b.next[i] {
		pivot += b.answer(j, i) * b.alpha[i]
	}
	floats.AddScaled(b.val, -theta, b.alpha)
	for t := range b.tight {
		if f := b.row[t]; f != 0 {
			floats.AddScaled(b.col(t), -f/pivot, b.alpha)
		}
	}
	b.key[j] = s
	b.pivots++
	b.fresh++
}

// rekey makes the largest task variable of every user its key. A key is what
// the others leave of the total, and so exact only to the rounding of the
// total; a small variable on a server that it fills needs better than that.
func (b *basis) rekey() {
	for i, v := range b.in {
		j := b.userOf(v)
		if j < 0 || b.head[j] != i {
			continue
		}
		at, most := -1, b.keyValue(j)
		for l := i; l >= 0; l = b.next[l] {
			if b.isTask(b.in[l]) && b.val[l] > most {
				at, most = l, b.val[l]
			}
		}
		if at >= 0 {
			b.swapKey(j, at)
		}
	}
}
