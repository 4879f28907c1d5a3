package run

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Moment is who was in the system at a time of a replay.
type Moment struct {
	Policy string
	AtUS   int64
	// Environment is the cluster with the jobs that were present as its users, in the
	// order of the table; without users if nobody was.
	Environment *cluster.Environment
	// Jobs counts the jobs of the rule, and Refused those submitted by then that were
	// refused and are not in the environment.
	Jobs, Refused int
	// Tasks are what each user of the environment has submitted.
	Tasks []int64
}

// MomentOf rebuilds from the table of [WriteCompletions] in path who was present under a
// rule at a time (in µs, on the clock of the trace): a job from its submission until
// before its completion, that is after all events of that instant. In the fluid model
// what a rule allocates is a function of who is present. The cluster is the one of the
// replay. A user's demands are what the table has of the cluster's resources; of a
// request that is null there is none. With tenants, the weight of a tenant is divided
// equally among its jobs that are present.
func MomentOf(path, policy string, env *cluster.Environment, at int64, tenants bool) (*Moment, error) {
	r, err := parquet.Open(path, CompletionColumns())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	may := newEligibility(env)
	m, users, of := &Moment{Policy: policy, AtUS: at}, []cluster.User(nil), []string(nil)
	for c, err := range parquet.RowsOf[Completion](r) {
		if err != nil {
			return nil, err
		}
		if c.Policy != policy {
			continue
		}
		m.Jobs++
		switch {
		case c.SubmitUS > at:
		case c.Refused || c.CompletionUS == nil:
			m.Refused++
		case *c.CompletionUS > at:
			u, err := c.user(env)
			if err != nil {
				return nil, fmt.Errorf("%s: job %q: %w", path, c.JobID, err)
			}
			u.Eligible = may.of(&traces.Job{Constraints: c.Constraints})
			users, of, m.Tasks = append(users, u), append(of, c.Tenant), append(m.Tasks, c.Tasks)
		}
	}
	if tenants {
		share(users, of)
	}
	m.Environment = env.With(users)
	return m, nil
}

// share divides the weights of tenants among their jobs.
func share(users []cluster.User, of []string) {
	active := map[string]int{}
	for _, name := range of {
		active[name]++
	}
	for j := range users {
		users[j].Weight /= float64(active[of[j]])
	}
}

// user is the user that the rule saw of a job.
func (c *Completion) user(env *cluster.Environment) (cluster.User, error) {
	known := map[string]*float64{"cpu": c.CPU, "mem": c.Mem, "gpu": c.GPU}
	demand := make([]float64, len(env.Resources))
	for r, name := range env.Resources {
		v, is := known[name]
		if !is {
			return cluster.User{}, fmt.Errorf("the table has no requests of %s", name)
		}
		if v != nil {
			demand[r] = *v
		}
	}
	u := cluster.NewUser(c.User, demand)
	u.Weight = c.Weight
	if len(env.Links) > 0 {
		if c.BandwidthMHz == nil {
			return cluster.User{}, fmt.Errorf("the table does not say what it demands of the links")
		}
		u.LinkDemand = slices.Repeat([]float64{*c.BandwidthMHz}, len(env.Links))
	}
	return u, nil
}
