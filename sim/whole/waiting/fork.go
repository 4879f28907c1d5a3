package waiting

import (
	"math"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// fan is the number of nodes next below a node with a box, and of users in a leaf.
const fan = 1 << forkLevels

// fork is what a search asks of the nodes next below a node, or of the users in a leaf,
// side by side: four lines of memory, of which most searches read two. A user is a box
// of its own. An empty lane is within nothing and has head -1.
type fork struct {
	low  [fan]uint64  // first words of the low corners
	key  [fan]float64 // of the first user below: of its turn, as [order.Turn.Key]
	tie  [fan]uint64  // its [order.Turn.Tie]
	need [fan]uint64  // first word of its demand
	high [fan]uint64  // first words of the high corners, rounded up
	// tried is a position of the log at which no server had room for any user below. Of
	// the positions of a user and of all nodes above it the largest holds.
	tried   [fan]int64
	head    [fan]int32 // slot of the first user below; -1 if there is none
	witness [fan]int32 // a server that had room for the low corner
	round   uint64     // the last search that has set done
	done    uint64     // lanes in which nobody could be served any more in that search, a bit each
	_       [2]uint64
}

// second has the second words of sketches, where amounts take both.
type second struct{ low, need, high [fan]uint64 }

// clear empties a lane.
func (f *fork) clear(lane int) {
	f.low[lane], f.need[lane], f.high[lane] = impossible.a, impossible.a, 0
	f.key[lane], f.tie[lane], f.head[lane] = math.Inf(1), 0, -1
}

func (f *second) clear(lane int) {
	f.low[lane], f.need[lane], f.high[lane] = impossible.b, impossible.b, 0
}

// wordsWithin returns which of four words are within a room: a bit each, the lowest for the
// first. There is no branch.
func wordsWithin(w *[fan]uint64, room uint64) uint {
	room |= guards
	return fits(w[0], room) | fits(w[1], room)<<1 | fits(w[2], room)<<2 | fits(w[3], room)<<3
}

// fits returns 1 if no amount of a word is above that of a room with its guards, and
// otherwise 0.
func fits(word, room uint64) uint {
	above := (room-word)&guards ^ guards // 0 if no amount is
	return uint((above>>1 - 1) >> 63)
}

// lowWithin returns which low corners of a fork are within a room, a bit each.
func (t *userTree) lowWithin(at int, room *sketch) uint {
	in := wordsWithin(&t.forks[at].low, room.a)
	if t.wide && in != 0 {
		in &= wordsWithin(&t.seconds[at].low, room.b)
	}
	return in
}

// highWithin returns which high corners of a fork are within a room, a bit each.
func (t *userTree) highWithin(at int, room *sketch) uint {
	in := wordsWithin(&t.forks[at].high, room.a)
	if t.wide && in != 0 {
		in &= wordsWithin(&t.seconds[at].high, room.b)
	}
	return in
}

// needWithin returns which first users of the lanes of a fork are within a room, a bit each.
func (t *userTree) needWithin(at int, room *sketch) uint {
	in := wordsWithin(&t.forks[at].need, room.a)
	if t.wide && in != 0 {
		in &= wordsWithin(&t.seconds[at].need, room.b)
	}
	return in
}

// low returns the low corner of a node, or the demand of a user.
func (t *userTree) low(node int32) sketch {
	s := sketch{a: t.forks[node>>forkLevels].low[node&(fan-1)]}
	if t.wide {
		s.b = t.seconds[node>>forkLevels].low[node&(fan-1)]
	}
	return s
}

// high returns the high corner of a node, or the demand of a user, rounded up.
func (t *userTree) high(node int32) sketch {
	s := sketch{a: t.forks[node>>forkLevels].high[node&(fan-1)]}
	if t.wide {
		s.b = t.seconds[node>>forkLevels].high[node&(fan-1)]
	}
	return s
}

// below returns the fork of the nodes next below a node, or of the users of a leaf, and
// the lanes that belong to it.
func (t *userTree) below(node int) (at int, lanes uint) {
	if node == 1 && t.leaves > 1 {
		if t.fork == 1 {
			return 0, 0b1100
		}
		return 1, 1<<fan - 1
	}
	return node, 1<<fan - 1
}

// root returns the entry of all users.
func (t *userTree) root() entry {
	f, i := t.lane(1)
	return entry{key: f.key[i], need: f.low[i], slot: f.head[i], node: 1}
}

// ahead reports whether the first user of a lane comes before that of another, by key, tie
// and slot of both.
func (t *userTree) ahead(key float64, tie uint64, slot int32, otherKey float64, otherTie uint64, other int32) bool {
	if key == otherKey && (tie^otherTie)>>32 == 0 && tie>>32 != 0 {
		return tie < otherTie
	}
	if key < otherKey*order.Apart {
		return true
	}
	return !(otherKey < key*order.Apart) && t.turns[slot].Precedes(&t.turns[other])
}

// soonest returns the lane, of some of a fork, of which the first user comes first; -1 if
// there is nobody.
func (t *userTree) soonest(f *fork, lanes uint) int {
	best := -1
	for i := range fan {
		if lanes>>i&1 == 0 || f.head[i] < 0 {
			continue
		}
		if best < 0 || t.ahead(f.key[i], f.tie[i], f.head[i], f.key[best], f.tie[best], f.head[best]) {
			best = i
		}
	}
	return best
}
