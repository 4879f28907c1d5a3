package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// What bounds the tasks of a user.
const (
	// ByShares: more for the user would be less for one whose share is no larger.
	ByShares = "shares"
	// ByOthers: more for the user would be less for another one.
	ByOthers = "others"
	// ByEnvy: under a rule that admits no envy, more for the user would be less for another
	// one, or somebody would envy.
	ByEnvy = "envy"
	// ByTasks: the user has all the tasks that it asked for.
	ByTasks = "tasks"
	// ByRule: the user could have more though nobody had less; the rule does not give it.
	ByRule = "rule"
	// ByHosting: no server can host the user.
	ByHosting = "hosting"
	// Unproved: the program has no certified answer.
	Unproved = "unproved"
)

const (
	// Tight is the part of a capacity that may be unused where it counts as used up.
	Tight = 1e-9
	// tie is the relative difference of two shares up to which they count as equal. It is
	// above what shares are certified to. That a share which is really larger counts as
	// equal keeps a proof a proof: it asks for more.
	tie = 1e-7
	// dust is the part of the largest price, each times its capacity, that is rounding.
	dust = 1e-10
	// most is the number of rivals and of envied users that are listed.
	most = 10
)

// Limits say why a user has no more tasks. The proof is a dual solution of the program
//
//	max x[j]  subject to  x ∈ region,  x[i] ≥ floor[i] for every other user i,
//
// whose optimum is what user j has. By "shares" floor[i] is what i has where its share is
// no larger than that of j, and 0 elsewhere; by "others" and "envy" it is what i has. A rule
// that admits no envy has in the program also the rows
//
//	Σ_s x[u,s]·worth[v,u,s] ≤ x[v]  for every two users v and u,
//
// worth[v,u,s] being what a task of u on s is worth to v ([fair.Judge.PerTask]). With the
// prices π of the capacities and λ of these rows, the cost of a task of i on server s is
// Σ_r π[s,r]·d[i,r] + Σ_e π[e]·d[i,e] + Σ_v λ[v,i]·worth[v,i,s] − Σ_u λ[i,u], and q[i] its
// least over the servers that can host i, which must not be negative. The prices are
// scaled so that q[j] = 1, and for every x of the program
//
//	x[j] ≤ Σ_k π[k]·c[k] − Σ_{i≠j} q[i]·floor[i] = Bound.
//
// Where the program has several dual solutions, one is shown.
type Limits struct {
	By string `json:"by"`
	// UsedUp lists the capacities with a positive price, of which at most [Tight] is
	// unused; by "rule" those that the user needs, without prices.
	UsedUp []UsedUp `json:"used_up"`
	// EnvyRows lists the rows against envy with a positive price, all of them tight; not
	// of a rule that admits envy.
	EnvyRows []EnvyRow `json:"envy_rows,omitempty"`
	// Rivals are the users with q > 0 whose tasks stand against those of this user,
	// what they take of Bound first: at most 10, of RivalCount.
	Rivals     []Rival `json:"rivals"`
	RivalCount int     `json:"rival_count"`
	// Bound is what the prices prove that the user cannot exceed, in tasks; null
	// without prices.
	Bound *float64 `json:"bound"`
	// Room is how many tasks more the user could have while every other one kept
	// what it has, envy or not; 0 where that is not known to be positive.
	Room float64 `json:"room"`
	// Servers say of a rule without prices what is nearest to a bottleneck of the user
	// on each of its servers.
	Servers []Bottleneck `json:"bottlenecks,omitempty"`
	// Reason says why nothing is proved.
	Reason string `json:"reason,omitempty"`
}

// UsedUp is a capacity of which nothing is left.
type UsedUp struct {
	Name     string `json:"capacity"` // in words
	Server   string `json:"server,omitempty"`
	Resource string `json:"resource,omitempty"`
	Link     string `json:"link,omitempty"`
	// Price is how many tasks the user would gain by one more unit of the capacity, at
	// the margin; Cost is Price times what a task of the user takes of it.
	Price float64 `json:"price"`
	Cost  float64 `json:"cost"`
	// Unused is the part of the capacity that is not used, at most [Tight].
	Unused float64 `json:"unused"`
}

