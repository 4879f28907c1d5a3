package waiting

import (
	"math"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// moveLog lists the servers on which tasks started or ended, of which the last few
// entries are kept.
type moveLog struct {
	servers [movesKept]int32
	end     int64 // position of the next entry
}

// movesKept is the number of entries up to which to try each of their servers costs less
// than to search the tree.
const movesKept = 32

func (l *moveLog) add(server int32) {
	l.servers[l.end%movesKept] = server
	l.end++
}

// fit is the best-fit server for a kind at some position of the log of moves.
type fit struct {
	server   int32   // -1: it fitted nowhere
	distance float64 // to doubles; then +Inf
	at       int64
}

// noFit is that of a kind that was not looked for.
var noFit = fit{server: -1, distance: math.Inf(1), at: -movesKept - 1}

// refit finds the best fit from the last one of the kind, if few servers have moved since.
//
// Invariant: a server that has not moved is no better than the last best fit, since what
// is free there is what it was. So the best of those that have moved is the best of all,
// if it is better than the last one was; and otherwise the last one, if it has not moved.
// Links that reach every server make no difference between servers; with others a server
// may gain room while it stays, so nothing is known.
func (p *Servers) refit() bool {
	last := p.ask.kind.last
	if p.moves.end-last.at > movesKept || len(p.global) < len(p.every) {
		return false
	}
	stays := true
	for q := last.at; q < p.moves.end; q++ {
		s := p.moves.servers[q%movesKept]
		stays = stays && s != last.server
		p.try(s)
	}
	switch {
	case last.server < 0:
	case stays:
		if p.closer(last.server, last.distance) {
			p.ask.server, p.ask.least = last.server, last.distance
		}
	case !(p.ask.least < last.distance*order.Apart):
		p.ask.server, p.ask.least = -1, math.Inf(1)
		return false
	}
	p.ask.kind.last = fit{p.ask.server, p.ask.least, p.moves.end}
	return true
}
