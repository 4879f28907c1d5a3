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
// the same bucket are compared. The resource of which most is taken there comes first:
// often it leaves nobody.
func (p *Play) whom(set []uint64, to int, limit int64) bool {
	g := p.g
	words, sum, rows := g.words, p.sum[to*g.Resources:][:g.Resources], p.rows
	some, any := p.some[:words], uint64(0)
	first := int(p.tight[to])
	if limit <= sum[first] {
		return false
	}
	upTo := g.below[g.row(first, limit-sum[first])+words:][:words]
	for w, users := range set[:words] {
		some[w] = users & upTo[w]
		any |= some[w]
	}
	if any == 0 {
		return false
	}
	for r, x := range sum {
		rows[r] = g.row(r, limit-x)
	}
	any = 0
	for w, users := range some {
		doubt := uint64(0)
		if users == 0 {
			continue
		}
		for _, k := range rows {
			upTo := g.below[k+words+w]
			doubt |= upTo &^ g.below[k+w]
			users &= upTo
		}
		for doubt &= users; doubt != 0; doubt &= doubt - 1 {
			if !p.fits(w<<6+bits.TrailingZeros64(doubt), to, limit) {
				users &^= doubt & -doubt
			}
		}
		some[w] = users
		any |= users
	}
	return any != 0
}

// row is where in below the users are who need less of r than the bucket of room; those of the
// bucket, too, are in the next set.
func (g *Game) row(r int, room int64) int {
	return (r*(buckets+2) + int(min(uint64(room)>>g.bucket, buckets))) * g.words
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
