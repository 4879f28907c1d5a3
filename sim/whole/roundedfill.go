package whole

import (
	"cmp"
	"math"
	"slices"
)

// pair is a user with a server on which one of its tasks fitted.
type pair struct{ user, server int32 }

// stand is a tenant with a server on which tasks of its jobs fitted: pairs[from:to].
type stand struct{ from, to int }

// fill serves random pairs of a tenant and a server on which a task of it fits, until
// there is none; where several jobs of the tenant have one, any of them with equal
// probability. Without tenants each job is one. Room only shrinks, so all pairs
// that will ever fit are among those that fit now, and a uniform draw from
// those, repeated until the pair still fits, is uniform among the pairs that
// do; so it is among the jobs of a pair.
func (r *rounding) fill() {
	r.findStands()
	for len(r.stands) > 0 {
		i := r.random.IntN(len(r.stands))
		if p, ok := r.ofStand(&r.stands[i]); ok {
			r.place(p.user, p.server)
			continue
		}
		last := len(r.stands) - 1
		r.stands[i] = r.stands[last]
		r.stands = r.stands[:last]
	}
}

// findStands finds all pairs that fit: tenants in the order in which the first job of each
// that may have a pair came, servers in theirs, then jobs in order of arrival.
func (r *rounding) findStands() {
	r.waiting = r.waiting[:0]
	for at := range int32(len(r.users)) {
		if u := &r.users[at]; u.left > 0 && u.waiting() > 0 && r.servers.MayFit(&u.kind.Kind) {
			r.waiting = append(r.waiting, at)
		}
	}
	r.findLeads()
	slices.SortFunc(r.waiting, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.lead(a), r.lead(b)), cmp.Compare(r.users[a].index, r.users[b].index))
	})
	r.pairs, r.stands = r.pairs[:0], r.stands[:0]
	for i := 0; i < len(r.waiting); {
		jobs := r.waiting[i:]
		if next := slices.IndexFunc(jobs, func(at int32) bool { return r.lead(at) != r.lead(jobs[0]) }); next > 0 {
			jobs = jobs[:next]
		}
		r.standsOf(jobs)
		i += len(jobs)
	}
}

// standsOf finds the pairs of one tenant.
func (r *rounding) standsOf(jobs []int32) {
	for server := range int32(r.servers.Servers()) {
		from := len(r.pairs)
		for _, at := range jobs {
			if r.servers.Fits(&r.users[at].kind.Kind, server) {
				r.pairs = append(r.pairs, pair{at, server})
			}
		}
		if len(r.pairs) > from {
			r.stands = append(r.stands, stand{from, len(r.pairs)})
		}
	}
}

// findLeads finds, of each tenant, the waiting job that came first.
func (r *rounding) findLeads() {
	r.leads = r.leads[:0]
	if r.tenants == nil {
		return
	}
	for _, at := range r.waiting {
		u := &r.users[at]
		for int(u.tenant) >= len(r.leads) {
			r.leads = append(r.leads, math.MaxInt)
		}
		r.leads[u.tenant] = min(r.leads[u.tenant], u.index)
	}
}

// lead returns the place in the order of arrival of the first waiting job of a user's
// tenant; without tenants, of the user.
func (r *rounding) lead(at int32) int {
	if r.tenants == nil {
		return r.users[at].index
	}
	return r.leads[r.users[at].tenant]
}

// ofStand draws a job of which a task can start; false if there is none. One that has
// none now will have none in this fill, and is not drawn again.
func (r *rounding) ofStand(s *stand) (p pair, ok bool) {
	for s.from < s.to {
		i := s.from
		if s.to-s.from > 1 {
			i += r.random.IntN(s.to - s.from)
		}
		if p = r.pairs[i]; r.startable(p.user, p.server) {
			return p, true
		}
		s.to--
		r.pairs[i] = r.pairs[s.to]
	}
	return p, false
}

// startable reports whether a user has a task that can start on a server.
func (r *rounding) startable(at, server int32) bool {
	u := &r.users[at]
	return u.waiting() > 0 && r.servers.Fits(&u.kind.Kind, server)
}
