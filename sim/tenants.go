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
// What is known of the shares of tenants under this division, the tenant's jobs being
// identical, the others any, and tasks divisible:
//
//   - Egalitarian rules ([policies.Normalizer]), Nash welfare (mnw, mtp), ps-dsf,
//     per-machine DRF and equal division give T what one user with the weight W[T] and
//     the demand of its jobs would get, however many jobs it has: a user can be split
//     into k equal ones of weight W/k (docs/tenants.md has the proofs, a test tries
//     them). So splitting a job gains its tenant nothing.
//   - utilitarian, ru and cru do not: of the sum Σ w·x a tenant is worth W[T]/k[T] for
//     each task, so it loses against others by having many jobs. A job that is split is
//     served after those that are not.
//   - magiks and its companions place whole users, so k users on k servers are not one.
//
// Where the jobs of a tenant differ, they share its weight, not its part: under Nash
// welfare the tenant has the part W[T]/ΣW of the income in prices; under an egalitarian
// rule the mean of its jobs' shares x/(w·N) is Σ_j x[j]/(W[T]·N[j]), the same as that of
// everybody with equal prices, and what it holds depends on what its jobs need. The
// sharing incentive of a rule holds for each job at its weight w[j], and so for the
// tenant as a whole: Σ_j x[j]/η'[j] >= W[T]/ΣW. Envy-freeness holds between jobs at the
// weights of the instant, so nobody would rather have a job of the same weight of
// another tenant. That says nothing of strategies over time: a tenant can keep a job in
// the system to move weight from one of its jobs to another, though never from another
// tenant.
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
