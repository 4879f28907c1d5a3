package psdsf

import (
	"math"
	"slices"
)

const (
	// longestStretch is the largest number of sweeps in a stretch, so that rounding does not
	// add up, and shortestStretch the least that is worth its cost.
	longestStretch  = 1024
	shortestStretch = 4
	// ahead is by how many times more than its last change a level may change in each sweep
	// of a stretch: a larger number has more users visited, a smaller one ends more stretches.
	ahead = 1.5
	// handful is the largest number of users near a level that are visited.
	handful = 8
	// crowd is how many times more users than the square of the groups must take part, so that
	// sums are cheaper than visits, and multitude how many must anyway.
	crowd, multitude = 5, 128
	// early is the number of sweeps before the first stretch, and pause that between attempts
	// in vain.
	early, pause = 9, 3
	// chain is the largest number of stretches between two sweeps in which all are visited.
	chain = 32
	// quietly is the number of sweeps of one pattern after which a leap is looked for.
	quietly = 32
	// exactly is the relative difference of two numbers that are equal but for rounding.
	exactly = 1e-13
)

// stretch makes sweeps in which only those users are visited whose pattern might change.
//
// Of each level it is assumed that it stays within a radius of where it is. If so, the
// pattern of most users stays for so many sweeps: what they hold would not be used up at
// the worst levels, and where they hold nothing the level would not reach them. Such users
// are steady. A group that acts leaves a steady user that it gives something with L·Key
// tasks, where L is its level, so that what steady users take of a resource at the level
// L is L·Σ pull - (Σ need·Key[q]·L[q] - Σ need·x), the middle sum over the groups q that
// gave them something last: a group needs to look at levels only, not at users. The others
// are visited as ever.
//
// A sweep in which a level leaves its radius is taken back, and ends the stretch; so the
// sweeps are those of [state.sweep], but for rounding.
type stretch struct {
	st      *state
	most    int // sweeps that are allowed for
	radius  []float64
	origin  []float64 // the levels at first
	last    []int32   // by user: the group that gave it something last
	key     []float64 // its Key there
	total   []float64 // and what it has, which is the level there times key
	visited []bool    // by user: it is not steady
	keep    float64   // the least part of its tasks that a steady user keeps
	close   []int     // by two groups: users who are not reached by little, see near
	guard   []float64
	orders  [][]int   // who takes part in each group
	few     [][]int   // those of them who are visited
	listed  []int     // how many of few take part outside of a stretch
	steady  []sums    // by group and resource
	weights []float64 // memory of their weights
	deviations
	// Before the last sweep: the deviations, what visited users had, and the levels of
	// the groups and those of the sweep before.
	before deviations
	had    []had
	closed []float64
}

// sums are what the steady users take of a resource of a group: slope is Σ pull, room what
// they leave at first, speed what they take in each sweep if the levels stay, and weight
// Σ need·Key of the group that gave them something last, by that group.
type sums struct {
	slope, room, speed float64
	weight             []float64
}

// deviations say how far the levels are from the origin, after so many sweeps, and how far
// they have been, added up over the sweeps.
type deviations struct {
	made     int
	dev, sum []float64
	steadily int // sweeps since the pattern changed
}

func (d *deviations) copy(of *deviations) {
	d.made, d.steadily = of.made, of.steadily
	d.dev, d.sum = append(d.dev[:0], of.dev...), append(d.sum[:0], of.sum...)
}

// had is what a visited user had before a sweep.
type had struct {
	x, tasks float64
	pattern  int
}

// even reports whether there can be stretches: everybody needs every resource, so that one
// resource stops all users of a group, and nobody has a cap.
func (st *state) even() bool {
	for k := range st.groups {
		if st.groups[k].whole < 0 || slices.Contains(st.groups[k].every, false) {
			return false
		}
	}
	return !st.capped
}

