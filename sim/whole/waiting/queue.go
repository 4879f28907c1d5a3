package waiting

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// Queue holds the users with waiting tasks. Users are small whole numbers.
type Queue interface {
	// Put says that a user of a kind has a waiting task and what its turn is. It
	// may be there already, with another turn and the same kind. O(log n).
	Put(user int32, k *Kind, turn order.Turn)
	// Remove takes a user out that has no waiting task any more. O(log n).
	Remove(user int32)
	// Next returns the first user in the order of service of whom a task fits
	// somewhere, and the best-fit server for it; false if there is none. The
	// caller then takes the task from the servers' room ([Servers.Take]) and calls
	// Put or Remove for that user before the next call. Between a call that
	// returned true and the next one room does not grow.
	Next() (user, server int32, ok bool)
	// Turn returns the turn of a user; false if it is not in the queue.
	Turn(user int32) (order.Turn, bool)
}

// Index is a [Queue] that never walks through all users or all servers.
//
// Invariant: after a search that found nobody, no waiting user fits anywhere
// (settle). Until the next one, what is free grows only on the servers that tasks
// leave and on the links that they give back. So if the links had room for a user
// at position p of the log, and no server had, it can now fit only on servers
// freed after p; the latest such p of every user, and of every box of users, is its
// position tried.
//
// Where links keep users out for whom servers have room, that says nothing about
// most of them. Such users are in a tree of their own, byLinks, whose boxes hold
// link demands alone: it leads to the first user that the links would let through,
// and if no server has room for it after all it moves to the tree byServers. A
// user moves to byLinks when it is found that some server has room for it and a
// link has not. This is where all links reach all servers and these have a tree;
// otherwise nobody is in byLinks.
//
// Invariant: within a search, up to the call of Next that finds nobody, room only
// shrinks. A user that fits nowhere once is done with, and so is a box of users of
// which none can fit.
type Index struct {
	servers   *Servers
	byServers *userTree
	byLinks   *userTree
	pending   []newcomer // put since the last search, and in no tree
	newcomers newcomers  // the pending ones during a search
	failed    []newcomer // newcomers that fitted nowhere
	found     candidate

	linkFree sketch // of all links after the last search, resources being no matter
	settled  int64  // position in the log at the end of the last search
	round    uint64 // number of this search
	open     bool   // a search is under way
	freed    bool   // tasks have left servers since the last search
	misled   bool   // in this search a user found has failed to fit
	links    bool   // there are links
	apart    bool   // users that a link keeps out are in byLinks
	complete bool   // sketches leave no resource and no link out
}

// NewIndex returns an empty queue for some servers.
func NewIndex(p *Servers) *Index {
	resources, links := len(p.env.Resources), len(p.env.Links)
	return &Index{
		servers: p, byServers: newUserTree(resources, links), byLinks: newLinkTree(resources, links), settled: untried,
		links: links > 0, apart: p.tree != nil && links > 0 && links == len(p.global), complete: resources+links <= sketchFields,
	}
}

// Put implements [Queue].
func (o *Index) Put(user int32, k *Kind, turn order.Turn) {
	switch heap := o.newcomers.heap; {
	case o.byServers.has(user):
		o.byServers.move(user, turn)
	case o.byLinks.has(user):
		o.byLinks.move(user, turn)
	case o.open && len(heap) > 0 && heap[0].user == user:
		heap[0].turn = turn
		o.newcomers.sift()
	default:
		o.pending = append(o.pending, newcomer{turn, user, k})
	}
}

// Remove implements [Queue].
func (o *Index) Remove(user int32) {
	switch {
	case o.byServers.has(user):
		o.byServers.drop(user)
	case o.byLinks.has(user):
		o.byLinks.drop(user)
	case o.open:
		o.newcomers.pop() // the one that Next returned
	default:
		o.pending = slices.DeleteFunc(o.pending, func(x newcomer) bool { return x.user == user })
	}
}

// Turn implements [Queue].
func (o *Index) Turn(user int32) (order.Turn, bool) {
	a, b := o.byServers.has(user), o.byLinks.has(user)
	switch {
	case a && !b:
		return o.byServers.turn(user), true
	case b && !a:
		return o.byLinks.turn(user), true
	}
	return order.Turn{}, false
}

