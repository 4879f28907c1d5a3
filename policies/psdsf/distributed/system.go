// Package distributed runs PS-DSF as the paper proposes to run it: without
// anybody who knows the whole. Every server acts by itself once a period, at a
// phase of its own, and divides itself anew among its users; it knows what it
// has, what its users' tasks take, and how many tasks each of them has in total.
//
// # What comes of it
//
// A server that acts leaves all its users with a bottleneck on it, given what
// they hold elsewhere. Where no server changes anything any more the allocation
// is PS-DSF (Theorem 1), at any phases: what rests is right. Whether the servers
// come to rest, and at which of several PS-DSF allocations, depends on their
// order and on where they start; the paper shows neither, and neither is always
// so, see package psdsf. [System.Settle] counts the rounds.
//
// References: Khamse-Ashari et al., "Per-Server Dominant-Share Fairness",
// section III-D. Deviations: the phases, which the paper does not give, are
// drawn; news of a departure reaches all servers at once.
package distributed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/policies/psdsf"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// The phases of one instant: users come and go, then servers act, then
// [System.Advance] returns.
const (
	userPhase event.Phase = iota
	serverPhase
	stopPhase
)

// what happens at an event: server acts if it is not -1; else user comes or
// goes if it is not -1; else Advance returns.
type what struct {
	server, user int
	here         bool
}

// Traffic counts what has passed between servers and users.
type Traffic struct {
	Actions int // times that a server acted
	// Reads are totals x[j] that servers asked for, one a user and action;
	// Reports are changes of x[j,s] that servers told users of.
	Reads, Reports int
}

// System is a cluster of servers that act by themselves.
type System struct {
	env     *cluster.Environment // as given
	class   []int                // per server: its class in env
	spread  *cluster.Environment // one server each
	period  event.Time
	engine  event.Engine[what]
	present []bool
	who     []int           // users present, by their numbers in env
	servers []*psdsf.Server // over the users present; nil: to be made
	x       [][]float64     // tasks by server and user
	total   []float64       // what the users know: x[j]
	traffic Traffic
	change  float64 // largest relative change since it was last reset

	elsewhere, now []float64
}

// Quiet is the relative change of x[j,s], in parts of x[j], up to which a
// server tells nobody.
const Quiet = 1e-9

// New starts the servers of env at time 0, each with DRF among the users that
// are present. Every server of a class acts by itself, first at a phase drawn
// uniformly from [0, period) and then once a period.
//
// Links and task caps are not part of PS-DSF; it is an error if env has any that
// matter.
func New(env *cluster.Environment, present []bool, period event.Time, rng *rand.Rand) (*System, error) {
	if period < 1 {
		panic(fmt.Sprintf("distributed: a period of %d", period))
	}
	for j := range env.Users {
		if !math.IsInf(env.Users[j].Tasks, 1) {
			return nil, fmt.Errorf("users[%d] (%s) has a task cap, which no server knows of", j, env.Users[j].Name)
		}
		for e := range env.Links {
			if env.LinkDemand(j, e) > 0 {
				return nil, fmt.Errorf("users[%d] (%s) needs link %s, which belongs to no server", j, env.Users[j].Name, env.Links[e].Name)
			}
		}
	}
	n := len(env.Users)
	sys := &System{env: env, period: period, present: append([]bool(nil), present...),
		total: make([]float64, n), elsewhere: make([]float64, n), now: make([]float64, n)}
	sys.spread, sys.class = env.Individually()
	sys.count()
	sys.servers = make([]*psdsf.Server, len(sys.class))
	for s := range sys.servers {
		sys.x = append(sys.x, make([]float64, n))
		sys.fill(s, func(int) float64 { return 0 })
		sys.engine.Schedule(event.Time(rng.Int64N(int64(period))), serverPhase, what{server: s, user: -1})
	}
	sys.traffic = Traffic{}
	return sys, nil
}

// UserAt lets a user come (here) or go at a time that is not past. A user that
// goes takes its tasks with it; one that comes has none until servers act.
func (sys *System) UserAt(at event.Time, j int, here bool) {
	sys.engine.Schedule(at, userPhase, what{server: -1, user: j, here: here})
}

