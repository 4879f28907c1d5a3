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
// With links the others are in a tree for each of several parts (parts.go): what a search
// has no room for it should leave out whole.
//
// Invariant: within a search, up to the call of Next that finds nobody, room only
// shrinks. A user that fits nowhere once is done with, and so is a box of users of
// which none can fit.
type Index struct {
	servers   *Servers
	byServers *userTree // without links the only tree
	byLinks   *userTree
	trees     []*userTree // byLinks, and those of the parts, of which byServers is the first
	in        []int8      // per user: the number of its tree; -1: it is in none
	parts     parts
	came      int        // users put into trees since parts were looked for
	eligible  *eligible  // without links: sets of users; nil where servers have no tree
	pending   []newcomer // put since the last search, and in no tree
	front     frontier   // of the search under way; with links of the newcomers alone
	found     candidate  // with links: the first waiting user that may fit
	targets   []target   // without: the servers freed since the last search, if they are few
	maxima    maxima     // with links, where servers have no tree
	room      sketch     // without: nothing has room for what is not within

	linkFree  sketch   // of all links after the last search, resources being no matter
	linksThen []int64  // the same in whole units
	settled   int64    // position in the log at the end of the last search
	round     uint64   // number of this search
	open      bool     // a search is under way
	freed     bool     // tasks have left servers since the last search
	served    bool     // the last call found somebody
	misled    bool     // in this search a user found has failed to fit
	done      []uint64 // of positions in sets of users: those who do not fit, a bit each
	from      int      // no user in a word before may fit
	listing   bool     // the search goes through sets of users
	targeted  bool     // only targets can have room for those who wait
	grown     bool     // more of a link may be free than after the last search
	links     bool     // there are links
	scanned   bool     // servers have no tree
	apart     bool     // users that a link keeps out are in byLinks
	complete  bool     // sketches leave no resource and no link out
}

// NewIndex returns an empty queue for some servers.
func NewIndex(p *Servers) *Index {
	resources, links := len(p.env.Resources), len(p.env.Links)
	ix := &Index{
		servers: p, byServers: newUserTree(resources, links), byLinks: newLinkTree(resources, links), settled: untried,
		links: links > 0, scanned: p.tree == nil, apart: p.tree != nil && links > 0 && links == len(p.global), complete: resources+links <= sketchFields,
	}
	ix.front.tree, ix.trees = ix.byServers, []*userTree{ix.byLinks, ix.byServers}
	if p.tree != nil && !ix.links {
		ix.eligible = newEligible(p.Ledger, p.env)
	}
	return ix
}

// Put implements [Queue].
func (ix *Index) Put(user int32, k *Kind, turn order.Turn) {
	waits := true
	switch {
	case ix.waits(user):
		if ix.trees[ix.in[user]].move(user, turn) && ix.eligible != nil {
			ix.eligible.move(user, turn)
		}
	case ix.open:
		ix.front.newcomers[ix.front.heap[0].slot].turn, waits = turn, false
	default:
		ix.pending = append(ix.pending, newcomer{turn, user, k})
	}
	if ix.open && !((ix.links || ix.listing) && waits) { // the one that Next returned is on top
		top := ix.front.heap[0]
		top.key = turn.Key()
		ix.front.replace(top)
	}
}

// Remove implements [Queue].
func (ix *Index) Remove(user int32) {
	waits := true
	switch {
	case ix.waits(user):
		if ix.eligible != nil {
			ix.eligible.drop(user)
		}
		ix.drop(user)
	case ix.open:
		ix.front.newcomers[ix.front.heap[0].slot].kind, waits = nil, false
	default:
		ix.pending = slices.DeleteFunc(ix.pending, func(x newcomer) bool { return x.user == user })
	}
	if ix.open && !((ix.links || ix.listing) && waits) { // the one that Next returned is on top
		ix.front.pop()
	}
}

// Turn implements [Queue].
func (ix *Index) Turn(user int32) (order.Turn, bool) {
	if ix.waits(user) {
		return ix.trees[ix.in[user]].turn(user), true
	}
	return order.Turn{}, false
}

// Next implements [Queue]. With links it looks for the first waiting user anew in every
// call (linked.go), since who is kept out by a link alone may fit on any server. Without,
// it goes through the frontier in the order of service until a task fits:
//
//  1. If a node is on top, put in its place what may fit below it, going by sketches
//     (search.go).
//  2. If a user is on top, try it on the best-fit server, exactly. If it fits it is
//     found, and stays on top; otherwise it is done with in this search.
//  3. If nothing is left, the search ends: newcomers go into the trees.
func (ix *Index) Next() (user, server int32, ok bool) {
	if !ix.open {
		ix.begin()
	}
	next := ix.nextInFrontier
	switch {
	case ix.links:
		next = ix.nextLinked
	case ix.listing:
		next = ix.nextListed
	}
	if user, server = next(); server >= 0 {
		ix.served = true
		return user, server, true
	}
	ix.settle()
	return -1, -1, false
}

func (ix *Index) nextInFrontier() (user, server int32) {
	if ix.aim(); ix.served {
		ix.front.sweep(ix.hasRoom)
	}
	ix.served = false
	for len(ix.front.heap) > 0 {
		top := ix.front.heap[0]
		switch {
		case !ix.hasRoom(&top):
			ix.front.pop()
			ix.front.sweep(ix.hasRoom)
			continue
		case top.node > 0:
			ix.expand(top)
			continue
		case top.newcomer:
			user, server = ix.tryNewcomer(top)
		default:
			user, server = ix.tryWaiting(ix.byServers, top.slot)
		}
		if server >= 0 {
			return user, server
		}
		ix.front.pop()
	}
	return -1, -1
}

