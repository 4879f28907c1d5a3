package waiting

import (
	"math"
	"math/bits"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Kind is what users of the same demands and the same eligibility share. It is not to be
// copied.
type Kind struct {
	May    cluster.Set // classes of servers
	failed uint64      // the last search in which it fitted nowhere
	near   *nearest    // see [Servers.nearestOf]; nil: not looked for so far
	down   sketch      // of least, then the link demands, rounded down
	Need   cluster.Need
	up     sketch // like down, rounded up
	// few are the servers that may run it, if these are not many; else nil.
	few []int32
	// least and most bound the demand per resource over the servers that may
	// run it.
	least, most []int64
	since       int64 // [Tenants]: position in the log at which no server had room for it
	same        bool  // it may run on every server, with the same demand
}

// Kind returns the kind of a user.
func (p *Servers) Kind(u *cluster.User) *Kind {
	k := &Kind{}
	p.Describe(u, k)
	return k
}

// Describe makes k the kind of a user.
func (p *Servers) Describe(u *cluster.User, k *Kind) {
	*k = Kind{May: u.Eligible, few: p.few(u.Eligible), since: untried, same: u.Eligible == nil && u.DemandOn == nil}
	if p.Count(u, &k.Need); u.DemandOn == nil {
		k.least = k.Need.On(0)
		k.most = k.least
	} else {
		k.bound(p.env)
	}
	k.down, k.up = sketchDemand(k.least, k.Need.Link)
}

// bound finds the bounds of the demand over eligible servers.
func (k *Kind) bound(env *cluster.Environment) {
	for r := range env.Resources {
		low, high := int64(math.MaxInt64), int64(0)
		for s := range env.Servers {
			if k.May.Has(s) {
				low, high = min(low, k.Need.On(s)[r]), max(high, k.Need.On(s)[r])
			}
		}
		k.least, k.most = append(k.least, low), append(k.most, high)
	}
}

// fewServers is the number of eligible servers up to which a search looks at
// them one by one: then a tree of all servers helps little.
const fewServers = 128

// few returns the servers of a set of classes if they are few.
func (p *Servers) few(may cluster.Set) []int32 {
	if may == nil || may.Len() > fewServers { // a class has at least one server
		return nil
	}
	few := []int32{}
	for i, set := range may {
		for ; set != 0; set &= set - 1 {
			class := i<<6 + bits.TrailingZeros64(set)
			if class >= len(p.env.Servers) {
				break
			}
			count := p.env.Servers[class].Count
			if len(few)+count > fewServers {
				return nil
			}
			for s := range count {
				few = append(few, p.first[class]+int32(s))
			}
		}
	}
	return few
}
