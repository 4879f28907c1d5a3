package psdsf

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// model predicts sweeps while their pattern stays the same.
//
// A group that acts leaves its active users, those that it gives something, with
// L·Key tasks in total, where L is the level at which their resource was used up
// there. While the same users are active and stopped by the same resources, a
// resource r that stops somebody is as full before its group acts as after:
//
//	Σ need[j,r]·(L'·Key[j] - x[j]) = 0  over the active users j,
//
// where x[j] = L·Key[j] of the group that gave j something last. So a sweep is a
// linear map of the levels, of which there are at most as many as resources of
// servers, however many users there are. What the users hold on each group
// follows from the levels, added up over the sweeps.
//
// Levels are kept as deviations from those at first, so that rounding does not
// grow with the number of sweeps.
type model struct {
	st    *state
	index [][]int   // level by group and resource, -1 if the resource stops nobody active
	first []int     // first level by group, and at last the number of levels
	rows  [][]term  // per level: its change when its group acts, from the last changes
	held  []holding // of the active users
	idle  []holding // of the others who take part
	last  []holding // by user: its last holding in a sweep

	// origin are the levels at first, entry what the sweep before has changed
	// them by.
	origin, entry []float64
	powers        []power   // of 1, 2, 4, … sweeps
	entering      []float64 // scratch memory
	gone, joined  []int     // of held and idle: who broke the pattern
	moment
}

// moment is a model at some time.
type moment struct {
	made  int  // sweeps
	still bool // change is 0
	// change is by what the last sweep changed the levels, dev how far they are
	// from the origin, before how far they were a sweep ago, and sum dev added
	// up over the sweeps.
	change, dev, before, sum []float64
}

// term is a part of a linear combination of levels.
type term struct {
	of     int
	weight float64
}

// holding is what a user that takes part holds on a group.
type holding struct {
	place
	key float64
	own int // the level that stops it there
	// before is the level on the group that gave it something last before this
	// one acts, late if that was in the sweep before, and keyBefore its Key
	// there.
	before    int
	keyBefore float64
	late      bool
}

// rounding is the relative change of a level in a sweep that counts as none.
const rounding = 2e-15

// newModel returns the model of the last sweep, which must have had the pattern
// of the two before: in the first sweep of a pattern a user may have lost what
// it held where it is idle now, so that it has less than a level gives it.
func newModel(st *state) *model {
	m := &model{}
	m.learn(st)
	return m
}

// learn makes m the model of the last sweep of st, in the memory of what it was before.
func (m *model) learn(st *state) {
	clear(m.last)
	*m = model{st: st, index: m.index[:0], first: m.first[:0], rows: m.rows[:0], held: m.held[:0], idle: m.idle[:0],
		last: m.last, origin: m.origin[:0], entry: m.entry[:0], entering: m.entering, gone: m.gone, joined: m.joined}
	if len(m.last) == 0 {
		m.last = make([]holding, len(st.tasks))
		m.held = make([]holding, 0, st.taking())
	}
	for k := range st.groups {
		m.number(k)
	}
	m.first = append(m.first, len(m.origin))
	m.reset()
	for k := range st.groups {
		m.couple(k, m.hold(k))
	}
}

// number gives numbers to the levels of a group, in the order in which its
// resources were used up, and takes its active users' holdings for their last.
func (m *model) number(k int) {
	g := &m.st.groups[k]
	index, stops := make([]int, g.width), make([]bool, g.width)
	for _, i := range g.order {
		if why := g.pattern[i]; why != idle {
			stops[why] = true
		}
	}
	m.first = append(m.first, len(m.origin))
	for r := range index {
		index[r] = -1
	}
	for _, r := range g.stops {
		if stops[r] {
			index[r] = len(m.origin)
			m.origin = append(m.origin, g.closed[r])
			m.entry = append(m.entry, g.closed[r]-g.previous[r])
		}
	}
	m.index = append(m.index, index)
	for _, i := range g.order {
		if why := g.pattern[i]; why != idle {
			m.last[g.Users[i]] = holding{place: place{k, i}, key: g.Key[i], own: index[why], late: true}
		}
	}
}

// hold lists the holdings on a group and returns those of its active users.
func (m *model) hold(k int) []holding {
	g, from := &m.st.groups[k], len(m.held)
	for _, i := range g.order {
		last := &m.last[g.Users[i]]
		h := holding{place: place{k, i}, key: g.Key[i], own: m.index[k][g.Frozen[i]], before: last.own, keyBefore: last.key, late: last.late}
		switch {
		case g.pattern[i] != idle:
			m.held = append(m.held, h)
			h.late = false
			*last = h
		case h.own >= 0 && h.keyBefore > 0:
			m.idle = append(m.idle, h)
		}
	}
	return m.held[from:]
}

