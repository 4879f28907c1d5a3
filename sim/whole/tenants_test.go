package whole

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// tenanted gives jobs tenants, whose weight is that of their first job, and leaves some
// without one.
func tenanted(rng *rand.Rand, jobs []sim.Job) []sim.Job {
	weight := map[string]float64{}
	for j := range jobs {
		at := rng.IntN(4)
		if at == 0 {
			continue
		}
		name := fmt.Sprint("t", at)
		if weight[name] == 0 {
			weight[name] = jobs[j].User.Weight
		}
		jobs[j].Tenant, jobs[j].User.Weight = name, weight[name]
	}
	return jobs
}

func TestTheSlowSchedulerServesTenantsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	names := []string{"tsf-er", "drf-er", "fifo", "egalitarian", "tsf", "cdrf", "drfh", "drf", "cmmf-cpu", "cmmf-mem"}
	var c comparison
	for k := range several(1500) {
		env := randomEnv(rng, k%3 == 0)
		jobs := tenanted(rng, randomJobs(rng, env, 2+rng.IntN(14), k%3 == 0))
		slot := []event.Time{0, 2e6, 5e6}[rng.IntN(3)]
		c.run(t, fmt.Sprint("workload ", k), env, jobs, names[k%len(names)], slot, k%7 == 0)
	}
	if c.starts < several(20000) || c.suspensions < several(3000) || c.refused < several(100) {
		t.Errorf("only %d starts, %d suspensions, %d refused", c.starts, c.suspensions, c.refused)
	}
}

// Many users, servers and kinds, so that the order of tenants, heaps and the log matter:
// a walk through all of them is the twin. With one job a tenant it is the same walk as
// that without tenants.
func TestTheQueueOfTenantsFindsWhatAWalkFinds(t *testing.T) {
	for k := range 16 {
		rng := rand.New(rand.NewPCG(37, uint64(k)))
		env, jobs := crowded(rng, 1+k%5, 60, k%3, k%2 == 0)
		if k%4 > 0 {
			jobs = tenanted(rng, jobs)
		}
		log := func(rule Rule) (log []string) {
			r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: event.Time(k%3) * 30e6, OnEvent: logger(jobs, &log), Verify: k < 4}
			if _, err := r.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			return log
		}
		rule := mustOrdered(t, []string{"tsf", "tsf-er", "drf-er"}[k%3]).(ordered)
		got := log(byTenantAlways{rule})
		if diff := logDiff(log(plainTenants{rule}), got); diff != "" {
			t.Fatalf("workload %d:\n%s", k, diff)
		}
		if k%4 == 0 {
			if diff := logDiff(log(rule), got); diff != "" {
				t.Fatalf("workload %d, one job a tenant:\n%s", k, diff)
			}
		}
		if len(got) < 120 {
			t.Errorf("workload %d: only %d events", k, len(got))
		}
	}
}

// byTenantAlways serves by tenants also where each job is one.
type byTenantAlways struct{ ordered }

func (b byTenantAlways) open(e *run) scheduler {
	e.forceTenants()
	return b.ordered.open(e)
}

// forceTenants makes each job a tenant where none is stated.
func (e *run) forceTenants() {
	if e.tenants != nil {
		return
	}
	e.tenants = &sim.Tenants{}
}

// plainTenants walks through all users and all servers for every task, and sums what
// each tenant holds in rational numbers.
type plainTenants struct{ ordered }

func (p plainTenants) open(e *run) scheduler {
	e.forceTenants()
	s := plainly(p).open(e)
	return &plainTenantOrder{plainOrder: s.(*plainOrder), rule: p.normalize, norms: map[int32]*big.Rat{}}
}

type plainTenantOrder struct {
	*plainOrder
	rule  policies.Normalizer
	norms map[int32]*big.Rat // 1/N
}

func (p *plainTenantOrder) slot() error { return p.events() }

