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
func (ix *Index) Put(user int32, k *Kind, turn order.Turn) {
	switch heap := ix.newcomers.heap; {
	case ix.byServers.has(user):
		ix.byServers.move(user, turn)
	case ix.byLinks.has(user):
		ix.byLinks.move(user, turn)
	case ix.open && len(heap) > 0 && heap[0].user == user:
		heap[0].turn = turn
		ix.newcomers.sift()
	default:
		ix.pending = append(ix.pending, newcomer{turn, user, k})
	}
}

// Remove implements [Queue].
func (ix *Index) Remove(user int32) {
	switch {
	case ix.byServers.has(user):
		ix.byServers.drop(user)
	case ix.byLinks.has(user):
		ix.byLinks.drop(user)
	case ix.open:
		ix.newcomers.pop() // the one that Next returned
	default:
		ix.pending = slices.DeleteFunc(ix.pending, func(x newcomer) bool { return x.user == user })
	}
}

// Turn implements [Queue].
func (ix *Index) Turn(user int32) (order.Turn, bool) {
	a, b := ix.byServers.has(user), ix.byLinks.has(user)
	switch {
	case a && !b:
		return ix.byServers.turn(user), true
	case b && !a:
		return ix.byLinks.turn(user), true
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
func (ix *Index) Next() (user, server int32, ok bool) {
	if !ix.open {
		ix.begin()
	}
	for {
		ix.found.in = nil
		if ix.freed {
			ix.firstWaiting()
		}
		heap := ix.newcomers.heap
		switch {
		case len(heap) > 0 && (ix.found.in == nil || heap[0].turn.Before(&ix.found.turn)):
			user, server = heap[0].user, ix.tryNewcomer()
		case ix.found.in != nil:
			user, server = ix.found.user, ix.tryWaiting()
		default:
			ix.settle()
			return -1, -1, false
		}
		if server >= 0 {
			return user, server, true
		}
	}
}

// begin begins a search.
func (ix *Index) begin() {
	log := &ix.servers.log
	ix.round++
	ix.open, ix.misled, ix.freed = true, false, log.end > log.searched
	if log.epoch > log.searched { // everybody is served from the trees
		for _, x := range ix.pending {
			ix.insert(x, untried, ix.apart)
		}
	} else {
		for _, x := range ix.pending {
			ix.newcomers.push(x)
		}
		if ix.freed {
			first := log.at(max(log.searched, log.end-logged))
			ix.byServers.search(least(ix.servers.links, ix.servers.rooms[first]))
		}
	}
	ix.pending = ix.pending[:0]
}

// tryNewcomer returns the best-fit server for the first newcomer, or finds that it
// fits nowhere.
func (ix *Index) tryNewcomer() int32 {
	first := &ix.newcomers.heap[0]
	if first.kind.failed != ix.round {
		if server := ix.servers.BestFit(first.kind); server >= 0 {
			return server
		}
	}
	first.kind.failed, ix.misled = ix.round, true
	ix.failed = append(ix.failed, *first)
	ix.newcomers.pop()
	return -1
}

// tryWaiting returns the best-fit server for the user found, or finds that it fits
// nowhere.
func (ix *Index) tryWaiting() int32 {
	in, user := ix.found.in, ix.found.user
	slot := in.at[user]
	k := in.slots.kind[slot]
	passes := ix.servers.passes(k.Need.Link)
	if passes {
		if server := ix.servers.bestFit(k, in.slots.tried[slot]); server >= 0 {
			return server
		}
	}
	k.failed, ix.misled = ix.round, true
	switch {
	case !passes:
	case in == ix.byLinks:
		in.drop(user)
		ix.insert(newcomer{ix.found.turn, user, k}, ix.servers.log.end, false)
	case ix.apart || !ix.links:
		in.slots.tried[slot] = ix.servers.log.end
	}
	return -1
}

// moveToLinks moves a user for whom some server has room, but a link has not, to
// those who wait for links.
func (ix *Index) moveToLinks(slot int32) {
	s := &ix.byServers.slots
	x := newcomer{s.turn[slot], s.user[slot], s.kind[slot]}
	ix.byServers.drop(x.user)
	ix.insert(x, untried, true)
}

// settle ends a search: the newcomers who are not served to the end go into the
// trees.
func (ix *Index) settle() {
	end := ix.servers.log.end
	for _, x := range ix.failed {
		// What a link lets through failed for want of room.
		if ix.apart && !ix.servers.passes(x.kind.Need.Link) {
			ix.insert(x, untried, true)
		} else if ix.apart || !ix.links {
			ix.insert(x, end, false)
		} else {
			ix.insert(x, untried, false)
		}
	}
	ix.failed, ix.open = ix.failed[:0], false
	ix.settled, ix.servers.log.searched = end, end
	ix.linkFree = linksOf(ix.servers.Ledger, ix.servers.every, len(ix.servers.env.Resources))
}

// insert puts a user into a tree, where no server had room for it at position
// tried.
func (ix *Index) insert(x newcomer, tried int64, byLinks bool) {
	in := ix.byServers
	if byLinks {
		in = ix.byLinks
	}
	in.add(x.user, x.kind, x.turn, tried)
}
