package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Cluster is the servers and links of an environment, for what single users
// could run there alone: the closed forms of the normalisers, which take
// thousands of servers where [Environment.Alone], the definition, takes a
// handful. Classes of servers with the same capacities behind the same links
// are counted together.
type Cluster struct {
	env   *cluster.Environment
	kinds []capacities
	kind  []int      // per class
	links []*big.Rat // capacity per link
	total []*big.Rat // Σ_s c[s,r] per resource

	servers []int64            // scratch: of each kind that a user may use
	sums    map[string][]bound // of all servers, by what binds on each kind
	parts   map[string][]part  // the same, with the demands that bind
}

// partsKept is the number of demands of which the parts are kept.
const partsKept = 1024

// capacities are those of one server, in rational numbers.
type capacities struct {
	of   []*big.Rat
	near []float64
	zone string // the links that reach it, a byte each
}

// bound is what there is in a zone of each resource, on those servers on which
// it is what a user runs out of first; nil for none.
type bound struct {
	zone string
	of   []*big.Rat
}

// NewCluster takes the servers and links of an environment; its users are
// ignored.
func NewCluster(env *cluster.Environment) *Cluster {
	c := &Cluster{env: env, links: make([]*big.Rat, len(env.Links)), sums: map[string][]bound{}, parts: map[string][]part{}}
	for e := range env.Links {
		c.links[e] = Rational(env.Links[e].Capacity)
	}
	for range env.Resources {
		c.total = append(c.total, new(big.Rat))
	}
	known := map[string]int{}
	for s := range env.Servers {
		zone := zoneOf(env, s)
		key := []byte(zone)
		for _, v := range env.Servers[s].Capacity {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		k, ok := known[string(key)]
		if !ok {
			k = len(c.kinds)
			known[string(key)] = k
			c.kinds = append(c.kinds, capacities{rationals(env.Servers[s].Capacity, 1), env.Servers[s].Capacity, zone})
		}
		c.kind = append(c.kind, k)
	}
	c.servers = make([]int64, len(c.kinds))
	c.sumUp()
	return c
}

// Env returns the environment that the servers and links are of.
func (c *Cluster) Env() *cluster.Environment { return c.env }

// zoneOf returns the links that reach a class.
func zoneOf(env *cluster.Environment, s int) string {
	zone := make([]byte, len(env.Links))
	for e := range zone {
		if env.Reaches(e, s) {
			zone[e] = 1
		}
	}
	return string(zone)
}

// sumUp finds what there is of each resource in all.
func (c *Cluster) sumUp() {
	c.count(nil, nil)
	for k, n := range c.servers {
		for r, v := range c.kinds[k].of {
			c.total[r].Add(c.total[r], new(big.Rat).Mul(v, big.NewRat(n, 1)))
		}
	}
}

// count finds how many servers of each kind are in a set of classes and not
// among those that are left out.
func (c *Cluster) count(may cluster.Set, out map[int][]float64) {
	clear(c.servers)
	for s, k := range c.kind {
		if _, apart := out[s]; !apart && may.Has(s) {
			c.servers[k] += int64(c.env.Servers[s].Count)
		}
	}
}

// Eta returns η of a user, or η' where only eligible servers count (see
// [cluster.Environment.Eta]); nil for +Inf.
func (c *Cluster) Eta(u *cluster.User, eligible bool) (*big.Rat, error) {
	var may cluster.Set
	if eligible {
		may = u.Eligible
	}
	parts := c.partsOf(u, may)
	for s, demand := range u.DemandOn {
		if may.Has(s) {
			of := &c.kinds[c.kind[s]]
			parts = append(parts, newPart(of.zone, times(least(of.of, rationals(demand, 1)), int64(c.env.Servers[s].Count))))
		}
	}
	z := newZones(c, u, parts)
	for _, p := range parts {
		z.add(p.zone, p.tasks)
	}
	return z.optimum()
}

// part is what a user runs on the servers of a zone, links being no matter; nil for +Inf.
type part struct {
	zone  string
	tasks *big.Rat
	near  float64 // to doubles
}

func newPart(zone string, tasks *big.Rat) part {
	if tasks == nil {
		return part{zone, nil, math.Inf(1)}
	}
	near, _ := tasks.Float64()
	return part{zone, tasks, near}
}

// partsOf returns what a user runs with its usual demand, zone by zone. Users of whom on all
// servers the same demands bind have the same parts, whatever else they need.
func (c *Cluster) partsOf(u *cluster.User, may cluster.Set) []part {
	bounds, key := c.bounds(u, may)
	if key != nil {
		for r, d := range u.Demand {
			if slices.ContainsFunc(bounds, func(b bound) bool { return b.of != nil && b.of[r] != nil }) {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(d))
			}
		}
		if known, ok := c.parts[string(key)]; ok {
			return slices.Clip(known)
		}
	}
	var parts []part
	for _, b := range bounds {
		parts = append(parts, newPart(b.zone, b.tasks(u.Demand)))
	}
	if key != nil {
		if len(c.parts) == partsKept {
			clear(c.parts)
		}
		c.parts[string(key)] = parts
	}
	return slices.Clip(parts)
}

