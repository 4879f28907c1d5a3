package whole

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// Rounded returns what section 6.1 of the TSF-ER paper does with a rule for
// divisible tasks (there mnw and cru): at each slot, when everything has been
// suspended, the rule divides the cluster among the users present, with task
// caps as [Rounding.Caps] says, and floor(x[j,s]) tasks of user j start on server s, at most those
// waiting; then, on the events of [Rounding.Fill], pairs of a user and a server
// on which one of its tasks fits are drawn uniformly and served until there is
// none.
//
// An x that is short of a whole number by no more than the accuracy of the
// solver counts as that number, as long as the task fits. Where the rule leaves
// the cluster idle, with tasks waiting and no arrival to come, it would stay so
// for ever; then the next slot is a reallocation with a fill, and
// [sim.Counts] counts it.
func Rounded(p policies.Policy, options Rounding) Rule {
	if options.Random == nil {
		panic("whole: Rounded without a source of randomness")
	}
	return rounded{p, options}
}

type rounded struct {
	policy  policies.Policy
	options Rounding
}

func (r rounded) open(e *run) scheduler {
	return &rounding{run: e, rounded: r, random: rand.New(r.options.Random)}
}

// rounding is the scheduler of [Rounded].
type rounding struct {
	*run
	rounded
	random  *rand.Rand
	stalled bool
	expand  *cluster.Environment // the environment of single servers
	solver  solve.Linear
	centre  solve.Nash
	present []int32
	waiting []int32 // users that a fill may serve
	pairs   []pair
	stands  []stand
	leads   []int // per tenant, during a fill
	// shared are the jobs, by index, that split divides the cluster among: tasks
	// of each on each class of servers, or single server at a vertex.
	// totals are what the rule gave them.
	shared []capped
	split  []float64
	totals []float64
	past   []pastUser // users of earlier divisions, in order of arrival; see [Rounding.Keep]
	memory
}

// capped is a user, by the index of its job, and its cap in a division.
type capped struct {
	index int
	tasks float64
}

// pastUser is a user that the cluster was divided among.
type pastUser struct {
	index int
	user  cluster.User
}

// Norm implements [scheduler]: the rule sees no user, so only the index orders them.
func (r *rounding) Norm(*cluster.User) (*order.Norm, error) { return order.Unseen, nil }

func (r *rounding) restart() bool {
	r.stalled = r.run.present > 0
	return r.stalled
}

func (r *rounding) events() error {
	users := r.what.usersCame || r.what.usersLeft
	if users || r.options.Fill >= FillTasks && r.what.tasksLeft {
		r.fill()
	}
	return nil
}

func (r *rounding) slot() error {
	r.present = r.present[:0]
	for at := range r.users {
		if r.users[at].left > 0 {
			r.present = append(r.present, int32(at))
		}
	}
	slices.SortFunc(r.present, func(a, b int32) int { return cmp.Compare(r.users[a].index, r.users[b].index) })
	if err := r.divide(); err != nil {
		return err
	}
	if r.options.Fill == FillSlot || r.stalled {
		r.fill()
	}
	r.stalled = false
	return nil
}

// divide starts the whole tasks of the rule's allocation. That depends on nothing
// but the users present and their caps, and most slots are reallocations among the same
// users, with caps that do not bind.
func (r *rounding) divide() error {
	if !r.unchanged() {
		r.shared = r.shared[:0] // of nobody, if there is an error
		if err := r.share(); err != nil {
			return err
		}
		for _, at := range r.present {
			r.shared = append(r.shared, r.capped(at))
		}
	}
	if r.tenants == nil {
		for i := range r.present {
			r.startWhole(i)
		}
		return nil
	}
	for _, jobs := range r.byTenant() {
		if len(jobs) == 1 {
			r.startWhole(jobs[0])
		} else {
			r.startTogether(jobs)
		}
	}
	return nil
}

