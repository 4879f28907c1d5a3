package waiting

import (
	"math"
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/boxes"
)

// Servers is the ledger of a cluster with what is needed to find room in it
// quickly: sketches of what is free, and of many servers a tree of boxes around
// what is free.
//
// It keeps a log of the servers that tasks have left. Between two searches what is
// free grows on these alone, so whoever found no room looks at them alone.
type Servers struct {
	*cluster.Ledger
	sketches
	env    *cluster.Environment
	first  []int32            // per class: its first server
	unit   []float64          // per resource: one unit in parts of the total
	square []*big.Int         // per resource: unit², see squares; nil: not needed so far
	every  []int32            // all links
	global []int32            // those that reach every server
	tree   *boxes.Tree[int64] // of what is free, as of the last query; nil where a scan is cheaper
	log    freedLog
	left   []int64 // per server: the position in the log behind its latest entry
	short  int64   // entries of the log that are looked at one by one
	scan   int64   // the same for a best fit
	ask    query   // the search for a best fit under way
	floor  []int64 // scratch
	// suspended are the servers on which tasks were suspended since the last call of Suspended.
	suspended       []int32
	moves           moveLog
	states          states
	near            map[string]*nearest // by demand
	key             []byte              // scratch
	gapOf, gapOther []int64             // scratch
	since           []int32             // scratch
	toMove          []int32             // servers that tree or states, whichever is used, have not followed yet
	hasMoved        []bool              // per server: it is among them
}

// manyServers is the number of servers from which on they have a tree.
const manyServers = 49

// shortLog is the number of servers in the log up to which these are looked at
// without the tree.
const shortLog = 16

// NewServers returns the empty servers of a cluster, with a tree if they are many.
func NewServers(env *cluster.Environment) *Servers {
	servers := 0
	for s := range env.Servers {
		servers += env.Servers[s].Count
	}
	return NewServersIndexed(env, servers >= manyServers)
}

// NewServersIndexed is [NewServers] with or without a tree, whatever their number.
// What is found is the same.
func NewServersIndexed(env *cluster.Environment, tree bool) *Servers {
	p := &Servers{Ledger: cluster.NewLedger(env), env: env, short: shortLog, scan: logged}
	servers := int32(0)
	for s := range env.Servers {
		p.first = append(p.first, servers)
		servers += int32(env.Servers[s].Count)
	}
	for r := range env.Resources {
		unit := 0.0
		if total := env.TotalCapacity(r); total > 0 {
			unit = p.Grid(r).Float(1) / total
		}
		p.unit = append(p.unit, unit)
	}
	for e := range env.Links {
		p.every = append(p.every, int32(e))
		if reachesAll(env, e) {
			p.global = append(p.global, int32(e))
		}
	}
	p.sketches = newSketches(p.Ledger)
	p.links = linksOf(p.Ledger, p.global, len(env.Resources))
	p.moves = newMoveLog(p.Servers())
	if !tree {
		p.left = make([]int64, p.Servers())
		p.short = min(p.short, int64(p.Servers()))
		p.scan = p.short
		return p
	}
	p.tree = boxes.New[int64](len(env.Resources), func(a, b int32) bool { return a < b })
	for s := range p.Servers() {
		p.tree.Put(int32(s), p.Free(s))
	}
	p.left = p.tree.KeepStamps()
	p.hasMoved = make([]bool, p.Servers())
	p.near = map[string]*nearest{}
	p.states = newStates(p.Servers(), len(env.Servers))
	return p
}

// reachesAll reports whether a link reaches every server.
func reachesAll(env *cluster.Environment, link int) bool {
	for s := range env.Servers {
		if !env.Reaches(link, s) {
			return false
		}
	}
	return true
}

// Take starts a task of a kind on a server, where it fits.
func (p *Servers) Take(k *Kind, server int32) {
	p.Ledger.Take(&k.Need, int(server))
	p.moved(server)
}

// Give ends tasks of a kind on a server.
func (p *Servers) Give(k *Kind, server int32, tasks int64) {
	p.Ledger.GiveSome(&k.Need, int(server), tasks)
	p.moved(server)
}

// TakeSome starts up to n tasks of a kind on a server, as many as fit, and returns their
// number.
func (p *Servers) TakeSome(k *Kind, server int32, n int64) (taken int64) {
	if !k.May.Has(p.Class(int(server))) {
		return 0
	}
	if taken = p.Ledger.TakeSome(&k.Need, int(server), n); taken > 0 {
		p.moved(server)
	}
	return taken
}

// Suspend ends tasks of a kind on a server, before a call of [Servers.Suspended]; until
// then no room is searched for.
func (p *Servers) Suspend(k *Kind, server int32, tasks int64) {
	p.Ledger.GiveSome(&k.Need, int(server), tasks)
	if len(p.suspended) == 0 || p.suspended[len(p.suspended)-1] != server {
		p.suspended = append(p.suspended, server)
	}
}

func (p *Servers) moved(server int32) {
	p.moves.add(server)
	p.sketches.server(p.Ledger, server)
	p.links = linksOf(p.Ledger, p.global, len(p.env.Resources))
	if p.tree != nil && !p.hasMoved[server] {
		p.hasMoved[server] = true
		p.toMove = append(p.toMove, server)
	}
}

// boxed returns the tree with what is free now.
func (p *Servers) boxed() *boxes.Tree[int64] {
	if len(p.toMove) > 0 {
		p.tree.ShiftAll(p.toMove, p.free)
		for _, s := range p.toMove {
			p.hasMoved[s] = false
		}
		p.toMove = p.toMove[:0]
	}
	return p.tree
}

func (p *Servers) free(server int32) []int64 { return p.Free(int(server)) }

// Freed notes that tasks have left a server since the last search, once a server.
func (p *Servers) Freed(server int32) {
	if p.left[server] > p.log.searched {
		return
	}
	p.log.add(server)
	if p.tree != nil {
		p.tree.Mark(server, p.log.end)
		if p.states.used {
			p.states.all[p.states.of[server]].stamp = p.log.end
		}
		return
	}
	p.left[server] = p.log.end
}

// Emptied notes that tasks leave any number of servers.
func (p *Servers) Emptied() { p.log.forget() }

// Suspended follows calls of [Servers.Suspend]. It returns the servers that tasks have
// left by them, in order of their numbers, until the next call.
func (p *Servers) Suspended() []int32 {
	slices.Sort(p.suspended)
	servers := slices.Compact(p.suspended)
	for _, server := range servers {
		p.moved(server)
	}
	if p.suspended = p.suspended[:0]; p.states.again < math.MaxInt64 {
		p.states.again = 0
	}
	return servers
}

// Fits reports whether a task of a kind fits on a server that may run it.
func (p *Servers) Fits(k *Kind, server int32) bool {
	return k.May.Has(p.Class(int(server))) && p.Ledger.Fits(&k.Need, int(server))
}

// MayFit reports whether a task of a kind may fit on some server. If it is false
// the task fits nowhere (no false negatives).
func (p *Servers) MayFit(k *Kind) bool {
	return p.passes(k.Need.Link) && p.roomSince(k.down, untried, nil) >= 0
}

// passes reports whether the links that reach every server have room.
func (p *Servers) passes(link []int64) bool {
	free := p.LinkFree()
	for _, e := range p.global {
		if link[e] > free[e] {
			return false
		}
	}
	return true
}
