package sim

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Tenants divides the weights of tenants among their jobs, in both task models.
//
// Definition: a job of tenant T that is in the system at an instant weighs
//
//	w[j] = W[T] / k[T],
//
// W[T] being the weight that the jobs of T state, all the same one, and k[T] how many of
// them are in the system. So weights change whenever a job comes or goes, and their sum
// over the jobs of a tenant is always W[T]. With one job a tenant nothing is divided.
//
// What is known of the shares of tenants under this division where the jobs of a tenant T
// are identical, the others any, and tasks divisible and not capped (docs/tenants.md has the
// reasons; tests try it, and the audit as property SPL):
//
//   - Egalitarian rules ([policies.Normalizer]), Nash welfare (mnw, mtp), per-machine DRF
//     and equal division give T, and everybody else, what they would get if T were one user
//     of the weight W[T], however many jobs T has. So to split a job gains nothing. The
//     same was found of ps-dsf wherever it was tried.
//   - utilitarian, ru and cru do not: each task of T adds W[T]/k[T] to the sum that is
//     maximised. To split a job may cost T, and third users, too.
//   - magiks and its companions do not: they place whole users on servers.
//
// Where the jobs of T differ they are no one user. What a rule promises a user at its
// weight it promises each job at W[T]/k[T]. So where it has the sharing incentive,
// Σ_j x[j]/η'[j] >= W[T]/ΣW over the jobs of T; where it is envy-free no job would run more
// with the bundle of another, scaled by the weights of the instant. Nothing is known of strategies over
// time: a tenant moves weight between its jobs by when it submits them, though never from
// another tenant.
type Tenants struct {
	Of     []int     // the tenant of each job
	Names  []string  // of tenants, in order of first appearance; "" for a job of its own
	Weight []float64 // W
	Active []int     // k
}

// NewTenants returns the tenants of jobs, none of which is in the system; nil where no
// two jobs have the same tenant. It is an error if jobs of a tenant state different
// weights.
func NewTenants(jobs []Job) (*Tenants, error) {
	t := &Tenants{Of: make([]int, len(jobs))}
	known := map[string]int{}
	for j := range jobs {
		name, weight := jobs[j].Tenant, jobs[j].User.Weight
		at, seen := known[name]
		if !seen || name == "" {
			at = len(t.Names)
			known[name] = at
			t.Names, t.Weight = append(t.Names, name), append(t.Weight, weight)
		} else if w := t.Weight[at]; w != weight {
			return nil, fmt.Errorf("tenant %q: job %s states the weight %g, a job before it %g: the weight of a tenant is one", name, jobs[j].User.Name, weight, w)
		}
		t.Of[j] = at
	}
	if len(t.Names) == len(jobs) {
		return nil, nil
	}
	t.Active = make([]int, len(t.Names))
	return t, nil
}

// Come and Leave say that a job is in the system, and that it is no more.
func (t *Tenants) Come(j int)  { t.Active[t.Of[j]]++ }
func (t *Tenants) Leave(j int) { t.Active[t.Of[j]]-- }

// JobWeight returns w of a job that is in the system, to the nearest double.
func (t *Tenants) JobWeight(j int) float64 {
	at := t.Of[j]
	return t.Weight[at] / float64(t.Active[at])
}

// Weigh gives the users of env, one of the observer's own with all jobs as its users, the
// weights of the interval. Without tenants it does nothing.
func (iv *Interval) Weigh(env *cluster.Environment) {
	if iv.Weights == nil {
		return
	}
	for _, j := range iv.Present {
		env.Users[j].Weight = iv.Weights[j]
	}
}
