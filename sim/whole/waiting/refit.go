package waiting

import (
	"encoding/binary"
	"math"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// moveLog lists the servers in order of their latest move, which is the start or the end of
// tasks there. Moves are numbered from 1.
type moveLog struct {
	latest       []int64 // per server: the number of its latest move; 0: none
	older, newer []int32 // per server: the next ones of the list; -1: none
	newest       int32   // the server that moved last
	edge         int32   // the server after the movesTried first ones; -1: there is none
	end          int64   // number of the next move
}

// movesTried is the number of servers up to which to try each of them costs less than to
// search the tree.
const movesTried = 128

func newMoveLog(servers int) moveLog {
	l := moveLog{latest: make([]int64, servers), newest: int32(servers) - 1, edge: max(int32(servers)-1-movesTried, -1), end: 1}
	for s := range int32(servers) {
		l.older, l.newer = append(l.older, s-1), append(l.newer, s+1)
	}
	if servers > 0 {
		l.newer[servers-1] = -1
	}
	return l
}

func (l *moveLog) add(server int32) {
	if edge := l.edge; edge >= 0 && !(l.latest[server] > l.latest[edge] || l.latest[server] == l.latest[edge] && server > edge) {
		l.edge = l.newer[edge] // the server comes from the edge or behind it
	}
	l.latest[server] = l.end
	l.end++
	if server == l.newest {
		return
	}
	older, newer := l.older[server], l.newer[server]
	l.older[newer] = older
	if older >= 0 {
		l.newer[older] = newer
	}
	l.older[server], l.newer[server] = l.newest, -1
	l.newer[l.newest], l.newest = server, server
}

// since returns the servers that have moved since a position; false if they are many.
func (l *moveLog) since(position int64, servers []int32) ([]int32, bool) {
	if l.edge >= 0 && l.latest[l.edge] >= position {
		return servers, false
	}
	for s := l.newest; s >= 0 && l.latest[s] >= position; s = l.older[s] {
		servers = append(servers, s)
	}
	return servers, true
}

// movedWithRoom returns, of the servers that have moved since a position, those that may have
// room for a demand (no false negatives); false if many have moved.
func (p *Servers) movedWithRoom(demand sketch, position int64, servers []int32) ([]int32, bool) {
	l, moved := &p.moves, 0
	for s := l.newest; s >= 0 && l.latest[s] >= position; s = l.older[s] {
		if moved++; moved > movesTried {
			return servers, false
		}
		if demand.within(p.rooms[s]) {
			servers = append(servers, s)
		}
	}
	return servers, true
}

// fit is a server on which a task fits.
type fit struct {
	server   int32
	distance float64 // to doubles
	at       int64   // the next move then
}

// nearest are the best fits for a demand as of some position of the log of moves. Kinds
// that may run on every server, with the same demand everywhere, have them in common,
// whatever they take of links.
//
// Invariant: a server on which a task fits and that is not among the fits, unless it has
// moved since, is no better than the last of them was when the servers were searched.
type nearest struct {
	fits     []fit   // in no order; those whose server has moved since do not count
	at       int64   // the first move that is not in fits; 0: there was no search
	wanted   int     // fits that the last search looked for
	served   int     // best fits found since without a search
	usedUp   bool    // none of the fits was left although few servers had moved
	full     bool    // servers that fit may have been left out: the following hold
	last     int32   // the last of the fits at the search
	distance float64 // to it, then
	gap      []int64 // what the task would have left free there, then
}

const (
	// wantedMost is the largest number of best fits that a search looks for.
	wantedMost = 8
	// keptMost is the number of fits beyond which a new search costs less than to go
	// through them.
	keptMost = 64
	// demandsKept is the number of demands of which the best fits are found again by kinds
	// to come.
	demandsKept = 1024
)

// nearestOf returns the best fits known for a kind.
func (p *Servers) nearestOf(k *Kind) *nearest {
	if k.near != nil {
		return k.near
	}
	k.near = &nearest{wanted: 1}
	if !k.same {
		return k.near
	}
	p.key = p.key[:0]
	for _, d := range k.least {
		p.key = binary.LittleEndian.AppendUint64(p.key, uint64(d))
	}
	if known := p.near[string(p.key)]; known != nil {
		k.near = known
		return known
	}
	if len(p.near) == demandsKept {
		clear(p.near)
	}
	p.near[string(p.key)] = k.near
	return k.near
}

// refit finds the best fit from the last ones of the demand, if few servers have moved since.
//
// What is free on a server that has not moved is what it was. Links that reach every server
// make no difference between servers; with others a server may gain room while it stays, so
// nothing is known.
func (p *Servers) refit(n *nearest) bool {
	if n.at == 0 || len(p.global) < len(p.every) {
		return false
	}
	few := true
	if p.since, few = p.movedWithRoom(p.ask.kind.down, n.at, p.since[:0]); !few {
		return false
	}
	for _, s := range p.since {
		if d, fits := p.fitOn(s); fits && p.isNear(n, s, d) {
			n.fits = append(n.fits, fit{s, d, p.moves.end})
		}
	}
	n.at = p.moves.end
	for i := 0; i < len(n.fits); {
		f := &n.fits[i]
		if p.moves.latest[f.server] >= f.at {
			n.fits[i] = n.fits[len(n.fits)-1]
			n.fits = n.fits[:len(n.fits)-1]
			continue
		}
		if p.closer(f.server, f.distance) {
			p.ask.server, p.ask.least = f.server, f.distance
		}
		i++
	}
	if n.full && (p.ask.server < 0 || len(n.fits) > keptMost) {
		n.usedUp = true
		p.ask.server, p.ask.least = -1, math.Inf(1)
		return false
	}
	n.served++
	return true
}

// isNear reports whether a server is no worse than the last of the best fits was.
func (p *Servers) isNear(n *nearest, s int32, distance float64) bool {
	if !n.full {
		return true
	}
	switch {
	case distance < n.distance*order.Apart:
		return true
	case n.distance < distance*order.Apart:
		return false
	}
	p.gapOf = p.gaps(p.gapOf[:0], s)
	c := p.compareGaps(p.gapOf, n.gap)
	return c < 0 || c == 0 && s <= n.last
}

// renew searches all servers for the best fits of a demand: for twice as many as last time
// if these have served as often as they were many or are used up, and otherwise for half as
// many.
func (p *Servers) renew(n *nearest) {
	if n.served >= n.wanted || n.usedUp {
		n.wanted = min(2*n.wanted, wantedMost)
	} else {
		n.wanted = max(n.wanted/2, 1)
	}
	n.served, n.usedUp = 0, false
	n.fits = n.fits[:0]
	p.ask.near = n
	p.search()
	n.at, n.full = p.moves.end, len(n.fits) == n.wanted
	if n.full {
		n.last, n.distance, n.gap = p.ask.server, p.ask.least, p.gaps(n.gap[:0], p.ask.server)
	}
	if len(n.fits) > 0 {
		p.ask.server, p.ask.least = n.fits[0].server, n.fits[0].distance
	}
}

// offer puts a server among the best fits of a search, which are in order, in place of the
// last one if they are many: it is closer than that. The last of them is what the search has
// to better.
func (p *Servers) offer(n *nearest, s int32, distance float64) {
	if len(n.fits) < n.wanted {
		n.fits = append(n.fits, fit{})
	}
	i := len(n.fits) - 1
	for ; i > 0 && p.nearer(s, distance, n.fits[i-1].server, n.fits[i-1].distance); i-- {
		n.fits[i] = n.fits[i-1]
	}
	n.fits[i] = fit{s, distance, p.moves.end}
	if len(n.fits) == n.wanted {
		last := &n.fits[n.wanted-1]
		p.ask.server, p.ask.least = last.server, last.distance
	}
}
