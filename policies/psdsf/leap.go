package psdsf

import "math/bits"

const (
	// shortest is the number of sweeps below which a leap is not worth its cost,
	// and farthest the largest number, so that rounding does not add up.
	shortest = 8
	farthest = 1024
	// remotest is that number where powers of the map are computed.
	remotest = 1 << 14
	// quiet is the number of sweeps of one pattern after which a leap is tried;
	// after one that fails it is twice as many.
	quiet = 3
)

// leap goes ahead to the last sweep of the present pattern, as the model predicts it, and
// makes that one: it ends where plain sweeps would have led. If the pattern is not what it
// was, it goes back and tries half as far. It does not try where somebody would lose the
// last of what it holds in a few sweeps like the last one.
func (w *walk) leap() {
	w.run = 0
	if w.ends < shortest/2 {
		w.wait *= 2
		return
	}
	m := &w.model
	m.learn(w.state)
	far := m.far() - 1
	if far < shortest {
		w.wait *= 2
		return
	}
	at := w.places()
	here, pattern, before := w.levels(at), w.patterns(), w.change
	for ; far >= shortest; far /= 2 {
		m.reset()
		m.run(far)
		w.put(m)
		w.sweep()
		if w.steady {
			w.path, w.full = w.path[:0], far == m.farthest()-1
			return
		}
		w.set(at, here)
		w.setPatterns(pattern)
		w.change = before
	}
	w.wait *= 2
}

// far runs the model as far as the pattern holds, in steps that double and then
// halve, and returns the number of sweeps.
func (m *model) far() int {
	// 1. Steps that double, until somebody breaks the pattern.
	good, limit := m.moment.copy(), m.farthest()+1
	m.gone, m.joined = m.gone[:0], m.joined[:0]
	for step := shortest; m.made+step < limit; step *= 2 {
		if m.run(step); !m.holds() {
			limit = m.made
			break
		}
		if good.set(&m.moment); m.still {
			limit = max(m.made, farthest) + 1
		}
	}
	if good.made == 0 {
		return 0
	}
	// 2. Steps that halve. Who broke the pattern last is looked at first.
	m.moment.set(&good)
	for half := 1 << bits.Len(uint(limit-good.made)) >> 1; half > 0; half /= 2 {
		if m.made+half >= limit {
			continue
		}
		if m.run(half); m.broken() || !m.holds() {
			m.moment.set(&good)
		}
		good.set(&m.moment)
	}
	return m.made
}

// put takes over what the model says of the active users; the others keep their
// dust.
func (st *state) put(m *model) {
	tasks := make([]float64, len(m.held))
	for k := range m.held {
		tasks[k] = m.tasks(&m.held[k])
	}
	for k := range m.held {
		h := &m.held[k]
		st.groups[h.group].x[h.user] = max(tasks[k], 0)
	}
	for k := range st.groups {
		g := &st.groups[k]
		for r, q := range m.index[k] {
			if q >= 0 {
				g.closed[r] = m.origin[q] + m.dev[q]
			}
		}
		g.stale()
	}
}
