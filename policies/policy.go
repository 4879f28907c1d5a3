// Package policies holds the allocation rules, one file a rule, and the registry through
// which everything else finds them.
//
// A rule is a [Policy], which divides a [cluster.Environment] among its users. [New] makes
// one from its text form, name or name[k=v,…]; [Allocate] asks it and [Open] lets users
// come and go, and both check every answer. What a rule can do beside that it says by small
// interfaces: [Opener], [Normalizer], [Chooser], [Verifier], [Entitler]. What is known of it
// (claims, parameters, look) is its [Meta]. [Egalitarian] makes a rule of a normaliser.
package policies

import "github.com/leontief-sim/leontief/sim/cluster"

// Policy is an allocation rule for divisible tasks.
type Policy interface {
	// Allocate divides the environment among its users. It does not keep or
	// change env. A result that is not certified to the accuracy of package
	// solve is an error. It is called through the function [Allocate], which
	// checks what is handed out.
	Allocate(env *cluster.Environment) (*cluster.Allocation, error)
}

// Normalizer is implemented by the egalitarian rules: those that equalise
// x[j]/(w[j]·N[j]).
type Normalizer interface {
	// Normalize returns N[j] for every user, in tasks; 0 for a user that
	// nothing can host, +Inf for one whose demands the rule does not see. Its
	// errors are those of Allocate.
	Normalize(env *cluster.Environment) ([]float64, error)
}

// LinkSplitter is implemented by rules that may divide the links among the
// servers before they allocate, so that a task finds on its server less of a
// link than the link has.
type LinkSplitter interface {
	// SplitsLinks reports whether the rule does.
	SplitsLinks() bool
}

// Regional is implemented by rules that allocate in a region of their own: with the
// servers pooled, or the links divided among them beforehand.
type Regional interface {
	// Region returns the region in which the rule allocates, with the users of env:
	// env itself where the rule does not change it. Its errors are those of
	// Allocate.
	Region(env *cluster.Environment) (*cluster.Environment, error)
}

// Opener is implemented by rules that can do better than to start afresh when
// one user comes or goes.
type Opener interface {
	// Open starts a session over the users of env, none of them present yet.
	Open(env *cluster.Environment) (Session, error)
}

// Session allocates again and again on one cluster while users come and go, and their
// weights change. Of what it has learnt before nothing shows in an answer but rounding.
// Users are indexed as in the environment that the session was opened on.
type Session interface {
	Add(j int)
	Remove(j int)
	// Weigh changes the weight of user j, present or not, also in the environment that
	// the session was opened on.
	Weigh(j int, weight float64)
	// Allocate divides the cluster among the users that are present; absent
	// users hold 0. The result is valid until the next call.
	Allocate() (*cluster.Allocation, error)
}

// Open returns a session of p on env: the rule's own where it has one, else
// one that calls Allocate on the users present. Every answer of the session is
// checked as those of [Allocate].
func Open(p Policy, env *cluster.Environment) (Session, error) {
	o, ok := p.(Opener)
	if !ok {
		s := newRestarts(p, env)
		return &s, nil
	}
	s, err := o.Open(env)
	if err != nil {
		return nil, err
	}
	return certified{s, env}, nil
}

// restarts is the session of a rule that has none of its own.
type restarts struct {
	policy  Policy
	env     *cluster.Environment
	present []bool
}

func newRestarts(p Policy, env *cluster.Environment) restarts {
	return restarts{policy: p, env: env, present: make([]bool, len(env.Users))}
}

func (s *restarts) Add(j int)    { s.present[j] = true }
func (s *restarts) Remove(j int) { s.present[j] = false }

func (s *restarts) Weigh(j int, weight float64) { s.env.Users[j].Weight = weight }

func (s *restarts) Allocate() (*cluster.Allocation, error) {
	var idx []int
	for j, here := range s.present {
		if here {
			idx = append(idx, j)
		}
	}
	sub, err := Allocate(s.policy, s.env.Subset(idx))
	if err != nil {
		return nil, err
	}
	return scatter(sub, idx, s.env), nil
}

// scatter spreads an allocation of the users idx over all users of env.
func scatter(sub *cluster.Allocation, idx []int, env *cluster.Environment) *cluster.Allocation {
	n, width := len(env.Users), len(sub.Region.Servers)
	all := &cluster.Allocation{
		Region: sub.Region.With(regionUsers(sub.Region, idx, env)), Prices: sub.Prices, Certificate: sub.Certificate,
		Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n),
	}
	for i, j := range idx {
		all.Tasks[j], all.Share[j] = sub.Tasks[i], sub.Share[i]
		copy(all.On(j), sub.On(i))
	}
	for _, e := range sub.EnvyPrices {
		all.EnvyPrices = append(all.EnvyPrices, cluster.EnvyPrice{Envier: idx[e.Envier], Envied: idx[e.Envied], Price: e.Price})
	}
	for _, i := range sub.Unservable {
		all.Unservable = append(all.Unservable, idx[i])
	}
	return all
}

// regionUsers returns all users of env as the region of an allocation to the
// users idx sees them. Users that are absent hold nothing there; what they say
// of single servers is left out where the region has other servers.
func regionUsers(region *cluster.Environment, idx []int, env *cluster.Environment) []cluster.User {
	if len(region.Servers) == len(env.Servers) {
		return env.Users
	}
	users := append([]cluster.User(nil), env.Users...)
	for j := range users {
		users[j].Eligible, users[j].DemandOn = nil, nil
	}
	for i, j := range idx {
		users[j] = region.Users[i]
	}
	return users
}

// Entitler is implemented by a rule whose paper gives users with dedicated
// pools other weights than k[j]/η[j], where k[j] is what a user runs in its
// pool: k[j]/N[j] with the N that Entitle returns.
type Entitler interface {
	Entitle(env *cluster.Environment) []float64
}
