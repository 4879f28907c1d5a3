// Package explain says for each user of one allocation what it has and why: what bounds
// it, whom it envies, what it would have alone and in an equal division, and what the best
// lie that a search finds would bring it. Every number can be checked without this
// package: prices prove a bound by duality, envy and shares are those of package fair,
// and a lie comes with the environment that the rule was told.
package explain

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// Options say what to explain.
type Options struct {
	Users []int  // by index; nil: all
	Lies  int    // reports tried for each user; 0: none
	Seed  uint64 // of the search for lies
}

// Near is how near to envy, relative to what it has, a user nearly envies.
const Near = 0.05

// Explanation is what there is to say of one allocation.
type Explanation struct {
	Policy string `json:"policy"`
	Title  string `json:"title"` // of the rule, in one line
	// Servers are the server classes of the region in which the rule allocates.
	Servers    []string   `json:"servers"`
	Capacities []Capacity `json:"capacities"`
	// Prices says what the prices of the capacities are in; "" where the rule solves no
	// program.
	Prices string `json:"prices_of"`
	// EnvyRows are the rows against envy with a price in the rule's own program; not of
	// a rule without such rows.
	EnvyRows []EnvyRow `json:"envy_rows,omitempty"`
	Users    []User    `json:"users"`
	Lies     Effort    `json:"lies"`
	// Resources names the resources, and Free says which servers have how much of them
	// free; where tasks are whole.
	Resources []string `json:"resources,omitempty"`
	Free      []Free   `json:"free,omitempty"`
	// Fluid is what divisible tasks of the same users would have, where tasks are whole.
	Fluid *Fluid `json:"fluid,omitempty"`
}

// Effort is what the search for lies was allowed.
type Effort struct {
	Reports int    `json:"reports"` // that are tried for each user; 0: no search
	Seed    uint64 `json:"seed"`
}

// Capacity is a resource of a server class, or a link.
type Capacity struct {
	Name     string  `json:"capacity"` // in words
	Server   string  `json:"server,omitempty"`
	Resource string  `json:"resource,omitempty"`
	Link     string  `json:"link,omitempty"`
	Unit     string  `json:"unit,omitempty"` // as the environment says
	Total    float64 `json:"total"`
	Used     float64 `json:"used"`
	Unused   float64 `json:"unused"` // Total less Used, relative to Total
	// FreeOnOne is the most that a single server has free of it, where tasks are whole.
	FreeOnOne *float64 `json:"free_on_one,omitempty"`
	// Price is what one more unit would add to what [Explanation.Prices] says, at the
	// margin; null where the rule solves no program.
	Price *float64 `json:"price"`
}

// User is what there is to say of one user.
type User struct {
	Name     string             `json:"user"`
	Weight   float64            `json:"weight"`
	Tasks    float64            `json:"tasks"`
	Share    float64            `json:"share"`
	ByServer map[string]float64 `json:"by_server"`
	Limits   Limits             `json:"limits"`
	Envy     Envy               `json:"envy"`
	// Alone is what the user would have with the whole cluster to itself, at most the
	// tasks that it asks for, and EqualShare what it would have if every server and
	// link were divided in proportion to the weights.
	Alone      float64 `json:"alone"`
	EqualShare float64 `json:"equal_share"`
	// OfAlone and OfEqualShare are Tasks over these; null where these are 0.
	OfAlone      *float64 `json:"of_alone"`
	OfEqualShare *float64 `json:"of_equal_share"`
	Lie          *Lie     `json:"lie"` // null without a search
	// Whole are the tasks of the user where they are whole.
	Whole *Tasks `json:"whole,omitempty"`
}

