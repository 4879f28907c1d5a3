package waiting

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// Tenants is a [Queue] in which users have tenants, and are served by the share of their
// tenant first: of the users with a waiting task that fits, the one whose tenant has the
// smallest share, of several the first one in the order of [order.Turn]. Users to whom
// the rule gives nothing come last.
//
// The share of a tenant changes with every task of it that starts or ends. So users are
// not kept in that order: each tenant has the users of each kind in a heap by turn, which
// no share of a tenant changes, and tenants are in a list by share. A search goes through
// the tenants in their order, for each through its kinds, and asks whether a kind fits at
// most once until room grows. That looks at the servers alone that tasks have left since
// the kind was asked about last.
//
// Cost: O(tenants + kinds that wait) a search that finds nobody, and less a placement
// whose tenant comes early.
type Tenants struct {
	servers *Servers
	share   func(tenant int32) *order.Total
	tenant  func(user int32) int32
	byShare []int32   // tenants that have a user here, by share
	groups  [][]group // per tenant
	at      []place   // per user
	moved   []int32   // tenants whose place in byShare is not known
	unknown []bool    // per tenant: whether it is among moved
	round   uint64    // number of this search
	open    bool      // a search is under way
	tracked bool      // what a server without room was asked is worth keeping; see [Kind]
}

// group is the users of a tenant that are of one kind.
type group struct {
	kind *Kind
	heap []waiter
}

type waiter struct {
	turn order.Turn
	user int32
}

// place says where a user is: in a heap of its tenant.
type place struct {
	kind *Kind // nil: nowhere
	pos  int
}

// NewTenants returns an empty queue for some servers. share gives the share of a tenant,
// and tenant that of a user.
func NewTenants(p *Servers, share func(tenant int32) *order.Total, tenant func(user int32) int32) *Tenants {
	return &Tenants{servers: p, share: share, tenant: tenant, tracked: len(p.global) == len(p.env.Links)}
}

// Moved says that the share of a tenant changes.
func (q *Tenants) Moved(tenant int32) {
	q.grow(tenant)
	if !q.unknown[tenant] {
		q.unknown[tenant] = true
		q.moved = append(q.moved, tenant)
	}
}

func (q *Tenants) grow(tenant int32) {
	for int(tenant) >= len(q.groups) {
		q.groups, q.unknown = append(q.groups, nil), append(q.unknown, false)
	}
}

// Put implements [Queue].
func (q *Tenants) Put(user int32, k *Kind, turn order.Turn) {
	for int(user) >= len(q.at) {
		q.at = append(q.at, place{})
	}
	tenant := q.tenant(user)
	q.grow(tenant)
	if q.at[user].kind == nil {
		if len(q.groups[tenant]) == 0 {
			q.Moved(tenant)
		}
		i := slices.IndexFunc(q.groups[tenant], func(g group) bool { return g.kind == k })
		if i < 0 {
			i = len(q.groups[tenant])
			q.groups[tenant] = append(q.groups[tenant], group{kind: k})
		}
		g := &q.groups[tenant][i]
		g.heap = append(g.heap, waiter{user: user})
		q.at[user] = place{k, len(g.heap) - 1}
	}
	g := q.group(user)
	g.heap[q.at[user].pos].turn = turn
	q.settle(g, q.at[user].pos)
}

// group returns the group of a user.
func (q *Tenants) group(user int32) *group {
	all := q.groups[q.tenant(user)]
	for i := range all {
		if all[i].kind == q.at[user].kind {
			return &all[i]
		}
	}
	panic("waiting: a user without its group")
}

// settle moves the entry at a place of a heap to where it belongs.
func (q *Tenants) settle(g *group, i int) {
	x := g.heap[i]
	for i > 0 && x.turn.Before(&g.heap[(i-1)/2].turn) {
		g.heap[i] = g.heap[(i-1)/2]
		q.at[g.heap[i].user].pos = i
		i = (i - 1) / 2
	}
	for {
		child := 2*i + 1
		if child+1 < len(g.heap) && g.heap[child+1].turn.Before(&g.heap[child].turn) {
			child++
		}
		if child >= len(g.heap) || !g.heap[child].turn.Before(&x.turn) {
			break
		}
		g.heap[i] = g.heap[child]
		q.at[g.heap[i].user].pos = i
		i = child
	}
	g.heap[i] = x
	q.at[x.user].pos = i
}

