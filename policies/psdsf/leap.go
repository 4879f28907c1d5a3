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
// was, it goes back and tries half as far.
func (w *walk) leap() {
	w.run = 0
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
			w.path, w.full = w.path[:0], far == m.farthest()-1 || before <= fine
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
	step, most, good := shortest, m.farthest(), m.moment.copy()
	for ; m.made+step <= most && !(m.still && m.made+step > farthest); step *= 2 {
		if m.run(step); !m.holds() {
			break
		}
		good.set(&m.moment)
	}
	// 2. The last sweep in which none of those does, as long as others do there.
	for m.made > good.made && good.made > 0 {
		ahead := m.made - good.made
		m.moment.set(&good)
		here := good.copy()
		for half := 1 << bits.Len(uint(ahead-1)) >> 1; half > 0; half /= 2 {
			if m.made+half >= good.made+ahead {
				continue
			}
			if m.run(half); m.broken() {
				m.moment.set(&here)
			}
			here.set(&m.moment)
		}
		if m.made == good.made || m.holds() {
			return m.made
		}
	}
	return good.made
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
