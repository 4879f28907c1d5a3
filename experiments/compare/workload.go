package compare

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Workload is what the watches of all rules share: the cluster with the jobs as users, and
// when they come. It does not change.
type Workload struct {
	Env     *cluster.Environment
	Tenants bool // a tenant's weight is divided among its jobs that are present

	jobs    []arrival
	order   []int32 // jobs by submission
	classOf []int32 // of single servers
}

// arrival is what a watch knows of a job.
type arrival struct {
	at     event.Time
	tasks  int64
	tenant int32
}

// NewWorkload reads the jobs of a case.
func NewWorkload(c *run.Case) (*Workload, error) {
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	w := &Workload{Env: env, Tenants: c.Tenants, jobs: make([]arrival, len(c.Jobs)), order: make([]int32, len(c.Jobs))}
	tenants := map[string]int32{}
	for i := range c.Jobs {
		name, _ := c.Jobs[i].Tenant()
		number, known := tenants[name]
		if !known {
			number = int32(len(tenants))
			tenants[name] = number
		}
		w.jobs[i] = arrival{event.Time(c.Jobs[i].SubmitUS), c.Jobs[i].Tasks, number}
		w.order[i] = int32(i)
	}
	slices.SortStableFunc(w.order, func(a, b int32) int { return cmp.Compare(w.jobs[a].at, w.jobs[b].at) })
	for class := range env.Servers {
		w.classOf = append(w.classOf, slices.Repeat([]int32{int32(class)}, env.Servers[class].Count)...)
	}
	return w, nil
}

// users returns a region with the users that are present, at their part of their tenants'
// weights and without task caps.
func (w *Workload) users(region *cluster.Environment, present []int) *cluster.Environment {
	env := region.Subset(present)
	active := map[int32]float64{}
	for i, j := range present {
		env.Users[i].Tasks = cluster.Inf
		active[w.jobs[j].tenant]++
	}
	if !w.Tenants {
		return env
	}
	for i, j := range present {
		env.Users[i].Weight = w.Env.Users[j].Weight / active[w.jobs[j].tenant]
	}
	return env
}
