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
	Of     []int     // the tenant of each job, see [NewTenants]; nil where jobs come one by one
	Names  []string  // of tenants, in order of first appearance; "" for a job of its own
	Weight []float64 // W
	Active []int     // k

	known map[string]int
	free  []int // of jobs of their own that have left
}

// NewTenants returns the tenants of jobs, none of which is in the system; nil where no
// two jobs have the same tenant. It is an error if jobs of a tenant state different
// weights.
func NewTenants(jobs []Job) (*Tenants, error) {
	t := &Tenants{Of: make([]int, len(jobs))}
	for j := range jobs {
		at, err := t.Tenant(&jobs[j])
		if err != nil {
			return nil, err
		}
		t.Of[j] = at
	}
	if len(t.Names) == len(jobs) {
		return nil, nil
	}
	return t, nil
}

// Tenant returns the tenant of a job, which is not in the system yet. It is an error if
// the job states another weight than one before it. The tenants that are held are those
// with a name and the jobs of their own that are in the system.
func (t *Tenants) Tenant(j *Job) (int, error) {
	name, weight := j.Tenant, j.User.Weight
	if at, seen := t.known[name]; seen {
		if w := t.Weight[at]; w != weight {
			return 0, fmt.Errorf("tenant %q: job %s states the weight %g, a job before it %g: the weight of a tenant is one", name, j.User.Name, weight, w)
		}
		return at, nil
	}
	if n := len(t.free); name == "" && n > 0 {
		at := t.free[n-1]
		t.free, t.Weight[at] = t.free[:n-1], weight
		return at, nil
	}
	at := len(t.Names)
	t.Names, t.Weight, t.Active = append(t.Names, name), append(t.Weight, weight), append(t.Active, 0)
	if name != "" {
		if t.known == nil {
			t.known = map[string]int{}
		}
		t.known[name] = at
	}
	return at, nil
}

// Come and Leave say that a job of a tenant is in the system, and that it is no more. A
// job of its own takes its tenant with it, whose number another one then has.
func (t *Tenants) Come(tenant int) { t.Active[tenant]++ }
func (t *Tenants) Leave(tenant int) {
	t.Active[tenant]--
	if t.Of == nil && t.Names[tenant] == "" {
		t.free = append(t.free, tenant)
	}
}

// JobWeight returns w of a job of a tenant that is in the system, to the nearest double.
func (t *Tenants) JobWeight(tenant int) float64 {
	return t.Weight[tenant] / float64(t.Active[tenant])
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
