package solve

import (
	"cmp"
	"math"
	"slices"
)

// separation is what the search for envy takes.
//
// Where worth does not depend on the server, j could run with all of i's
//
//	T[i]/w[i] · min_r d[i,r]·need[j,r]  times what it has,   need[j,r] = w[j]/(own[j]·d[j,r]),
//
// so over a block of users the largest need of each r bounds how much any of them envies i.
type separation struct {
	order []int     // users that may envy, those with similar demands beside each other
	need  []float64 // per place in order, per r; +Inf where r is not needed
	most  []float64 // per block of order, per r: the largest need
	own   []float64 // per user: what it has, in tasks
	found []envy
}

// envy says that user j could run worth times what it has with what i has.
type envy struct {
	j, i  int
	worth float64
}

const (
	// envyBlock is the number of users in a block.
	envyBlock = 16
	// envyChoice is the number of those who envy a user most that may get the row
	// against it, and envyRowsEach the number of rows that a user may envy by in a round:
	// of those of one envier with higher rows most would not bind in the end.
	envyChoice, envyRowsEach = 8, 2
)

// worst returns rows that the allocation x violates, at most one against each user that is
// envied: of the rows of those who envy it most in proportion to what they have the most
// violated, as long as its envier has not got enough others that are more violated.
func (f *envyFinder) worst(b *basis, x []float64) []envyRow {
	totals := f.totals(x)
	f.measure(b, totals)
	f.found = f.found[:0]
	for i, total := range totals {
		if total > 0 {
			f.enviers(i, total, x)
		}
	}
	slices.SortFunc(f.found, func(a, b envy) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
	rowsOf, envied := make([]int, len(totals)), make([]bool, len(totals))
	var rows []envyRow
	for _, e := range f.found {
		if rowsOf[e.j] == envyRowsEach || envied[e.i] {
			continue
		}
		rowsOf[e.j], envied[e.i] = rowsOf[e.j]+1, true
		f.known[[2]int{e.j, e.i}] = true
		rows = append(rows, f.row(b, e.j, e.i))
	}
	return rows
}

// measure sets what the users have and need in an allocation.
func (f *envyFinder) measure(b *basis, totals []float64) {
	width := f.p.res + f.p.links
	f.own = resize(f.own, len(totals))
	for j, total := range totals {
		f.own[j] = max(total, 1e-3*tolEnvy*b.scale[j])
	}
	if len(f.order) == 0 {
		for j := range totals {
			if b.here[j] && (f.sated == nil || !f.sated[j]) {
				f.order = append(f.order, j)
			}
		}
		f.arrange(b, f.order)
	}
	f.need = resize(f.need, len(f.order)*width)
	f.most = resize(f.most, (len(f.order)+envyBlock-1)/envyBlock*width)
	clear(f.most)
	for at, j := range f.order {
		scale := f.env.Users[j].Weight / f.own[j]
		need, most := f.need[at*width:][:width], f.most[at/envyBlock*width:][:width]
		for r, inv := range f.inverse[j*width : (j+1)*width] {
			need[r] = inv * scale
			most[r] = max(most[r], need[r])
		}
	}
}

// arrange orders users by their demands for their lower bounds, so that those of a block
// are alike: the half with the smaller demand first, by the row in which they differ most.
func (f *envyFinder) arrange(b *basis, users []int) {
	if len(users) <= envyBlock {
		return
	}
	width := f.p.res + f.p.links
	at, widest := 0, 0.0
	for r := range width {
		least, most := math.Inf(1), 0.0
		for _, j := range users {
			d := f.demand[j*width+r] * b.scale[j]
			least, most = min(least, d), max(most, d)
		}
		if spread := most / least; spread > widest {
			at, widest = r, spread
		}
	}
	slices.SortFunc(users, func(j, i int) int {
		return cmp.Or(cmp.Compare(f.demand[j*width+at]*b.scale[j], f.demand[i*width+at]*b.scale[i]), cmp.Compare(j, i))
	})
	half := len(users) / 2 / envyBlock * envyBlock
	if half == 0 {
		half = envyBlock
	}
	f.arrange(b, users[:half])
	f.arrange(b, users[half:])
}

// enviers appends to f.found those that envy user i most.
func (f *envyFinder) enviers(i int, total float64, x []float64) {
	width := f.p.res + f.p.links
	have, per := f.demand[i*width:(i+1)*width], total/f.env.Users[i].Weight
	from, limit := len(f.found), 1+tolEnvy
	for at := 0; at < len(f.order); at++ {
		if f.uniform && at%envyBlock == 0 && short(have, f.most[at/envyBlock*width:], limit/per) {
			at += envyBlock - 1
			continue
		}
		j := f.order[at]
		if i == j || f.uniform && short(have, f.need[at*width:], limit/per) {
			continue
		}
		v := f.bundle(j, i, total, x)
		if v <= limit*f.own[j] || f.known[[2]int{j, i}] {
			continue
		}
		f.found = slices.Insert(f.found, f.place(from, v/f.own[j]), envy{j, i, v / f.own[j]})
		if len(f.found) > from+envyChoice {
			f.found = f.found[:from+envyChoice]
		}
		if len(f.found) == from+envyChoice {
			limit = f.found[len(f.found)-1].worth
		}
	}
}

// place returns where an envier belongs among those from an index on, which are in
// decreasing order of worth.
func (f *envyFinder) place(from int, worth float64) int {
	at := len(f.found)
	for at > from && f.found[at-1].worth < worth {
		at--
	}
	return at
}

// short reports whether min over r of have[r]·need[r] is below limit by more than rounding;
// false where it may be either. It stops at the first r that says so. An r that is not
// needed has +Inf, and 0·Inf is not below anything.
func short(have, need []float64, limit float64) bool {
	limit *= 1 - 1e-12
	for r, d := range have {
		if d*need[r] < limit {
			return true
		}
	}
	return false
}
