package fair

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Reference is what a property of special cases asks for: that the totals be
// the lexicographic max-min of x[j]/(w[j]·Norm[j]) over χ. Those are unique, so
// a rule has the property in an environment exactly if its totals are the
// reference's; what they are is for a solver to say (solve.MaxMin), or for a
// slow twin of it.
type Reference struct {
	What string    // in words
	Norm []float64 // per user, in tasks; 0: the user is to hold nothing
}

// DominantResource returns the resource that every user requests dominantly from
// every server that can run it (p[j,s] = 1 and γ[j,s] > 0): d[j,r]/c[s,r] is
// the largest there, ties included. It is false if there is none, or if there
// are links, of which the definition does not speak. Of several resources it
// is the first.
//
// Reference: PS-DSF, section III-B.
func DominantResource(env *cluster.Environment) (resource int, ok bool) {
	if len(env.Links) > 0 {
		return 0, false
	}
	for r := range env.Resources {
		if dominant(env, r) {
			return r, true
		}
	}
	return 0, false
}

// tie is the relative difference of two shares below which they count as equal:
// the rounding of a division.
const tie = 1e-12

func dominant(env *cluster.Environment, r int) bool {
	for j := range env.Users {
		for s := range env.Servers {
			if !env.MayRun(j, s) || env.Gamma(j, s) == 0 {
				continue
			}
			d := env.Demand(j, s)
			if d[r] == 0 || env.Capacity(s, r)/d[r] > env.Gamma(j, s)*(1+tie) {
				return false
			}
		}
	}
	return true
}

// BottleneckFairness returns what bottleneck fairness asks for: max-min
// fairness of the amounts held of the bottleneck resource, N[j] = 1/d[j,r]. It
// is false where no resource is one, and where a user's demand for it differs
// between servers.
func BottleneckFairness(env *cluster.Environment) (Reference, bool) {
	r, ok := DominantResource(env)
	if !ok {
		return Reference{}, false
	}
	return amounts(env, r, "the "+env.Resources[r]+", the dominant resource of every user on every server,")
}

// SingleResourceFairness returns what single resource fairness asks for where
// there is one resource and no link: max-min fairness of the amounts held of
// it (CMMF), N[j] = 1/d[j].
//
// Reference: TSF, Definition 6.
func SingleResourceFairness(env *cluster.Environment) (Reference, bool) {
	if len(env.Resources) != 1 || len(env.Links) > 0 {
		return Reference{}, false
	}
	return amounts(env, 0, "the "+env.Resources[0]+", the only resource,")
}

// amounts is max-min fairness of the amounts held of resource r.
func amounts(env *cluster.Environment, r int, what string) (Reference, bool) {
	ref := Reference{What: "max-min fairness of " + what, Norm: make([]float64, len(env.Users))}
	for j := range ref.Norm {
		u := &env.Users[j]
		for _, d := range u.DemandOn {
			if d[r] != u.Demand[r] {
				return Reference{}, false
			}
		}
		if env.EtaEligible(j) > 0 {
			ref.Norm[j] = 1 / u.Demand[r]
		}
	}
	return ref, true
}

// SingleMachineFairness returns what single machine fairness asks for where
// there is one server: DRF, N[j] = 1/max over its resources, and over the
// links to it, of d/c.
//
// Reference: TSF, Definition 5. The paper has no links; a link to the only
// server is one more resource of it.
func SingleMachineFairness(env *cluster.Environment) (Reference, bool) {
	if len(env.Servers) != 1 || env.Servers[0].Count != 1 {
		return Reference{}, false
	}
	ref := Reference{What: "DRF on the only server", Norm: make([]float64, len(env.Users))}
	for j := range ref.Norm {
		ref.Norm[j] = env.EtaEligible(j)
	}
	return ref, true
}

// Departure is the user whose tasks differ most from a reference.
type Departure struct {
	env   *cluster.Environment
	What  string
	User  int     // -1 if nobody holds anything anywhere
	Tasks float64 // what it runs
	Wants float64 // what it runs in the reference
	// Size is |Tasks−Wants| relative to the larger of the two.
	Size float64
}

// String says who departs from what.
func (d Departure) String() string {
	if d.User < 0 {
		return d.What + " holds"
	}
	return fmt.Sprintf("%s gives user %q %.6g tasks, and it runs %.6g", d.What, d.env.Users[d.User].Name, d.Wants, d.Tasks)
}

// Compare returns the user who has least, and then the one who has most, in
// proportion to the totals of the reference: a user below its reference is
// preferred, since somebody is whenever the totals differ.
func (r Reference) Compare(env *cluster.Environment, tasks, reference []float64) Departure {
	worst := Departure{env: env, What: r.What, User: -1}
	for j, want := range reference {
		if short := -relative(want, tasks[j]); want > 0 && short > worst.Size {
			worst.User, worst.Tasks, worst.Wants, worst.Size = j, tasks[j], want, short
		}
	}
	if worst.User >= 0 {
		return worst
	}
	for j, want := range reference {
		if more := -relative(tasks[j], want); tasks[j] > 0 && more > worst.Size {
			worst.User, worst.Tasks, worst.Wants, worst.Size = j, tasks[j], want, more
		}
	}
	return worst
}
