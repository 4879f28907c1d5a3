package waiting

import "math/bits"

// eligible has a list for every class of servers: the waiting users who may run there, a
// bit each. Where users are at most listedUsers a search for room on few servers looks at
// all users of their lists, which costs less than to go through the tree.
type eligible struct {
	classes int
	words   int      // of a list; 0: there are none, since they would take too much memory
	lists   []uint64 // class by class, then that of the users who may run everywhere
	need    []uint64 // per user: first word of the sketch of the demand
}

const (
	// listedUsers is the number of users up to which a search goes through lists: it puts
	// all who may fit into the frontier, where the tree yields the first ones.
	listedUsers = 768
	// listedWords bounds the memory of all lists: 4 MB.
	listedWords = 1 << 19
)

// newEligible returns empty lists.
func newEligible(classes int) *eligible {
	l := &eligible{classes: classes}
	l.widen(1)
	return l
}

// widen makes the lists long enough for 64 users a word.
func (l *eligible) widen(words int) {
	old := *l
	l.words, l.lists = words, nil
	if (l.classes+1)*words > listedWords {
		l.words, l.need = 0, nil
		return
	}
	l.lists = make([]uint64, (l.classes+1)*words)
	for c := range l.classes + 1 {
		copy(l.of(c), old.of(c))
	}
}

// of returns the list of a class.
func (l *eligible) of(class int) []uint64 { return l.lists[class*l.words : (class+1)*l.words] }

func (l *eligible) add(user int32, k *Kind) {
	if l.words > 0 && int(user) >= 64*l.words {
		l.widen(max(2*l.words, int(user)/64+1))
	}
	if l.words == 0 {
		return
	}
	for int(user) >= len(l.need) {
		l.need = append(l.need, 0)
	}
	l.need[user] = k.down.a
	l.flip(user, k)
}

func (l *eligible) drop(user int32, k *Kind) {
	if l.words > 0 {
		l.flip(user, k)
	}
}

// flip puts a user into the lists of its kind, or takes it out.
func (l *eligible) flip(user int32, k *Kind) {
	at, bit := int(user>>6), uint64(1)<<(uint(user)&63)
	if k.May == nil {
		l.lists[l.classes*l.words+at] ^= bit
		return
	}
	for w, set := range k.May {
		for ; set != 0; set &= set - 1 {
			if class := w<<6 + bits.TrailingZeros64(set); class < l.classes {
				l.lists[class*l.words+at] ^= bit
			}
		}
	}
}

// fitting calls yield with every user who may run on one of some servers and may fit there
// (no false negatives), once.
func (l *eligible) fitting(on []target, yield func(user int32)) {
	everywhere := l.of(l.classes)
	for w, all := range everywhere {
		found := uint64(0)
		for i := range on {
			room := on[i].room.a | guards
			rest := (l.lists[on[i].class*l.words+w] | all) &^ found
			for ; rest != 0; rest &= rest - 1 {
				bit := bits.TrailingZeros64(rest)
				found |= uint64(fits(l.need[w<<6+bit], room)) << bit
			}
		}
		for ; found != 0; found &= found - 1 {
			yield(int32(w<<6 + bits.TrailingZeros64(found)))
		}
	}
}
