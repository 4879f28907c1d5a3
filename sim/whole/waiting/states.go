package waiting

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// states are the servers in groups of equal state: of one class, with the same amounts free.
// Best fit and what fits depend on a server by its state alone, so a search looks at each
// state once. Where many servers have a state of their own their tree is the better way.
//
// Invariant: while they are used, each server is in the state of what it had free when
// [Servers.grouped] was called last.
type states struct {
	used  bool
	most  int   // more states are not kept
	again int64 // the move from which on servers are put into groups anew

	of     []int32  // per server: its state
	rooms  []uint64 // per state: first word of the sketch of what is free, with its guards
	all    []state
	unused []int32 // entries of all that are no state
	first  []int32 // per hash: a state, followed by the others of that hash; -1: none
}

// state is one of them. An entry that is none has no servers, and a stamp before all positions.
type state struct {
	free    []int64 // per resource
	servers []int32 // from the highest number to the lowest
	stamp   int64   // no task has left one of the servers at a later position of the log
	class   int32
	next    int32 // of the same hash; -1: none
}

const (
	// statesMost is the number of states beyond which the tree of servers costs less than
	// to look at each of them.
	statesMost = 1024
	// movesUngrouped is the number of moves a server after which servers that had too many
	// states are put into groups again.
	movesUngrouped = 64
)

// newStates returns the states of some servers, which are not used so far.
func newStates(servers, classes int) states {
	st := states{most: min(servers/2, statesMost), of: make([]int32, servers), first: make([]int32, 2*statesMost)}
	if classes > st.most {
		st.again = math.MaxInt64
	}
	return st
}

// grouped brings the states up to date and reports whether they are used.
func (p *Servers) grouped() bool {
	switch st := &p.states; {
	case st.used:
		if p.follow(); st.many() {
			p.ungroup()
			p.toMove = p.toMove[:0] // the tree has not followed what any server did meanwhile
			for s := range p.hasMoved {
				p.hasMoved[s] = true
				p.toMove = append(p.toMove, int32(s))
			}
		}
	case p.moves.end >= st.again:
		if p.group(); st.many() {
			p.ungroup()
		}
	}
	return p.states.used
}

// follow puts the servers that have moved into the groups of their states. It begins with the
// last one: the suspended are in ascending order, so the fewer servers of a state are moved to
// make room.
func (p *Servers) follow() {
	for _, s := range slices.Backward(p.toMove) {
		p.hasMoved[s] = false
		if !p.states.is(p.states.of[s], int32(p.Class(int(s))), p.Free(int(s))) {
			p.states.leave(s)
			p.join(s)
		}
	}
	p.toMove = p.toMove[:0]
}

// many reports whether there are more states than are kept.
func (st *states) many() bool { return len(st.all)-len(st.unused) > st.most }

// group puts all servers into groups.
func (p *Servers) group() {
	st := &p.states
	st.used, st.rooms, st.all, st.unused = true, st.rooms[:0], st.all[:0], st.unused[:0]
	for h := range st.first {
		st.first[h] = -1
	}
	for s := int32(p.Servers()) - 1; s >= 0 && !st.many(); s-- {
		p.join(s)
	}
}

// ungroup gives the groups up for a while.
func (p *Servers) ungroup() {
	p.states.used, p.states.again = false, p.moves.end+movesUngrouped*int64(p.Servers())
}

// join puts a server into the group of its state.
func (p *Servers) join(s int32) {
	st, class, free := &p.states, int32(p.Class(int(s))), p.Free(int(s))
	h := st.hash(class, free)
	id := st.first[h]
	for id >= 0 && !st.is(id, class, free) {
		id = st.all[id].next
	}
	if id < 0 {
		id = st.add(h, class, free, p.rooms[s].a|guards)
	}
	to := &st.all[id]
	i, _ := slices.BinarySearchFunc(to.servers, s, func(t, s int32) int { return int(s - t) })
	to.servers = slices.Insert(to.servers, i, s)
	to.stamp = max(to.stamp, p.left[s])
	st.of[s] = id
}

// is reports whether a state is that of these amounts.
func (st *states) is(id, class int32, free []int64) bool {
	return st.all[id].class == class && slices.Equal(st.all[id].free, free)
}

func (st *states) hash(class int32, free []int64) int {
	h := uint64(class)
	for _, v := range free {
		h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return int(h % uint64(len(st.first)))
}

// add makes a state without servers.
func (st *states) add(h int, class int32, free []int64, room uint64) (id int32) {
	if n := len(st.unused); n > 0 {
		id = st.unused[n-1]
		st.unused = st.unused[:n-1]
	} else {
		id = int32(len(st.all))
		st.rooms = append(st.rooms, 0)
		st.all = append(slices.Grow(st.all, 1), state{})
	}
	x := &st.all[id]
	x.free, x.class, x.next, x.stamp = append(x.free[:0], free...), class, st.first[h], untried
	st.rooms[id], st.first[h] = room, id
	return id
}

// leave takes a server out of its group.
func (st *states) leave(s int32) {
	id := st.of[s]
	from := &st.all[id]
	i, _ := slices.BinarySearchFunc(from.servers, s, func(t, s int32) int { return int(s - t) })
	from.servers = slices.Delete(from.servers, i, i+1)
	if len(from.servers) > 0 {
		return
	}
	at := &st.first[st.hash(from.class, from.free)]
	for *at != id {
		at = &st.all[*at].next
	}
	*at, from.stamp = from.next, math.MinInt64
	st.unused = append(st.unused, id)
}

// searchStates looks for the best fit among all servers that a task has left.
func (p *Servers) searchStates() {
	st, need := &p.states, p.ask.kind.down.a
	for id, room := range st.rooms {
		if (room-need)&guards == guards && st.all[id].stamp > p.ask.since {
			p.tryState(&st.all[id])
		}
	}
}

// tryState tries the servers of a state that a task has left, in order of their numbers, until
// one is no better fit than what is known: none after it is, since all are at one distance.
func (p *Servers) tryState(x *state) {
	need := p.ask.kind.Need.On(int(x.class))
	if !p.ask.kind.May.Has(int(x.class)) || !covers(x.free, need) || p.ask.least < p.distance(x.free, need)*order.Apart {
		return
	}
	for _, s := range slices.Backward(x.servers) {
		if p.left[s] > p.ask.since && !p.try(s) {
			return
		}
	}
}

// roomInStates is roomSince by states.
func (p *Servers) roomInStates(demand sketch, since int64, in *allowed) int32 {
	st := &p.states
	for id, room := range st.rooms {
		x := &st.all[id]
		if (room-demand.a)&guards != guards || x.stamp <= since || !p.roomOn(x.servers[0], demand, in) {
			continue
		}
		for _, s := range x.servers {
			if p.left[s] > since {
				return s
			}
		}
	}
	return -1
}
