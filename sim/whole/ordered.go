package whole

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// Rule decides which waiting task starts where.
type Rule interface {
	open(e *run) scheduler
}

// scheduler is a rule at work in one replay.
type scheduler interface {
	// Norm returns N of a user.
	Norm(u *cluster.User) (*order.Norm, error)
	// events allocates after completions and arrivals.
	events() error
	// slot allocates after everything has been suspended.
	slot() error
	// restart reports whether there is something to do although nothing runs
	// and nobody arrives any more.
	restart() bool
}

// ordered serves users in the order of [order.Turn]. Both rules of this kind
// work alike: they differ in what makes the order.
type ordered struct {
	normalize policies.Normalizer // nil: order of arrival
	priority  bool                // jobs of higher priority first
}

// ShareOrdered returns Algorithm 2 of the TSF-ER paper for an egalitarian rule,
// one that implements [policies.Normalizer]. Without slots and links it is the
// online algorithm of the TSF paper, section V-D.
//
// Definition: of the users with a waiting task that fits somewhere, serve the
// one with the smallest share x[j]/(w[j]·N[j]), of several the one with the
// smaller 1/N[j], then the one that comes first in the stream; shares and N are
// compared as rational numbers ([policies.RationalsOf]). Its task goes to
// the eligible server with room on which Σ_r (a[s,r] − d[j,r])² is smallest, a
// being what is free there, each resource in parts of the total, compared as
// rational numbers; of several, to the one of lowest number.
//
// Where jobs have tenants ([sim.Tenants]) the share of a tenant decides first: the mean
// of its jobs' shares at the weights W/k, which is Σ_j x[j]/(W·N[j]). Of the jobs of one
// tenant, and where tenants have the same share, it is the order above at the weight W.
// A tenant with many jobs, most of which run nothing, is therefore served no more often
// than one with few. To order the jobs of all tenants by x/(w·N) would serve each job
// that runs nothing before any job that runs something, whatever the tenants have.
//
// Guarantees: no waiting task fits anywhere between instants. Where links play
// no part, a waiting user therefore fits only on servers that tasks leave at
// this instant: a completion offers the freed server first, to the user with
// the smallest share that may run there.
//
// Errors: a rule without a share is refused here. One that divides the links
// among the servers beforehand (drf-cpu and the like, [policies.LinkSplitter])
// is an [policies.UnsupportedError] of the replay where there are links: it is
// N that is taken from a rule, and to serve in order of that N while tasks
// reach into the whole link would be another rule.
//
// References: TSF-ER, Algorithm 2; TSF, section V-D.
//
// Deviations: the TSF paper does not say on which machine a task goes that has
// several to choose from when it arrives; it is the best-fit one. Completions
// and arrivals of one instant have one allocation together.
func ShareOrdered(p policies.Policy) (Rule, error) {
	n, ok := p.(policies.Normalizer)
	if !ok {
		return nil, fmt.Errorf("the rule equalises no share, so users cannot be served in order of theirs")
	}
	return ordered{normalize: n}, nil
}

// byTenant lets users be served by the share of their tenant first.
func (e *run) byTenant() {
	e.shared = waiting.NewTenants(e.servers,
		func(tenant int32) *order.Total { return e.totals[tenant] },
		func(user int32) int32 { return e.users[user].tenant })
	e.queue = e.shared
}

// FIFO returns the rule that serves users in order of arrival: whoever is next
// in that order and fits is served, so nothing that fits waits.
func FIFO() Rule { return ordered{} }

// ByPriority returns [FIFO] among jobs of the same priority; of others the one with the
// larger [sim.Job.Priority] is served first. What runs is not suspended for it, and tasks
// of a lower priority that fit do not wait for those of a higher one that do not.
func ByPriority() Rule { return ordered{priority: true} }

// placesOf returns the place of the first job of each priority in the order of [ByPriority].
func placesOf(jobs map[int64]int) map[int64]int {
	places, before := map[int64]int{}, 0
	for _, priority := range slices.Backward(slices.Sorted(maps.Keys(jobs))) {
		places[priority] = before
		before += jobs[priority]
	}
	return places
}

func (o ordered) open(e *run) scheduler {
	e.queue = waiting.NewIndex(e.servers)
	if e.tenants != nil && o.normalize != nil {
		e.byTenant()
	}
	if o.priority {
		e.places = placesOf(e.feed.Priorities)
	}
	return &inOrder{run: e, Normalizer: order.NewNormalizer(o.normalize, e.Env)}
}

// inOrder is the scheduler of [ordered].
type inOrder struct {
	*run
	*order.Normalizer
}

func (o *inOrder) restart() bool { return false }
func (o *inOrder) slot() error   { return o.events() }

// events places tasks until no waiting one fits.
func (o *inOrder) events() error {
	for {
		at, server, ok := o.queue.Next()
		if !ok {
			return nil
		}
		o.place(at, server)
		if o.users[at].waiting() > 0 {
			o.wait(at)
		} else {
			o.queue.Remove(at)
		}
	}
}
