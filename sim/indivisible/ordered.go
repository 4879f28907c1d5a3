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

func (o ordered) open(e *engine) scheduler {
	return &inOrder{engine: e, normalize: o.normalize, settled: untried}
}

// inOrder is the scheduler of [ordered].
//
// After an allocation no waiting user fits anywhere. Until the next one, what
// is free grows only on the servers that tasks leave and on the links that they
// give back. So a user that the links had room for then can fit only on a
// server that was left since. The same holds for one for which no server had
// room at some earlier time, and for a box of them; of each box and each user
// the latest such time is kept as a position in the log of servers left.
//
// Within an allocation room only shrinks: a user that fits nowhere once is done
// with, and so is a box of users of which none can fit. An allocation therefore
// goes once through the boxes of waiting users, first in order first, and opens
// only those in which somebody may fit; see [frontier].
type inOrder struct {
	*engine
	normalize policies.Normalizer
	linkFree  []int64 // after the last allocation
	settled   int64   // position in freed at the end of the last allocation
	round     uint64  // number of this allocation

	front  frontier
	served []int32 // users of the boxes that were served in this allocation
	failed []int32 // users outside the boxes that fitted nowhere in it
}

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

// slot serves everybody from the boxes: walking through all waiting users to
// find that most of them fit nowhere would cost more than the placements.
func (o *inOrder) slot() error {
	for at := range o.users {
		u := &o.users[at]
		switch {
		case u.left == 0 || u.waiting() == 0:
		case !o.waiting.has(int32(at)):
			o.waiting.putKnown(int32(at), u.kind.point, untried)
		case u.parked.len() > 0:
			o.waiting.rekey(int32(at))
		}
	}
	o.enterTree()
	return o.serve()
}

func (o *inOrder) events() error {
	for _, at := range o.newcomers {
		o.front.push(o.entry(newcomer, at))
	}
	if len(o.dirty) > 0 {
		o.enterTree()
	}
	return o.serve()
}

// entry returns the entry of a user in the frontier.
func (o *inOrder) entry(what entryKind, at int32) entry {
	u := &o.users[at]
	return entry{share: u.share, inverse: u.inverse, index: u.Index, what: what, at: at}
}

// serve places tasks until no waiting one fits.
func (o *inOrder) serve() error {
	o.round++
	for len(o.front.heap) > 0 {
		switch first := &o.front.heap[0]; first.what {
		case boxOfUsers:
			o.open(*first)
		default:
			o.try(first)
		}
	}
	for _, at := range o.served {
		if o.users[at].waiting() == 0 {
			o.waiting.drop(at)
		} else {
			o.waiting.rekey(at)
		}
	}
	for _, at := range o.failed {
		o.waiting.putKnown(at, o.users[at].kind.point, untried)
	}
	o.served, o.failed = o.served[:0], o.failed[:0]
	o.settled = o.freed.end
	o.linkFree = append(o.linkFree[:0], o.pool.LinkFree()...)
	return nil
}

// try serves the user that is first, or finds that it fits nowhere.
func (o *inOrder) try(first *entry) {
	at := first.at
	u := &o.users[at]
	server := int32(-1)
	if u.kind.failed != o.round {
		if first.what == newcomer {
			server = o.pool.bestFit(u.kind)
		} else {
			server = o.serverFor(at, first.known)
		}
	}
	if server < 0 {
		u.kind.failed = o.round
		if first.what == newcomer {
			o.failed = append(o.failed, at)
		}
		o.front.pop()
		return
	}
	o.place(at, server)
	if first.what == waitingUser {
		o.served = append(o.served, at)
		first.what = servedUser
	}
	if u.waiting() == 0 {
		o.front.pop()
		return
	}
	first.share = u.share
	o.front.sift(0)
}

// serverFor returns the server on which a waiting user is placed now; -1 if it
// fits nowhere. No server had room for it at the known position.
func (o *inOrder) serverFor(at int32, known int64) int32 {
	k := o.users[at].kind
	if !o.pool.passes(k.need.Link) {
		return -1
	}
	server := int32(-1)
	if o.freed.keeps(known) {
		server = o.pool.bestSince(k, &o.freed, known)
	} else {
		server = o.pool.bestFit(k)
	}
	if server < 0 && len(o.pool.global) == len(o.Env.Links) {
		o.waiting.knownOf[at] = o.freed.end // not for a link, so for want of room
	}
	return server
}
