package policies

import (
	"fmt"
	"math"
	"sync"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// progressive is a rule of the egalitarian family: the lexicographic max-min
// allocation of x[j]/(w[j]·N[j]). Such rules differ only in the normaliser N
// and in the region.
//
// The allocation exists and its totals are unique; the split over servers is
// not. Users that no server of the region can host get 0 and are named.
type progressive struct {
	// normalize returns N for the users of env, in tasks.
	normalize func(env *cluster.Environment) ([]float64, error)
	// The region in which the allocation must be feasible is χ, the pool of all servers
	// (pools), or χ with each link divided among its servers in proportion to their
	// resource split, or equally ("eq").
	pools bool
	split string
	// exactly states N in rational numbers; nil: it is not stated. Where alone is set, N is
	// that of a user alone in the region with the links divided, if there are any.
	exactly stated
	alone   bool
	// unless returns an error where an allocation cannot be verified by exactly; nil: it
	// always can.
	unless func(env *cluster.Environment) error
}

// Egalitarian returns the rule that gives users the lexicographic max-min of
// x[j]/(w[j]·N[j]) in χ, the links shared by all servers: progressive filling at
// rates w·N, exact and restarted from the last event. normalize returns N[j] > 0
// for every user of the environment, in tasks; 0 for a user that nothing can
// host, +Inf for one whose demands the rule does not see, which is filled first.
// It depends on capacities and the user's own demand alone if the rule is to be
// strategy-proof, and must not change the environment. Its error, say an
// [UnsupportedError], is that of the rule.
//
// The rule also has a form for whole tasks: users are served in order of
// x[j]/(w[j]·N[j]) (Algorithm 2 of the TSF-ER paper).
func Egalitarian(normalize func(env *cluster.Environment) ([]float64, error)) Policy {
	return &progressive{normalize: normalize}
}

// region is where a rule allocates.
type region struct {
	env *cluster.Environment
	// back translates prices and names what the allocation refers to.
	back func(a *cluster.Allocation)
}

// Normalize implements [Normalizer].
func (p *progressive) Normalize(env *cluster.Environment) ([]float64, error) { return p.normalize(env) }

// SplitsLinks implements [LinkSplitter].
func (p *progressive) SplitsLinks() bool { return p.split != "" }

var solvers = sync.Pool{New: func() any { return new(solve.MaxMin) }}

// Allocate implements [Policy].
func (p *progressive) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	solver := solvers.Get().(*solve.MaxMin)
	defer solvers.Put(solver)
	s, err := p.open(env, solver)
	if err != nil {
		return nil, err
	}
	for j := range env.Users {
		s.Add(j)
	}
	a, err := s.Allocate()
	if err != nil {
		return nil, err
	}
	return a.Clone(), nil
}

// Open implements [Opener]: the simplex method restarts from the last event.
func (p *progressive) Open(env *cluster.Environment) (Session, error) {
	return p.open(env, new(solve.MaxMin))
}

func (p *progressive) open(env *cluster.Environment, solver *solve.MaxMin) (*progressiveSession, error) {
	norm, err := p.normalize(env)
	if err != nil {
		return nil, err
	}
	in, err := p.region(env)
	if err != nil {
		return nil, err
	}
	s := &progressiveSession{solver: solver, env: env, in: in, norm: norm}
	weighted := make([]float64, len(norm))
	for j := range norm {
		if weighted[j], err = s.weighted(j); err != nil {
			return nil, err
		}
	}
	solver.Load(in.env, weighted)
	return s, nil
}

// region is where the rule allocates.
func (p *progressive) region(env *cluster.Environment) (region, error) {
	if p.pools {
		return pool(env)
	}
	if p.split != "" {
		return splitBy(env, p.split)
	}
	return region{env: env}, nil
}

// Region implements [Regional].
func (p *progressive) Region(env *cluster.Environment) (*cluster.Environment, error) {
	in, err := p.region(env)
	return in.env, err
}

// leastNorm is the least w·N, and 1 over the largest, that shares are counted in:
// products with capacities and their inverses stay within the range of a double.
const leastNorm = 1e-300

type progressiveSession struct {
	solver *solve.MaxMin
	env    *cluster.Environment // that was given
	in     region
	norm   []float64 // N
	err    error     // of a weight
}

