package whole

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// many are k jobs of ann, of so many tasks in all, against one of bob, whose weight is 1.
// All tasks are alike and run for 1 s.
func many(k int, weight float64, tasks int64) []sim.Job {
	user := func(name string, weight float64) cluster.User {
		u := cluster.NewUser(name, []float64{1})
		u.Weight = weight
		return u
	}
	jobs := []sim.Job{{User: user("one", 1), Tenant: "bob", Tasks: tasks, Duration: 1e6}}
	for i := range k {
		jobs = append(jobs, sim.Job{User: user(fmt.Sprint(i), weight), Tenant: "ann", Tasks: tasks / int64(k), Duration: 1e6})
	}
	return jobs
}

// startsAtOnce are the tasks that each tenant starts at 0, per server.
func startsAtOnce(t *testing.T, env *cluster.Environment, jobs []sim.Job, rule Rule) map[string][]int {
	t.Helper()
	starts := map[string][]int{"ann": make([]int, 100), "bob": make([]int, 100)}
	r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: 1e6, Verify: true, OnEvent: func(ev *Event) {
		if ev.At == 0 && ev.Kind == TaskStart {
			starts[jobs[ev.Job].Tenant][ev.Server]++
		}
	}}
	e, err := r.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := step(e); err != nil {
		t.Fatal(err)
	}
	return starts
}

// Ann with a hundred jobs holds what she holds with one, of whichever weight, on one
// server, on equal ones and on others. Each job by itself would round to nothing.
func TestAHundredJobsAreRoundedAsOne(t *testing.T) {
	clusters := map[string][]cluster.Server{
		"one server":         {{Name: "s", Capacity: []float64{100}, Count: 1}},
		"four equal servers": {{Name: "s", Capacity: []float64{25}, Count: 4}},
		"one and four":       {{Name: "s", Capacity: []float64{40}, Count: 1}, {Name: "t", Capacity: []float64{15}, Count: 4}},
	}
	for what, servers := range clusters {
		env := &cluster.Environment{Resources: []string{"cpu"}, Servers: servers}
		for _, name := range []string{"mnw", "cru"} {
			for _, weight := range []float64{1, 3, 0.25} {
				for _, options := range []Rounding{{}, {Vertex: true}, {Caps: BoundLeft}, {Literal: true}} {
					at := func(k int) map[string][]int {
						options.Random = rand.NewPCG(1, 1)
						return startsAtOnce(t, env, many(k, weight, 10000), Rounded(mustPolicy(t, name), options))
					}
					one, hundred := at(1), at(100)
					for tenant := range one {
						// At a vertex, and where classes differ, the split need not be the same one.
						a, b := one[tenant], hundred[tenant]
						if options.Vertex || what == "one and four" {
							a, b = []int{sum(a)}, []int{sum(b)}
							if d := a[0] - b[0]; -5 <= d && d <= 5 {
								continue
							}
						}
						if !slices.Equal(a, b) || sum(a) < 15 {
							t.Errorf("%s, %s, weight %g, %+v: %s starts %v with one job, %v with a hundred", what, name, weight, options, tenant, a, b)
						}
					}
				}
			}
		}
	}
}

func sum(values []int) (s int) {
	for _, v := range values {
		s += v
	}
	return s
}

// In the long run, too, when jobs end and others are left.
func TestAHundredJobsRunAsOneUnderRoundedRules(t *testing.T) {
	for _, name := range []string{"mnw", "cru"} {
		for _, fill := range []Fill{FillUsers, FillTasks, FillSlot} {
			for _, weight := range []float64{1, 3} {
				held, span := map[string]float64{}, event.Time(0)
				jobs := many(100, weight, 4000)
				running, last := map[string]int{}, event.Time(0)
				r := &Replay{Env: cores(40), Jobs: jobs, Slot: 3e6, Verify: true,
					Rule: Rounded(mustPolicy(t, name), Rounding{Fill: fill, Random: rand.NewPCG(2, 3)}),
					OnEvent: func(ev *Event) {
						if ev.At > last && ev.At < 60e6 {
							for tenant, n := range running {
								held[tenant] += float64(n) * float64(ev.At-last)
							}
							span, last = ev.At, ev.At
						}
						running[jobs[ev.Job].Tenant] += map[EventKind]int{TaskStart: 1, TaskSuspend: -1, TaskEnd: -1}[ev.Kind]
					}}
				if _, err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				ratio := held["ann"] / held["bob"]
				// A fill at random knows no weights; here it follows each end of a task.
				if want := weight; fill == FillUsers && (ratio < 0.95*want || ratio > 1.05*want) || ratio < 0.8 {
					t.Errorf("%s, weight %g, fill %v: ann's hundred jobs hold %.3f times what bob's one does, up to %d µs", name, weight, fill, ratio, span)
				}
			}
		}
	}
}

