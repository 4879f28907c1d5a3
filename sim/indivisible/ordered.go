package indivisible

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Rule decides which waiting task starts where.
type Rule interface {
	open(e *engine) scheduler
}

// scheduler is a rule at work in one replay.
type scheduler interface {
	// norm returns N of a user.
	norm(u *cluster.User) (float64, error)
	// events allocates after completions and arrivals.
	events() error
	// slot allocates after everything has been suspended.
	slot() error
	// restart reports whether there is something to do although nothing runs
	// and nobody arrives any more.
	restart() bool
}

// ordered serves users in the order of user.sooner. Both rules of this kind
// work alike: they differ in what makes the order.
type ordered struct {
	normalize policies.Normalizer // nil: order of arrival
}

// ShareOrdered returns Algorithm 2 of the TSF-ER paper for an egalitarian rule,
// one that implements [policies.Normalizer]. Only its N is used: a rule that
// divides the links among the servers beforehand (drf-cpu and the like) does
// not find them divided here.
func ShareOrdered(p policies.Policy) (Rule, error) {
	n, ok := p.(policies.Normalizer)
	if !ok {
		return nil, fmt.Errorf("the rule equalises no share, so users cannot be served in order of theirs")
	}
	return ordered{n}, nil
}

// FIFO returns the rule that serves users in order of arrival: whoever is next
// in that order and fits is served, so nothing that fits waits.
func FIFO() Rule { return ordered{} }

func (o ordered) open(e *engine) scheduler { return &inOrder{engine: e, normalize: o.normalize} }

// inOrder is the scheduler of [ordered].
//
// After an allocation no waiting user fits anywhere. Until the next one, what
// is free grows only on the servers that tasks leave (dirty) and on the links
// that they give back. So a user that the links had room for then can fit only
// on a dirty server now. Within an allocation room only shrinks: a user that
// fits nowhere once is done with. Newcomers, and all users after everything was
// suspended, are untried; they wait in a heap of their own.
type inOrder struct {
	*engine
	normalize policies.Normalizer
	untried   []int32 // heap in order of service
	linkFree  []int64 // after the last allocation
	round     uint64  // number of this allocation

	found  int32 // best user of the waiting ones so far; -1: none
	server int32 // where it goes
	all    bool  // too many dirty servers to be looked at one by one
}

// dirtyLimit is the number of dirty servers up to which they are looked at one
// by one.
const dirtyLimit = 32

func (o *inOrder) norm(u *cluster.User) (float64, error) { return normOf(o.normalize, o.pool.env, u) }

func normOf(n policies.Normalizer, env *cluster.Environment, u *cluster.User) (float64, error) {
	if n == nil {
		return cluster.Inf, nil // share and 1/N are 0 for all: the index decides
	}
	norm := n.Normalize(env.With([]cluster.User{*u}))
	if norm == nil {
		return 0, fmt.Errorf("the rule is not defined for this cluster")
	}
	return norm[0], nil
}

func (o *inOrder) restart() bool { return false }

