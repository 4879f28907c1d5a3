package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// tenantTwin divides weights and solves afresh for every interval: it counts the jobs of
// each tenant among those present, and asks the rule about an environment of its own.
type tenantTwin struct {
	env    *cluster.Environment
	jobs   []sim.Job
	policy policies.Policy
	worst  float64
	seen   int
	shared int // intervals in which some tenant had several jobs
}

func (w *tenantTwin) Observe(iv *sim.Interval) error {
	present := w.env.Subset(iv.Present)
	active := map[string]int{}
	for _, j := range iv.Present {
		active[w.jobs[j].Tenant]++
	}
	several := false
	for i, j := range iv.Present {
		weight := w.jobs[j].User.Weight
		if name := w.jobs[j].Tenant; name != "" {
			weight /= float64(active[name])
			several = several || active[name] > 1
		}
		if present.Users[i].Weight = weight; iv.Weights[j] != weight {
			return fmt.Errorf("job %d weighs %g, want %g", j, iv.Weights[j], weight)
		}
	}
	want, err := policies.Allocate(w.policy, present)
	if err != nil {
		return err
	}
	for i, j := range iv.Present {
		w.worst = max(w.worst, math.Abs(iv.Allocation.Tasks[j]-want.Tasks[i])/max(want.Tasks[i], 1e-9))
	}
	if w.seen++; several {
		w.shared++
	}
	return nil
}

// tenanted gives jobs tenants of several weights, and leaves some without one.
func tenanted(rng *rand.Rand, jobs []sim.Job) []sim.Job {
	for j := range jobs {
		if at := rng.IntN(5); at > 0 {
			jobs[j].Tenant, jobs[j].User.Weight = fmt.Sprint("t", at), []float64{0, 1, 0.3, 3, 7}[at]
		}
	}
	return jobs
}

// unlinked takes the links away.
func unlinked(env *cluster.Environment, jobs []sim.Job) (*cluster.Environment, []sim.Job) {
	env.Links = nil
	for j := range jobs {
		env.Users[j].LinkDemand, jobs[j].User.LinkDemand = nil, nil
	}
	return env, jobs
}

func TestWeightsOfTenantsAreThoseOfAFreshAllocation(t *testing.T) {
	for _, name := range []string{"tsf-er", "tsf", "cdrf", "drf-er", "drf-cpu", "tsf-eq", "drf", "cmmf-mem", "mnw", "eq", "ps-dsf", "per-machine-drf", "utilitarian", "cru"} {
		policy, err := policies.New(name)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(16, 2))
		for range 3 {
			env, jobs := threeServers(rng, 25)
			if name == "ps-dsf" || name == "per-machine-drf" {
				env, jobs = unlinked(env, jobs)
			}
			jobs = tenanted(rng, jobs)
			for j := range jobs {
				env.Users[j].Weight = jobs[j].User.Weight
			}
			check := &tenantTwin{env: env, jobs: jobs, policy: policy}
			if _, err := (&sim.Fluid{Env: env, Jobs: jobs, Policy: policy, Observers: []sim.Observer{check}}).Run(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			limit := 1e-9
			if name == "mnw" {
				limit = 1e-4 // see TestASessionGivesWhatAFreshAllocationGives
			}
			if check.seen < 25 || check.shared < 10 || check.worst > limit {
				t.Errorf("%s: %d intervals, %d with shared weights, worst relative difference %g", name, check.seen, check.shared, check.worst)
			}
		}
	}
}

// Jobs of one tenant that are never there together weigh what they state: the same
// result, to the last bit, as jobs that are tenants of their own.
func TestTenantsWithOneJobAtATimeChangeNothing(t *testing.T) {
	for _, name := range []string{"tsf-er", "mnw", "ps-dsf", "drf"} {
		policy, err := policies.New(name)
		if err != nil {
			t.Fatal(err)
		}
		env, jobs := threeServers(rand.New(rand.NewPCG(3, 4)), 20)
		if name == "ps-dsf" {
			env, jobs = unlinked(env, jobs)
		}
		for j := range jobs {
			jobs[j].User.Weight = float64(1 + j%3)
		}
		alone, err := (&sim.Fluid{Env: env, Jobs: jobs, Policy: policy}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pairs := 0
		for j := range jobs {
			for i := range jobs {
				if jobs[i].Tenant == "" && jobs[j].Tenant == "" && jobs[i].User.Weight == jobs[j].User.Weight &&
					alone.Jobs[i].Completion < jobs[j].Arrival {
					jobs[i].Tenant, jobs[j].Tenant = fmt.Sprint("t", i), fmt.Sprint("t", i)
					pairs++
				}
			}
		}
		divided, err := (&sim.Fluid{Env: env, Jobs: jobs, Policy: policy}).Run(t.Context())
		if err != nil || pairs == 0 || !reflect.DeepEqual(alone, divided) {
			t.Errorf("%s: %d pairs of jobs of one tenant: %v", name, pairs, err)
		}
	}
}

func TestTenantsOfSeveralWeightsAreRefused(t *testing.T) {
	env, jobs := threeServers(rand.New(rand.NewPCG(1, 1)), 2)
	jobs[0].Tenant, jobs[1].Tenant, jobs[1].User.Weight = "ann", "ann", 2
	policy, err := policies.New("tsf")
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&sim.Fluid{Env: env, Jobs: jobs, Policy: policy}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), `tenant "ann"`) {
		t.Errorf("error %v", err)
	}
}