// Now returns the time.
func (sys *System) Now() event.Time { return sys.engine.Now() }

// Traffic returns what has passed so far.
func (sys *System) Traffic() Traffic { return sys.traffic }

// Advance lets everything happen up to and at a time.
func (sys *System) Advance(to event.Time) {
	sys.engine.Schedule(to, stopPhase, what{server: -1, user: -1})
	for {
		e, _ := sys.engine.Next() // the stop is in the queue
		switch w := e.Payload; {
		case w.server >= 0:
			sys.act(w.server)
			sys.engine.Schedule(e.At+sys.period, serverPhase, w)
		case w.user >= 0:
			sys.turn(w.user, w.here)
		default:
			return
		}
	}
}

// count lists the users that are present.
func (sys *System) count() {
	sys.who = sys.who[:0]
	for j, here := range sys.present {
		if here {
			sys.who = append(sys.who, j)
		}
	}
}

// turn lets a user come or go.
func (sys *System) turn(j int, here bool) {
	sys.present[j] = here
	sys.count()
	clear(sys.servers)
	if !here {
		sys.total[j] = 0
		for s := range sys.x {
			sys.x[s][j] = 0
		}
	}
}

// act is the server procedure.
func (sys *System) act(s int) {
	sys.traffic.Actions++
	sys.fill(s, func(j int) float64 { return math.Max(sys.total[j]-sys.x[s][j], 0) })
}

// fill divides server s anew, given what its users hold elsewhere.
func (sys *System) fill(s int, held func(j int) float64) {
	if sys.servers[s] == nil {
		sys.servers[s] = psdsf.NewServer(sys.among(s), 0)
	}
	v := sys.servers[s]
	elsewhere, now, who := sys.elsewhere[:len(v.Users)], sys.now[:len(v.Users)], sys.who
	for i, k := range v.Users {
		elsewhere[i] = held(who[k])
	}
	v.Fill(elsewhere, now)
	for i, k := range v.Users {
		sys.report(s, who[k], now[i])
	}
}

// among returns server s alone with the users present.
func (sys *System) among(s int) *cluster.Environment {
	one := &cluster.Environment{Resources: sys.env.Resources, Servers: sys.spread.Servers[s : s+1]}
	for j, here := range sys.present {
		if !here {
			continue
		}
		u := sys.spread.Users[j]
		u.Demand, u.DemandOn, u.Eligible = sys.spread.Demand(j, s), nil, nil
		if !sys.spread.MayRun(j, s) {
			u.Eligible = cluster.NewSet(1)
		}
		one.Users = append(one.Users, u)
	}
	return one
}

// report gives user j its new tasks on server s.
func (sys *System) report(s, j int, x float64) {
	sys.traffic.Reads++
	old := sys.x[s][j]
	if x == old {
		return
	}
	sys.x[s][j] = x
	sys.total[j] = math.Max(sys.total[j]+(x-old), x)
	change := math.Abs(x-old) / math.Max(sys.total[j], old)
	if change > Quiet {
		sys.traffic.Reports++
	}
	sys.change = math.Max(sys.change, change)
}

// Settle lets rounds of one period pass until one changes no x[j,s] by more than
// [Quiet] of x[j], and returns how many there were before it. It is false if
// there is none such within so many rounds.
func (sys *System) Settle(most int) (rounds int, ok bool) {
	for rounds = 0; rounds <= most; rounds++ {
		sys.change = 0
		sys.Advance(sys.Now() + sys.period)
		if sys.change <= Quiet {
			return rounds, true
		}
	}
	return most, false
}

// Allocation returns what the users hold now, by class of the environment given
// to [New]. Absent users hold nothing. Shares are 0.
func (sys *System) Allocation() *cluster.Allocation {
	n, width := len(sys.env.Users), len(sys.env.Servers)
	a := &cluster.Allocation{Region: sys.env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n)}
	for s, class := range sys.class {
		for j, x := range sys.x[s] {
			a.X[j*width+class] += x
			a.Tasks[j] += x
		}
	}
	return a
}