// bounds returns what bounds a user with its usual demand, zone by zone. Users
// that all servers bound alike have the same sums; the key, which is theirs, is nil for a user
// that may not run on all servers, or not with the same demand.
func (c *Cluster) bounds(u *cluster.User, may cluster.Set) (all []bound, key []byte) {
	binds, key := make([]int, len(c.kinds)), make([]byte, 0, 2*len(c.kinds)+8*len(u.Demand))
	for k := range c.kinds {
		binds[k] = c.kinds[k].binding(u.Demand)
		key = binary.AppendVarint(key, int64(binds[k]))
	}
	if may != nil || len(u.DemandOn) > 0 {
		return c.sumOf(u, may, binds), nil
	}
	all, ok := c.sums[string(key)]
	if !ok {
		all = c.sumOf(u, may, binds)
		c.sums[string(key)] = all
	}
	return all, key
}

// sumOf sums up what bounds a user, zone by zone.
func (c *Cluster) sumOf(u *cluster.User, may cluster.Set, binds []int) (all []bound) {
	c.count(may, u.DemandOn)
	for k, n := range c.servers {
		if n > 0 {
			all = c.kinds[k].sum(all, binds[k], n)
		}
	}
	return all
}

// nothing binds where a user needs nothing of a server.
const nothing = -1

// binding returns the resource of which a server has least for a demand: doubles
// tell unless two are within 2^-40 of each other, a hundred times their rounding.
func (c *capacities) binding(demand []float64) int {
	best := nothing
	for r, d := range demand {
		if d == 0 {
			continue
		}
		if best == nothing {
			best = r
			continue
		}
		mine, least := c.near[r]/d, c.near[best]/demand[best]
		if mine < least*(1-0x1p-40) || !(least < mine*(1-0x1p-40)) &&
			new(big.Rat).Quo(c.of[r], Rational(d)).Cmp(new(big.Rat).Quo(c.of[best], Rational(demand[best]))) < 0 {
			best = r
		}
	}
	return best
}

// sum adds n servers, bound by one resource, to the bounds of their zone.
func (c *capacities) sum(all []bound, binds int, n int64) []bound {
	i := slices.IndexFunc(all, func(b bound) bool { return b.zone == c.zone })
	if i < 0 {
		i, all = len(all), append(all, bound{c.zone, make([]*big.Rat, len(c.of))})
	}
	if binds == nothing {
		all[i].of = nil
		return all
	}
	if of := all[i].of; of != nil {
		if of[binds] == nil {
			of[binds] = new(big.Rat)
		}
		of[binds].Add(of[binds], times(c.of[binds], n))
	}
	return all
}

// tasks returns what a user runs in the zone; nil for +Inf.
func (b *bound) tasks(demand []float64) *big.Rat {
	if b.of == nil {
		return nil
	}
	sum := new(big.Rat)
	for r, all := range b.of {
		if all != nil {
			sum.Add(sum, new(big.Rat).Quo(all, Rational(demand[r])))
		}
	}
	return sum
}

