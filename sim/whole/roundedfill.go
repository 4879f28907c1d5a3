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

// findStands finds all pairs that fit.
func (r *rounding) findStands() {
	r.pairs, r.stands, r.leads = r.pairs[:0], r.stands[:0], r.leads[:0]
	for at := range r.users {
		if r.users[at].left > 0 && r.users[at].waiting() > 0 {
			r.pairsOf(int32(at))
		}
	}
	r.findLeads()
	slices.SortFunc(r.pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(r.lead(a.user), r.lead(b.user)), cmp.Compare(a.server, b.server),
			cmp.Compare(r.users[a.user].index, r.users[b.user].index))
	})
	for i, p := range r.pairs {
		if i > 0 && p.server == r.pairs[i-1].server && r.lead(p.user) == r.lead(r.pairs[i-1].user) {
			r.stands[len(r.stands)-1].to++
		} else {
			r.stands = append(r.stands, stand{i, i + 1})
		}
	}
}

// findLeads finds, of each tenant, the job of a pair that came first, by which the pairs
// are ordered.
func (r *rounding) findLeads() {
	if r.tenants == nil {
		return
	}
	for _, p := range r.pairs {
		u := &r.users[p.user]
		for int(u.tenant) >= len(r.leads) {
			r.leads = append(r.leads, math.MaxInt)
		}
		r.leads[u.tenant] = min(r.leads[u.tenant], u.index)
	}
}

// lead returns the place in the order of arrival of the job that leads the pairs of a
// user's tenant; without tenants, of the user.
func (r *rounding) lead(at int32) int {
	if r.tenants == nil {
		return r.users[at].index
	}
	return r.leads[r.users[at].tenant]
}

func (r *rounding) pairsOf(at int32) {
	k := r.users[at].kind
	if !r.servers.MayFit(k.Kind) {
		return
	}
	for s := range int32(r.servers.Servers()) {
		if r.servers.Fits(k.Kind, s) {
			r.pairs = append(r.pairs, pair{at, s})
		}
	}
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
	return u.waiting() > 0 && r.servers.Fits(u.kind.Kind, server)
}
