package exact

import (
	"fmt"
	"math/big"
)

// MaxMin returns the totals of the lexicographic max-min of x[j]/(w[j]·norm[j])
// over χ. A user of norm 0 holds nothing. Each round maximises the smallest
// share and freezes the users that no feasible allocation gives more.
func (e *Environment) MaxMin(norm []*big.Rat) ([]*big.Rat, error) {
	level := make([]*big.Rat, e.Users()) // of the frozen
	active := 0
	for j := range level {
		if norm[j].Sign() == 0 {
			level[j] = zero
		} else {
			active++
		}
	}
	for active > 0 {
		// 1. The largest smallest share of the active users.
		g, err := e.smallest(norm, level)
		if err != nil {
			return nil, err
		}
		// 2. Those whom no feasible allocation gives more are frozen there.
		frozen, err := e.saturated(g, norm, level)
		if err != nil {
			return nil, err
		}
		for j, at := range frozen {
			level[j] = at
		}
		active -= len(frozen)
	}
	return level, nil
}

// saturated returns the active users that no feasible allocation gives more
// than they hold at share g, with what they hold.
func (e *Environment) saturated(g *big.Rat, norm, level []*big.Rat) (map[int]*big.Rat, error) {
	frozen := map[int]*big.Rat{}
	for j := range level {
		if level[j] != nil {
			continue
		}
		most, err := e.most(j, g, norm, level)
		if err != nil {
			return nil, err
		}
		if now := e.at(j, g, norm); most.Cmp(now) == 0 {
			frozen[j] = now
		}
	}
	if len(frozen) == 0 {
		return nil, fmt.Errorf("exact: nobody is saturated at share %s", g)
	}
	return frozen, nil
}

// at returns what user j holds at share g.
func (e *Environment) at(j int, g *big.Rat, norm []*big.Rat) *big.Rat {
	v := new(big.Rat).Mul(norm[j], e.Weight[j])
	return v.Mul(v, g)
}

// smallest maximises the smallest share of the active users.
func (e *Environment) smallest(norm, level []*big.Rat) (*big.Rat, error) {
	p := e.Region(1)
	g := p.Columns - 1
	for j := range level {
		row := e.Total(j)
		if level[j] != nil {
			p.AtLeast(row, level[j])
			continue
		}
		row[g] = new(big.Rat).Neg(e.at(j, one, norm))
		p.AtLeast(row, zero)
	}
	best, _, err := p.Maximize(map[int]*big.Rat{g: one})
	return best, err
}

// most returns the most that user j can hold while all others keep theirs.
func (e *Environment) most(j int, g *big.Rat, norm, level []*big.Rat) (*big.Rat, error) {
	p := e.Region(0)
	for i := range level {
		switch {
		case level[i] != nil:
			p.AtLeast(e.Total(i), level[i])
		default:
			p.AtLeast(e.Total(i), e.at(i, g, norm))
		}
	}
	best, _, err := p.Maximize(e.Total(j))
	return best, err
}

// Split replaces every link by one for each server behind it: the part
// alpha[l][s] of it.
func (e *Environment) Split(alpha [][]*big.Rat) *Environment {
	o := *e
	o.Links, o.Reach, o.Link = nil, nil, make([][]*big.Rat, e.Users())
	for l, c := range e.Links {
		for s, reached := range e.Reach[l] {
			if !reached {
				continue
			}
			only := make([]bool, e.Servers())
			only[s] = true
			o.Links, o.Reach = append(o.Links, new(big.Rat).Mul(alpha[l][s], c)), append(o.Reach, only)
			for j := range o.Link {
				o.Link[j] = append(o.Link[j], e.Link[j][l])
			}
		}
	}
	return &o
}

// Server returns the environment of server class s alone.
func (e *Environment) Server(s int) *Environment {
	o := &Environment{Capacity: e.Capacity[s : s+1], Weight: e.Weight, Tasks: e.Tasks, Names: e.Names}
	for l, c := range e.Links {
		if e.Reach[l][s] {
			o.Links, o.Reach = append(o.Links, c), append(o.Reach, []bool{true})
		}
	}
	for j := range e.Weight {
		o.May, o.Demand = append(o.May, e.May[j][s:s+1]), append(o.Demand, e.Demand[j][s:s+1])
		var link []*big.Rat
		for l := range e.Links {
			if e.Reach[l][s] {
				link = append(link, e.Link[j][l])
			}
		}
		o.Link = append(o.Link, link)
	}
	return o
}

// EqualShares returns ψ of all users.
func (e *Environment) EqualShares() ([]*big.Rat, error) {
	weights := new(big.Rat)
	for _, w := range e.Weight {
		weights.Add(weights, w)
	}
	shares := make([]*big.Rat, e.Users())
	for j := range shares {
		eta, err := e.Alone(j, true)
		if err != nil {
			return nil, err
		}
		shares[j] = eta.Mul(eta, new(big.Rat).Quo(e.Weight[j], weights))
		if n := e.Tasks[j]; n != nil && n.Cmp(shares[j]) < 0 {
			shares[j] = n
		}
	}
	return shares, nil
}

// Worth returns what one task of user i on server s is worth to user j: the
// least ratio of the demands, times w[j]/w[i]; 0 where j may not run.
func (e *Environment) Worth(j, i, s int) *big.Rat {
	if !e.May[j][s] {
		return zero
	}
	var least *big.Rat
	take := func(has, needs *big.Rat) {
		if needs.Sign() > 0 {
			if q := new(big.Rat).Quo(has, needs); least == nil || q.Cmp(least) < 0 {
				least = q
			}
		}
	}
	for r := range e.Capacity[s] {
		take(e.Demand[i][s][r], e.Demand[j][s][r])
	}
	for l := range e.Links {
		if e.Reach[l][s] {
			take(e.Link[i][l], e.Link[j][l])
		}
	}
	return least.Mul(least, new(big.Rat).Quo(e.Weight[j], e.Weight[i]))
}

// Utility returns u[j](i's bundle) in the allocation x.
func (e *Environment) Utility(j, i int, x [][]*big.Rat) *big.Rat {
	sum, t := new(big.Rat), new(big.Rat)
	for s, v := range x[i] {
		if v.Sign() > 0 {
			sum.Add(sum, t.Mul(v, e.Worth(j, i, s)))
		}
	}
	if n := e.Tasks[j]; n != nil && n.Cmp(sum) < 0 {
		return n
	}
	return sum
}