// unchanged reports whether the division at hand is one of the users present with
// their caps: of the same users, whose caps are the same ones or, if the rule ignores those
// that do not bind, are still above what was given.
func (r *rounding) unchanged() bool {
	if len(r.present) != len(r.shared) {
		return false
	}
	_, slack := r.policy.(policies.SlackCapIgnorer)
	for i, at := range r.present {
		was, now := r.shared[i], r.capped(at)
		if now != was && (!slack || now.index != was.index || now.tasks > was.tasks || r.totals[i] >= now.tasks*(1-solve.Feasibility)) {
			return false
		}
	}
	return true
}

// part returns x of the i-th user present on a single server.
func (r *rounding) part(i int, server int32) float64 {
	column, parts := int(server), 1.0
	if !r.options.Vertex {
		column = r.servers.Class(int(server))
		parts = float64(r.Env.Servers[column].Count)
	}
	return r.split[i*(len(r.split)/len(r.present))+column] / parts
}

// share finds the split of the rule's allocation among the users present.
func (r *rounding) share() error {
	present := r.cast()
	key, remember, found := r.known(present)
	if found {
		return nil
	}
	env := r.Env.With(present)
	if r.options.Keep && r.tenants != nil {
		return &policies.UnsupportedError{Reason: "users that have left cannot keep their part where tenants divide weights among those that are present"}
	}
	if r.options.Keep {
		env = r.Env.With(append(present, r.departed(present)...))
	}
	a, err := r.allocate(env)
	if err != nil {
		return err
	}
	if len(a.Region.Servers) != len(env.Servers) {
		return &policies.UnsupportedError{Reason: "the rule allocates from other servers than those of the cluster, so there is nothing to round"}
	}
	if r.options.Vertex {
		a, err = r.vertex(env, a)
	} else if _, interior := r.policy.(policies.InteriorSplitter); !interior {
		a, err = r.interior(env, a)
	}
	if err != nil {
		return fmt.Errorf("split over servers: %w", err)
	}
	r.totals = append(r.totals[:0], a.Tasks[:len(r.present)]...)
	r.split = append(r.split[:0], a.X[:len(r.present)*len(a.X)/len(env.Users)]...)
	if remember {
		r.options.Divisions.put(key, r.totals, r.split)
	}
	return nil
}

// allocate asks the rule.
func (r *rounding) allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	if r.options.Caps == BoundNone {
		return policies.Allocate(r.policy, env)
	}
	return policies.AllocateBounded(r.policy, env)
}

// capped returns what the division knows of a user.
func (r *rounding) capped(at int32) capped {
	u := &r.users[at]
	switch r.options.Caps {
	case BoundSubmitted:
		return capped{u.index, float64(u.Tasks)}
	case BoundLeft:
		return capped{u.index, float64(u.left)}
	}
	return capped{u.index, cluster.Inf}
}

// departed returns the users of earlier divisions that have left, in order of
// Index, and takes note of those that are present.
func (r *rounding) departed(present []cluster.User) []cluster.User {
	byIndex := func(p pastUser, index int) int { return cmp.Compare(p.index, index) }
	for i, at := range r.present {
		index := r.users[at].index
		if k, known := slices.BinarySearchFunc(r.past, index, byIndex); !known {
			r.past = slices.Insert(r.past, k, pastUser{index, present[i]})
		}
	}
	var left []cluster.User
	for _, p := range r.past {
		if !slices.ContainsFunc(r.present, func(at int32) bool { return r.users[at].index == p.index }) {
			left = append(left, p.user)
		}
	}
	return left
}

// cast returns the users present, with the caps of the division.
func (r *rounding) cast() []cluster.User {
	users := make([]cluster.User, len(r.present))
	for i, at := range r.present {
		users[i] = r.users[at].kind.user
		users[i].Name, users[i].Weight = r.users[at].User.Name, r.weight(&r.users[at])
		users[i].Tasks = r.capped(at).tasks
	}
	return users
}

// snap is how far a number of tasks may lie below a whole one and count as it, unless
// [solve.Feasibility] allows a large one more; literalPart is the part that a literal
// floor takes off first. See [Rounding.Literal].
const (
	snap        = 1e-6
	literalPart = 1e-9
)

// floor returns the whole tasks of x.
func (r *rounding) floor(x float64) int64 {
	if r.options.Literal {
		return int64(x * (1 - literalPart))
	}
	return int64(x + max(snap, solve.Feasibility*x))
}

