package game

import (
	"math/bits"
	"slices"
)

// wanting is what a play knows of who would rather be elsewhere.
type wanting struct {
	settled int // moves when it was found
	// better has sets of users, server-major: those of other servers who would pay less there. With
	// pairs these are all of them, without, each user is in one set at most.
	pairs  bool
	better []uint64
	wants  []uint64 // without pairs: those in any of these
	listed []uint64 // those in unhappy
	asked  []uint64 // scratch: sets of users
	gone   []uint64
	choice []int    // scratch: servers
	digits []uint64 // see count

	// unhappy lists the users for whom another server is better, place is where a user
	// stands in it.
	unhappy, place []int32
}

func (w *wanting) size(g *Game) {
	w.settled = never
	w.better, w.wants = grow(w.better, g.Servers*g.words), grow(w.wants, g.words)
	w.asked, w.gone, w.listed = grow(w.asked, g.words), grow(w.gone, g.words), grow(w.listed, g.words)
	w.place, w.unhappy = grow(w.place, g.Users), grow(w.unhappy, g.Users)[:0]
	clear(w.listed)
}

// fewServers is the number of servers up to which it is no more work to know all pairs.
const fewServers = 12

// settle brings unhappy up to date, and better with or without pairs. The unhappy come to
// the end of the list in their order, and the last one takes the place of one that leaves.
//
// After one move less is to be asked. Of the server that the mover left the load fell, and
// that of the one it came to rose: from the former, and to the latter, some of those go who
// went before, and from the latter and to the former no fewer. The mover itself is as one of
// whom nothing is known.
func (p *Play) settle(pairs bool) {
	if p.settled == p.Moves && p.pairs == pairs {
		return
	}
	if p.settled != p.Moves-1 || p.pairs != pairs {
		p.pairs = pairs
		p.begin()
	} else if p.leave(p.mover); pairs {
		p.followPairs()
	} else {
		p.follow()
	}
	p.settled = p.Moves
	p.list()
}

// begin asks everybody.
func (p *Play) begin() {
	p.arrange(p.cheap, p.entry)
	clear(p.better)
	clear(p.wants)
	for from := range p.g.Servers {
		if p.pairs {
			for to := range p.g.Servers {
				p.more(from, to)
			}
			continue
		}
		copy(p.asked, p.on[from*p.g.words:])
		p.seek(from)
	}
}

// followPairs is settle with pairs after one move.
func (p *Play) followPairs() {
	for s := range p.g.Servers {
		if s != p.From && s != p.To {
			p.fewer(s, p.To)
			p.more(s, p.From)
		}
		p.fewer(p.From, s)
		p.more(p.To, s)
	}
}

// follow is settle without pairs after one move:
//
//  1. those of the server that was left who wanted to go look for a server anew
//  2. those who wanted to go to the server that the mover came to look for one anew
//  3. those of that server who did not want to go look for a server
//  4. all others who did not are asked about the server that was left
func (p *Play) follow() {
	p.arrange(p.cheap, p.entry)
	from, to, words := p.From, p.To, p.g.words
	for w := range p.asked {
		p.asked[w] = p.on[from*words+w] & p.wants[w]
		p.wants[w] &^= p.asked[w]
	}
	for s := range p.g.Servers {
		better := p.better[s*words:][:words]
		for w, users := range p.asked {
			better[w] &^= users
		}
	}
	p.seek(from)
	p.drop(to)
	for w := range p.asked {
		p.asked[w] = p.on[to*words+w] &^ p.wants[w]
	}
	p.seek(to)
	for w := range p.asked {
		p.asked[w] = ^(p.wants[w] | p.on[from*words+w] | p.on[to*words+w])
	}
	if users := p.g.Users & 63; users != 0 {
		p.asked[words-1] &= 1<<users - 1
	}
	if most := slices.Max(p.load); p.g.alike && (p.entry[from] >= most || !p.whom(p.asked, from, most)) {
		return
	} else if p.g.alike {
		copy(p.asked, p.some)
	}
	for w, users := range p.asked {
		for ; users != 0; users &= users - 1 {
			if j := w<<6 + bits.TrailingZeros64(users); p.prefers(j, from) {
				p.want(j, from)
			}
		}
	}
}

// seek finds a server for those of the users in asked, all of server from, for whom there is
// a better one.
func (p *Play) seek(from int) {
	for _, s := range p.cheap {
		if !slices.ContainsFunc(p.asked, func(w uint64) bool { return w != 0 }) || p.g.alike && p.entry[s] >= p.load[from] {
			return
		}
		if s == from || !p.gaining(from, s) {
			continue
		}
		for w, come := range p.some {
			p.better[s*p.g.words+w] |= come
			p.wants[w] |= come
			p.asked[w] &^= come
		}
	}
}