// Rival is a user whose tasks stand against those of another one.
type Rival struct {
	User  string  `json:"user"`
	Tasks float64 `json:"tasks"`
	Share float64 `json:"share"`
	// Price is q: how many tasks the other user would gain by one task less of this one.
	Price float64 `json:"price"`
}

// limiter finds what bounds the users of one allocation.
type limiter struct {
	rule    policies.Policy
	env     *cluster.Environment // as it is
	region  *cluster.Environment // where the rule allocates
	a       *cluster.Allocation  // in the region
	norm    []float64            // N by user, of an egalitarian rule; nil
	used    []float64            // by row of the region
	unused  []float64            // likewise, relative
	open    []bool               // by user and server: whether the server can host a task
	judge   *fair.Judge          // of the region
	program solve.Linear
	nearest *fair.UserBottlenecks // made when it is asked for
}

func newLimiter(rule policies.Policy, env *cluster.Environment, a *cluster.Allocation) (*limiter, error) {
	l := &limiter{rule: rule, env: env, region: a.Region}
	if r, ok := rule.(policies.Regional); ok {
		region, err := r.Region(env)
		if err != nil {
			return nil, err
		}
		l.region = region
	}
	if n, ok := rule.(policies.Normalizer); ok {
		norm, err := n.Normalize(env)
		if err != nil {
			return nil, err
		}
		l.norm = norm
	}
	in := *a
	in.Region = l.region
	l.a = &in
	l.judge = fair.NewJudge(l.region)
	l.used = in.Usage(nil)
	l.unused = unused(&in, l.used)
	for j := range l.region.Users {
		for s := range l.region.Servers {
			l.open = append(l.open, l.region.MayRun(j, s) && l.region.Psi(j, s) > 0)
		}
	}
	return l, nil
}

// unused returns the part of every capacity that is not used, 0 of a capacity of 0.
func unused(a *cluster.Allocation, used []float64) []float64 {
	left := make([]float64, len(used))
	for row, u := range used {
		if c := a.Region.RowCapacity(row); c > 0 {
			left[row] = math.Max(0, 1-u/c)
		}
	}
	return left
}

// of returns what bounds user j.
func (l *limiter) of(j int) Limits {
	found := l.find(j)
	found.UsedUp, found.Rivals = append([]UsedUp{}, found.UsedUp...), append([]Rival{}, found.Rivals...) // no null in JSON
	return found
}

func (l *limiter) find(j int) Limits {
	x := l.a.Tasks[j]
	switch {
	case slices.Contains(l.a.Unservable, j) && l.env.EtaEligible(j) > 0:
		// No server has a part of every link that it needs, as the rule divides them.
		return Limits{By: ByRule, Room: l.room(j)}
	case slices.Contains(l.a.Unservable, j):
		return Limits{By: ByHosting}
	case x >= l.region.Users[j].Tasks*(1-Tight):
		return Limits{By: ByTasks}
	}
	by, floor := ByOthers, l.floors(j)
	if l.norm != nil {
		by = ByShares
	}
	// 1. The prices of the rule's own program, 2. those of the user's.
	if p, ok := l.prove(j, floor, l.a); ok {
		return l.finish(by, j, p)
	}
	best, err := l.program.Solve(l.region, problem(j, floor, l.envyFree()))
	if err != nil {
		return Limits{By: Unproved, Reason: err.Error()}
	}
	if p, ok := l.prove(j, floor, best); ok {
		return l.finish(by, j, p)
	}
	if room := best.Tasks[j] - x; l.norm == nil && room > solve.Accuracy*best.Tasks[j] {
		return Limits{By: ByRule, Room: room, UsedUp: l.scarce(j), Servers: l.bottlenecks(j)}
	}
	return Limits{By: Unproved, Reason: "the prices of the program do not prove it to the accuracy that is asked of a solver"}
}

// envyFree reports whether the rule admits no envy.
func (l *limiter) envyFree() bool { return l.a.EnvyPrices != nil }

// problem is max x[j] with lower bounds.
func problem(j int, floor []float64, envyFree bool) solve.LinearProblem {
	value := make([]float64, len(floor))
	value[j] = 1
	return solve.LinearProblem{Value: value, Lower: floor, EnvyFree: envyFree}
}

