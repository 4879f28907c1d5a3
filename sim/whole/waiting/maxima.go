package waiting

// maxima are the rooms of servers, in brief, of which none is within another: a demand
// may fit on some server just where it is within one of them (no false negatives).
type maxima struct {
	rooms []sketch
	at    int64 // the first move that they do not follow; 0: they are not known
}

// follow brings the maxima up to date.
func (m *maxima) follow(p *Servers) {
	if m.at == p.moves.end {
		return
	}
	m.at, m.rooms = p.moves.end, m.rooms[:0]
	for _, room := range p.rooms {
		m.add(room)
	}
}

// within returns the lanes of a fork of which the low corner may fit on some server, and
// those of which the first user may.
func (m *maxima) within(c *userTree, at int, p *Servers) (low, need uint) {
	m.follow(p)
	for i := range m.rooms {
		low |= c.lowWithin(at, &m.rooms[i])
		need |= c.needWithin(at, &m.rooms[i])
	}
	return low, need
}

// add puts a room among the maxima, in place of those that are within it.
func (m *maxima) add(room sketch) {
	for _, other := range m.rooms {
		if room.within(other) {
			return
		}
	}
	kept := m.rooms[:0]
	for _, other := range m.rooms {
		if !other.within(room) {
			kept = append(kept, other)
		}
	}
	m.rooms = append(kept, room)
}
