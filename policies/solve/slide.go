package solve

import "math"

// slide changes the fixed total of user j, whose rate is 0, from what it is to target. A
// negative target stands for g, whatever that then is. g must be basic.
//
// Invariant: the basis is optimal for the present total at every step. This is the
// parametric form of the dual simplex method; the usual form, which changes the total at
// once and repairs the largest violation, wanders where many dual solutions tie (as when
// a link over all servers is the only scarce row).
func (b *basis) slide(j int, target float64) error {
	sign := 1.0
	if target >= 0 && target < b.fixed[j] {
		sign = -1
	}
	idle := 0
	for range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		// 1. Find how the basic variables answer to the total, which its key takes.
		b.column.reset()
		b.addTask(&b.column, j, b.key[j], sign)
		b.solve()
		room := math.Abs(target - b.fixed[j])
		if target < 0 {
			room = (b.g() - b.fixed[j]) / (1 + b.alpha[b.gpos])
		}
		// 2. Move until the target, or until the first variable reaches 0.
		at, key, theta := b.breakpoint(j, sign, room)
		addScaled(b.val, -theta, b.alpha)
		b.fixed[j] += sign * theta
		if at < 0 && key < 0 {
			return nil
		}
		if theta > 0 {
			idle = 0
		} else if idle++; idle > stallLimit {
			return errPivots
		}
		// 3. That variable leaves by a dual pivot; a key makes room for another first.
		if key >= 0 {
			at = b.swapLargest(key)
		}
		if err := b.replace(at, true); err != nil {
			return err
		}
	}
	return errPivots
}

// breakpoint returns the position, or the user whose key, reaches 0 first, and how far
// away that is; both are -1 if none does within room.
func (b *basis) breakpoint(own int, sign, room float64) (at, key int, theta float64) {
	tol := tolPivot * b.largest()
	slack := tolSlide * max(1, b.g())
	o := &b.offers
	o.reset()
	for i, v := range b.in {
		if i == b.gpos {
			continue
		}
		if a := b.alpha[i]; a > tol {
			o.put(i, b.val[i], a, slack)
		}
		if v < 0 {
			continue
		}
		j, _ := b.taskOf(v)
		if b.head[j] != i {
			continue
		}
		speed := -b.keyRate(j)
		if j == own {
			speed -= sign
		}
		if speed > tol {
			o.put(-1-j, b.keyValue(j), speed, slack)
		}
	}
	best, found := o.pick()
	if !found || best.room > room*best.speed {
		return -1, -1, room
	}
	if best.id < 0 {
		return -1, -1 - best.id, best.room / best.speed
	}
	return best.id, -1, best.room / best.speed
}
