package whole

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Rule decides which waiting task starts where.
type Rule interface {
	open(e *run) scheduler
}

// scheduler is a rule at work in one replay.
type scheduler interface {
	// norm returns N of a user.
	norm(u *cluster.User) (*norm, error)
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
// one that implements [policies.Normalizer]. Without slots and links it is the
// online algorithm of the TSF paper, section V-D.
//
// Definition: of the users with a waiting task that fits somewhere, serve the
// one with the smallest share x[j]/(w[j]·N[j]), of several the one with the
// smaller 1/N[j], then the one that comes first in the stream; shares and N are
// compared as rational numbers ([policies.RationalsOf]). Its task goes to
// the eligible server with room on which Σ_r (a[s,r] − d[j,r])² is smallest, a
// being what is free there, each resource in parts of the total, compared as
// rational numbers; of several, to the one of lowest number.
//
// Guarantees: no waiting task fits anywhere between instants. Where links play
// no part, a waiting user therefore fits only on servers that tasks leave at
// this instant: a completion offers the freed server first, to the user with
// the smallest share that may run there.
//
// Errors: a rule without a share is refused here. One that divides the links
// among the servers beforehand (drf-cpu and the like, [policies.LinkSplitter])
// is an [policies.UnsupportedError] of the replay where there are links: it is
// N that is taken from a rule, and to serve in order of that N while tasks
// reach into the whole link would be another rule.
//
// References: TSF-ER, Algorithm 2; TSF, section V-D.
//
// Deviations: the TSF paper does not say on which machine a task goes that has
// several to choose from when it arrives; it is the best-fit one. Completions
// and arrivals of one instant have one allocation together.
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

func (o ordered) open(e *run) scheduler {
	links := len(e.Env.Links)
	apart := e.pool.tree != nil && links > 0 && links == len(e.pool.global)
	return &inOrder{run: e, normalizer: newNormalizer(o.normalize, e.pool.env), settled: untried, apart: apart, all: e.pool.width+links <= sketchFields}
}

// inOrder is the scheduler of [ordered].
//
// After an allocation no waiting user fits anywhere. Until the next one, what
// is free grows only on the servers that tasks leave and on the links that they
// give back. So a user that the links had room for then can fit only on a
// server that was left since. The same holds for one for which no server had
// room at some earlier time, and for a box of them; of each box and each user
// the latest such time is kept as a position in the log of servers left, and of
// each server the position at which a task last left it.
//
// Where links keep users out for whom servers have room, that says nothing
// about most of them. Such users wait apart, in an index of their link demands
// alone (linked, the others being in waiting): it leads to the first one that
// the links would let through, and if no server has room for it after all it
// moves to the others. One of those moves here when it is found that some
// server has room for it and a link has not. This is where all links reach all
// servers and these are so many that they have an index; otherwise nobody waits
// apart.
//
// Within an allocation room only shrinks: a user that fits nowhere once is done
// with, and so is a box of users of which none can fit. What a search finds
// goes by sketches, so a user found may fail to fit after all.
type inOrder struct {
	*run
	*normalizer
	linkFree sketch // of all links after the last allocation, resources being no matter
	settled  int64  // position in the log at the end of the last allocation
	round    uint64 // number of this allocation
	apart    bool   // users that a link keeps out wait apart
	all      bool   // sketches leave nothing out

	arrived arrived
	failed  []int32 // newcomers that fitted nowhere
	found   seeker
	misled  bool // in this allocation a user found has failed to fit
}

func (o *inOrder) restart() bool { return false }

// slot serves everybody from the index. Who is not there yet has just arrived
// or had no task but running ones.
func (o *inOrder) slot() error {
	for _, at := range o.newcomers {
		o.wait(at, untried, o.apart)
	}
	for _, at := range o.suspended {
		if o.waiting.has(at) || o.linked.has(at) {
			o.moved(at)
		} else {
			o.wait(at, untried, o.apart)
		}
	}
	o.serve(true)
	return nil
}

func (o *inOrder) events() error {
	for _, at := range o.newcomers {
		o.arrived.push(newcomer{o.users[at].turn(), at})
	}
	if len(o.dirty) > 0 {
		o.waiting.search(least(o.pool.links, o.pool.rooms[o.dirty[0]]))
	}
	o.serve(len(o.dirty) > 0)
	return nil
}

// serve places tasks until no waiting one fits, of newcomers alone or of all.
func (o *inOrder) serve(all bool) {
	o.round++
	o.misled = false
	for {
		o.found.in = nil
		if all {
			o.firstWaiting()
		}
		switch {
		case len(o.arrived.heap) > 0 && (o.found.in == nil || o.arrived.heap[0].before(&o.found.turn)):
			o.tryNewcomer()
		case o.found.in != nil:
			o.tryWaiting(o.found.in, o.found.user)
		default:
			o.settle()
			return
		}
	}
}

// tryNewcomer serves the first newcomer, or finds that it fits nowhere.
func (o *inOrder) tryNewcomer() {
	first := &o.arrived.heap[0]
	u := &o.users[first.user]
	server := int32(-1)
	if u.kind.failed != o.round {
		server = o.pool.bestFit(u.kind, untried)
	}
	if server < 0 {
		u.kind.failed, o.misled = o.round, true
		o.failed = append(o.failed, first.user)
		o.arrived.pop()
		return
	}
	o.place(first.user, server)
	if u.waiting() == 0 {
		o.arrived.pop()
		return
	}
	first.turn = u.turn()
	o.arrived.sift()
}

// tryWaiting serves a waiting user, or finds that it fits nowhere.
func (o *inOrder) tryWaiting(in *crowd, at int32) {
	slot := in.at[at]
	k := in.slots.kind[slot]
	passes := o.pool.passes(k.need.Link)
	server := int32(-1)
	if passes {
		server = o.pool.bestFit(k, in.slots.known[slot])
	}
	if server >= 0 {
		o.place(at, server)
		if u := &o.users[at]; u.waiting() > 0 {
			in.move(at, u.turn())
		} else {
			in.drop(at)
		}
		return
	}
	k.failed, o.misled = o.round, true
	switch {
	case !passes:
	case in == o.linked:
		in.drop(at)
		o.wait(at, o.pool.log.end, false)
	case o.apart || len(o.Env.Links) == 0:
		in.slots.known[slot] = o.pool.log.end
	}
}

// cross moves a user for whom some server has room, but a link has not, to
// those who wait for links.
func (o *inOrder) cross(at int32) {
	o.waiting.drop(at)
	o.wait(at, untried, true)
}

// settle puts the newcomers who are not served to the end into the index.
func (o *inOrder) settle() {
	end := o.pool.log.end
	for _, at := range o.failed {
		// What a link lets through failed for want of room.
		if k := o.users[at].kind; o.apart && !o.pool.passes(k.need.Link) {
			o.wait(at, untried, true)
		} else if o.apart || len(o.Env.Links) == 0 {
			o.wait(at, end, false)
		} else {
			o.wait(at, untried, false)
		}
	}
	o.failed = o.failed[:0]
	o.settled = end
	o.linkFree = linksOf(o.pool.Ledger, o.pool.every, o.pool.width)
}

// wait puts a user into the index, where no server had room for it at the known
// position.
func (o *inOrder) wait(at int32, known int64, linked bool) {
	u, in := &o.users[at], o.waiting
	if linked {
		in = o.linked
	}
	in.add(at, u.kind, u.turn(), known)
}