// weighted returns w·N of user j.
func (s *progressiveSession) weighted(j int) (float64, error) {
	n, user := s.norm[j], &s.env.Users[j]
	if n <= 0 || math.IsInf(n, 1) {
		return n, nil
	}
	wn := n * user.Weight
	if wn < leastNorm || wn > 1/leastNorm {
		return 0, &UnsupportedError{fmt.Sprintf("users[%d] (%s): the weight %g times the normaliser %g is beyond the range of a double",
			j, user.Name, user.Weight, n)}
	}
	return wn, nil
}

// Weigh implements [Session].
func (s *progressiveSession) Weigh(j int, weight float64) {
	s.env.Users[j].Weight, s.in.env.Users[j].Weight = weight, weight
	wn, err := s.weighted(j)
	if err != nil {
		s.err = err
		return
	}
	s.solver.Weigh(j, wn)
}

func (s *progressiveSession) Add(j int)    { s.solver.Add(j) }
func (s *progressiveSession) Remove(j int) { s.solver.Remove(j) }

func (s *progressiveSession) Allocate() (*cluster.Allocation, error) {
	if s.err != nil {
		return nil, s.err
	}
	a, err := s.solver.Solve()
	if err == nil && s.in.back != nil {
		s.in.back(a)
	}
	return a, err
}

// fixed returns a constructor of p that takes no parameters.
func fixed(p Policy) func(Params) (Policy, error) {
	return func(params Params) (Policy, error) {
		if err := params.Refuse(); err != nil {
			return nil, err
		}
		return p, nil
	}
}

// eta is the normaliser of the task-share rules.
func eta(env *cluster.Environment) ([]float64, error) { return env.Etas(nil), nil }

// dominant returns 1/max of d/(total capacity), over the resources and, where
// links is set, over the links: the tasks at which a user's dominant share of
// the pooled cluster would be 1. It is +Inf where the user needs none of what is
// looked at.
//
// A capacity of 0 is no part of the maximum. It closes servers to the users who
// need it there: those behind the link, or all with the usual demand where there
// is none of a resource. What such a user runs elsewhere takes nothing of it. One
// whose usual demand fits nowhere is measured by its demand where it differs, on
// the server of the smallest dominant share among those that have what it needs;
// N is 0 where there is none.
//
// Deviations: the papers have positive capacities, and one demand.
func dominant(env *cluster.Environment, links bool) []float64 {
	norm := make([]float64, len(env.Users))
	p := pooled{env: env, links: links, total: make([]float64, len(env.Resources))}
	for r := range p.total {
		p.total[r] = env.TotalCapacity(r)
	}
	for j := range norm {
		if p.somewhere(env.Users[j].Demand) {
			norm[j] = p.norm(j, env.Users[j].Demand)
			continue
		}
		for s, d := range env.Users[j].DemandOn {
			if hosts(env, j, s) {
				norm[j] = max(norm[j], p.norm(j, d))
			}
		}
	}
	return norm
}

// pooled is the pool of all servers, by which demands are measured.
type pooled struct {
	env   *cluster.Environment
	links bool
	total []float64
}

// somewhere reports whether there is any of each resource that is needed.
func (p *pooled) somewhere(demand []float64) bool {
	for r, d := range demand {
		if d > 0 && p.total[r] == 0 {
			return false
		}
	}
	return true
}

// norm returns 1/max of demand/total for user j.
func (p *pooled) norm(j int, demand []float64) float64 {
	n := cluster.Inf
	for r, d := range demand {
		if d > 0 && p.total[r] > 0 {
			n = math.Min(n, p.total[r]/d)
		}
	}
	for e := range p.env.Links {
		if d := p.env.LinkDemand(j, e); p.links && d > 0 && p.env.Links[e].Capacity > 0 {
			n = math.Min(n, p.env.Links[e].Capacity/d)
		}
	}
	return n
}

// hosts reports whether server s and the links to it have some of everything
// that user j needs there.
func hosts(env *cluster.Environment, j, s int) bool {
	for r, d := range env.Demand(j, s) {
		if d > 0 && env.Capacity(s, r) == 0 {
			return false
		}
	}
	for e := range env.Links {
		if env.Reaches(e, s) && env.LinkDemand(j, e) > 0 && env.Links[e].Capacity == 0 {
			return false
		}
	}
	return true
}
