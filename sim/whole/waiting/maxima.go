package waiting

import "slices"

// maxima are the rooms of servers, in brief, of which none is within another: a demand
// may fit on some server just where it is within one of them (no false negatives).
type maxima struct {
	rooms []sketch
	of    []int32 // the servers
	at    int64   // the first move that they do not follow; 0: they are not known
	moved []int32 // scratch
}

// follow brings the maxima up to date. Most servers that move were none of them and are
// within them afterwards; otherwise all are looked at.
func (m *maxima) follow(p *Servers) {
	if m.at == p.moves.end {
		return
	}
	moved, few := p.moves.since(m.at, m.moved[:0])
	m.moved, m.at = moved, p.moves.end
	if !few {
		m.renew(p)
		return
	}
	for _, s := range m.moved {
		if slices.Contains(m.of, s) {
			m.renew(p)
			return
		}
	}
	for _, s := range m.moved {
		m.add(s, p.rooms[s])
	}
}

// renew finds the maxima of all servers.
func (m *maxima) renew(p *Servers) {
	m.rooms, m.of = m.rooms[:0], m.of[:0]
	for s, room := range p.rooms {
		m.add(int32(s), room)
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

// add puts the room of a server among the maxima, in place of those that are within it.
func (m *maxima) add(s int32, room sketch) {
	for i := range m.rooms {
		if room.within(m.rooms[i]) {
			return
		}
	}
	kept := 0
	for i, other := range m.rooms {
		if !other.within(room) {
			m.rooms[kept], m.of[kept] = other, m.of[i]
			kept++
		}
	}
	m.rooms, m.of = append(m.rooms[:kept], room), append(m.of[:kept], s)
}