// nextLinked compares the first waiting user that may fit, going by sketches, with the
// first newcomer, and tries the first of both, until one fits. Without a freed server
// nobody who waits can fit, so this is left out.
func (ix *Index) nextLinked() (user, server int32) {
	for {
		ix.found.in = nil
		if ix.freed {
			ix.firstWaiting()
		}
		heap := ix.front.heap
		switch {
		case len(heap) > 0 && (ix.found.in == nil || ix.front.turn(&heap[0]).Before(ix.found.turn())):
			if user, server = ix.tryNewcomer(heap[0]); server < 0 {
				ix.front.pop()
			}
		case ix.found.in != nil:
			user, server = ix.tryWaiting(ix.found.in, ix.found.slot())
		default:
			return -1, -1
		}
		if server >= 0 {
			return user, server
		}
	}
}

// begin begins a search.
func (ix *Index) begin() {
	log := &ix.servers.log
	ix.round++
	ix.open, ix.front.credit, ix.misled, ix.freed, ix.served = true, 0, false, log.end > log.searched, false
	if log.epoch > log.searched { // everybody is served from the trees
		for _, x := range ix.pending {
			ix.insert(x, untried, ix.apart)
		}
		ix.pending = ix.pending[:0]
	} else if ix.freed {
		first := log.at(max(log.searched, log.end-logged))
		ix.byServers.asked.add(least(ix.servers.links, ix.servers.rooms[first]))
	}
	ix.pending, ix.front.newcomers = ix.front.newcomers[:0], ix.pending
	for i := range ix.front.newcomers {
		ix.front.push(entry{key: ix.front.newcomers[i].turn.Key(), slot: int32(i), newcomer: true})
	}
	ix.listing = false
	if ix.target(); ix.links {
		return
	}
	switch t := ix.byServers; {
	case !ix.freed || t.len() == 0:
	case ix.listed():
		ix.beginListed()
	default:
		ix.front.push(t.root())
	}
}

// tryNewcomer returns the best-fit server for a newcomer; -1 if it fits nowhere.
func (ix *Index) tryNewcomer(e entry) (user, server int32) {
	x := &ix.front.newcomers[e.slot]
	if x.kind.failed != ix.round {
		if server := ix.servers.BestFit(x.kind); server >= 0 {
			return x.user, server
		}
		x.kind.failed, ix.misled = ix.round, true
	}
	return x.user, -1
}

// tryWaiting returns the best-fit server for a waiting user; -1 if it fits nowhere.
func (ix *Index) tryWaiting(in *userTree, slot int32) (user, server int32) {
	user, k := in.users[slot], in.kinds[slot]
	f, i := in.lane(in.nodeOf(slot))
	if k.failed == ix.round {
		return user, -1
	}
	passes := ix.servers.passes(k.Need.Link)
	if passes {
		since := f.tried[i]
		if in != ix.byLinks {
			since = ix.since(in.high(in.nodeOf(slot)), since)
		}
		if server := ix.servers.bestFit(k, since); server >= 0 {
			return user, server
		}
	}
	k.failed, ix.misled = ix.round, true
	switch {
	case !passes:
	case in == ix.byLinks:
		x := newcomer{in.turns[slot], user, k}
		ix.drop(user)
		ix.insert(x, ix.servers.log.end, false)
	case ix.apart || !ix.links:
		f.tried[i] = ix.servers.log.end
	}
	return user, -1
}

// moveToLinks moves a user for whom some server has room, but a link has not, to
// those who wait for links.
func (ix *Index) moveToLinks(t *userTree, slot int32) {
	x := newcomer{t.turns[slot], t.users[slot], t.kinds[slot]}
	ix.drop(x.user)
	ix.insert(x, untried, true)
}

// settle ends a search: the newcomers who are not served to the end go into the
// trees.
func (ix *Index) settle() {
	end := ix.servers.log.end
	for _, x := range ix.front.newcomers {
		// What a link lets through failed for want of room.
		switch {
		case x.kind == nil:
		case ix.apart && !ix.servers.passes(x.kind.Need.Link):
			ix.insert(x, untried, true)
		case ix.apart || !ix.links:
			ix.insert(x, end, false)
		default:
			ix.insert(x, untried, false)
		}
	}
	ix.front.newcomers = ix.front.newcomers[:0]
	ix.open, ix.settled, ix.servers.log.searched = false, end, end
	ix.linksThen = append(ix.linksThen[:0], ix.servers.LinkFree()...)
	ix.linkFree = linksOf(ix.servers.Ledger, ix.servers.every, len(ix.servers.env.Resources))
	if ix.links && ix.came > len(ix.in)+partsSample {
		ix.divide()
	}
}

// waits reports whether a user is in a tree.
func (ix *Index) waits(user int32) bool { return int(user) < len(ix.in) && ix.in[user] >= 0 }

// drop takes a user out of its tree.
func (ix *Index) drop(user int32) {
	ix.trees[ix.in[user]].drop(user)
	ix.in[user] = -1
}

// insert puts a user into a tree, where no server had room for it at position
// tried.
func (ix *Index) insert(x newcomer, tried int64, byLinks bool) {
	in := 0
	if !byLinks {
		in = 1 + ix.parts.of(x.kind.down)
	}
	for int(x.user) >= len(ix.in) {
		ix.in = append(ix.in, -1)
	}
	ix.in[x.user] = int8(in)
	ix.trees[in].add(x.user, x.kind, x.turn, tried)
	ix.came++
	if ix.eligible != nil {
		ix.eligible.add(x.user, x.kind, x.turn)
	}
}