// couple finds the map of the levels of a group from the holdings of its active
// users. A resource is also needed by users that another one has stopped
// before, never by those that one stops later: the equations are triangular.
func (m *model) couple(k int, held []holding) {
	from, n := m.first[k], m.first[k+1]-m.first[k]
	rows, pulls := matrix(n, len(m.origin)), matrix(n, n)
	for r, at := range m.index[k] {
		if at < 0 {
			continue
		}
		for _, h := range held {
			need := m.st.groups[k].needs(h.user)[r]
			rows[at-from][h.before] += need * h.keyBefore
			pulls[at-from][h.own-from] += need * h.key
		}
	}
	for a, row := range rows {
		for b := range a {
			floats.AddScaled(row, -pulls[a][b], rows[b])
		}
		floats.Scale(1/pulls[a][a], row)
		m.rows = append(m.rows, terms(row))
	}
}

func matrix(rows, columns int) [][]float64 {
	a := make([][]float64, rows)
	for r := range a {
		a[r] = make([]float64, columns)
	}
	return a
}

// terms returns the entries of a row that are not 0.
func terms(row []float64) []term {
	var all []term
	for q, weight := range row {
		if weight != 0 {
			all = append(all, term{q, weight})
		}
	}
	return all
}

// reset goes back to where the model began.
func (m *model) reset() {
	n := len(m.origin)
	m.moment = moment{change: slices.Clone(m.entry), dev: make([]float64, n), before: make([]float64, n), sum: make([]float64, n)}
	m.calm()
}

// copy returns a moment of its own.
func (t moment) copy() moment {
	t.change, t.dev, t.before, t.sum = slices.Clone(t.change), slices.Clone(t.dev), slices.Clone(t.before), slices.Clone(t.sum)
	return t
}

// set makes a moment the same as another.
func (t *moment) set(of *moment) {
	t.made, t.still = of.made, of.still
	copy(t.change, of.change)
	copy(t.dev, of.dev)
	copy(t.before, of.before)
	copy(t.sum, of.sum)
}

// calm ends the changes of the levels when they are rounding.
func (m *model) calm() {
	for q, d := range m.change {
		if math.Abs(d) > rounding*m.origin[q] {
			return
		}
	}
	m.still = true
	clear(m.change)
}

// run lets so many sweeps pass.
func (m *model) run(sweeps int) {
	if m.dense() {
		for ; sweeps > 0 && !m.still; sweeps &= sweeps - 1 {
			m.double(bits.TrailingZeros(uint(sweeps)))
		}
	}
	for ; sweeps > 0 && !m.still; sweeps-- {
		m.one()
	}
	m.made += sweeps
	if sweeps > 0 {
		copy(m.before, m.dev)
		floats.AddScaled(m.sum, float64(sweeps), m.dev)
	}
}

// one lets one sweep pass.
func (m *model) one() {
	m.made++
	copy(m.before, m.dev)
	for k := range m.st.groups {
		m.act(m.first[k], m.first[k+1])
	}
	m.calm()
}

// act lets the group act that has the levels from from to to.
func (m *model) act(from, to int) {
	var few [8]float64
	fresh := few[:0]
	for _, row := range m.rows[from:to] {
		change := 0.0
		for _, t := range row {
			change += t.weight * m.change[t.of]
		}
		fresh = append(fresh, change)
	}
	for a, change := range fresh {
		q := from + a
		m.change[q] = change
		m.dev[q] += change
		m.sum[q] += m.dev[q]
	}
}

// holds reports whether the pattern is still the same, as far as can be seen from
// the last sweep: the active users hold something, and the others who take part
// have more than a group would give them. It lists those of whom that is not true.
func (m *model) holds() bool {
	m.gone, m.joined = m.gone[:0], m.joined[:0]
	for k := range m.held {
		if m.ends(&m.held[k]) {
			m.gone = append(m.gone, k)
		}
	}
	for k := range m.idle {
		if m.begins(&m.idle[k]) {
			m.joined = append(m.joined, k)
		}
	}
	return len(m.gone)+len(m.joined) == 0
}

// broken reports whether one of those that holds listed last breaks the pattern by now.
func (m *model) broken() bool {
	return slices.ContainsFunc(m.gone, func(k int) bool { return m.ends(&m.held[k]) }) ||
		slices.ContainsFunc(m.joined, func(k int) bool { return m.begins(&m.idle[k]) })
}

// ends reports whether an active user holds nothing any more.
func (m *model) ends(h *holding) bool {
	return !(m.tasks(h) > dust*m.total(&m.last[m.st.groups[h.group].Users[h.user]]))
}

// begins reports whether a user that holds nothing on a group would be reached by its level.
func (m *model) begins(h *holding) bool {
	dev := m.dev
	if h.late {
		dev = m.before
	}
	return h.keyBefore*(m.origin[h.before]+dev[h.before])*(1+dust) < m.total(h)
}

// tasks returns what a holding is by now.
func (m *model) tasks(h *holding) float64 {
	before := m.sum[h.before]
	if h.late {
		before -= m.dev[h.before]
	}
	speed := h.key*m.origin[h.own] - h.keyBefore*m.origin[h.before]
	return m.st.groups[h.group].x[h.user] + float64(m.made)*speed + h.key*m.sum[h.own] - h.keyBefore*before
}

// total returns what the level of a holding gives its user in total.
func (m *model) total(h *holding) float64 { return h.key * (m.origin[h.own] + m.dev[h.own]) }