// sift moves entry i of the heap of untried users down to its place.
func (o *inOrder) sift(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(o.untried); child++ {
			if o.sooner(o.untried[child], o.untried[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		o.untried[i], o.untried[first] = o.untried[first], o.untried[i]
		i = first
	}
}

// slot serves everybody from the boxes: walking through all waiting users to
// find that most of them fit nowhere would cost more than the placements.
func (o *inOrder) slot() error {
	for at := range o.users {
		u := &o.users[at]
		switch {
		case u.left == 0 || u.waiting() == 0:
		case !o.waiting.has(int32(at)):
			o.waiting.put(int32(at), u.kind.point)
		case u.parked.len() > 0:
			o.waiting.rekey(int32(at))
		}
	}
	o.all = true
	o.search()
	return o.serve()
}

func (o *inOrder) events() error {
	o.untried = append(o.untried, o.newcomers...)
	o.all = len(o.dirty) > dirtyLimit
	o.found = -1
	if len(o.dirty) > 0 {
		o.search()
	}
	return o.serve()
}

// serve places tasks until no waiting one fits.
func (o *inOrder) serve() error {
	o.round++
	for i := len(o.untried)/2 - 1; i >= 0; i-- {
		o.sift(i)
	}
	for o.found >= 0 || len(o.untried) > 0 {
		if o.found >= 0 && (len(o.untried) == 0 || o.sooner(o.found, o.untried[0])) {
			o.serveWaiting()
		} else {
			o.serveUntried()
		}
	}
	o.linkFree = append(o.linkFree[:0], o.pool.LinkFree()...)
	return nil
}

// serveWaiting serves the best user of those that had fitted nowhere.
func (o *inOrder) serveWaiting() {
	at := o.found
	if o.server = o.serverFor(at); o.server >= 0 {
		o.place(at, o.server)
		if o.users[at].waiting() == 0 {
			o.waiting.drop(at)
		} else {
			o.waiting.rekey(at)
		}
	}
	o.search()
}

// serveUntried serves the first untried user, or finds that it fits nowhere.
func (o *inOrder) serveUntried() {
	at := o.untried[0]
	k := o.users[at].kind
	server := int32(-1)
	if k.failed != o.round {
		server = o.pool.bestFit(k)
	}
	if server >= 0 {
		o.place(at, server)
		if o.users[at].waiting() > 0 {
			o.sift(0)
			return
		}
	} else {
		k.failed = o.round
		o.waiting.put(at, k.point)
	}
	last := len(o.untried) - 1
	o.untried[0] = o.untried[last]
	if o.untried = o.untried[:last]; last > 0 {
		o.sift(0)
	}
}

// search finds the first of the waiting users that fit now.
func (o *inOrder) search() {
	o.found = -1
	if o.waiting.len() > 0 {
		o.below(1)
	}
}

// below searches the users below a node.
func (o *inOrder) below(node int) {
	w := o.waiting
	best := w.best[node]
	if best < 0 || o.found >= 0 && !o.sooner(best, o.found) || !o.possible(w.low(node), w.high(node)) {
		return
	}
	if node >= w.leaves {
		for _, at := range w.slots(node) {
			if at >= 0 && (o.found < 0 || o.sooner(at, o.found)) {
				if server := o.serverFor(at); server >= 0 {
					o.found, o.server = at, server
				}
			}
		}
		return
	}
	left, right := 2*node, 2*node+1
	if w.best[left] < 0 || w.best[right] >= 0 && o.sooner(w.best[right], w.best[left]) {
		left, right = right, left
	}
	o.below(left)
	o.below(right)
}

// possible reports whether a user whose demands lie in a box may fit.
func (o *inOrder) possible(low, high []int64) bool {
	width := o.pool.width
	if !o.pool.passes(low[width:]) {
		return false
	}
	if o.all || !o.passed(high[width:]) {
		return o.pool.roomFor(low[:width])
	}
	for _, s := range o.dirty {
		if covers(o.pool.Free(int(s)), low[:width]) {
			return true
		}
	}
	return false
}

// passed reports whether the links had room for such a demand after the last
// allocation.
func (o *inOrder) passed(link []int64) bool {
	for e, d := range link {
		if d > o.linkFree[e] {
			return false
		}
	}
	return true
}

// serverFor returns the server on which a waiting user is placed now; -1 if it
// fits nowhere.
func (o *inOrder) serverFor(at int32) int32 {
	u := &o.users[at]
	if !o.all && o.passed(u.kind.need.Link) {
		return o.pool.bestOf(u.kind, o.dirty)
	}
	if !o.pool.passes(u.kind.need.Link) {
		return -1
	}
	server := int32(-1)
	if servers, kept := o.freed.after(u.tried); kept {
		server = o.pool.bestOf(u.kind, servers)
	} else {
		server = o.pool.bestFit(u.kind)
	}
	if server < 0 && len(o.pool.global) == len(o.Env.Links) {
		u.tried = o.freed.end // not for a link, so for want of room
	}
	return server
}