// startWhole starts floor(x[j,s]) tasks of the i-th user present on every server.
func (r *rounding) startWhole(i int) {
	at := r.present[i]
	for server := range int32(r.servers.Servers()) {
		r.placeSome(at, server, r.floor(r.part(i, server)))
	}
}

// interior returns a split of the totals of an allocation over the classes inside
// the set of all of them. If there is none with all of the totals, or the solver
// does not certify it, that is an [policies.UnsupportedError]: another split
// does not take its place silently.
func (r *rounding) interior(env *cluster.Environment, a *cluster.Allocation) (*cluster.Allocation, error) {
	capped := env.With(slices.Clone(env.Users))
	for j := range capped.Users {
		capped.Users[j].Tasks = a.Tasks[j]
	}
	split, err := r.centre.Solve(capped)
	if err != nil {
		return nil, &policies.UnsupportedError{Reason: fmt.Sprintf("no interior split: %v", err)}
	}
	for j, x := range split.Tasks {
		if x < a.Tasks[j]*(1-splitTolerance) {
			return nil, &policies.UnsupportedError{Reason: fmt.Sprintf("no interior split: user %s would get %g tasks instead of %g", env.Users[j].Name, x, a.Tasks[j])}
		}
	}
	return split, nil
}

// splitTolerance is the part of its tasks that a user may lose in an interior
// split: what solvers may be off in the objective.
const splitTolerance = 2e-6

// vertex returns a basic split of the totals of an allocation over single
// servers.
func (r *rounding) vertex(env *cluster.Environment, a *cluster.Allocation) (*cluster.Allocation, error) {
	users := make([]cluster.User, len(env.Users))
	for j := range users {
		users[j] = r.onSingle(env.Users[j])
	}
	if r.expand == nil {
		r.expand = r.single()
	}
	value := make([]float64, len(users))
	for j, x := range a.Tasks {
		if x > 0 {
			value[j] = 1 / x
		}
	}
	return r.atLeast(r.expand.With(users), value, a.Tasks)
}

// atLeast maximises a linear welfare over single servers where everybody keeps
// its total. What it gives up of the totals to find room, the program gives back
// as far as there is any.
func (r *rounding) atLeast(env *cluster.Environment, value, totals []float64) (split *cluster.Allocation, err error) {
	lower := make([]float64, len(totals))
	for _, part := range vertexSlacks {
		for j, x := range totals {
			lower[j] = x * (1 - part)
		}
		if split, err = r.solver.Solve(env, solve.LinearProblem{Value: value, Lower: lower}); err == nil {
			break
		}
	}
	return split, err
}

// vertexSlacks are the parts of all totals that may be given up for a split at a
// vertex, in the order in which they are tried. Totals of a rule lie on the edge
// of the region and exceed it by the accuracy of their solver in each constraint,
// [solve.Feasibility]; a total that crosses several needs a little more.
var vertexSlacks = [...]float64{0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8}

// single returns the environment in which every server is a class of its own.
func (r *rounding) single() *cluster.Environment {
	env := &cluster.Environment{Resources: r.Env.Resources}
	for s := range r.servers.Servers() {
		class := r.Env.Servers[r.servers.Class(s)]
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("%s/%d", class.Name, s), Capacity: class.Capacity, Count: 1})
	}
	for _, link := range r.Env.Links {
		link.Servers = r.singles(link.Servers)
		env.Links = append(env.Links, link)
	}
	return env
}

// singles turns a set of classes into the set of their servers.
func (r *rounding) singles(classes cluster.Set) cluster.Set {
	if classes == nil {
		return nil
	}
	set := cluster.NewSet(r.servers.Servers())
	for s := range r.servers.Servers() {
		if classes.Has(r.servers.Class(s)) {
			set.Add(s)
		}
	}
	return set
}

func (r *rounding) onSingle(u cluster.User) cluster.User {
	u.Eligible = r.singles(u.Eligible)
	if len(u.DemandOn) > 0 {
		on := map[int][]float64{}
		for s := range r.servers.Servers() {
			if d, differs := u.DemandOn[r.servers.Class(s)]; differs {
				on[s] = d
			}
		}
		u.DemandOn = on
	}
	return u
}