// What one task of each job leaves is the tenant's, not the job's: of a server for 10 the
// tenant has 5, in which a task of the large job goes when the small ones have had theirs.
func TestJobsOfATenantShareWhatRoundingLeaves(t *testing.T) {
	user := func(name string, cpu float64) cluster.User { return cluster.NewUser(name, []float64{cpu}) }
	jobs := []sim.Job{
		{User: user("large", 2), Tenant: "ann", Tasks: 9, Duration: 1e6}, // x = 5/3/2 = .83
		{User: user("small", 1), Tenant: "ann", Tasks: 9, Duration: 1e6}, // x = 5/3 = 1.67
		{User: user("tiny", .5), Tenant: "ann", Tasks: 9, Duration: 1e6}, // x = 5/3/.5 = 3.33
		{User: user("other", 4), Tenant: "bob", Tasks: 9, Duration: 1e6}, // x = 5/4
	}
	started := map[string]int{}
	r := &Replay{Env: cores(10), Jobs: jobs, Slot: 1e6, Rule: Rounded(mustPolicy(t, "mnw"), Rounding{Random: rand.NewPCG(1, 1)}), OnEvent: func(ev *Event) {
		if ev.At == 0 && ev.Kind == TaskStart {
			started[jobs[ev.Job].User.Name]++
		}
	}}
	e, err := r.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := step(e); err != nil {
		t.Fatal(err)
	}
	// By what each lags behind: tiny 3.33, 2.33, then small 1.67, tiny 1.33, large .83.
	// That is 4.5 of 5; of what would be next (small .67, tiny .33) only tiny fits.
	if diff := cmp.Diff(map[string]int{"large": 1, "small": 1, "tiny": 4, "other": 1}, started); diff != "" {
		t.Error(diff)
	}
}

// The first fill is uniform over pairs of a tenant and a server: ann's two jobs and bob's
// one on two servers for one task each.
func TestFillsAreUniformOverTenants(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 2}}}
	jobs := many(2, 1, 2)
	const n = 30000
	var first [3]float64
	source := rand.NewPCG(65, 66)
	for range n {
		seen := false
		r := &Replay{Env: env, Jobs: jobs, Rule: Rounded(mustPolicy(t, "mnw"), Rounding{Random: source}), Slot: 2e6, OnEvent: func(ev *Event) {
			if !seen && ev.Kind == TaskStart {
				first[ev.Job]++
			}
			seen = true
		}}
		r.Rule = fillOnly{r.Rule.(rounded)}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for j, want := range []float64{.5, .25, .25} {
		// Five standard deviations.
		if d := first[j] - n*want; d*d > 25*n*want*(1-want) {
			t.Errorf("job %d is first in %v of %d replays", j, first[j], n)
		}
	}
}

// fillOnly starts everything at random.
type fillOnly struct{ rounded }

func (f fillOnly) open(e *run) scheduler { return &onlyFilling{f.rounded.open(e).(*rounding)} }

type onlyFilling struct{ *rounding }

func (o *onlyFilling) slot() error { o.fill(); return nil }

// One job a tenant: the same bytes as without tenants.
func TestOneJobATenantIsRoundedTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 68))
	placements := 0
	for k := range 150 {
		env := randomEnv(rng, k%2 == 0)
		jobs := randomJobs(rng, env, 1+rng.IntN(12), k%2 == 0)
		options := Rounding{Fill: Fill(k % 3), Vertex: k%5 == 0, Caps: Bound(k / 4 % 3), Literal: k%7 == 0}
		var logs [2][]string
		for i := range logs {
			options.Random = rand.NewPCG(uint64(k), 7)
			rule := Rounded(mustPolicy(t, []string{"mnw", "cru"}[k/2%2]), options)
			if i == 1 {
				rule = roundedByTenant{rule.(rounded)}
			}
			r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: []event.Time{0, 2e6, 5e6}[k%3], OnEvent: logger(jobs, &logs[i])}
			result, err := r.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			placements += int(result.Placements)
		}
		if diff := logDiff(logs[0], logs[1]); diff != "" {
			t.Fatalf("workload %d:\n%s", k, diff)
		}
	}
	if placements < 2000 {
		t.Errorf("only %d placements", placements)
	}
}

// roundedByTenant has tenants also where each job is one.
type roundedByTenant struct{ rounded }

func (r roundedByTenant) open(e *run) scheduler {
	e.forceTenants()
	return r.rounded.open(e)
}

