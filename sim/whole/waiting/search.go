package waiting

import "math/bits"

// target is a server that tasks have left since the last search.
type target struct {
	server int32
	class  int
	room   sketch       // of it and of the links
	levels [perWord]int // with sets of users: those of the room
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
		x := &ix.targets[i]
		x.room = p.rooms[x.server]
		if ix.listing {
			for r := range ix.eligible.fields {
				x.levels[r] = ix.eligible.level(r, x.room.field(r))
			}
		}
	}
}

// reach returns which lanes of a fork may fit on some server (no false negatives).
func (ix *Index) reach(at int) uint {
	if !ix.targeted {
		return ix.byServers.lowWithin(at, &ix.room)
	}
	in := uint(0)
	for i := range ix.targets {
		in |= ix.byServers.lowWithin(at, &ix.targets[i].room)
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

// expand puts in place of a node on top of the frontier what may fit below it. The first
// user of the node, if it is below one of those, stays on top as it is.
func (ix *Index) expand(top entry) {
	if !ix.targeted && !ix.mayFit(ix.byServers, top.node, untried) {
		ix.front.pop()
		return
	}
	t := ix.byServers
	at, lanes := t.below(int(top.node))
	f, leaf, same := &t.forks[at], int(top.node) >= t.leaves, -1
	for rest := ix.reach(at) & lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros(rest)
		e := entry{key: f.key[i], need: f.low[i], slot: f.head[i], node: int32(at<<forkLevels + i)}
		if ix.targeted && t.sets > 0 && !ix.onTarget(t.low(e.node), t.allowed(e.node)) {
			continue
		}
		if leaf {
			e.node = 0
		}
		if e.slot == top.slot {
			same, ix.front.heap[0] = i, e
		} else {
			ix.front.push(e)
		}
	}
	if same < 0 {
		ix.front.pop()
	}
}

// mayFit reports whether a server may have room for somebody below a node, of whom
// none had room at position tried (no false negatives). Of users that wait for
// links this is not asked.
func (ix *Index) mayFit(c *userTree, node int32, tried int64) bool {
	f, i := c.lane(node)
	tried = ix.since(c.high(node), max(tried, f.tried[i]))
	f.tried[i] = tried
	low, where := c.low(node), c.allowed(node)
	if s := f.witness[i]; ix.servers.log.end-tried > 1 && ix.servers.left[s] > tried && ix.servers.roomOn(s, low, where) {
		return true
	}
	s := ix.servers.roomSince(low, tried, where)
	if s < 0 {
		f.tried[i] = ix.servers.log.end
		return false
	}
	f.witness[i] = s
	return true
}

// roomFor reports whether a server may have room for a waiting user, who had none at
// position tried (no false negatives).
func (ix *Index) roomFor(t *userTree, slot int32, tried int64) bool {
	node := t.nodeOf(slot)
	f, i := t.lane(node)
	tried = ix.since(t.high(node), max(tried, f.tried[i]))
	f.tried[i] = tried
	if ix.servers.roomSince(t.low(node), tried, t.allowed(node)) < 0 {
		f.tried[i] = ix.servers.log.end
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
