package waiting

import (
	"math"
	"slices"
)

// parts divide waiting users by what a task takes of one resource or link: part i takes more
// than cuts[i-1] and at most cuts[i], in brief. A search whose room is at most cuts[i] leaves
// out all parts above i. Where users wait for graphics cards, say, the parts are those who
// take none, half of one and a whole one, and most rooms have none.
type parts struct {
	field int
	cuts  []uint64
}

const (
	mostParts = 4
	// cutGain is what one more cut has to save, and partsGain by how much new parts have to
	// be better than those there are; see [parts.cost].
	cutGain, partsGain = 0.2, 0.4
	// partsSample is the number of users from which on they are divided, and about that of
	// those that are looked at.
	partsSample = 256
)

// of returns the part of a demand.
func (p *parts) of(demand sketch) int { return p.above(demand.field(p.field)) }

// above returns the number of cuts below an amount.
func (p *parts) above(v uint64) int {
	i := 0
	for i < len(p.cuts) && p.cuts[i] < v {
		i++
	}
	return i
}

// cost is the mean over searches for some rooms of the logarithm, to base 2, of the users in
// the parts that are not left out, given what users take of the resource, in order.
func (p *parts) cost(rooms []sketch, taken []uint64) float64 {
	sum := 0.0
	for _, room := range rooms {
		in := len(taken)
		if i := p.of(room); i < len(p.cuts) {
			in, _ = slices.BinarySearch(taken, p.cuts[i]+1)
		}
		sum += math.Log2(float64(1 + in))
	}
	return sum / float64(len(rooms))
}

// cut adds cuts, each where it saves most, as long as that is worth it, and returns the
// cost. Cuts are amounts that searches have found free.
func (p *parts) cut(rooms []sketch, taken []uint64) float64 {
	cost := p.cost(rooms, taken)
	for len(p.cuts) < mostParts-1 {
		best, least := uint64(0), cost-cutGain
		for _, room := range rooms {
			v := room.field(p.field)
			with := parts{p.field, slices.Insert(slices.Clone(p.cuts), p.above(v), v)}
			if c := with.cost(rooms, taken); c < least {
				best, least = v, c
			}
		}
		if least == cost-cutGain {
			break
		}
		p.cuts, cost = slices.Insert(p.cuts, p.above(best), best), least
	}
	return cost
}

// divide finds parts of the users of some trees, going by a sample of them and by the latest
// searches; false if those there are do as well.
func (p *parts) divide(trees []*userTree) bool {
	rooms := trees[0].asked.latest()
	users := 0
	for _, t := range trees {
		users += t.len()
	}
	if users < partsSample || len(rooms) == 0 {
		return false
	}
	every := users / partsSample
	best, least := *p, p.cost(rooms, sample(trees, p.field, every))-partsGain
	for field := range trees[0].fields {
		with := parts{field: field}
		if cost := with.cut(rooms, sample(trees, field, every)); cost < least {
			best, least = with, cost
		}
	}
	changed := best.field != p.field || !slices.Equal(best.cuts, p.cuts)
	*p = best
	return changed
}

// divide finds parts for the users who wait for servers, and puts each into the tree of its
// part if they are new.
func (ix *Index) divide() {
	ix.came = 0
	if !ix.parts.divide(ix.trees[1:]) {
		return
	}
	for len(ix.trees) < len(ix.parts.cuts)+2 {
		t := newUserTree(len(ix.servers.env.Resources), len(ix.servers.env.Links))
		t.asked = ix.byServers.asked
		ix.trees = append(ix.trees, t)
	}
	users := make([][]stage, len(ix.trees))
	for _, t := range ix.trees[1:] {
		t.unload()
		for _, x := range t.staged {
			in := 1 + ix.parts.of(x.kind.down)
			users[in], ix.in[x.user] = append(users[in], x), int8(in)
		}
	}
	for i, t := range ix.trees[1:] {
		t.load(users[1+i])
	}
}

// sample returns what every so-many-th user takes of a resource or link, in order.
func sample(trees []*userTree, field, every int) (taken []uint64) {
	n := 0
	for _, t := range trees {
		for slot, user := range t.users {
			if user < 0 {
				continue
			}
			if n++; n%every == 0 {
				taken = append(taken, t.kinds[slot].down.field(field))
			}
		}
	}
	slices.Sort(taken)
	return taken
}

// asked are the rooms of the latest searches.
type asked struct {
	rooms [64]sketch
	n     int // searches so far
}

func (a *asked) add(room sketch) {
	a.rooms[a.n%len(a.rooms)] = room
	a.n++
}

func (a *asked) latest() []sketch { return a.rooms[:min(a.n, len(a.rooms))] }