// Next implements [Queue]. It goes through the users that a tree or the newcomers
// propose until a task fits:
//
//  1. Of the trees, find the first user that may fit, going by sketches (search.go).
//     Without a freed server nobody there can fit, so this is left out.
//  2. Compare it with the first newcomer.
//  3. Try the first of both on the best-fit server, exactly. If it fits it is
//     found; otherwise it is done with in this search.
//  4. If there is nobody, the search ends: newcomers go into the trees.
func (o *Index) Next() (user, server int32, ok bool) {
	if !o.open {
		o.begin()
	}
	for {
		o.found.in = nil
		if o.freed {
			o.firstWaiting()
		}
		heap := o.newcomers.heap
		switch {
		case len(heap) > 0 && (o.found.in == nil || heap[0].turn.Before(&o.found.turn)):
			user, server = heap[0].user, o.tryNewcomer()
		case o.found.in != nil:
			user, server = o.found.user, o.tryWaiting()
		default:
			o.settle()
			return -1, -1, false
		}
		if server >= 0 {
			return user, server, true
		}
	}
}

// begin begins a search.
func (o *Index) begin() {
	log := &o.servers.log
	o.round++
	o.open, o.misled, o.freed = true, false, log.end > log.searched
	if log.epoch > log.searched { // everybody is served from the trees
		for _, x := range o.pending {
			o.insert(x, untried, o.apart)
		}
	} else {
		for _, x := range o.pending {
			o.newcomers.push(x)
		}
		if o.freed {
			first := log.at(max(log.searched, log.end-logged))
			o.byServers.search(least(o.servers.links, o.servers.rooms[first]))
		}
	}
	o.pending = o.pending[:0]
}

// tryNewcomer returns the best-fit server for the first newcomer, or finds that it
// fits nowhere.
func (o *Index) tryNewcomer() int32 {
	first := &o.newcomers.heap[0]
	if first.kind.failed != o.round {
		if server := o.servers.BestFit(first.kind); server >= 0 {
			return server
		}
	}
	first.kind.failed, o.misled = o.round, true
	o.failed = append(o.failed, *first)
	o.newcomers.pop()
	return -1
}

// tryWaiting returns the best-fit server for the user found, or finds that it fits
// nowhere.
func (o *Index) tryWaiting() int32 {
	in, user := o.found.in, o.found.user
	slot := in.at[user]
	k := in.slots.kind[slot]
	passes := o.servers.passes(k.Need.Link)
	if passes {
		if server := o.servers.bestFit(k, in.slots.tried[slot]); server >= 0 {
			return server
		}
	}
	k.failed, o.misled = o.round, true
	switch {
	case !passes:
	case in == o.byLinks:
		in.drop(user)
		o.insert(newcomer{o.found.turn, user, k}, o.servers.log.end, false)
	case o.apart || !o.links:
		in.slots.tried[slot] = o.servers.log.end
	}
	return -1
}

// moveToLinks moves a user for whom some server has room, but a link has not, to
// those who wait for links.
func (o *Index) moveToLinks(slot int32) {
	s := &o.byServers.slots
	x := newcomer{s.turn[slot], s.user[slot], s.kind[slot]}
	o.byServers.drop(x.user)
	o.insert(x, untried, true)
}

// settle ends a search: the newcomers who are not served to the end go into the
// trees.
func (o *Index) settle() {
	end := o.servers.log.end
	for _, x := range o.failed {
		// What a link lets through failed for want of room.
		if o.apart && !o.servers.passes(x.kind.Need.Link) {
			o.insert(x, untried, true)
		} else if o.apart || !o.links {
			o.insert(x, end, false)
		} else {
			o.insert(x, untried, false)
		}
	}
	o.failed, o.open = o.failed[:0], false
	o.settled, o.servers.log.searched = end, end
	o.linkFree = linksOf(o.servers.Ledger, o.servers.every, len(o.servers.env.Resources))
}

// insert puts a user into a tree, where no server had room for it at position
// tried.
func (o *Index) insert(x newcomer, tried int64, byLinks bool) {
	in := o.byServers
	if byLinks {
		in = o.byLinks
	}
	in.add(x.user, x.kind, x.turn, tried)
}
