package psdsf

import "math"

// stretches are those of a walk.
type stretches struct {
	stretch
	total  int // sweeps in all of them
	length int // of the next one
	rest   int // sweeps until it
	hold   int // how many are made before longer ones are tried
}

// stretchOut goes ahead by stretches, until the pattern stays.
func (w *walk) stretchOut() {
	h := &w.stretches
	if h.rest--; h.rest > 0 || w.sweeps >= patience {
		return
	}
	for range chain {
		if h.length < shortestStretch {
			h.length, h.rest = shortestStretch, pause
			return
		}
		if !h.begin(w.state, h.length) {
			h.length, h.hold = h.length/2, 2
			continue
		}
		h.run()
		h.adapt()
		if h.made == 0 {
			return
		}
		w.path = w.path[:0]
		h.total += h.made
		if w.run += h.made; h.steadily < h.made {
			w.run = h.steadily
		}
		if w.run >= quietly {
			return
		}
	}
}

// adapt changes the length for the next stretch.
func (h *stretches) adapt() {
	switch {
	case h.made < h.most:
		if 2*h.made < h.most {
			h.length = max(h.length/2, shortestStretch)
		}
	case h.hold > 0:
		h.hold--
	default:
		h.length = min(2*h.length, longestStretch)
	}
}

// run makes the sweeps, and brings the state to where they lead.
func (h *stretch) run() {
	for k := range h.st.groups {
		h.st.groups[k].order = h.few[k]
	}
	for h.made < h.most {
		h.save()
		if !h.sweep() {
			h.restore()
			break
		}
	}
	h.end()
}

// sweep lets every group act once; it reports whether all levels stay as near
// as was assumed. If not, it has ended in the middle.
func (h *stretch) sweep() bool {
	st := h.st
	steady, width := true, st.groups[0].width
	for k := range st.groups {
		g := &st.groups[k]
		g.base = resize(g.base, width)
		for r := range g.base {
			g.base[r] = h.pull(k, &h.steady[k*width+r])
		}
		copy(g.previous, g.closed)
		g.startAll(st.tasks)
		g.divide()
		level := g.closed[g.whole]
		if !h.within(k, level) {
			return false
		}
		_, same := st.move(g, 1)
		steady = steady && same
		h.dev[k] = level - h.origin[k]
		h.sum[k] += h.dev[k]
	}
	h.made++
	if h.steadily++; !steady {
		h.steadily = 0
	}
	return true
}

// within reports whether a level is within its radius, and reaches nobody who is close to it.
func (h *stretch) within(k int, level float64) bool {
	if !(math.Abs(level-h.origin[k]) <= h.radius[k]*h.origin[k]) {
		return false
	}
	for q, ratio := range h.guard[k*len(h.origin):][:len(h.origin)] {
		if level*ratio > (h.origin[q]+h.dev[q])*(1+dust) {
			return false
		}
	}
	return true
}

// pull returns what the steady users take of a resource as group k acts. With D[q] the
// deviations of a level added up, they have taken made·speed + slope·D[k] - Σ weight·D[q]
// after so many sweeps, which holds to rounding however many there are.
func (h *stretch) pull(k int, s *sums) pull {
	if s.slope == 0 {
		return pull{}
	}
	room := s.room - float64(h.made+1)*s.speed
	for q, weight := range s.weight {
		room += weight * h.sum[q]
	}
	level := h.origin[k] + (room/s.slope - h.sum[k])
	return pull{s.slope, s.slope*level - 1}
}

// save notes what a sweep changes.
func (h *stretch) save() {
	h.before.copy(&h.deviations)
	h.had, h.closed = h.had[:0], h.closed[:0]
	for k := range h.st.groups {
		g := &h.st.groups[k]
		h.closed = append(append(h.closed, g.closed...), g.previous...)
		for _, i := range g.order {
			h.had = append(h.had, had{g.x[i], h.st.tasks[g.Users[i]], g.pattern[i]})
		}
	}
}

// restore is the inverse of save.
func (h *stretch) restore() {
	h.deviations.copy(&h.before)
	had, closed := h.had, h.closed
	for k := range h.st.groups {
		g := &h.st.groups[k]
		closed = closed[copy(g.closed, closed):]
		closed = closed[copy(g.previous, closed):]
		for _, i := range g.order {
			g.x[i], h.st.tasks[g.Users[i]], g.pattern[i] = had[0].x, had[0].tasks, had[0].pattern
			had = had[1:]
		}
	}
}

// end writes down what the steady users hold by now, and has everybody take part again.
func (h *stretch) end() {
	made := float64(h.made)
	for k := range h.st.groups {
		g := &h.st.groups[k]
		for _, i := range g.order[h.listed[k]:] {
			if g.x[i] > 0 {
				h.orders[k] = append(h.orders[k], i)
			}
		}
		g.order, g.base = h.orders[k], nil
		for _, i := range g.order {
			j := g.Users[i]
			if h.visited[j] || g.pattern[i] == idle {
				continue
			}
			q, last, key := int(h.last[j]), h.key[j], g.Key[i]
			before := h.sum[q]
			if q >= k { // that was in the sweep before
				before -= h.dev[q]
			}
			g.x[i] += made*(h.origin[k]*key-h.origin[q]*last) + key*h.sum[k] - last*before
			h.last[j], h.key[j] = int32(k), key
			h.st.tasks[j] = (h.origin[k] + h.dev[k]) * key
		}
	}
}
