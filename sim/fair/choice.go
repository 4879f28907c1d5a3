package fair

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Choice is an allocation in which every user has chosen one server, and holds
// what it is given there: the outcome of a server-choice game. Its methods are
// the properties of the MAGIKS paper, each with the user or the pair that
// decides it. They are written to be read, and cost what the definitions say.
//
// ψ[j,s] is what user j runs when server s, and the links that lead to it, are
// its own; A(s) are the users of a server.
type Choice struct {
	env    *cluster.Environment
	server []int // of each user; -1: none
	tasks  []float64
	judge  *Judge
	alloc  *cluster.Allocation
}

// NewChoice returns the outcome in which user j runs tasks[j] on server[j], or
// nothing where that is -1. Every server of env must stand for one (Count 1),
// and a link must lead to one server at most; else it panics.
func NewChoice(env *cluster.Environment, server []int, tasks []float64) *Choice {
	for s := range env.Servers {
		if env.Servers[s].Count != 1 {
			panic(fmt.Sprintf("fair: %s is a class of %d servers", env.Servers[s].Name, env.Servers[s].Count))
		}
	}
	for e := range env.Links {
		reached := 0
		for s := range env.Servers {
			if env.Reaches(e, s) {
				reached++
			}
		}
		if reached > 1 {
			panic(fmt.Sprintf("fair: link %s leads to %d servers", env.Links[e].Name, reached))
		}
	}
	a := &cluster.Allocation{Region: env, Tasks: tasks, X: make([]float64, len(tasks)*len(env.Servers))}
	for j, s := range server {
		if s >= 0 {
			a.On(j)[s] = tasks[j]
		}
	}
	return &Choice{env: env, server: server, tasks: tasks, judge: NewJudge(env), alloc: a}
}

// Feasible checks the capacities, see [cluster.Allocation.Feasible].
func (c *Choice) Feasible(tolerance float64) error { return c.alloc.Feasible(tolerance) }

// members returns A(s), without or with one more user.
func (c *Choice) members(s int, with ...int) []int {
	var all []int
	for j, at := range c.server {
		if at == s {
			all = append(all, j)
		}
	}
	return append(all, with...)
}

// alone returns ψ[j,s].
func (c *Choice) alone(j, s int) float64 {
	if !c.env.MayRun(j, s) {
		return 0
	}
	return c.env.Psi(j, s)
}

// LocalEnvy is definition 1 (LEF): the pair of users of one server with the
// smallest u[i](own)/u[i](j's bundle). LEF holds where Sat is 1.
func (c *Choice) LocalEnvy() Envy {
	worst := Envy{nobody(c.env), 1}
	for s := range c.env.Servers {
		if e := c.judge.MinEFSat(c.alloc, c.members(s)); len(c.members(s)) > 0 && e.Sat < worst.Sat {
			worst = e
		}
	}
	return worst
}

// Envy is definition 4 (αEF): the pair of users of all with the smallest
// u[i](own)/u[i](j's bundle), Sat. αEF holds where Sat is at least 1/α.
func (c *Choice) Envy() Envy { return c.judge.MinEFSat(c.alloc, nil) }

// Promise compares what a user holds with what a property promises it.
type Promise struct {
	env      *cluster.Environment
	what     string
	User     int     // whose Ratio is smallest; -1 if nobody chose a server
	Tasks    float64 // that it holds
	Promised float64
	Ratio    float64 // Tasks/Promised; 0/0 is 1. The property holds where it is at least 1
}

// String says what the user holds and what it is promised.
func (p Promise) String() string {
	if p.User < 0 {
		return "nobody has chosen a server"
	}
	return fmt.Sprintf("user %q holds %.9g tasks, its %s is %.9g (ratio %.9g)",
		p.env.Users[p.User].Name, p.Tasks, p.what, p.Promised, p.Ratio)
}

// LocalSharing is definition 2 (LSI): every user holds at least its part
// w[j]/Σ_{i∈A(s)} w[i] of its server, (w[j]/Σw)·ψ[j,s].
func (c *Choice) LocalSharing() Promise {
	return c.least("equal part of its server", func(j, s int) float64 {
		total := 0.0
		for _, i := range c.members(s) {
			total += c.env.Users[i].Weight
		}
		return c.env.Users[j].Weight / total * c.alone(j, s)
	})
}

// MaximinShare is definition 5 (MMS): every user holds at least what it is
// left with when it divides the servers into as many bundles as there are
// users, each bundle on one server, and chooses last: the largest v with
// Σ_s ⌊ψ[j,s]/v⌋ ≥ n. On servers that are alike that is ψ[j]/⌈n/m⌉. Weights
// play no part in it.
func (c *Choice) MaximinShare() Promise {
	return c.least("maximin share", func(j, _ int) float64 { return c.maximin(j) })
}

