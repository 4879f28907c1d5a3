package game

import "math/bits"

// bucketBits is how many bits of a need decide its bucket: a unit has between 128 and 256
// buckets, fewer only where it has fewer steps, and there is one more for the unit itself.
const (
	bucketBits = 8
	buckets    = 1<<bucketBits + 1
)

// sort readies the sets of users by which [Play.whom] finds those who need little: for each
// resource and bucket the users whose need falls below that bucket. A need d̄ falls into
// bucket ⌊d̄/2^k⌋, k being the least for which a unit falls into one of them. It has nothing
// to do after the first play.
func (g *Game) sort() {
	if g.sorted || !g.alike {
		return
	}
	g.sorted = true
	g.bucket = uint(max(0, bits.Len64(uint64(g.grid)-1)-bucketBits))
	size := g.words * (buckets + 2)
	g.below = grow(g.below, g.Resources*size)
	clear(g.below)
	for j := range g.Users {
		for r, need := range g.Need(j, 0) {
			g.below[r*size+(int(need>>g.bucket)+1)*g.words+j>>6] |= 1 << (j & 63)
		}
	}
	for r := range g.Resources {
		of := g.below[r*size : (r+1)*size]
		for k := g.words; k < size; k++ {
			of[k] |= of[k-g.words]
		}
	}
}

// whom fills in some with those users of a set, none of them on server to of identical
// servers, who would pay less there than limit, and reports whether there are any. They
// are those with
//
//	d̄[j,r] < limit − Σ d̄[i,r] over the users i of to, for all r.
//
// A bucket below that of the right side is below it, and one above is not: only users in
// the same bucket are compared. The resource of which most is taken there comes first,
// since it leaves fewest.
func (p *Play) whom(set []uint64, to int, limit int64) bool {
	g := p.g
	words, sum := g.words, p.sum[to*g.Resources:][:g.Resources]
	some, first := p.some[:words], int(p.tight[to])
	if !p.narrow(some, set[:words], first, limit-sum[first]) {
		return false
	}
	for r, x := range sum {
		if r != first && !p.narrow(some, some, r, limit-x) {
			return false
		}
	}
	return p.decide(some, to, limit)
}

// narrow fills in to with those of a set whose need of r is in the bucket of room or below,
// and reports whether there are any.
func (p *Play) narrow(to, set []uint64, r int, room int64) bool {
	if room <= 0 {
		return false
	}
	g := p.g
	k := min(int(room>>g.bucket), buckets)
	upTo, any := g.below[(r*(buckets+2)+k+1)*g.words:][:len(to)], uint64(0)
	for w, users := range set[:len(to)] {
		users &= upTo[w]
		to[w] = users
		any |= users
	}
	return any != 0
}

// decide takes those out of some who would not pay less than limit on server s, and reports
// whether any are left. They are in the bucket of what is left of some resource there.
func (p *Play) decide(some []uint64, s int, limit int64) bool {
	g, any := p.g, uint64(0)
	for w, users := range some {
		if users == 0 {
			continue
		}
		sure := users
		for r, x := range p.sum[s*g.Resources:][:g.Resources] {
			k := min(int((limit-x)>>g.bucket), buckets)
			sure &= g.below[(r*(buckets+2)+k)*g.words+w]
		}
		for doubt := users &^ sure; doubt != 0; doubt &= doubt - 1 {
			if p.fits(w<<6+bits.TrailingZeros64(doubt), s, limit) {
				sure |= doubt & -doubt
			}
		}
		some[w] = sure
		any |= sure
	}
	return any != 0
}

// fits reports whether user j of another server would pay less than limit on server s, one of
// identical servers.
func (p *Play) fits(j, s int, limit int64) bool {
	l := p.g.Resources
	need := p.g.need[j*l:][:l]
	for r, x := range p.sum[s*l:][:l] {
		if x+need[r] >= limit {
			return false
		}
	}
	return true
}
