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
	every []bool // per resource: whether all users need some
	// pull is need·Key: the part of each capacity per unit of level.
	pull []float64
	// ceiling is n[j]/Key, the level at which the user has all its tasks;
	// capped says whether one of them is finite.
	ceiling []float64
	capped  bool

	// Frozen is, of each of Users, the resource that stopped it in the last
	// Fill: its bottleneck. It is -1 for a user that is at its cap.
	Frozen []int
	// closed is, per resource, the level at which it was used up in the last
	// Fill, +Inf if it was not.
	closed []float64

	start  []float64 // per user: the level of what it has elsewhere
	order  []int     // who takes part, by start
	rising rising
	// guess is the level of each stop of the last flood, left and pulls its
	// scratch memory.
	guess []float64
	left  []int
	pulls []pull
	// base is what others than those in order take of each resource; nil: nothing.
	base []pull
	// under and over are the last start below the level that newton was last asked for,
	// and the first that is not.
	under, over float64
	// summed says that the first sum is there, whole which resource stops all; -1: see
	// Frozen.
	summed bool
	whole  int
	stops  []int // the resources in the order in which they were used up
}

// rising is a Fill under way.
type rising struct {
	level  float64
	joined int // of Server.order: who has been reached by the level
	left   int // how many nothing has stopped yet
	// Per resource: the part of the capacity that is free, what the rising
	// users take of it per unit of level, and whether some is left.
	room, slope []float64
	open        []bool
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
	for range v.width {
		v.every = append(v.every, true)
	}
	n := len(env.Users)
	v.Users, v.Key, v.ceiling = make([]int, 0, n), make([]float64, 0, n), make([]float64, 0, n)
	v.need, v.pull = make([]float64, 0, n*v.width), make([]float64, 0, n*v.width)
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
			v.every[r] = v.every[r] && need > 0
			v.need = append(v.need, need)
			v.pull = append(v.pull, need*u.Weight*gamma)
		}
	}
	v.Frozen, v.start = make([]int, len(v.Users)), make([]float64, len(v.Users))
	v.closed = make([]float64, v.width)
	v.rising.room, v.rising.slope = make([]float64, v.width), make([]float64, v.width)
	v.rising.open = make([]bool, v.width)
	v.guess, v.pulls = make([]float64, v.width), make([]pull, v.width)
	for k := range v.guess {
		v.guess[k] = math.Inf(1)
	}
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
	if len(v.order) != len(v.Users) {
		v.order = v.order[:0]
		for i := range v.Users {
			v.order = append(v.order, i)
		}
	}
	for i, has := range elsewhere[:len(v.Users)] {
		v.start[i] = has / v.Key[i]
	}
	v.rise(x)
}

// rise is Fill among the users in order, from the levels in start; it writes
// the x of those users.
func (v *Server) rise(x []float64) {
	v.whole = -1
	v.begin()
	for v.rising.left > 0 {
		// 1. What comes first: a user is reached, a resource used up, a cap reached.
		join := v.nextJoin()
		stop, at := v.nextStop()
		full, ceiling := v.nextCap()
		// 2. The level rises to it, and it happens.
		switch {
		case full >= 0 && ceiling <= min(join, at):
			v.lift(ceiling)
			v.settle(full, capReached, x)
			v.tilt()
		case join <= at:
			v.lift(join)
			v.join()
		default:
			v.lift(at)
			v.exhaust(stop, x)
		}
	}
}

// begin puts the level to 0.
func (v *Server) begin() {
	v.sort()
	for _, i := range v.order {
		v.Frozen[i] = free
	}
	f := &v.rising
	f.level, f.joined, f.left = 0, 0, len(v.order)
	for r := range f.room {
		f.room[r], f.slope[r], f.open[r], v.closed[r] = 1, 0, true, math.Inf(1)
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

// nextJoin passes over users that were stopped before the level reached them
// and returns the level at which the next one joins; +Inf if there is none.
func (v *Server) nextJoin() float64 {
	f := &v.rising
	for ; f.joined < len(v.order); f.joined++ {
		if i := v.order[f.joined]; v.Frozen[i] == free {
			return v.start[i]
		}
	}
	return math.Inf(1)
}

// join lets the user that nextJoin found rise with the level.
func (v *Server) join() {
	f := &v.rising
	v.add(v.order[f.joined])
	f.joined++
}

// add counts what a rising user takes per unit of level.
func (v *Server) add(i int) {
	for r, need := range v.needs(i) {
		v.rising.slope[r] += need * v.Key[i]
	}
}

// nextStop returns the resource that is used up first if nobody joins, and the
// level at which it is.
func (v *Server) nextStop() (int, float64) {
	f := &v.rising
	stop, at := -1, math.Inf(1)
	for r, open := range f.open {
		if open && f.slope[r] > 0 {
			if l := f.level + f.room[r]/f.slope[r]; l < at {
				stop, at = r, l
			}
		}
	}
	return stop, at
}

// nextCap returns the rising user that reaches its cap first, and the level; -1
// if none has one.
func (v *Server) nextCap() (int, float64) {
	first, at := -1, math.Inf(1)
	if !v.capped {
		return first, at
	}
	for _, i := range v.order[:v.rising.joined] {
		if v.Frozen[i] == free && v.ceiling[i] < at {
			first, at = i, v.ceiling[i]
		}
	}
	return first, at
}

// lift raises the level of all that rise.
func (v *Server) lift(level float64) {
	f := &v.rising
	for r, room := range f.room {
		f.room[r] = math.Max(room-(level-f.level)*f.slope[r], 0)
	}
	f.level = level
}

// exhaust stops all users that need a resource.
func (v *Server) exhaust(r int, x []float64) {
	f := &v.rising
	f.room[r], f.open[r], v.closed[r] = 0, false, f.level
	for _, i := range v.order {
		if v.Frozen[i] == free && v.needs(i)[r] > 0 {
			v.settle(i, r, x)
		}
	}
	v.tilt()
}

// settle stops a user at the level.
func (v *Server) settle(i, why int, x []float64) {
	v.Frozen[i] = why
	v.rising.left--
	x[i] = math.Max(v.rising.level-v.start[i], 0) * v.Key[i]
}

// tilt recomputes how fast the rising users use up each resource.
func (v *Server) tilt() {
	clear(v.rising.slope)
	for _, i := range v.order[:v.rising.joined] {
		if v.Frozen[i] == free {
			v.add(i)
		}
	}
}