// The slow twin divides afresh at each slot, sums what is given and held in rational numbers
// for every question, and looks for everything by walks through all jobs.
func TestTheSlowRoundingServesTenantsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(69, 70))
	placements, suspensions, together := 0, 0, 0
	for k := range several(400) {
		env := randomEnv(rng, k%3 == 0)
		jobs := tenanted(rng, randomJobs(rng, env, 2+rng.IntN(14), k%3 == 0))
		options := Rounding{Fill: Fill(k % 3), Vertex: k%5 == 0, Caps: Bound(k / 4 % 3), Literal: k%7 == 0}
		var logs [2][]string
		for i := range logs {
			options.Random = rand.NewPCG(uint64(k), 7)
			rule := Rounded(alwaysAsked(mustPolicy(t, []string{"mnw", "cru", "tsf-er", "utilitarian"}[k/2%4])), options)
			if i == 1 {
				rule = plainRounded{rule.(rounded), &together}
			}
			r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: event.Time(k%4) * 1e6, Verify: i == 0, OnEvent: logger(jobs, &logs[i])}
			result, err := r.Run(t.Context())
			if err != nil {
				t.Fatalf("workload %d: %v", k, err)
			}
			placements += int(result.Placements)
			suspensions += int(result.Suspensions)
		}
		if diff := logDiff(logs[1], logs[0]); diff != "" {
			t.Fatalf("workload %d, %+v:\n%s", k, options, diff)
		}
	}
	if placements < several(10000) || suspensions < several(1000) || together < several(1000) {
		t.Errorf("only %d placements, %d suspensions, %d of tenants with several jobs", placements, suspensions, together)
	}
}

// alwaysAsked hides that a rule ignores slack caps, so that the division at hand is always
// one of these very caps.
func alwaysAsked(p policies.Policy) policies.Policy {
	if _, inside := p.(policies.InteriorSplitter); inside {
		return struct {
			policies.Policy
			policies.InteriorSplitter
		}{p, p.(policies.InteriorSplitter)}
	}
	if b, bounded := p.(policies.Bounder); bounded {
		return struct {
			policies.Policy
			policies.Bounder
		}{p, b}
	}
	return p
}

type plainRounded struct {
	rounded
	together *int
}

func (p plainRounded) open(e *run) scheduler {
	return &plainRounding{rounding: p.rounded.open(e).(*rounding), together: p.together}
}

type plainRounding struct {
	*rounding
	together *int
}

func (p *plainRounding) slot() error {
	p.present, p.shared = nil, nil
	for index := range len(p.Jobs) {
		for at := range p.users {
			if p.users[at].left > 0 && p.users[at].index == index {
				p.present = append(p.present, int32(at))
			}
		}
	}
	if err := p.share(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, at := range p.present {
		name := p.users[at].Tenant
		if name != "" && seen[name] {
			continue
		}
		seen[name] = true
		var jobs []int
		for k, other := range p.present {
			if k == i || name != "" && p.users[other].Tenant == name {
				jobs = append(jobs, k)
			}
		}
		p.startPlainly(jobs)
	}
	if p.options.Fill == FillSlot || p.stalled {
		p.fill()
	}
	p.stalled = false
	return nil
}

// startPlainly starts the tasks of a tenant with these jobs, server by server.
func (p *plainRounding) startPlainly(jobs []int) {
	before := map[int]int{} // tasks of each job that the slot has started
	for server := range int32(p.servers.Servers()) {
		here := map[int]int{} // those on this server
		for {
			next, most := -1, 0.0
			for _, j := range jobs {
				due := 0.0
				for s := range server + 1 {
					due += p.part(j, s)
				}
				lag := due - float64(before[j])
				if p.startable(p.present[j], server) && (next < 0 || lag > most) && p.mayStart(jobs, here, j, server) {
					next, most = j, lag
				}
			}
			if next < 0 {
				break
			}
			p.place(p.present[next], server)
			before[next]++
			here[next]++
			if len(jobs) > 1 {
				*p.together++
			}
		}
	}
}

// mayStart reports whether another task of a job stays within what its tenant is given. A
// tenant with one job is given x tasks.
func (p *plainRounding) mayStart(jobs []int, here map[int]int, job int, server int32) bool {
	if len(jobs) == 1 {
		return int64(here[job]) < p.floor(p.part(job, server))
	}
	env := p.Env
	class := p.servers.Class(int(server))
	amount := func(j, row int) *big.Rat {
		u := &p.users[p.present[j]].User
		d := 0.0
		switch on, differs := u.DemandOn[class]; {
		case row < len(env.Resources) && differs:
			d = on[row]
		case row < len(env.Resources):
			d = u.Demand[row]
		case u.LinkDemand != nil && env.Reaches(row-len(env.Resources), class):
			d = u.LinkDemand[row-len(env.Resources)]
		}
		return exact.Rational(d)
	}
	for row := range len(env.Resources) + len(env.Links) {
		given, held := new(big.Rat), amount(job, row)
		if held.Sign() == 0 {
			continue
		}
		part := new(big.Rat).Mul(big.NewRat(1, 1e6), held) // of one task
		for _, j := range jobs {
			d := amount(j, row)
			given.Add(given, new(big.Rat).Mul(exact.Rational(p.part(j, server)), d))
			held.Add(held, d.Mul(d, big.NewRat(int64(here[j]), 1)))
		}
		all := new(big.Rat).Mul(big.NewRat(1, 1e9), given)
		switch {
		case p.options.Literal:
			given.Sub(given, all)
		case all.Cmp(part) > 0:
			given.Add(given, all)
		default:
			given.Add(given, part)
		}
		if held.Cmp(given) > 0 {
			return false
		}
	}
	return true
}
