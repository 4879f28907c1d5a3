package solve

import "math"

// pricer evaluates what a unit of each user's work costs on each server at
// given prices of the capacity rows: q[j,s] = Σ_r π[s,r]·d[j,s,r] + Σ_e π[e]·d[j,e]
// in scaled terms.
type pricer struct {
	p     *program
	unit  []float64 // π[s,r]·inv[s,r]: price of an unscaled unit of (s,r)
	links []float64 // π[e]
	zone  []float64 // link cost per zone of the user at hand
}

func (c *pricer) set(p *program, prices []float64) {
	c.p = p
	width := p.servers * p.res
	c.unit = resize(c.unit, width)
	for i, v := range prices[:width] {
		c.unit[i] = v * p.inv[i]
	}
	c.links = prices[width : width+p.links]
	c.zone = resize(c.zone, max(1, len(p.zones)))
}

// linkCosts fills c.zone for user j and reports whether it differs by zone.
func (c *pricer) linkCosts(j int) bool {
	p := c.p
	for z, links := range p.zones {
		cost := 0.0
		for _, e := range links {
			cost += c.links[e] * p.link[j*p.links+e]
		}
		c.zone[z] = cost
	}
	return len(p.zones) > 1
}

// on returns q[j,s].
func (c *pricer) on(j, s int) float64 {
	p, cost := c.p, 0.0
	for _, e := range p.zones[p.zone[s]] {
		cost += c.links[e] * p.link[j*p.links+e]
	}
	unit := c.unit[s*p.res : (s+1)*p.res]
	for r, d := range p.at(j, s) {
		cost += d * unit[r]
	}
	return cost
}

// each fills dst with q[j,s] for the given servers: the numbers of on.
func (c *pricer) each(j int, servers []int, dst []float64) {
	p := c.p
	if p.pairs {
		through, link := 0.0, p.link[j*p.links:]
		for _, e := range p.zones[0] {
			through += c.links[e] * link[e]
		}
		d0, d1 := p.use[2*j], p.use[2*j+1]
		dst = dst[:len(servers)]
		for i, s := range servers {
			unit := c.unit[2*s:][:2]
			dst[i] = through + d0*unit[0] + d1*unit[1]
		}
		return
	}
	c.linkCosts(j)
	if p.res != 2 {
		for i, s := range servers {
			cost := c.zone[p.zone[s]]
			for r, d := range p.at(j, s) {
				cost += d * c.unit[s*p.res+r]
			}
			dst[i] = cost
		}
		return
	}
	o, stride := p.offset[j], p.stride[j]
	dst = dst[:len(servers)]
	for i, s := range servers {
		d, unit := p.use[o+s*stride:][:2], c.unit[2*s:][:2]
		dst[i] = c.zone[p.zone[s]] + d[0]*unit[0] + d[1]*unit[1]
	}
}

// cheapest returns the open server with the least q[j,s], and that cost; -1
// and +Inf if none is open.
func (c *pricer) cheapest(j int) (int, float64) {
	p := c.p
	if p.res == 2 && p.stride[j] == 0 && len(p.zones) <= 1 {
		return c.cheapestPair(j)
	}
	several := c.linkCosts(j)
	best, at := math.Inf(1), -1
	for s := range p.servers {
		cost := c.zone[0]
		if several {
			cost = c.zone[p.zone[s]]
		}
		unit := c.unit[s*p.res : (s+1)*p.res]
		for r, d := range p.at(j, s) {
			cost += d * unit[r]
		}
		if cost < best && p.open(j, s) {
			best, at = cost, s
		}
	}
	return at, best
}

// same returns q[j,s] for the user j that cheapest was last called for, with the
// terms added in the same order: equal costs are equal to the last bit.
func (c *pricer) same(j, s int) float64 {
	p := c.p
	unit := c.unit[s*p.res : (s+1)*p.res]
	d := p.at(j, s)
	if len(d) == 2 && p.stride[j] == 0 && len(p.zones) <= 1 {
		return d[0]*unit[0] + d[1]*unit[1] + c.zone[0]
	}
	cost := c.zone[p.zone[s]]
	for r, v := range d {
		cost += v * unit[r]
	}
	return cost
}

// cheapestPair is cheapest for the common case: two resources, one demand
// vector, and all servers behind the same links.
func (c *pricer) cheapestPair(j int) (int, float64) {
	p, through := c.p, 0.0
	if len(p.zones) > 0 {
		link := p.link[j*p.links:]
		for _, e := range p.zones[0] {
			through += c.links[e] * link[e]
		}
	}
	c.zone[0] = through
	o := p.offset[j]
	d0, d1 := p.use[o], p.use[o+1]
	best, at := math.Inf(1), -1
	unit := c.unit
	for s := 0; len(unit) >= 2; s++ {
		cost := d0*unit[0] + d1*unit[1]
		if cost < best && p.open(j, s) {
			best, at = cost, s
		}
		unit = unit[2:]
	}
	return at, best + through
}

// greedyServer returns the open server on which a unit of work of user j adds
// least to the largest load, and adds it to the loads.
func greedyServer(b *basis, loads []float64, j int) int {
	best, at := math.Inf(1), -1
	for v := range b.servers {
		if !b.open(j, v) {
			continue
		}
		most, base := 0.0, v*b.res
		for r, d := range b.at(j, v) {
			most = max(most, loads[base+r]+d*b.inv[base+r])
		}
		for _, e := range b.zones[b.zone[v]] {
			most = max(most, loads[b.servers*b.res+e]+b.link[j*b.links+e])
		}
		if most < best {
			best, at = most, v
		}
	}
	base := at * b.res
	for r, d := range b.at(j, at) {
		loads[base+r] += d * b.inv[base+r]
	}
	for _, e := range b.zones[b.zone[at]] {
		loads[b.servers*b.res+e] += b.link[j*b.links+e]
	}
	return at
}