// drop finds another server for those who wanted to go to server s, or that one again.
func (p *Play) drop(s int) {
	words := p.g.words
	better := p.better[s*words:][:words]
	copy(p.gone, better)
	clear(better)
	for w, users := range p.gone {
		p.wants[w] &^= users
	}
	for from := range p.g.Servers {
		any := uint64(0)
		for w, users := range p.on[from*words:][:words] {
			p.asked[w] = users & p.gone[w]
			any |= p.asked[w]
		}
		if any != 0 {
			p.seek(from)
		}
	}
}

// want notes that server s is better for user j.
func (p *Play) want(j, s int) {
	p.better[s*p.g.words+j>>6] |= 1 << (j & 63)
	p.wants[j>>6] |= 1 << (j & 63)
}

// prefers reports whether server s is better for user j than its own. That itself is not,
// since the user's need is added to what is there.
func (p *Play) prefers(j, s int) bool {
	if p.g.alike {
		return p.fits(j, s, p.load[p.At[j]])
	}
	return p.cost(j, s) < p.own(j)
}

// leave forgets what is better for user j.
func (p *Play) leave(j int) {
	w, user := j>>6, uint64(1)<<(j&63)
	p.wants[w] &^= user
	for k := w; k < len(p.better); k += p.g.words {
		p.better[k] &^= user
	}
}

// fewer asks those users of server from again for whom server to was better.
func (p *Play) fewer(from, to int) {
	words, any := p.g.words, uint64(0)
	better := p.better[to*words:][:words]
	for w, users := range p.on[from*words:][:words] {
		p.asked[w] = users & better[w]
		any |= p.asked[w]
	}
	if any == 0 {
		return
	}
	p.gaining(from, to)
	for w, asked := range p.asked {
		better[w] &^= asked &^ p.some[w]
	}
}

// more asks the other users of server from about server to.
func (p *Play) more(from, to int) {
	if from == to || p.g.alike && p.entry[to] >= p.load[from] {
		return
	}
	words, any := p.g.words, uint64(0)
	better := p.better[to*words:][:words]
	for w, users := range p.on[from*words:][:words] {
		p.asked[w] = users &^ better[w]
		any |= p.asked[w]
	}
	if any == 0 || !p.gaining(from, to) {
		return
	}
	for w, come := range p.some {
		better[w] |= come
	}
}

// gaining fills in some with those in asked, users of server from, who would pay less on
// server to.
func (p *Play) gaining(from, to int) bool {
	if p.g.alike {
		if p.whom(p.asked, to, p.load[from]) {
			return true
		}
		clear(p.some)
		return false
	}
	clear(p.some)
	any := false
	for w, here := range p.asked {
		for ; here != 0; here &= here - 1 {
			if j := w<<6 + bits.TrailingZeros64(here); p.prefers(j, to) {
				p.some[w] |= here & -here
				any = true
			}
		}
	}
	return any
}

// list brings the list of the unhappy up to date.
func (p *Play) list() {
	for w, before := range p.listed {
		now := p.wants[w]
		if p.pairs {
			now = 0
			for k := w; k < len(p.better); k += p.g.words {
				now |= p.better[k]
			}
		}
		p.listed[w] = now
		for change := now ^ before; change != 0; change &= change - 1 {
			j := w<<6 + bits.TrailingZeros64(change)
			if now&(change&-change) != 0 {
				p.place[j] = int32(len(p.unhappy))
				p.unhappy = append(p.unhappy, int32(j))
				continue
			}
			last, k := p.unhappy[len(p.unhappy)-1], p.place[j]
			p.unhappy[k], p.place[last] = last, k
			p.unhappy = p.unhappy[:len(p.unhappy)-1]
		}
	}
}

// liked returns the servers that are better for j than its own, in scratch memory.
func (p *Play) liked(j int) []int {
	p.choice = p.choice[:0]
	for s := range p.g.Servers {
		if p.pairs && p.better[s*p.g.words+j>>6]>>(j&63)&1 == 1 || !p.pairs && p.prefers(j, s) {
			p.choice = append(p.choice, s)
		}
	}
	return p.choice
}

// count fills in digits: those of the numbers, to the base of 2, of servers that are better for
// the users, the lowest digits of all users first; and returns the sum of these numbers.
func (p *Play) count() (total int) {
	words := p.g.words
	p.digits = grow(p.digits, bits.Len(uint(p.g.Servers))*words)
	clear(p.digits)
	for k, carry := range p.better {
		for at := k % words; carry != 0; at += words {
			p.digits[at], carry = p.digits[at]^carry, p.digits[at]&carry
		}
	}
	for k, users := range p.digits {
		total += bits.OnesCount64(users) << (k / words)
	}
	return total
}

// counted returns the number of user j.
func (p *Play) counted(j int) (servers int) {
	for at, digit := j>>6, 0; at < len(p.digits); at, digit = at+p.g.words, digit+1 {
		servers |= int(p.digits[at]>>(j&63)&1) << digit
	}
	return servers
}