// resize returns memory for n numbers that are 0.
func resize[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// begin prepares a stretch of so many sweeps after a sweep of st; it reports whether it is
// worth it.
func (h *stretch) begin(st *state, sweeps int) bool {
	n, groups := len(st.tasks), len(st.groups)
	h.st, h.most = st, sweeps
	h.radius, h.origin = resize(h.radius, groups), resize(h.origin, groups)
	// 1. How far the levels may go.
	most := 0.0
	for k := range st.groups {
		g := &st.groups[k]
		level := g.closed[g.whole]
		h.origin[k] = level
		h.radius[k] = math.Abs(level-g.previous[g.whole]) / level
		most = max(most, h.radius[k])
	}
	for k, change := range h.radius {
		h.radius[k] = ahead*float64(sweeps)*(change+most/4) + exactly
	}
	if !(most*float64(sweeps) < 0.5) {
		return false
	}
	// 2. Who is visited.
	st.tally()
	if few := h.choose(); few > n/4 || h.list() && (h.choose() > n/4 || !h.covered()) {
		return false
	}
	// 3. The sums of the others.
	h.deviations = deviations{dev: resize(h.dev, groups), sum: resize(h.sum, groups)}
	h.collect()
	return true
}

// list lists those who take part in groups anew where others might be reached in the stretch.
func (h *stretch) list() (listed bool) {
	st := h.st
	for k := range st.groups {
		g := &st.groups[k]
		if !g.covers(h.origin[k]*(1+h.radius[k]), st.fallen+1-h.keep) {
			copy(g.reach, g.closed)
			g.list(st.tasks, st.fallen)
			g.fresh, listed = false, true
		}
	}
	return listed
}

// covered reports whether nobody else is reached in the stretch.
func (h *stretch) covered() bool {
	for k := range h.st.groups {
		if !h.st.groups[k].covers(h.origin[k]*(1+h.radius[k]), h.st.fallen+1-h.keep) {
			return false
		}
	}
	return true
}

// covers reports whether nobody of those who do not take part starts below a level.
func (g *group) covers(level, fallen float64) bool {
	reach := g.reach[g.whole]
	return math.IsInf(reach, 1) || level <= (1+g.margin)*(1-(fallen-g.since))*reach
}

// near notes that the level of group k might reach user j, who has something on group q last:
// ratio is by how many times its Key on k is larger. Where there are few such users they are
// visited; where there are many, they compare the same shares, and the sweep in which the
// level would reach the first ends the stretch.
func (h *stretch) near(k, q, j int, ratio float64) {
	at := k*len(h.st.groups) + q
	if h.close[at]++; h.close[at] <= handful {
		h.visited[j] = true
		return
	}
	h.guard[at] = max(h.guard[at], ratio)
}

// findLast finds the group that gave each user something last.
func (h *stretch) findLast() {
	n := len(h.st.tasks)
	h.last, h.key, h.total, h.visited = resize(h.last, n), resize(h.key, n), resize(h.total, n), resize(h.visited, n)
	for j := range h.last {
		h.last[j] = -1
	}
	for k := range h.st.groups {
		g := &h.st.groups[k]
		for _, i := range g.order {
			if g.pattern[i] != idle {
				j := g.Users[i]
				h.last[j], h.key[j] = int32(k), g.Key[i]
			}
		}
	}
	for j, k := range h.last {
		if k < 0 {
			h.visited[j] = true
			continue
		}
		total := h.origin[k] * h.key[j]
		h.total[j] = total
		h.visited[j] = !(math.Abs(total-h.st.tasks[j]) <= exactly*total)
	}
}

// choose finds who is visited, and returns how many.
func (h *stretch) choose() (few int) {
	h.findLast()
	h.keep = 1
	groups := len(h.st.groups)
	h.close, h.guard = resize(h.close, groups*groups), resize(h.guard, groups*groups)
	for k := range h.st.groups {
		h.look(k)
	}
	for _, visited := range h.visited {
		if visited {
			few++
		}
	}
	return few
}

// look finds whose pattern on a group might change.
func (h *stretch) look(k int) {
	g, level, radius, sweeps := &h.st.groups[k], h.origin[k], h.radius[k], float64(h.most)
	low, high := level*(1-radius), level*(1+radius)*(1+dust)
	for _, i := range g.order {
		j := g.Users[i]
		if h.visited[j] {
			continue
		}
		q, total, key := int(h.last[j]), h.total[j], g.Key[i]
		if g.pattern[i] == idle {
			if total*(1-h.radius[q]) < high*key {
				h.near(k, q, j, key*h.origin[q]/total)
			}
			continue
		}
		if least := low * key; least < h.keep*h.st.tasks[j] {
			h.keep = least / h.st.tasks[j]
		}
		if loss := total*(1+h.radius[q]) - low*key; q != k && loss > 0 && sweeps*loss >= g.x[i]-2*dust*total {
			h.visited[j] = true
		}
		h.last[j], h.total[j] = int32(k), level*key
	}
}

// collect sums up the steady users and lists the others.
func (h *stretch) collect() {
	groups, width := len(h.st.groups), h.st.groups[0].width
	h.steady, h.weights = resize(h.steady, groups*width), resize(h.weights, groups*width*groups)
	for k := range h.steady {
		h.steady[k] = sums{room: 1, weight: h.weights[k*groups:][:groups]}
	}
	h.listed, h.orders = resize(h.listed, groups), resize(h.orders, groups)
	h.few = slices.Grow(h.few[:0], groups)[:groups]
	for k := range h.st.groups {
		h.add(k, h.steady[k*width:][:width])
	}
	for j, visited := range h.visited {
		if visited {
			h.takeIn(j)
		}
	}
}

// add sums up the steady users of a group and lists the others who take part.
func (h *stretch) add(k int, steady []sums) {
	g, few := &h.st.groups[k], h.few[k][:0]
	for _, i := range g.order {
		j := g.Users[i]
		if h.visited[j] {
			few = append(few, i)
			continue
		}
		if g.pattern[i] == idle {
			continue
		}
		q, last, key, x := int(h.last[j]), h.key[j], g.Key[i], g.x[i]
		speed := h.origin[k]*key - h.origin[q]*last
		for r, need := range g.needs(i) {
			s := &steady[r]
			s.slope += need * key
			s.room -= need * x
			s.speed += need * speed
			s.weight[q] += need * last
		}
		h.last[j], h.key[j] = int32(k), key
	}
	h.orders[k], h.few[k], h.listed[k] = g.order, few, len(few)
}

// takeIn lets a user that is visited take part everywhere.
func (h *stretch) takeIn(j int) {
	for k := range h.st.groups {
		g := &h.st.groups[k]
		if i, takes := slices.BinarySearch(g.Users, j); takes && !slices.Contains(h.few[k], i) {
			h.few[k] = append(h.few[k], i)
		}
	}
}