func (p *plainTenantOrder) events() error {
	for {
		who, where := -1, int32(-1)
		share := p.shares()
		for at := range p.users {
			u := &p.users[at]
			if u.left == 0 || u.waiting() == 0 {
				continue
			}
			if who >= 0 {
				other := &p.users[who]
				c := share[u.tenant].Cmp(share[other.tenant])
				mine, first := u.turn(), other.turn()
				if c > 0 || c == 0 && !mine.Before(&first) {
					continue
				}
			}
			if server := p.servers.BestFit(&u.kind.Kind); server >= 0 {
				who, where = at, server
			}
		}
		if who < 0 {
			return nil
		}
		p.place(int32(who), where)
	}
}

// shares sums the share of each tenant.
func (p *plainTenantOrder) shares() []*big.Rat {
	sums := make([]*big.Rat, len(p.tenants.Weight))
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	for at := range p.users {
		if u := &p.users[at]; u.left > 0 {
			if p.norms[u.number] == nil {
				n, err := policies.RationalsOf(p.rule, p.Env).N(&u.User)
				if err != nil {
					panic(err)
				}
				p.norms[u.number] = inverse(n)
			}
			x := new(big.Rat).SetInt64(u.running)
			x.Mul(x, p.norms[u.number])
			sum := sums[u.tenant]
			sum.Add(sum, x.Quo(x, exact.Rational(u.User.Weight)))
		}
	}
	return sums
}

// A hundred jobs of one tenant against one of another, on a cluster for a hundred tasks
// and on one for ten: the tenants have equal parts, where as users of their own the
// hundred would have all but a task.
func TestAHundredJobsAgainstOne(t *testing.T) {
	for _, slots := range []float64{10, 100} {
		for _, name := range []string{"tsf", "drf", "tsf-er", "egalitarian"} {
			for _, tenants := range []bool{true, false} {
				jobs := []sim.Job{{User: cluster.NewUser("one", []float64{1}), Tenant: "bob", Tasks: 2000, Duration: 1e6}}
				for i := range 100 {
					jobs = append(jobs, sim.Job{User: cluster.NewUser(fmt.Sprint(i), []float64{1}), Tenant: "ann", Tasks: 20, Duration: 1e6})
				}
				if !tenants {
					for j := range jobs {
						jobs[j].Tenant = ""
					}
				}
				running, most := map[bool]int{}, 0
				r := &Replay{Env: cores(slots), Jobs: jobs, Rule: mustOrdered(t, name), Verify: true, OnEvent: func(ev *Event) {
					switch ev.Kind {
					case TaskStart:
						running[ev.Job == 0]++
					case TaskEnd:
						running[ev.Job == 0]--
					}
					most = max(most, running[true])
				}}
				if _, err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if half := int(slots / 2); tenants && slices.Contains([]int{half, half + 1}, most) != true || !tenants && most == half {
					t.Errorf("%s, %g tasks fit, tenants %v: the one job runs %d", name, slots, tenants, most)
				}
			}
		}
	}
}

func TestPriorityOrdersFIFO(t *testing.T) {
	var log []string
	jobs := []sim.Job{
		{User: cluster.NewUser("a", []float64{1}), Tasks: 1, Duration: 1e6},
		{User: cluster.NewUser("b", []float64{1}), Tasks: 2, Duration: 1e6, Arrival: 1},
		{User: cluster.NewUser("c", []float64{1}), Tasks: 1, Duration: 1e6, Arrival: 2, Priority: 5},
		{User: cluster.NewUser("d", []float64{1}), Tasks: 1, Duration: 1e6, Arrival: 3, Priority: -5},
		{User: cluster.NewUser("e", []float64{1}), Tasks: 1, Duration: 1e6, Arrival: 4, Priority: 5},
		{User: cluster.NewUser("f", []float64{1}), Tasks: 1, Duration: 1e6, Arrival: 2500000, Priority: 1},
	}
	r := &Replay{Env: cores(1), Jobs: jobs, Rule: ByPriority(), Verify: true, OnEvent: func(ev *Event) {
		if ev.Kind == TaskStart {
			log = append(log, jobs[ev.Job].User.Name)
		}
	}}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "c", "e", "f", "b", "b", "d"}; !slices.Equal(log, want) {
		t.Errorf("started %v, want %v", log, want)
	}
}
