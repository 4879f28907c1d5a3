package waiting

import (
	"math/bits"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// eligible has the waiting users as sets, a bit each: for every class of servers those who
// may run there, and for every resource and level those whose demand is at most of that
// level. Who may fit on a server is what three or so of these have in common, so a search for
// room on few servers looks at 64 users at once.
//
// A user has a position, which is its bit. Positions are given in the order of adding.
//
// Invariant: a demand that fits is of no higher level than what is free (no false negatives).
type eligible struct {
	classes, fields int
	base            [perWord]int // per resource: the level of the largest capacity is base + levels - 1
	words           int          // of a set; 0: there are none, since they would take too much memory
	sets            []uint64     // class by class, those who may run everywhere, then by resource and level

	at    []int32 // per user: its position; -1: it has none
	users []int32 // per position; -1: it is free
	kinds []*Kind
	need  []uint64  // first word of the sketch of the demand
	keys  []float64 // of the turns, as [order.Turn.Key]
	ties  []uint64  // and [order.Turn.Tie]
	count int       // users
	// inOrder says that users are served in the order of their positions.
	inOrder bool
	last    order.Turn // the latest turn added, if so
}

const (
	// listedUsers is the number of users up to which a search goes through sets: it looks at
	// all of them, where the tree yields the first ones.
	listedUsers = 4096
	// listedWords bounds the memory of all sets: 4 MB.
	listedWords = 1 << 19
	// levels is the number of levels of a resource, four of them an octave.
	levels = 48
	// levelBits are the bits of an amount in brief that levels leave out.
	levelBits = mantissa - 2
)

// newEligible returns empty sets for the servers of a ledger.
func newEligible(l *cluster.Ledger, env *cluster.Environment) *eligible {
	e := &eligible{classes: len(env.Servers), fields: min(len(env.Resources), perWord), inOrder: true}
	for r := range e.fields {
		most := int64(0)
		for s := range l.Servers() {
			most = max(most, l.Capacity(s)[r])
		}
		e.base[r] = int(brief(most)>>levelBits) - levels + 1
	}
	e.spread(1)
	return e
}

// level returns the set of the users whose demand of a resource is at most of the level of
// an amount in brief.
func (l *eligible) level(r int, amount uint64) int {
	return l.classes + 1 + r*levels + min(max(int(amount>>levelBits)-l.base[r], 0), levels-1)
}

// spread makes sets of so many words and gives users new positions, in the same order.
func (l *eligible) spread(words int) {
	size := (l.classes + 1 + l.fields*levels) * words
	if size > listedWords {
		*l = eligible{}
		return
	}
	if words == l.words {
		clear(l.sets)
	} else {
		l.words, l.sets = words, make([]uint64, size)
	}
	end := 0
	for p, user := range l.users {
		if user >= 0 {
			l.users[end], l.kinds[end], l.need[end], l.keys[end], l.ties[end] = user, l.kinds[p], l.need[p], l.keys[p], l.ties[p]
			l.at[user] = int32(end)
			l.flip(end)
			end++
		}
	}
	l.resize(end)
}

// resize sets the number of positions given so far.
func (l *eligible) resize(n int) {
	l.users, l.kinds = sized(l.users, n), sized(l.kinds, n)
	l.need, l.keys, l.ties = sized(l.need, n), sized(l.keys, n), sized(l.ties, n)
}

// add puts in a user that is not there.
func (l *eligible) add(user int32, k *Kind, when order.Turn) {
	if l.words > 0 && len(l.users) == 64*l.words {
		words := l.words
		if l.count > 32*words {
			words *= 2
		}
		l.spread(words)
	}
	if l.words == 0 {
		return
	}
	for int(user) >= len(l.at) {
		l.at = append(l.at, -1)
	}
	l.inOrder = l.count == 0 || l.inOrder && l.last.Before(&when)
	l.last = when
	p := len(l.users)
	l.resize(p + 1)
	l.users[p], l.kinds[p], l.need[p], l.at[user] = user, k, k.down.a, int32(p)
	l.keys[p], l.ties[p] = when.Key(), when.Tie()
	l.count++
	l.flip(p)
}

// move says that a user's turn is another one.
func (l *eligible) move(user int32, when order.Turn) {
	if l.words == 0 {
		return
	}
	p := l.at[user]
	l.keys[p], l.ties[p] = when.Key(), when.Tie()
	l.inOrder = false
}

// drop takes a user out.
func (l *eligible) drop(user int32) {
	if l.words == 0 {
		return
	}
	p := l.at[user]
	l.flip(int(p))
	l.users[p], l.kinds[p], l.at[user] = -1, nil, -1
	l.count--
}

// flip puts the user at a position into its sets, or takes it out.
func (l *eligible) flip(position int) {
	w, bit, k := position>>6, uint64(1)<<(uint(position)&63), l.kinds[position]
	for r := range l.fields {
		end := l.classes + 1 + (r+1)*levels
		for s := l.level(r, k.down.field(r)); s < end; s++ {
			l.sets[s*l.words+w] ^= bit
		}
	}
	if k.May == nil {
		l.sets[l.classes*l.words+w] ^= bit
		return
	}
	for i, set := range k.May {
		for ; set != 0; set &= set - 1 {
			if class := i<<6 + bits.TrailingZeros64(set); class < l.classes {
				l.sets[class*l.words+w] ^= bit
			}
		}
	}
}

// fitting returns which users of a word of positions may run on one of some servers and may
// fit there (no false negatives), of those that are asked for.
func (l *eligible) fitting(w int, on []target, of uint64) (found uint64) {
	everywhere := l.sets[l.classes*l.words+w]
	for i := range on {
		x := &on[i]
		rest := (l.sets[x.class*l.words+w] | everywhere) & of &^ found
		for r := range l.fields {
			rest &= l.sets[x.levels[r]*l.words+w]
		}
		for room := x.room.a | guards; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			found |= uint64(fits(l.need[w<<6+bit], room)) << bit
		}
	}
	return found
}