// maximin cuts the server whose bundles are largest after one more cut, until
// there is a bundle for everybody who has chosen a server.
func (c *Choice) maximin(j int) float64 {
	var cuts bundles
	for s := range c.env.Servers {
		if psi := c.alone(j, s); psi > 0 {
			cuts = append(cuts, bundle{whole: psi, parts: 1})
		}
	}
	heap.Init(&cuts)
	share := 0.0
	for _, s := range c.server {
		if s >= 0 {
			share = cuts[0].size()
			cuts[0].parts++
			heap.Fix(&cuts, 0)
		}
	}
	return share
}

// bundle is a server cut into equal parts; bundles is the heap of the largest
// part.
type bundle struct{ whole, parts float64 }

func (b bundle) size() float64 { return b.whole / b.parts }

type bundles []bundle

func (b bundles) Len() int           { return len(b) }
func (b bundles) Less(i, j int) bool { return b[i].size() > b[j].size() }
func (b bundles) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *bundles) Push(any)          { panic("fair: no server comes to be") }
func (b *bundles) Pop() any          { panic("fair: no server is used up") }

func (c *Choice) least(what string, promised func(j, s int) float64) Promise {
	worst := Promise{env: c.env, what: what, User: -1, Ratio: math.Inf(1)}
	for j, s := range c.server {
		if s < 0 {
			continue
		}
		p := Promise{c.env, what, j, c.tasks[j], promised(j, s), 1}
		if p.Tasks != 0 || p.Promised != 0 {
			p.Ratio = p.Tasks / p.Promised
		}
		if p.Ratio < worst.Ratio {
			worst = p
		}
	}
	return worst
}

// Slack is what a user could run beside what it holds, from what is left over
// on its own server.
type Slack struct {
	env   *cluster.Environment
	User  int     // -1 if nobody chose a server
	Tasks float64 // more
	// Relative is Tasks/ψ[j,s].
	Relative float64
}

// String says who could have more.
func (s Slack) String() string {
	if s.User < 0 {
		return "nobody has chosen a server"
	}
	return fmt.Sprintf("user %q could run %.9g tasks more on what is left of its server (%.3g of the server)",
		s.env.Users[s.User].Name, s.Tasks, s.Relative)
}

// LocalSlack is definition 3 (LPO): the user that could gain most, relative to
// its ψ, from what is left over on its server. LPO holds where Relative is 0:
// since utilities are Leontief, users of one server can be given more at
// nobody's cost exactly where one of them finds some of every resource that
// it needs unused.
func (c *Choice) LocalSlack() Slack {
	usage := c.alloc.Usage(nil)
	most := Slack{env: c.env, User: -1, Relative: math.Inf(-1)}
	for j, s := range c.server {
		if s < 0 {
			continue
		}
		more := math.Inf(1)
		for r, d := range c.env.Demand(j, s) {
			if d > 0 {
				more = math.Min(more, (c.env.Servers[s].Capacity[r]-usage[c.env.Row(s, r)])/d)
			}
		}
		for e := range c.env.Links {
			if d := c.env.LinkDemand(j, e); d > 0 && c.env.Reaches(e, s) {
				more = math.Min(more, (c.env.Links[e].Capacity-usage[c.env.LinkRow(e)])/d)
			}
		}
		if rel := more / c.alone(j, s); rel > most.Relative {
			most = Slack{c.env, j, more, rel}
		}
	}
	return most
}

// Local is the rule of a server: the tasks that it gives each of its users, in
// their order.
type Local func(s int, users []int) ([]float64, error)

// Deviation is a user's move to another server, the others staying.
type Deviation struct {
	env      *cluster.Environment
	User     int // -1 if nobody has a server to move to
	To       int
	Now, New float64 // tasks
	Ratio    float64 // New/Now
}

// String says who would move where.
func (d Deviation) String() string {
	if d.User < 0 {
		return "nobody could move"
	}
	return fmt.Sprintf("user %q would run %.9g tasks on %s instead of %.9g (ratio %.9g)",
		d.env.Users[d.User].Name, d.New, d.env.Servers[d.To].Name, d.Now, d.Ratio)
}

// BestDeviation returns the move with the largest gain under a local rule. The
// association is a Nash equilibrium where Ratio is at most 1.
func (c *Choice) BestDeviation(rule Local) (Deviation, error) {
	best := Deviation{env: c.env, User: -1}
	for j, at := range c.server {
		if at < 0 {
			continue
		}
		for s := range c.env.Servers {
			if s == at || c.alone(j, s) == 0 {
				continue
			}
			there := c.members(s, j)
			tasks, err := rule(s, there)
			if err != nil {
				return Deviation{}, err
			}
			if x := tasks[len(there)-1]; best.User < 0 || x/c.tasks[j] > best.Ratio {
				best = Deviation{c.env, j, s, c.tasks[j], x, x / c.tasks[j]}
			}
		}
	}
	return best, nil
}
