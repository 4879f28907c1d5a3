package whole

import (
	"math"
)

// min returns MIN-EF-SAT.
func (v *envy) min() float64 {
	if v.destitute() {
		return 0
	}
	v.Fairness.flush()
	for v.kinds.Len() > 0 {
		k := v.specs[v.kinds.Best[1]]
		if k.key >= 1 || v.worth(k, k.witness) == k.most {
			return min(1, k.key)
		}
		v.seek(k)
		v.rekey(k)
		v.kinds.Put(k.id, v.pointOf(k))
	}
	return 1
}

// destitute reports whether somebody who holds nothing could do with what
// somebody else holds: whether some group where it may run has a holder that
// needs at least the rows that it needs.
func (v *envy) destitute() bool {
	for _, c := range v.claims {
		if c.idle == 0 {
			continue
		}
		for g, counts := range v.holders {
			for i := range counts {
				if c.may[g] && counts[i].n > 0 && within(c.support[g], counts[i].support) {
					return true
				}
			}
		}
	}
	return false
}

// within reports whether everything that a needs is among what b needs.
func within(a, b string) bool {
	for r := range len(a) {
		if a[r] > b[r] {
			return false
		}
	}
	return true
}

// flush brings the trees up to date with users that have changed.
func (v *envy) flush(stale []int32) {
	for _, at := range stale {
		s := &v.states[at]
		if !s.present || s.running == 0 {
			v.drop(at)
			continue
		}
		if s.member < 0 {
			s.member = int32(len(s.spec.members))
			s.spec.members = append(s.spec.members, at)
		}
		v.bundles.Put(at, v.bundle(at))
		v.touch(s.spec)
	}
	for _, k := range v.touched {
		if k.touched = false; len(k.members) > 0 && !v.kinds.Has(k.id) {
			k.witness = k.members[0]
			v.seek(k)
			v.rekey(k)
			v.kinds.Put(k.id, v.pointOf(k))
		} else if len(k.members) > 0 {
			v.rekey(k)
			v.kinds.Rekey(k.id)
		}
	}
	v.touched = v.touched[:0]
	for _, at := range stale {
		if s := &v.states[at]; s.present && s.running > 0 && v.kinds.Len() > 0 {
			v.raise(1, at)
		}
	}
	for _, k := range v.touched {
		k.touched = false
		v.rekey(k)
		v.kinds.Put(k.id, v.pointOf(k))
	}
	v.touched = v.touched[:0]
}

// rekey finds the least regard of a kind's members.
func (v *envy) rekey(k *spec) {
	k.key = math.Inf(1)
	for _, at := range k.members {
		u := &v.e.users[at]
		x := float64(u.running)
		k.key = min(k.key, max(x/v.cap(u), x/v.e.weight(u)/k.most))
	}
}

// bundle is x[i,g]·d[i,g,r]/w[i] for all groups and rows. It is valid until the
// next call.
func (v *envy) bundle(at int32) []float64 {
	k, width := v.states[at].spec, v.groups.width
	v.point = v.point[:0]
	for c, need := range k.need {
		x := float64(v.held[int(at)*v.groups.count+c/width])
		v.point = append(v.point, x*need/v.e.weight(&v.e.users[at]))
	}
	return v.point
}

// pointOf is where a kind is in its tree. It is valid until the next call.
func (v *envy) pointOf(k *spec) []float64 {
	v.point = append(v.point[:0], k.most)
	for c, need := range k.need {
		if !k.may[c/v.groups.width] {
			need *= closed
		}
		v.point = append(v.point, need)
	}
	return v.point
}

// worth returns U(k,i)/w[i].
func (v *envy) worth(k *spec, i int32) float64 {
	of := v.states[i].spec
	if of == nil || v.states[i].running == 0 {
		return 0
	}
	sum, width := 0.0, v.groups.width
	for g, x := range v.held[int(i)*v.groups.count : (int(i)+1)*v.groups.count] {
		if x == 0 || !k.may[g] {
			continue
		}
		least := math.Inf(1)
		for r := g * width; r < (g+1)*width; r++ {
			if d := k.need[r]; d > 0 {
				least = min(least, of.need[r]/d)
			}
		}
		sum += float64(x) * least
	}
	return sum / v.e.weight(&v.e.users[i])
}

// atMost bounds what a bundle is worth: with held at least what is held of each
// group and row, and need at most what a task needs, on the groups of may (nil:
// all).
func (v *envy) atMost(held, need []float64, may []bool) float64 {
	sum, width := 0.0, v.groups.width
	for g := range v.groups.count {
		if may != nil && !may[g] {
			continue
		}
		least, any := math.Inf(1), false
		for r := g * width; r < (g+1)*width; r++ {
			any = any || held[r] > 0
			if need[r] > 0 {
				least = min(least, held[r]/need[r])
			}
		}
		if any {
			sum += least
		}
	}
	return sum
}

// raise raises the bounds that a user's bundle exceeds, of the kinds below a
// node.
func (v *envy) raise(node int, at int32) {
	b := v.kinds
	if b.Count[node] == 0 {
		return
	}
	if low := b.Low(node); v.atMost(v.bundles.Point(at), low[1:], nil) <= low[0] {
		return
	}
	if node < b.Leaves {
		v.raise(2*node, at)
		v.raise(2*node+1, at)
		return
	}
	for _, id := range b.Slots(node) {
		if id < 0 {
			continue
		}
		k := v.specs[id]
		if worth := v.worth(k, at); worth > k.most {
			k.most, k.witness = worth, at
			v.touch(k)
		}
	}
}

// seek finds most of a kind and who attains it.
func (v *envy) seek(k *spec) {
	v.by, v.found = k.witness, v.worth(k, k.witness)
	if v.bundles.Len() > 0 {
		v.seekBelow(k, 1, v.reach(k, 1))
	}
	k.most, k.witness = v.found, v.by
}

// reach bounds what the bundles below a node are worth to a kind.
func (v *envy) reach(k *spec, node int) float64 {
	if v.bundles.Count[node] == 0 {
		return 0
	}
	return v.atMost(v.bundles.High(node), k.need, k.may)
}

// seekBelow looks for a bundle worth more than what is found below a node, whose
// reach is known, on the more promising side first.
func (v *envy) seekBelow(k *spec, node int, reach float64) {
	if reach <= v.found {
		return
	}
	if node >= v.bundles.Leaves {
		for _, i := range v.bundles.Slots(node) {
			if i < 0 {
				continue
			}
			if worth := v.worth(k, i); worth > v.found {
				v.found, v.by = worth, i
			}
		}
		return
	}
	first, second := 2*node, 2*node+1
	a, b := v.reach(k, first), v.reach(k, second)
	if b > a {
		first, second, a, b = second, first, b, a
	}
	v.seekBelow(k, first, a)
	v.seekBelow(k, second, b)
}