// Lie is the best lie that was found.
type Lie struct {
	// Tried counts the reports that the rule answered; Refused those that it refused,
	// and Failed those for which a solver had no certified answer.
	Tried   int `json:"tried"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"`
	// Found says that a report brings more than the truth, by more than 1e-6 relative.
	Found bool `json:"found"`
	// Honest and Lying are the tasks that the user can really run with what it is
	// given for the truth and for the lie, and Gain is Lying/Honest − 1; null where
	// honesty brings nothing.
	Honest float64  `json:"honest"`
	Lying  float64  `json:"lying"`
	Gain   *float64 `json:"gain"`
	// Says and Instead are what is reported and what is true, in words.
	Says    []string `json:"says,omitempty"`
	Instead []string `json:"instead,omitempty"`
	// Environment is what the rule was told: an environment file.
	Environment json.RawMessage `json:"environment,omitempty"`
}

// Explain divides an environment by a rule and says why it is as it is. The errors are
// those of [policies.Allocate].
func Explain(rule audit.Rule, env *cluster.Environment, o Options) (*Explanation, error) {
	a, err := policies.Allocate(rule.Policy, env)
	if err != nil {
		return nil, err
	}
	l, err := newLimiter(rule.Policy, env, a)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Policy: cmp.Or(rule.Text, rule.Meta.Name), Title: rule.Meta.Title, Capacities: capacities(a),
		Lies: Effort{o.Lies, o.Seed}}
	for _, s := range a.Region.Servers {
		e.Servers = append(e.Servers, s.Name)
	}
	if a.Prices != nil {
		e.Prices = "the welfare that the rule maximises"
		if l.norm != nil {
			e.Prices = "the share at which the first users stop rising (the first round of progressive filling)"
		}
		if l.envyFree() {
			e.EnvyRows = l.envyRows(l.clean(l.a).envy)
		}
	}
	var liars *audit.Liars
	if o.Lies > 0 {
		if liars, err = audit.NewLiars(rule, env); err != nil && !errors.Is(err, audit.ErrOutside) {
			return nil, err
		}
	}
	judge := fair.NewJudge(a.Region)
	if o.Users == nil {
		for j := range env.Users {
			o.Users = append(o.Users, j)
		}
	}
	for _, j := range o.Users {
		u := user(env, a, j)
		u.Limits = l.of(j)
		u.Envy = envy(judge, a, j)
		u.Envy.By = l.enviers(j)
		if liars != nil {
			if u.Lie, err = lie(liars, j, o); err != nil {
				return nil, err
			}
		}
		e.Users = append(e.Users, u)
	}
	return e, nil
}

// capacities lists the capacities of the region of an allocation.
func capacities(a *cluster.Allocation) []Capacity {
	env, used := a.Region, a.Usage(nil)
	left := unused(a, used)
	all := make([]Capacity, len(used))
	for row := range all {
		c := Capacity{Name: env.RowName(row), Total: env.RowCapacity(row), Used: used[row], Unused: left[row]}
		c.Server, c.Resource, c.Link = parts(env, row)
		c.Unit = env.Units[c.Resource+c.Link] // one of which is ""
		if a.Prices != nil {
			c.Price = &a.Prices[row]
		}
		all[row] = c
	}
	return all
}

// parts names what a capacity row is of.
func parts(env *cluster.Environment, row int) (server, resource, link string) {
	if e := row - env.LinkRow(0); e >= 0 {
		return "", "", env.Links[e].Name
	}
	return env.Servers[row/len(env.Resources)].Name, env.Resources[row%len(env.Resources)], ""
}

// user is what a user has, beside what it could have.
func user(env *cluster.Environment, a *cluster.Allocation, j int) User {
	u := User{Name: env.Users[j].Name, Weight: env.Users[j].Weight, Tasks: a.Tasks[j], Share: a.Share[j],
		ByServer: map[string]float64{}, Alone: min(env.EtaEligible(j), env.Users[j].Tasks), EqualShare: env.EqualShare(j)}
	for s, x := range a.On(j) {
		if x > 0 {
			u.ByServer[a.Region.Servers[s].Name] = x
		}
	}
	u.OfAlone, u.OfEqualShare = over(u.Tasks, u.Alone), over(u.Tasks, u.EqualShare)
	return u
}

// over is a ratio; nil of something to nothing.
func over(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	ratio := a / b
	return &ratio
}

