package psdsf

import (
	"cmp"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Server is what one server (or one class of equal servers) knows: the users
// that it can host and what their tasks take of it. [Server.Fill] is its
// procedure; it keeps scratch memory, so a Server serves one goroutine.
type Server struct {
	// Users are the eligible users that the server can host, ascending.
	Users []int
	// Key is w[j]·γ[j,s] of each of Users: a user with x[j] tasks in total has
	// the level x[j]/Key, its normalised virtual dominant share.
	Key []float64
	// need is the part of each capacity that one task takes, user-major.
	need  []float64
	width int
	// ceiling is n[j]/Key, the level at which the user has all its tasks;
	// capped says whether one of them is finite.
	ceiling []float64
	capped  bool

	// Frozen is, of each of Users, the resource that stopped it in the last
	// Fill: its bottleneck. It is -1 for a user that is at its cap.
	Frozen []int
	start  []float64
	order  []int
	room   []float64
	slope  []float64
	open   []bool
}

// free marks a user that nothing has stopped yet, capReached one at its cap.
const (
	free       = -2
	capReached = -1
)

// NewServer returns server class s of env. Users that may not run there, and
// users for which γ[j,s] = 0, are none of its users. Links are ignored.
func NewServer(env *cluster.Environment, s int) *Server {
	v := &Server{width: len(env.Resources)}
	for j := range env.Users {
		gamma := env.Gamma(j, s)
		if !env.MayRun(j, s) || gamma == 0 {
			continue
		}
		u := &env.Users[j]
		v.Users = append(v.Users, j)
		v.Key = append(v.Key, u.Weight*gamma)
		v.ceiling = append(v.ceiling, u.Tasks/(u.Weight*gamma))
		v.capped = v.capped || !math.IsInf(u.Tasks, 1)
		for r, d := range env.Demand(j, s) {
			need := 0.0
			if d > 0 {
				need = d / env.Capacity(s, r)
			}
			v.need = append(v.need, need)
		}
	}
	n := len(v.Users)
	v.Frozen, v.start, v.order = make([]int, n), make([]float64, n), make([]int, n)
	for i := range v.order {
		v.order[i] = i
	}
	v.room, v.slope, v.open = make([]float64, v.width), make([]float64, v.width), make([]bool, v.width)
	return v
}

// needs returns the parts of the capacities that one task of Users[i] takes.
func (v *Server) needs(i int) []float64 { return v.need[i*v.width : (i+1)*v.width] }

// Fill is the server procedure: it allocates the whole server anew, given what
// its users hold elsewhere, so that each of them has a bottleneck here.
//
// elsewhere[i] and x[i] are tasks of Users[i] on all other servers and, on
// return, on this one. The answer is the unique max-min allocation of the
// levels (elsewhere+x)/Key over the x >= 0 that fit: the level of all users
// rises from the lowest, a user joins when the level reaches what it has
// elsewhere, and when a resource is used up all users that need it stop. So
// the loop of the paper's server procedure, which raises the lowest and lowers
// the highest until nothing changes, is replaced by where it ends.
//
// O(n·(log n + R²)) for n users and R resources; O(n²) with task caps.
func (v *Server) Fill(elsewhere, x []float64) {
	v.reset(elsewhere)
	level, joined, left := 0.0, 0, len(v.Users)
	for left > 0 {
		next, until := v.nextJoin(joined)
		stop, at := v.nextStop(level)
		if v.capped {
			if i, cap := v.nextCap(joined); i >= 0 && cap <= math.Min(until, at) {
				v.advance(cap - level)
				level = cap
				v.settle(i, capReached, level, x)
				left--
				v.tilt(joined)
				continue
			}
		}
		if next >= 0 && until <= at {
			v.advance(until - level)
			level = until
			joined = v.join(joined)
			continue
		}
		v.advance(at - level)
		level = at
		v.room[stop], v.open[stop] = 0, false
		for i := range v.Users {
			if v.Frozen[i] == free && v.needs(i)[stop] > 0 {
				v.settle(i, stop, level, x)
				left--
			}
		}
		v.tilt(joined)
	}
}

// reset prepares a Fill from what the users have elsewhere.
func (v *Server) reset(elsewhere []float64) {
	for i := range v.Users {
		v.start[i], v.Frozen[i] = elsewhere[i]/v.Key[i], free
	}
	v.sort()
	for r := range v.room {
		v.room[r], v.slope[r], v.open[r] = 1, 0, true
	}
}

// sort orders the users by where they start, then by index. Most keep their
// places from one Fill to the next, so it inserts, and sorts afresh if that
// takes too many moves.
func (v *Server) sort() {
	before := func(a, b int) bool { return v.start[a] < v.start[b] || v.start[a] == v.start[b] && a < b }
	moves := 8 * len(v.order)
	for k := 1; k < len(v.order); k++ {
		i, at := v.order[k], k
		for ; at > 0 && before(i, v.order[at-1]); at-- {
			v.order[at] = v.order[at-1]
			moves--
		}
		v.order[at] = i
		if moves < 0 {
			slices.SortFunc(v.order, func(a, b int) int {
				return cmp.Or(cmp.Compare(v.start[a], v.start[b]), cmp.Compare(a, b))
			})
			return
		}
	}
}

// nextJoin returns the place in the order of the next user that is still free
// to join, and its level; -1 and +Inf if there is none.
func (v *Server) nextJoin(joined int) (int, float64) {
	for k := joined; k < len(v.order); k++ {
		if i := v.order[k]; v.Frozen[i] == free {
			return k, v.start[i]
		}
	}
	return -1, math.Inf(1)
}

// join lets the next free user rise with the level.
func (v *Server) join(joined int) int {
	k, _ := v.nextJoin(joined)
	i := v.order[k]
	for r, need := range v.needs(i) {
		v.slope[r] += need * v.Key[i]
	}
	return k + 1
}

// nextStop returns the resource that is used up first if nobody joins, and the
// level at which it is.
func (v *Server) nextStop(level float64) (int, float64) {
	stop, at := -1, math.Inf(1)
	for r, open := range v.open {
		if open && v.slope[r] > 0 {
			if l := level + v.room[r]/v.slope[r]; l < at {
				stop, at = r, l
			}
		}
	}
	return stop, at
}

// nextCap returns the rising user that reaches its cap first, and the level.
func (v *Server) nextCap(joined int) (int, float64) {
	first, at := -1, math.Inf(1)
	for _, i := range v.order[:joined] {
		if v.Frozen[i] == free && v.ceiling[i] < at {
			first, at = i, v.ceiling[i]
		}
	}
	return first, at
}

// advance raises the level of all that rise.
func (v *Server) advance(by float64) {
	for r := range v.room {
		v.room[r] = math.Max(v.room[r]-by*v.slope[r], 0)
	}
}

// settle stops a user at the level.
func (v *Server) settle(i, why int, level float64, x []float64) {
	v.Frozen[i] = why
	x[i] = math.Max(level-v.start[i], 0) * v.Key[i]
}

// tilt recomputes how fast the rising users use up each resource.
func (v *Server) tilt(joined int) {
	clear(v.slope)
	for _, i := range v.order[:joined] {
		if v.Frozen[i] == free {
			for r, need := range v.needs(i) {
				v.slope[r] += need * v.Key[i]
			}
		}
	}
}
