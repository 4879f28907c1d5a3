package fair

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// manyUsers is the number of users above which [Judge.MinEFSat] leaves out bundles that
// nobody need look at.
const manyUsers = 64

// beyond is by which factor a bundle must exceed another one in everything to stand for it:
// enough that what it is worth to anybody is more after rounding, too.
const beyond = 1 + 1e-9

// mostRows is the number of rows of a bundle above which bundles are not compared; with so
// many hardly any exceeds another one in all of them.
const mostRows = 64

// worthwhile returns users, of those present, with whose bundles alone MIN-EF-SAT is the same
// number: without those who hold nothing, those whose bundle, x[i,s]·d[i,·]/w[i] row by row,
// another one exceeds in every row, and all but two of those who are alike in everything. Two,
// since nobody looks at its own bundle. If j's own bundle exceeds i's, j does not envy i.
func (g *Judge) worthwhile(a *cluster.Allocation, present []int) []int {
	var holders []int
	for _, i := range present {
		if a.Tasks[i] != 0 {
			holders = append(holders, i)
		}
	}
	b := newHoldings(g, a, holders)
	if b == nil {
		return holders
	}
	return b.front()
}

// holdings are what some users hold, row by row.
type holdings struct {
	*Judge
	a     *cluster.Allocation
	users []int
	width int
	cell  []float64 // by place in users
	sum   []float64
}

// newHoldings returns the bundles of users; nil if there are too many rows to compare.
func newHoldings(g *Judge, a *cluster.Allocation, users []int) *holdings {
	b := &holdings{Judge: g, a: a, users: users}
	pooled := len(g.needs) == 1 && !slices.ContainsFunc(g.env.Users, func(u cluster.User) bool { return u.Eligible != nil || len(u.DemandOn) > 0 })
	rows := len(g.env.Resources) + len(g.env.Links)
	if b.width = rows; !pooled {
		b.width *= len(g.env.Servers)
	}
	if b.width > mostRows {
		return nil
	}
	b.cell, b.sum = make([]float64, len(users)*b.width), make([]float64, len(users))
	for k, i := range users {
		own := b.row(k)
		if pooled {
			b.fill(own, i, 0, a.Tasks[i])
		} else {
			for s, x := range a.On(i) {
				b.fill(own[s*rows:(s+1)*rows], i, s, x)
			}
		}
		for _, held := range own {
			b.sum[k] += held
		}
	}
	return b
}

func (b *holdings) row(k int) []float64 { return b.cell[k*b.width : (k+1)*b.width] }

// fill sets what x tasks of user i on server s are, by its weight.
func (b *holdings) fill(own []float64, i, s int, x float64) {
	x /= b.env.Users[i].Weight
	for r, d := range b.env.Demand(i, s) {
		own[r] = x * d
	}
	for _, e := range b.needs[b.zone[s]].links {
		own[len(b.env.Resources)+e] = x * b.env.LinkDemand(i, e)
	}
}

// front returns the users whose bundle no other one exceeds, at most two of those alike.
func (b *holdings) front() []int {
	order := make([]int, len(b.users))
	for k := range order {
		order[k] = k
	}
	// What exceeds a bundle has a larger sum and comes before it.
	slices.SortFunc(order, func(k, l int) int { return cmp.Or(-cmp.Compare(b.sum[k], b.sum[l]), k-l) })
	var front, users []int
	for _, k := range order {
		like := 0
		if slices.ContainsFunc(front, func(l int) bool {
			if b.alike(k, l) {
				like++
			}
			return like > 1 || b.exceeds(l, k)
		}) {
			continue
		}
		front, users = append(front, k), append(users, b.users[k])
	}
	return users
}

// exceeds reports whether the bundle of the k-th user exceeds that of the l-th.
func (b *holdings) exceeds(k, l int) bool {
	other := b.row(l)
	for r, held := range b.row(k) {
		if held < other[r]*beyond {
			return false
		}
	}
	return true
}

// alike reports whether the bundles of two users are worth the same to everybody, to the
// last bit.
func (b *holdings) alike(k, l int) bool {
	if b.sum[k] != b.sum[l] {
		return false
	}
	i, j := b.users[k], b.users[l]
	u, v := &b.env.Users[i], &b.env.Users[j]
	return u.Weight == v.Weight && slices.Equal(u.Demand, v.Demand) && slices.Equal(u.LinkDemand, v.LinkDemand) &&
		len(u.DemandOn) == 0 && len(v.DemandOn) == 0 && b.a.Tasks[i] == b.a.Tasks[j] && slices.Equal(b.a.On(i), b.a.On(j))
}
