package whole

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/boxes"
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
	held    []int64              // per user and group: tasks
	holders [][]supportCount     // per group: users that hold some of it
	claims  []*claim             // what idle users need
	kinds   *boxes.Tree[float64] // per spec: most, and what a task needs
	bundles *boxes.Tree[float64] // per user: what it holds of each group, by weight
	touched []*spec              // their keys may have changed
	point   []float64            // scratch
	found   float64              // of the search under way, and whose bundle it is
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
	v.kinds = boxes.New[float64](1+size, func(a, b int32) bool {
		x, y := v.specs[a].key, v.specs[b].key
		return x < y || x == y && a < b
	})
	v.bundles = boxes.New[float64](size, func(a, b int32) bool { return a < b })
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
	for i := range v.e.batches {
		if b := &v.e.batches[i]; b.user >= 0 {
			v.hold(b.user, b.server, b.count)
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
	v.bundles.Drop(at)
	if len(k.members) == 0 && v.kinds.Has(k.id) {
		v.kinds.Drop(k.id)
	}
	v.touch(k)
}

func (v *envy) touch(k *spec) {
	if !k.touched {
		k.touched = true
		v.touched = append(v.touched, k)
	}
}

// moved counts tasks that a user starts (n > 0) or ends.
func (v *envy) moved(at, server int32, n int64) {
	s := &v.states[at]
	switch {
	case n > 0 && s.running == n:
		s.spec.claim.idle--
	case n < 0 && s.running == 0:
		s.spec.claim.idle++
	}
	v.hold(at, server, n)
}

// hold counts tasks into what their user holds.
func (v *envy) hold(at, server int32, n int64) {
	g := v.groups.of[v.e.servers.Class(int(server))]
	held := &v.held[int(at)*v.groups.count+g]
	had := *held > 0
	if *held += n; had != (*held > 0) {
		countSupport(&v.holders[g], v.states[at].spec.support[g], cmp.Compare(n, 0))
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