// Remove implements [Queue].
func (q *Tenants) Remove(user int32) {
	tenant, g, i := q.tenant(user), q.group(user), q.at[user].pos
	last := len(g.heap) - 1
	g.heap[i] = g.heap[last]
	g.heap = g.heap[:last]
	if q.at[user] = (place{}); i < last {
		q.settle(g, i)
	}
	if last > 0 {
		return
	}
	q.groups[tenant] = slices.DeleteFunc(q.groups[tenant], func(o group) bool { return len(o.heap) == 0 })
	if len(q.groups[tenant]) == 0 {
		q.Moved(tenant)
	}
}

// Turn implements [Queue].
func (q *Tenants) Turn(user int32) (order.Turn, bool) {
	if int(user) >= len(q.at) || q.at[user].kind == nil {
		return order.Turn{}, false
	}
	return q.group(user).heap[q.at[user].pos].turn, true
}

// Next implements [Queue].
//
//  1. Put the tenants whose share has changed where they belong.
//  2. Go through them by share. Find of each the first user that fits, and keep the first
//     of all. The rest is not looked at once a tenant has a larger share than the one
//     kept; a user to whom the rule gives nothing ends nothing.
//  3. If there is nobody, the search ends.
func (q *Tenants) Next() (user, server int32, ok bool) {
	if !q.open {
		q.open = true
		q.round++
	}
	q.sort()
	best, server, of := order.Nobody, int32(-1), (*order.Total)(nil)
	user = -1
	for _, tenant := range q.byShare {
		share := q.share(tenant)
		if of != nil && !best.Last() && share.Compare(of) > 0 {
			break
		}
		turn, who, where := q.first(tenant)
		if where < 0 || of != nil && !before(&turn, share, &best, of) {
			continue
		}
		best, user, server, of = turn, who, where, share
	}
	if of != nil {
		return user, server, true
	}
	q.open, q.servers.log.searched = false, q.servers.log.end
	return -1, -1, false
}

// before compares users by whether they get anything, by the share of their tenant, and by
// turn.
func before(a *order.Turn, share *order.Total, b *order.Turn, of *order.Total) bool {
	if a.Last() != b.Last() {
		return b.Last()
	}
	if c := share.Compare(of); c != 0 {
		return c < 0
	}
	return a.Before(b)
}

// first returns the first user of a tenant that fits somewhere, and the best-fit server;
// -1 if none does.
func (q *Tenants) first(tenant int32) (turn order.Turn, user, server int32) {
	turn, user, server = order.Nobody, -1, -1
	for _, g := range q.groups[tenant] {
		head := &g.heap[0]
		if g.kind.failed == q.round || !head.turn.Before(&turn) {
			continue
		}
		if s := q.bestFit(g.kind); s >= 0 {
			turn, user, server = head.turn, head.user, s
		}
	}
	return turn, user, server
}

// bestFit returns the best-fit server for a kind, or notes that it fits nowhere in this
// search. Where all links reach all servers it can then fit only on servers that are
// freed from here on.
func (q *Tenants) bestFit(k *Kind) int32 {
	log := &q.servers.log
	if k.since < log.epoch {
		k.since = untried
	}
	server := q.servers.bestFit(k, k.since)
	if server < 0 {
		k.failed = q.round
		if q.tracked && q.servers.passes(k.Need.Link) {
			k.since = log.end
		}
	}
	return server
}

// sort puts the tenants whose share has changed where they belong.
func (q *Tenants) sort() {
	if len(q.moved) == 0 {
		return
	}
	q.byShare = slices.DeleteFunc(q.byShare, func(t int32) bool { return q.unknown[t] })
	for _, tenant := range q.moved {
		q.unknown[tenant] = false
		if len(q.groups[tenant]) == 0 {
			continue
		}
		share := q.share(tenant)
		at, _ := slices.BinarySearchFunc(q.byShare, share, func(t int32, s *order.Total) int { return q.share(t).Compare(s) })
		q.byShare = slices.Insert(q.byShare, at, tenant)
	}
	q.moved = q.moved[:0]
}
