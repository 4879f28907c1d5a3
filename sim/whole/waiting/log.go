package waiting

// freedLog lists the servers that tasks have left, of which the last few entries
// are kept.
//
// Invariant: if no server had room for a user at some position, it can find room
// only on the servers that follow there. It holds from the last call of forget on.
type freedLog struct {
	servers  [logged]int32
	end      int64 // position of the next entry
	epoch    int64 // nothing that was known before this position holds any more
	searched int64 // end at the last search, after which nobody fitted anywhere
}

const (
	logged = 64
	// untried is the position of a user of whom nothing is known. It is so far
	// back that the log never keeps what follows.
	untried = -logged - 1
)

func (l *freedLog) add(server int32) {
	l.servers[l.end%logged] = server
	l.end++
}

// forget makes all that was known void: any server may have room now.
func (l *freedLog) forget() {
	l.end++
	l.epoch = l.end
}

// at returns the entry at a position that is kept.
func (l *freedLog) at(position int64) int32 { return l.servers[position%logged] }
