package waiting

import "math/bits"

// target is a server that tasks have left since the last search.
type target struct {
	server int32
	class  int
	room   sketch // of it and of the links
}

// fewTargets is the number of freed servers up to which each is compared with every box.
const fewTargets = shortLog

// target finds the targets of a search; they are none if more than a few servers were
// freed, or any may have room now.
func (ix *Index) target() {
	p := ix.servers
	ix.targets = ix.targets[:0]
	if n := p.log.end - p.log.searched; p.log.epoch > p.log.searched || n > fewTargets {
		ix.targeted = false
		return
	}
	for q := p.log.searched; q < p.log.end; q++ {
		s := p.log.at(q)
		ix.targets = append(ix.targets, target{server: s, class: p.Class(int(s))})
	}
	ix.targeted = ix.settled >= p.log.epoch
}

// aim brings the rooms of the targets up to date, and what is free at most where there
// are none.
func (ix *Index) aim() {
	p := ix.servers
	ix.room = plenty
	if len(ix.targets) == 0 && p.tree == nil {
		pool := sketch{}
		for _, room := range p.rooms {
			pool = most(pool, room)
		}
		ix.room = least(pool, plenty)
	}
	for i := range ix.targets {
		ix.targets[i].room = p.rooms[ix.targets[i].server]
	}
}

// reach returns which of a run of demands may fit on some server (no false negatives).
func (ix *Index) reach(demands *sketched, first, end int32) uint {
	if !ix.targeted {
		return demands.within(first, end, ix.room, ix.byServers.wide)
	}
	in := uint(0)
	for i := range ix.targets {
		in |= demands.within(first, end, ix.targets[i].room, ix.byServers.wide)
	}
	return in
}

// onTarget reports whether a demand may fit on a target where it may run (no false
// negatives).
func (ix *Index) onTarget(demand sketch, where *allowed) bool {
	for i := range ix.targets {
		if x := &ix.targets[i]; demand.within(x.room) && (where == nil || where.has(x.class)) {
			return true
		}
	}
	return false
}

// hasRoom reports whether there may still be room for an entry (no false negatives).
func (ix *Index) hasRoom(e *entry) bool {
	if e.newcomer {
		return true
	}
	if !ix.targeted {
		return ((ix.room.a|guards)-e.need)&guards == guards
	}
	for i := range ix.targets {
		if ((ix.targets[i].room.a|guards)-e.need)&guards == guards {
			return true
		}
	}
	return false
}

// listed reports whether lists of users are the better way to find those who may fit:
// where some users have constraints, and users and targets are few.
func (ix *Index) listed() bool {
	t := ix.byServers
	return ix.eligible != nil && ix.eligible.words > 0 && ix.targeted && t.sets > 0 && t.len() <= listedUsers
}

// fromLists puts all users who may fit on the targets into the frontier.
func (ix *Index) fromLists() {
	s := &ix.byServers.slots
	ix.aim()
	ix.eligible.fitting(ix.targets, func(user int32) {
		slot := ix.byServers.at[user]
		ix.front.push(entry{key: s.turn[slot].Key(), need: s.down.a[slot], slot: slot})
	})
}

// expand puts in place of a node on top of the frontier what may fit below it. The first
// user of the node, if it is below one of those, stays on top as it is.
func (ix *Index) expand(top entry) {
	if !ix.targeted && !ix.mayFit(ix.byServers, top.node, untried) {
		ix.front.pop()
		return
	}
	var first entry
	var ok bool
	if int(top.node) >= ix.byServers.leaves {
		first, ok = ix.expandLeaf(top)
	} else {
		first, ok = ix.expandNode(top)
	}
	if ok {
		ix.front.heap[0] = first
	} else {
		ix.front.pop()
	}
}

// expandNode puts the nodes next below one into the frontier, but for the one with the
// same first user, which it returns if it may fit.
func (ix *Index) expandNode(top entry) (same entry, ok bool) {
	t := ix.byServers
	begin, end := t.below(int(top.node))
	for rest := ix.reach(&t.low, begin, end); rest != 0; rest &= rest - 1 {
		node := begin + int32(bits.TrailingZeros(rest))
		if ix.targeted && t.sets > 0 && !ix.onTarget(t.low.at(node), t.allowed(node)) {
			continue
		}
		e := entry{key: t.key[node], need: t.low.a[node], slot: t.head[node], node: node}
		if e.slot == top.slot {
			same, ok = e, true
		} else {
			ix.front.push(e)
		}
	}
	return same, ok
}

// expandLeaf puts the users of a leaf into the frontier, but for the one who stands for
// the leaf, which it returns if it may fit.
func (ix *Index) expandLeaf(top entry) (same entry, ok bool) {
	t := ix.byServers
	s := &t.slots
	begin, end := t.within(int(top.node))
	for rest := ix.reach(&s.down, begin, end); rest != 0; rest &= rest - 1 {
		slot := begin + int32(bits.TrailingZeros(rest))
		if ix.targeted && t.sets > 0 && !ix.onTarget(s.down.at(slot), t.allowedOf(slot)) {
			continue
		}
		e := entry{key: s.turn[slot].Key(), need: s.down.a[slot], slot: slot}
		if e.slot == top.slot {
			same, ok = e, true
		} else {
			ix.front.push(e)
		}
	}
	return same, ok
}

// mayFit reports whether a server may have room for somebody below a node, of whom
// none had room at position tried (no false negatives). Of users that wait for
// links this is not asked.
func (ix *Index) mayFit(c *userTree, node int32, tried int64) bool {
	if c == ix.byLinks {
		return true
	}
	tried = ix.since(c.high.at(node), max(tried, c.tried[node]))
	c.tried[node] = tried
	low, where := c.low.at(node), c.allowed(node)
	if s := c.witness[node]; ix.servers.log.end-tried > 1 && ix.servers.left[s] > tried && ix.servers.roomOn(s, low, where) {
		return true
	}
	s := ix.servers.roomSince(low, tried, where)
	if s < 0 {
		c.tried[node] = ix.servers.log.end
		return false
	}
	c.witness[node] = s
	return true
}

// roomFor reports whether a server may have room for a waiting user, who had none at
// position tried (no false negatives).
func (ix *Index) roomFor(slot int32, tried int64) bool {
	s := &ix.byServers.slots
	tried = ix.since(s.up.at(slot), max(tried, s.tried[slot]))
	s.tried[slot] = tried
	if ix.servers.roomSince(s.down.at(slot), tried, ix.byServers.allowedOf(slot)) < 0 {
		s.tried[slot] = ix.servers.log.end
		return false
	}
	return true
}

// since returns the latest position known at which no server had room for users
// whose demands are at most high, given an earlier one.
//
// Invariant: nobody who waits fits anywhere at the end of a search. So whom the
// links had room for then, had no room on any server at that position. Sketches
// say so of the links only where they leave none out.
func (ix *Index) since(high sketch, tried int64) int64 {
	if tried < ix.servers.log.epoch {
		tried = untried
	}
	if tried < ix.settled && ix.settled >= ix.servers.log.epoch && (!ix.links || ix.complete && high.within(ix.linkFree)) {
		return ix.settled
	}
	return tried
}