// crowd returns env with user j as k users of a k-th of its weight.
func crowd(env *cluster.Environment, j, k int) *cluster.Environment {
	users := env.Clone().Users
	users[j].Weight /= float64(k)
	for i := 1; i < k; i++ {
		one := users[j]
		one.Name = fmt.Sprint("copy ", i)
		users = append(users, one)
	}
	return env.With(users)
}

// The table of docs/tenants.md: whether a tenant with k identical jobs gets what one user
// would, whoever the others are.
func TestManyJobsOfATenantAreOneUser(t *testing.T) {
	for name, same := range map[string]bool{
		"tsf-er": true, "tsf": true, "cdrf": true, "drfh": true, "drf-er": true, "drf": true, "drf-cpu": true, "tsf-eq": true,
		"cmmf-cpu": true, "egalitarian": true, "mnw": true, "ps-dsf": true, "per-machine-drf": true, "eq": true,
		"utilitarian": false, "ru": false, "cru": false, "magiks-bim": false,
	} {
		rng := rand.New(rand.NewPCG(100, 1))
		worst := 0.0
		for range 12 {
			options := twin.Options{Users: 2 + rng.IntN(4), Servers: 1 + rng.IntN(3), Resources: 2}
			if same && name != "drf" {
				options.Weights = true
			}
			switch name {
			case "tsf-er", "drf-er", "mnw", "eq", "drf-cpu", "cru":
				options.Links = 1
			}
			env := twin.Random(rng, options)
			if name == "magiks-bim" {
				for s := range env.Servers {
					env.Servers[s] = env.Servers[0]
					env.Servers[s].Name = fmt.Sprint("s", s)
				}
			}
			if strings.HasSuffix(name, "-cpu") {
				env.Resources[0] = "cpu"
			}
			k := 2 + rng.IntN(99)
			one, err := policies.AllocateBy(name, env)
			if err != nil {
				t.Fatal(err)
			}
			many, err := policies.AllocateBy(name, crowd(env, 0, k))
			if err != nil {
				t.Fatalf("%s, %d jobs: %v", name, k, err)
			}
			sum := many.Tasks[0]
			for _, x := range many.Tasks[len(env.Users):] {
				sum += x
			}
			worst = max(worst, math.Abs(sum/one.Tasks[0]-1))
			for j := 1; j < len(env.Users); j++ {
				worst = max(worst, math.Abs(many.Tasks[j]-one.Tasks[j])/max(one.Tasks[j], 1e-6))
			}
		}
		limit := 1e-8
		if name == "mnw" {
			limit = 1e-4
		}
		if (worst <= limit) != same {
			t.Errorf("%s: k jobs of a tenant and one user differ by up to %g", name, worst)
		}
	}
}

// A hundred jobs against one: the work that each tenant has done is half of all at any
// time, where a hundred users would have had 100/101 of it.
func TestAHundredJobsAgainstOne(t *testing.T) {
	policy, err := policies.New("tsf")
	if err != nil {
		t.Fatal(err)
	}
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{10}, Count: 1}}}
	jobs := []sim.Job{{User: cluster.NewUser("one", []float64{1}), Tenant: "bob", Tasks: 100, Duration: 1e6}}
	for i := range 100 {
		jobs = append(jobs, sim.Job{User: cluster.NewUser(fmt.Sprint(i), []float64{1}), Tenant: "ann", Tasks: 1, Duration: 1e6, Arrival: event.Time(i % 2)})
	}
	r, err := (&sim.Fluid{Env: env, Jobs: jobs, Policy: policy}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for j := range jobs {
		if at := r.Jobs[j].Completion; at < 20e6-2 || at > 20e6+2 {
			t.Errorf("job %s ends at %d µs, want 20 s", jobs[j].User.Name, at)
		}
	}
}
