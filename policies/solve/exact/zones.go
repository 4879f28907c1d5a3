package exact

import (
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// zones is the program of one user that has a cluster to itself. Servers behind
// the same links form a zone, and only the sum over a zone matters:
//
//	max Σ_z x[z]  subject to  0 ≤ x[z] ≤ Σ_{s∈z} γ[s]  and
//	Σ_{z behind e} x[z] ≤ c[e]/d[e] for every link e with d[e] > 0.
type zones struct {
	limit []*big.Rat          // per link: c[e]/d[e]; nil: no limit
	most  map[string]*big.Rat // per zone, its links as in [capacities]; nil: no limit
}

// newZones takes the links that may limit a user, of whom the zones without links run these
// parts. A link that lets through more than all of them is left out, where doubles tell: their
// rounding is far below 2^-40.
func newZones(c *Cluster, u *cluster.User, parts []part) *zones {
	z := &zones{limit: make([]*big.Rat, len(c.links)), most: map[string]*big.Rat{}}
	for e, d := range u.LinkDemand {
		if d == 0 {
			continue
		}
		behind := 0.0
		for _, p := range parts {
			if p.zone[e] == 1 {
				behind += p.near
			}
		}
		if limit := c.env.Links[e].Capacity / d; !(behind < limit*(1-0x1p-40)) {
			z.limit[e] = new(big.Rat).Quo(c.links[e], Rational(d))
		}
	}
	return z
}

// add adds to what a zone can run. Links without a limit are left out of its
// name.
func (z *zones) add(zone string, tasks *big.Rat) {
	links := []byte(zone)
	for e, limit := range z.limit {
		if limit == nil {
			links[e] = 0
		}
	}
	was, known := z.most[string(links)]
	switch {
	case !known:
		z.most[string(links)] = tasks
	case was == nil || tasks == nil:
		z.most[string(links)] = nil
	default:
		z.most[string(links)] = new(big.Rat).Add(was, tasks)
	}
}

// optimum returns the optimum; nil for +Inf. A link to one zone bounds this zone
// and is then done with, which can make zones one. Where any two links reach
// disjoint servers, or one all of the other's, no link is left at the end:
// the innermost ones reach one zone each. What is left otherwise is a small
// linear program.
func (z *zones) optimum() (*big.Rat, error) {
	for e := z.single(); e >= 0; e = z.single() {
		z.close(e)
	}
	names := slices.Sorted(maps.Keys(z.most))
	if len(names) == 1 {
		return z.most[names[0]], nil
	}
	p, value := &Program{Columns: len(names)}, map[int]*big.Rat{}
	for k, name := range names {
		value[k] = one
		if z.most[name] != nil {
			p.AtMost(map[int]*big.Rat{k: one}, z.most[name])
		}
	}
	for e, limit := range z.limit {
		if limit == nil {
			continue
		}
		row := map[int]*big.Rat{}
		for k, name := range names {
			if name[e] == 1 {
				row[k] = one
			}
		}
		p.AtMost(row, limit)
	}
	best, _, err := p.Maximize(value)
	if errors.Is(err, ErrUnbounded) {
		return nil, nil
	}
	return best, err
}

// single returns a link with a limit that reaches one zone or none; -1: there is
// none.
func (z *zones) single() int {
	for e, limit := range z.limit {
		if limit != nil && z.reached(e) <= 1 {
			return e
		}
	}
	return -1
}

func (z *zones) reached(e int) int {
	n := 0
	for name := range z.most {
		n += int(name[e])
	}
	return n
}

// close makes the limit of a link that of its only zone.
func (z *zones) close(e int) {
	limit := z.limit[e]
	z.limit[e] = nil
	for name, most := range z.most {
		if name[e] == 1 {
			delete(z.most, name)
			z.add(name, smaller(most, limit))
			return
		}
	}
}
