package indivisible

import (
	"math"
	"slices"
)

// envy keeps MIN-EF-SAT. With what [fairGroups] joins, user j's regard for i's
// bundle is, by the definition of package fair,
//
//	EF-SAT(j,i) = max( x[j]/n[j], (x[j]/w[j]) / (U(j,i)/w[i]) ),
//	U(j,i)      = Σ over groups g where j may run of x[i,g]·min_r d[i,g,r]/d[j,g,r],
//
// r running over the resources and the links that reach g of which j needs some.
// U depends on j's kind alone. So for every kind k that somebody holding
// something is of, most[k] = max over i of U(k,i)/w[i] is kept, and
//
//	MIN-EF-SAT = min over k and over j of kind k of max( x[j]/n[j], (x[j]/w[j])/most[k] ),
//
// cut off at 1; that i may be j itself changes nothing, its regard being 1.
//
// most[k] is an upper bound that a witness attained when it was found. A bundle
// that grows raises the bounds that it exceeds: boxes around the kinds leave out
// those that it cannot exceed. A bundle that shrinks lowers none. Only where a
// kind with the least regard has a witness that no longer attains the bound is
// most[k] searched for again, with boxes around the bundles.
//
// Rounding may make a box leave out what lies within a few units in the last
// place of what is found.
type envy struct {
	*Fairness
	groups  fairGroups
	specs   []*spec // by id; nil: free
	free    []int32
	known   map[*kind]*spec
	held    []int64          // per user and group: tasks
	holders [][]supportCount // per group: users that hold some of it
	claims  []*claim         // what idle users need
	kinds   *boxes[float64]  // per spec: most, and what a task needs
	bundles *boxes[float64]  // per user: what it holds of each group, by weight
	touched []*spec          // their keys may have changed
	point   []float64        // scratch
	found   float64          // of the search under way, and whose bundle it is
	by      int32
}

// spec is a kind as envy sees it.
type spec struct {
	id      int32
	kind    *kind
	users   int       // present
	need    []float64 // per group and row: what one task takes
	may     []bool    // per group
	support []string  // per group: which rows it needs
	claim   *claim
	members []int32 // users that hold something
	most    float64
	witness int32
	key     float64 // least regard of a member, given most
	touched bool
}

// supportCount counts users by the rows that they need.
type supportCount struct {
	support string
	n       int
}

// claim is what users need of each group; idle counts those without a running
// task, and specs the kinds that it is the claim of.
type claim struct {
	key         string
	may         []bool
	support     []string
	idle, specs int
}

// closed is the part by which a kind's needs are raised in its box on groups
// where it may not run. That keeps boxes small, which an infinite need would
// not; the bound stays one, since it counts what is really 0.
const closed = 16

func newEnvy(f *Fairness) *envy {
	v := &envy{Fairness: f, known: map[*kind]*spec{}}
	v.groups.open(f.e.Env)
	v.reset()
	return v
}

// reset makes everything anew that depends on the groups.
func (v *envy) reset() {
	size := v.groups.size()
	v.kinds = newBoxes[float64](1+size, func(a, b int32) bool {
		x, y := v.specs[a].key, v.specs[b].key
		return x < y || x == y && a < b
	})
	v.bundles = newBoxes[float64](size, func(a, b int32) bool { return a < b })
	v.holders = make([][]supportCount, v.groups.count)
	v.held = make([]int64, len(v.states)*v.groups.count)
	v.claims, v.touched = v.claims[:0], v.touched[:0]
	for _, k := range v.specs {
		if k != nil {
			k.members, k.touched = k.members[:0], false
			v.describe(k)
		}
	}
}

// came enters a user that holds nothing.
func (v *envy) came(at int32) {
	of := v.e.users[at].kind
	k := v.known[of]
	if k == nil {
		k = v.enter(of)
	}
	k.users++
	k.claim.idle++
	v.states[at].spec = k
	for len(v.held) < len(v.states)*v.groups.count {
		v.held = append(v.held, 0)
	}
}

// enter makes the spec of a kind, and new groups if it tells servers of a group
// apart.
func (v *envy) enter(of *kind) *spec {
	k := &spec{id: int32(len(v.specs)), kind: of}
	if n := len(v.free); n > 0 {
		k.id, v.free = v.free[n-1], v.free[:n-1]
		v.specs[k.id] = k
	} else {
		v.specs = append(v.specs, k)
	}
	v.known[of] = k
	if !v.groups.splits(of) {
		v.describe(k)
		return k
	}
	var kinds []*kind
	for _, k := range v.specs {
		if k != nil {
			kinds = append(kinds, k.kind)
		}
	}
	v.groups.divide(kinds)
	v.recount()
	return k
}

// recount counts everything again for new groups.
func (v *envy) recount() {
	v.reset()
	for at := range v.states {
		s := &v.states[at]
		s.member = -1
		if s.present && s.running > 0 {
			v.changed(int32(at))
		} else if s.present && s.spec != nil {
			s.spec.claim.idle++
		}
	}
	for i := range v.e.tasks {
		if t := &v.e.tasks[i]; t.user >= 0 {
			v.hold(t.user, t.server, 1)
		}
	}
}

// describe sets what depends on the groups.
func (v *envy) describe(k *spec) {
	k.need, k.may, k.support = k.need[:0], k.may[:0], k.support[:0]
	key := make([]byte, 0, v.groups.size())
	for g := range v.groups.count {
		need := v.groups.need(k.kind, g)
		k.need = append(k.need, need...)
		k.may = append(k.may, v.groups.may(k.kind, g))
		k.support = append(k.support, support(need))
		if key = append(key, 'x'); k.may[g] {
			key = append(key, k.support[g]...)
		}
	}
	k.claim = nil
	for _, c := range v.claims {
		if c.key == string(key) {
			k.claim = c
		}
	}
	if k.claim == nil {
		k.claim = &claim{key: string(key), may: k.may, support: k.support}
		v.claims = append(v.claims, k.claim)
	}
	k.claim.specs++
}