// least returns min over r with demand[r] > 0 of capacity[r]/demand[r]; nil for
// +Inf.
func least(capacity, demand []*big.Rat) *big.Rat {
	var most *big.Rat
	for r, d := range demand {
		if d.Sign() > 0 {
			most = smaller(most, new(big.Rat).Quo(capacity[r], d))
		}
	}
	return most
}

// smaller returns the smaller one of two numbers, nil being +Inf.
func smaller(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) < 0 {
		return b
	}
	return a
}

// times returns n·v, nil being +Inf.
func times(v *big.Rat, n int64) *big.Rat {
	if v == nil {
		return nil
	}
	return new(big.Rat).Mul(v, big.NewRat(n, 1))
}

// Dominant returns 1/max of d/(total capacity) over the resources and, where
// links is set, the links; nil for +Inf where the user needs nothing of what is
// looked at. A capacity of 0 is no part of the maximum. A user whose usual demand
// fits nowhere is measured by its demand on the server where that gives most, and
// N is 0 where no server has what it needs.
func (c *Cluster) Dominant(u *cluster.User, links bool) *big.Rat {
	fits := true
	for r, d := range u.Demand {
		fits = fits && (d == 0 || c.total[r].Sign() > 0)
	}
	if fits {
		return c.dominant(u, u.Demand, links)
	}
	most := new(big.Rat)
	for s, demand := range u.DemandOn {
		if c.hosts(u, demand, s) {
			n := c.dominant(u, demand, links)
			if n == nil {
				return nil
			}
			if n.Cmp(most) > 0 {
				most = n
			}
		}
	}
	return most
}

func (c *Cluster) dominant(u *cluster.User, demand []float64, links bool) *big.Rat {
	norm := leastOf(c.total, demand)
	if links {
		norm = smaller(norm, leastOf(c.links, u.LinkDemand))
	}
	return norm
}

// leastOf returns min over r with capacity[r] > 0 and demand[r] > 0 of
// capacity[r]/demand[r]; nil for +Inf.
func leastOf(capacity []*big.Rat, demand []float64) *big.Rat {
	var most *big.Rat
	for r, d := range demand {
		if d > 0 && capacity[r].Sign() > 0 {
			most = smaller(most, new(big.Rat).Quo(capacity[r], Rational(d)))
		}
	}
	return most
}

// hosts reports whether a class and the links to it have some of everything that
// a user needs there.
func (c *Cluster) hosts(u *cluster.User, demand []float64, s int) bool {
	of := &c.kinds[c.kind[s]]
	for r, d := range demand {
		if d > 0 && of.near[r] == 0 {
			return false
		}
	}
	for e, d := range u.LinkDemand {
		if d > 0 && of.zone[e] == 1 && c.links[e].Sign() == 0 {
			return false
		}
	}
	return true
}

// Single returns Σ_s c[s,r]/d[s,r] for one resource, with the user's demand on
// each server; nil for +Inf where it needs none of it on some server that has
// what it needs.
func (c *Cluster) Single(u *cluster.User, r int) *big.Rat {
	if u.Demand[r] == 0 && c.usual(u) {
		return nil
	}
	sum := new(big.Rat)
	if u.Demand[r] > 0 && len(u.DemandOn) == 0 {
		return sum.Quo(c.total[r], Rational(u.Demand[r]))
	}
	if u.Demand[r] > 0 {
		c.count(nil, u.DemandOn)
		for k, n := range c.servers {
			sum.Add(sum, times(c.kinds[k].of[r], n))
		}
		sum.Quo(sum, Rational(u.Demand[r]))
	}
	for s, demand := range u.DemandOn {
		switch {
		case demand[r] > 0:
			tasks := new(big.Rat).Quo(c.kinds[c.kind[s]].of[r], Rational(demand[r]))
			sum.Add(sum, times(tasks, int64(c.env.Servers[s].Count)))
		case c.hosts(u, demand, s):
			return nil
		}
	}
	return sum
}

// usual reports whether some server has what the user usually needs, among those
// on which it needs that.
func (c *Cluster) usual(u *cluster.User) bool {
	for s := range c.kind {
		if _, differs := u.DemandOn[s]; !differs && c.hosts(u, u.Demand, s) {
			return true
		}
	}
	return false
}