// floors returns what every user keeps in the program of user j.
func (l *limiter) floors(j int) []float64 {
	floor := slices.Clone(l.a.Tasks)
	floor[j] = 0
	for i := range floor {
		if l.norm != nil && l.ahead(i, j) {
			floor[i] = 0
		}
	}
	return floor
}

// ahead reports whether user i has a larger share than user j: it is of the tier that is
// filled later, or of the same and has more of what is equalised there.
func (l *limiter) ahead(i, j int) bool {
	first, other := math.IsInf(l.norm[i], 1), math.IsInf(l.norm[j], 1)
	if first != other {
		return other // users with an infinite N are filled first
	}
	share := func(j int) float64 {
		if first {
			return l.a.Tasks[j] / l.region.Users[j].Weight
		}
		return l.a.Tasks[j] / (l.region.Users[j].Weight * l.norm[j])
	}
	return share(i) > share(j)*(1+tie)
}

// hosts reports whether user j may run on server s and finds there, and on the links to
// it, some of all that it needs.
func (l *limiter) hosts(j, s int) bool { return l.open[j*len(l.region.Servers)+s] }

// finish states a proof.
func (l *limiter) finish(by string, j int, p proof) Limits {
	bound := l.a.Tasks[j] + p.gap
	out := Limits{By: by, Bound: &bound}
	for row, price := range p.rows {
		if price > 0 {
			out.UsedUp = append(out.UsedUp, l.usedUp(j, row, price))
		}
	}
	for i, q := range p.least {
		if i != j && q > 0 && l.a.Tasks[i] > 0 {
			out.Rivals = append(out.Rivals, Rival{l.region.Users[i].Name, l.a.Tasks[i], l.a.Share[i], q})
		}
	}
	if out.EnvyRows = l.envyRows(p.envy); len(out.EnvyRows) > 0 {
		out.By = ByEnvy
	}
	out.RivalCount = len(out.Rivals)
	slices.SortStableFunc(out.Rivals, func(a, b Rival) int { return cmp.Compare(b.Price*b.Tasks, a.Price*a.Tasks) })
	out.Rivals = out.Rivals[:min(most, len(out.Rivals))]
	if l.divided() || out.By == ByEnvy {
		out.Room = l.room(j)
	}
	return out
}

// divided reports whether the rule divides links before it allocates, so that it may
// leave something that nobody has.
func (l *limiter) divided() bool {
	return len(l.region.Links) != len(l.env.Links) && len(l.region.Servers) == len(l.env.Servers)
}

// room returns how much more user j could have in the environment as it is while the
// others keep what they have; 0 where a solver has no answer, or none above its accuracy.
func (l *limiter) room(j int) float64 {
	floor := slices.Clone(l.a.Tasks)
	floor[j] = 0
	best, err := l.program.Solve(l.env, problem(j, floor, false))
	if err != nil || best.Tasks[j]-l.a.Tasks[j] <= solve.Accuracy*best.Tasks[j] {
		return 0
	}
	return best.Tasks[j] - l.a.Tasks[j]
}

// scarce lists the capacities that are used up and that user j needs somewhere.
func (l *limiter) scarce(j int) (rows []UsedUp) {
	for row, left := range l.unused {
		if left <= Tight && l.region.RowCapacity(row) > 0 && l.takes(j, row) > 0 {
			rows = append(rows, l.usedUp(j, row, 0))
		}
	}
	return rows
}

// takes returns what a task of user j takes of a capacity; 0 where it cannot run there.
func (l *limiter) takes(j, row int) float64 {
	if e := row - l.region.LinkRow(0); e >= 0 {
		return l.region.LinkDemand(j, e)
	}
	s := row / len(l.region.Resources)
	if !l.hosts(j, s) {
		return 0
	}
	return l.region.Demand(j, s)[row%len(l.region.Resources)]
}

func (l *limiter) usedUp(j, row int, price float64) UsedUp {
	u := UsedUp{Name: l.region.RowName(row), Price: price, Cost: price * l.takes(j, row), Unused: l.unused[row]}
	u.Server, u.Resource, u.Link = parts(l.region, row)
	return u
}