// support marks which rows are needed.
func support(need []float64) string {
	marks := make([]byte, len(need))
	for r, d := range need {
		if d > 0 {
			marks[r] = 1
		}
	}
	return string(marks)
}

// left takes a user out that holds nothing.
func (v *envy) left(at int32) {
	v.drop(at)
	k := v.states[at].spec
	k.claim.idle--
	if k.users--; k.users > 0 {
		return
	}
	if k.claim.specs--; k.claim.specs == 0 {
		v.claims = slices.DeleteFunc(v.claims, func(c *claim) bool { return c == k.claim })
	}
	delete(v.known, k.kind)
	v.specs[k.id] = nil
	v.free = append(v.free, k.id)
}

// drop takes a user out of the trees; with the last one that holds something,
// its kind.
func (v *envy) drop(at int32) {
	s := &v.states[at]
	if s.member < 0 {
		return
	}
	k := s.spec
	last := k.members[len(k.members)-1]
	k.members[s.member], v.states[last].member = last, s.member
	k.members, s.member = k.members[:len(k.members)-1], -1
	v.bundles.drop(at)
	if len(k.members) == 0 && v.kinds.has(k.id) {
		v.kinds.drop(k.id)
	}
	v.touch(k)
}

func (v *envy) touch(k *spec) {
	if !k.touched {
		k.touched = true
		v.touched = append(v.touched, k)
	}
}

// moved counts a task of a user.
func (v *envy) moved(at, server int32, sign int) {
	s := &v.states[at]
	switch {
	case sign > 0 && s.running == 1:
		s.spec.claim.idle--
	case sign < 0 && s.running == 0:
		s.spec.claim.idle++
	}
	v.hold(at, server, int64(sign))
}

// hold counts a task into what its user holds.
func (v *envy) hold(at, server int32, sign int64) {
	g := v.groups.of[v.e.pool.Class(int(server))]
	held := &v.held[int(at)*v.groups.count+g]
	had := *held > 0
	if *held += sign; had != (*held > 0) {
		countSupport(&v.holders[g], v.states[at].spec.support[g], int(sign))
	}
}

func countSupport(counts *[]supportCount, support string, n int) {
	for i := range *counts {
		if (*counts)[i].support == support {
			(*counts)[i].n += n
			return
		}
	}
	*counts = append(*counts, supportCount{support, n})
}

// min returns MIN-EF-SAT.
func (v *envy) min() float64 {
	if v.destitute() {
		return 0
	}
	v.Fairness.flush()
	for v.kinds.len() > 0 {
		k := v.specs[v.kinds.best[1]]
		if k.key >= 1 || v.worth(k, k.witness) == k.most {
			return min(1, k.key)
		}
		v.seek(k)
		v.rekey(k)
		v.kinds.put(k.id, v.pointOf(k))
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
		v.bundles.put(at, v.bundle(at))
		v.touch(s.spec)
	}
	for _, k := range v.touched {
		if k.touched = false; len(k.members) > 0 && !v.kinds.has(k.id) {
			k.witness = k.members[0]
			v.seek(k)
			v.rekey(k)
			v.kinds.put(k.id, v.pointOf(k))
		} else if len(k.members) > 0 {
			v.rekey(k)
			v.kinds.rekey(k.id)
		}
	}
	v.touched = v.touched[:0]
	for _, at := range stale {
		if s := &v.states[at]; s.present && s.running > 0 && v.kinds.len() > 0 {
			v.raise(1, at)
		}
	}
	for _, k := range v.touched {
		k.touched = false
		v.rekey(k)
		v.kinds.put(k.id, v.pointOf(k))
	}
	v.touched = v.touched[:0]
}

// rekey finds the least regard of a kind's members.
func (v *envy) rekey(k *spec) {
	k.key = math.Inf(1)
	for _, at := range k.members {
		u := &v.e.users[at]
		x := float64(u.running)
		k.key = min(k.key, max(x/v.cap(u), x/u.weight/k.most))
	}
}

// bundle is x[i,g]·d[i,g,r]/w[i] for all groups and rows. It is valid until the
// next call.
func (v *envy) bundle(at int32) []float64 {
	k, width := v.states[at].spec, v.groups.width
	v.point = v.point[:0]
	for c, need := range k.need {
		x := float64(v.held[int(at)*v.groups.count+c/width])
		v.point = append(v.point, x*need/v.e.users[at].weight)
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
	return sum / v.e.users[i].weight
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
	if b.count[node] == 0 {
		return
	}
	if low := b.low(node); v.atMost(v.bundles.point(at), low[1:], nil) <= low[0] {
		return
	}
	if node < b.leaves {
		v.raise(2*node, at)
		v.raise(2*node+1, at)
		return
	}
	for _, id := range b.slots(node) {
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
	if v.bundles.len() > 0 {
		v.seekBelow(k, 1, v.reach(k, 1))
	}
	k.most, k.witness = v.found, v.by
}

// reach bounds what the bundles below a node are worth to a kind.
func (v *envy) reach(k *spec, node int) float64 {
	if v.bundles.count[node] == 0 {
		return 0
	}
	return v.atMost(v.bundles.high(node), k.need, k.may)
}

// seekBelow looks for a bundle worth more than what is found below a node, whose
// reach is known, on the more promising side first.
func (v *envy) seekBelow(k *spec, node int, reach float64) {
	if reach <= v.found {
		return
	}
	if node >= v.bundles.leaves {
		for _, i := range v.bundles.slots(node) {
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