// lie searches for the best lie of user j.
func lie(liars *audit.Liars, j int, o Options) (*Lie, error) {
	best, err := liars.Best(j, o.Lies, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("the search for lies: %w", err)
	}
	out := &Lie{Tried: best.Tried, Refused: best.Refused, Failed: best.Failed}
	if best.Told == nil {
		return out, nil
	}
	out.Found, out.Honest, out.Lying = true, best.Lie.Honest, best.Lie.Lying
	if best.Lie.Honest > 0 {
		gain := best.Lie.Gain()
		out.Gain = &gain
	}
	out.Says, out.Instead = differences(liars.Env(), best.Lie)
	out.Environment = json.RawMessage(best.Told.Line())
	return out, nil
}

// Envy is whom a user envies.
type Envy struct {
	// Envied counts the users whose bundle, in proportion to the weights, is worth
	// more to this user than its own, by more than 1e-6 of it; Nearly those whose
	// bundle is worth less by at most 5% of it, or as much.
	Envied int `json:"envied"`
	Nearly int `json:"nearly"`
	// Worst are the bundles that are worth most to the user, at most 10.
	Worst []Bundle `json:"worst"`
	// By lists, under a rule that admits no envy, those who would envy this user if it
	// had more where it has tasks: their rows against envy are tight to [Tight]. Price
	// is 0 of one that costs the rule's own program nothing.
	By []EnvyRow `json:"by,omitempty"`
}

// Bundle is what another user holds.
type Bundle struct {
	User string `json:"user"`
	// Worth is u[j](i's bundle): the tasks that the user could run with what the other
	// one holds, scaled by w[j]/w[i] and at most n[j]; More is Worth less its own tasks.
	Worth float64 `json:"worth"`
	More  float64 `json:"more"`
	// Envied says that More is above 1e-6 of the user's own tasks.
	Envied bool `json:"envied"`
}

// nearly reports whether a bundle that is not envied is worth nearly as much as the own.
func (b *Bundle) nearly(own float64) bool { return b.Worth >= own*(1-Near) && b.Worth > 0 }

// envy compares the bundle of user j with those of all others.
func envy(judge *fair.Judge, a *cluster.Allocation, j int) Envy {
	out, own := Envy{Worst: []Bundle{}}, a.Tasks[j]
	for i := range a.Tasks {
		if i == j {
			continue
		}
		worth := judge.Utility(j, i, a)
		b := Bundle{User: a.Region.Users[i].Name, Worth: worth, More: worth - own, Envied: worth > own*(1+audit.Margin)}
		switch {
		case b.Envied:
			out.Envied++
		case b.nearly(own):
			out.Nearly++
		}
		out.Worst = append(out.Worst, b)
	}
	slices.SortStableFunc(out.Worst, func(a, b Bundle) int { return cmp.Compare(b.More, a.More) })
	out.Worst = out.Worst[:min(most, len(out.Worst))]
	return out
}

// Bottleneck is what is nearest to a bottleneck of a user on a server, in the sense of
// Theorem 1 of the PS-DSF paper.
type Bottleneck struct {
	Server   string `json:"server"`
	Resource string `json:"resource"`
	// Shortfall is the smallest tolerance within which the resource is used up and
	// nobody who has some of it is ahead of the user there; 0 of a bottleneck.
	Shortfall float64 `json:"shortfall"`
	Unused    float64 `json:"unused"` // part of the resource
	// Ahead is a user that has some of it and is ahead; "" if there is none.
	Ahead string `json:"ahead,omitempty"`
}

// bottlenecks lists what is nearest to a bottleneck of user j, server by server.
func (l *limiter) bottlenecks(j int) (all []Bottleneck) {
	if l.nearest == nil {
		l.nearest = fair.NewUserBottlenecks(l.a)
	}
	for _, b := range l.nearest.Of(j) {
		one := Bottleneck{Server: l.region.Servers[b.Server].Name, Resource: l.region.Resources[b.Resource],
			Shortfall: b.Shortfall, Unused: b.Unused}
		if b.Ahead >= 0 {
			one.Ahead = l.region.Users[b.Ahead].Name
		}
		all = append(all, one)
	}
	return all
}
