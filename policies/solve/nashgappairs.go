package solve

import "math"

// The sums of measure in a program of pairs in which most users work on most servers, as
// where one link is scarce: without a branch for what is 0, which adds nothing, and two
// users at a time, as each sum of two numbers has to wait for the one before. The numbers
// are those of load, costs and waste, operation by operation.

// mostly reports whether most columns are worked on.
func (f *fine) mostly() bool {
	n := 0
	for _, basic := range f.basic {
		if basic {
			n++
		}
	}
	return 2*n > len(f.basic)
}

// loadPairs adds what all users use, and their totals.
func (s *Nash) loadPairs() {
	i := 0
	for ; i+1 < len(s.users); i += 2 {
		s.loadTwo(i)
	}
	if i < len(s.users) {
		s.load(i)
	}
}

// loadTwo is load for users number i and i+1.
func (s *Nash) loadTwo(i int) {
	f, a, b := &s.fine, &s.users[i], &s.users[i+1]
	ofA, ofB := f.work[a.first:a.last], f.work[b.first:b.last]
	ofB = ofB[:len(ofA)]
	d, e := s.env.Demand(a.j, 0), s.env.Demand(b.j, 0) // the same on every server
	d0, d1, e0, e1 := d[0], d[1], e[0], e[1]
	used := f.used[:2*len(ofA)]
	var all, too double
	for c, x := range ofA {
		y, at := ofB[c], used[2*c:][:2]
		all, too = all.add(x), too.add(y)
		at[0] = at[0].add(x.times(d0)).add(y.times(e0))
		at[1] = at[1].add(x.times(d1)).add(y.times(e1))
	}
	s.loadLinks(i, all)
	s.loadLinks(i+1, too)
}

// loadLinks notes the total of user number i, and adds what it uses of the links.
func (s *Nash) loadLinks(i int, total double) {
	f, p := &s.fine, &s.prog
	f.total[i] = double{}.add(total)
	through := f.used[2*p.servers:]
	for _, e := range p.zones[0] {
		through[e] = through[e].add(total.times(s.env.LinkDemand(s.users[i].j, e)))
	}
}

// costsPairs computes the price of a task of user number i on each server, and returns the
// least.
func (s *Nash) costsPairs(i int) double {
	f, u := &s.fine, &s.users[i]
	s.linkCosts(u.j)
	link, cost, demand := f.zone[0], f.cost[u.first:u.last], s.env.Demand(u.j, 0)
	d0, d1, price := demand[0], demand[1], f.price[:2*len(cost)]
	least := double{math.Inf(1), math.Inf(1)}
	for c := range cost {
		at := price[2*c:][:2]
		x := link.add(at[0].times(d0)).add(at[1].times(d1))
		cost[c] = x
		least.hi = min(least.hi, x.hi)
	}
	// Of those with the least first part, the one with the least second part: the first
	// parts of others are larger by more than the second parts are.
	const apart = 1 << 60
	for _, x := range cost {
		least.lo = min(least.lo, x.lo+(x.hi-least.hi)*apart)
	}
	return least
}

// wastePairs is waste, where costsPairs has computed the costs.
func (s *Nash) wastePairs(i int, least double) float64 {
	f, u := &s.fine, &s.users[i]
	work, cost := f.work[u.first:u.last], f.cost[u.first:u.last]
	cost = cost[:len(work)]
	sum, low := 0.0, 0.0
	for c, x := range work {
		sum += math.Abs(x.hi * cost[c].sub(least).hi)
		low = min(low, x.hi)
	}
	f.negative = f.negative || low < 0
	return sum
}
