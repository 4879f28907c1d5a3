package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// unfilled knows whether a task that waits fits somewhere, by an account of its own of what
// is free.
//
// Invariant: if found is nil, every server on which a task of a kind in waiting fits is in
// freed, or the kind is in fresh. What is free grows on servers alone that a task leaves,
// and what waits alone with a task that comes or is suspended.
type unfilled struct {
	ledger  *cluster.Ledger
	env     *cluster.Environment
	kinds   map[string]*kind
	waiting []*kind // those of which a task waits
	fresh   []*kind // of which none did when they were last looked at
	freed   []int32 // servers that tasks have left since
	marked  []bool  // by server: is in freed
	least   []int64 // per resource: at most what any kind in waiting takes
	found   *kind   // fits on server
	server  int
}

// kind is what jobs of the same demands and eligibility share.
type kind struct {
	need  *cluster.Need
	may   cluster.Set
	tasks int64   // that wait
	place int     // in waiting, if tasks > 0
	fresh bool    // is in fresh
	jobs  []int32 // that have come; those that have left may still be there
}

func newUnfilled(env *cluster.Environment) *unfilled {
	u := &unfilled{env: env, ledger: cluster.NewLedger(env), kinds: map[string]*kind{}}
	u.marked = make([]bool, u.ledger.Servers())
	return u
}

// kindOf returns the kind of a job, which comes.
func (u *unfilled) kindOf(job int) *kind {
	user := &u.env.Users[job]
	var key strings.Builder
	fmt.Fprintf(&key, "%x %x %x", user.Demand, user.LinkDemand, user.Eligible)
	k := u.kinds[key.String()]
	if k == nil {
		k = &kind{need: u.ledger.Need(user), may: user.Eligible}
		u.kinds[key.String()] = k
	}
	k.jobs = append(k.jobs, int32(job))
	return k
}

// wait counts tasks of a kind that begin to wait, or cease to.
func (u *unfilled) wait(k *kind, n int64) {
	before := k.tasks
	switch k.tasks += n; {
	case before == 0 && k.tasks > 0:
		k.place = len(u.waiting)
		u.waiting = append(u.waiting, k)
		u.atMost(k)
		if !k.fresh {
			k.fresh = true
			u.fresh = append(u.fresh, k)
		}
	case before > 0 && k.tasks == 0:
		last := u.waiting[len(u.waiting)-1]
		u.waiting[k.place], last.place = last, k.place
		u.waiting = u.waiting[:len(u.waiting)-1]
	}
}

// atMost lowers least to what a kind takes. No job's demand depends on the server.
func (u *unfilled) atMost(k *kind) {
	need := k.need.On(0)
	if len(u.waiting) == 1 {
		u.least = slices.Clone(need)
	}
	for r, d := range need {
		u.least[r] = min(u.least[r], d)
	}
}

func (u *unfilled) start(k *kind, server int) { u.ledger.Take(k.need, server) }

func (u *unfilled) end(k *kind, server int) {
	u.ledger.Give(k.need, server)
	if len(u.ledger.Behind(u.ledger.Class(server))) == 0 {
		u.free(server)
		return
	}
	for s := range u.marked { // there is room behind the links of other servers too
		u.free(s)
	}
}

func (u *unfilled) free(server int) {
	if !u.marked[server] {
		u.marked[server] = true
		u.freed = append(u.freed, int32(server))
	}
}

// fits reports whether a task of a kind fits on a server that may run it.
func (u *unfilled) fits(k *kind, server int) bool {
	return k.may.Has(u.ledger.Class(server)) && u.ledger.Fits(k.need, server)
}

// look reports whether a task that waits fits somewhere; found and server say which.
func (u *unfilled) look() bool {
	if u.found != nil && u.found.tasks > 0 && u.fits(u.found, u.server) {
		return true
	}
	u.found = nil
	for len(u.fresh) > 0 {
		k := u.fresh[len(u.fresh)-1]
		for s := range u.marked {
			if k.tasks > 0 && u.fits(k, s) {
				u.found, u.server = k, s
				return true
			}
		}
		k.fresh, u.fresh = false, u.fresh[:len(u.fresh)-1]
	}
	for len(u.freed) > 0 {
		s := u.freed[len(u.freed)-1]
		if u.found = u.anyOn(int(s)); u.found != nil {
			u.server = int(s)
			return true
		}
		u.marked[s], u.freed = false, u.freed[:len(u.freed)-1]
	}
	return false
}

// anyOn returns a kind in waiting that fits on a server; nil if none does.
func (u *unfilled) anyOn(server int) *kind {
	for r, free := range u.ledger.Free(server) {
		if len(u.waiting) == 0 || free < u.least[r] {
			return nil
		}
	}
	least := slices.Clone(u.waiting[0].need.On(0))
	for _, k := range u.waiting {
		if u.fits(k, server) {
			return k
		}
		for r, d := range k.need.On(0) {
			least[r] = min(least[r], d)
		}
	}
	u.least = least
	return nil
}
