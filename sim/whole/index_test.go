package whole

import (
	"errors"
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// plainly serves in order as inOrder does, but walks through all users and all
// servers for every task. It keeps nothing.
type plainly struct{ ordered }

func (p plainly) open(e *run) scheduler {
	return &plainOrder{e, order.NewNormalizer(p.normalize, e.Env)}
}

type plainOrder struct {
	*run
	*order.Normalizer
}

func (p *plainOrder) restart() bool { return false }
func (p *plainOrder) slot() error   { return p.events() }

func (p *plainOrder) events() error {
	for {
		who, where := int32(-1), int32(-1)
		for at := range p.users {
			u := &p.users[at]
			if u.left == 0 || u.waiting() == 0 {
				continue
			}
			if mine := u.turn(); who >= 0 {
				if first := p.users[who].turn(); !mine.Before(&first) {
					continue
				}
			}
			if server := p.servers.BestFit(&u.kind.Kind); server >= 0 {
				who, where = int32(at), server
			}
		}
		if who < 0 {
			return nil
		}
		p.place(who, where)
	}
}

// crowded is a workload in which many users wait: classes of one or more
// servers, tight links, demands that hardly ever agree.
func crowded(rng *rand.Rand, classes, users, links int, constrained bool) (*cluster.Environment, []sim.Job) {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	total := 0.0
	for s := range classes {
		capacity := []float64{1 + 9*rng.Float64(), 1 + 9*rng.Float64()}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1 + rng.IntN(2)})
		total += capacity[0]
	}
	for e := range links {
		env.Links = append(env.Links, cluster.Link{Name: fmt.Sprint("l", e), Capacity: total * (0.2 + rng.Float64())})
	}
	var jobs []sim.Job
	for j := range users {
		demand := []float64{0.1 + 4*rng.Float64()*rng.Float64(), 4 * rng.Float64() * rng.Float64()}
		link := make([]float64, links)
		for e := range link {
			link[e] = demand[0] * 2 * rng.Float64()
		}
		u := cluster.NewUser(fmt.Sprint("u", j), demand, link...)
		if constrained && rng.IntN(5) > 0 {
			u.Eligible = cluster.NewSet(classes)
			for range 1 + rng.IntN(1+rng.IntN(classes)) {
				u.Eligible.Add(rng.IntN(classes))
			}
		}
		jobs = append(jobs, sim.Job{User: u, Arrival: event.Time(j) * 1e5, Tasks: 1 + rng.Int64N(12), Duration: event.Time(1e6 + rng.IntN(5e7))})
	}
	return env, jobs
}

func TestTheIndexOfUsersDecidesAsAWalkThroughThemDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	starts := 0
	for k, size := range []struct{ classes, users, links int }{
		{4, 300, 0}, {4, 300, 1}, {4, 250, 2}, {4, 100, 12}, {30, 400, 1}, {70, 100, 7}, {70, 300, 0}, {70, 300, 1}, {1100, 40, 0}, {1100, 40, 1},
	} {
		for _, constrained := range []bool{false, true} {
			env, jobs := crowded(rng, size.classes, size.users, size.links, constrained)
			rule := mustOrdered(t, []string{"tsf-er", "cdrf", "fifo"}[k%3]).(ordered)
			slot := event.Time(k%2) * 30e6
			var logs [2][]string
			for i, rule := range []Rule{rule, plainly{rule}} {
				r := &Replay{Env: env, Jobs: jobs, Rule: rule, Slot: slot, OnEvent: logger(jobs, &logs[i])}
				if i == 1 {
					r.indexed = new(false) // so BestFit looks at all servers
				}
				result, err := r.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				starts += int(result.Placements)
			}
			if diff := logDiff(logs[1], logs[0]); diff != "" {
				t.Fatalf("%+v, constrained %v:\n%.2000s", size, constrained, diff)
			}
		}
	}
	if starts < 30000 {
		t.Errorf("only %d starts", starts)
	}
}

// A pool of servers for some users alone is a cluster apart: what happens there
// is what happens without the others.
func TestStaticPartitionsAreClustersApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for _, name := range []string{"fifo", "cdrf"} {
		// One resource, so that the best fit does not depend on what else the
		// cluster has, and cdrf, whose N counts eligible servers only.
		both := &cluster.Environment{Resources: []string{"cpu"}}
		var parts [2]*cluster.Environment
		var apart [2][]sim.Job
		var together []sim.Job
		for i := range parts {
			parts[i] = &cluster.Environment{Resources: both.Resources}
			for s := range 4 {
				server := cluster.Server{Name: fmt.Sprint(i, "/", s), Capacity: []float64{float64(2 + rng.IntN(6))}, Count: 1}
				parts[i].Servers, both.Servers = append(parts[i].Servers, server), append(both.Servers, server)
			}
		}
		for j := range 120 {
			u := cluster.NewUser(fmt.Sprint("u", j), []float64{float64(1 + rng.IntN(3))})
			job := sim.Job{User: u, Arrival: event.Time(j) * 2e6, Tasks: 1 + rng.Int64N(20), Duration: event.Time(1+rng.IntN(20)) * 1e6}
			i := j % 2
			apart[i] = append(apart[i], job)
			job.User.Eligible = cluster.NewSet(8, 4*i, 4*i+1, 4*i+2, 4*i+3)
			together = append(together, job)
		}
		times := func(env *cluster.Environment, jobs []sim.Job, into map[string][2]event.Time) {
			r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, name), Verify: true}
			result, err := r.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range result.Jobs {
				into[jobs[i].User.Name] = [2]event.Time{j.FirstStart, j.Completion}
			}
		}
		want, got := map[string][2]event.Time{}, map[string][2]event.Time{}
		times(parts[0], apart[0], want)
		times(parts[1], apart[1], want)
		times(both, together, got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 120 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The user with the smallest share of those that may run on the freed server is
// served, although another one with a smaller share waits for other servers.
func TestACompletionOffersTheFreedServer(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{
		{Name: "a", Capacity: []float64{2}, Count: 1}, {Name: "b", Capacity: []float64{2}, Count: 1},
	}}
	user := func(name string, cpu float64, servers ...int) cluster.User {
		u := cluster.NewUser(name, []float64{cpu})
		if servers != nil {
			u.Eligible = cluster.NewSet(2, servers...)
		}
		return u
	}
	jobs := []sim.Job{
		{User: user("short", 2, 0), Tasks: 1, Duration: 10e6},
		{User: user("long", 2, 1), Tasks: 1, Duration: 100e6},
		{User: user("none", 1, 1), Arrival: 1e6, Tasks: 1, Duration: 10e6}, // share 0, but not on a
		{User: user("some", 1), Arrival: 2e6, Tasks: 3, Duration: 50e6},
	}
	var log []string
	r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, "tsf"), Verify: true, OnEvent: logger(jobs, &log)}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 start short.0 on 0, rest 10000000", "0 start long.0 on 1, rest 100000000",
		"10000000 end short.0 on 0, rest 0", "10000000 start some.0 on 0, rest 50000000", "10000000 start some.1 on 0, rest 50000000",
		"60000000 end some.0 on 0, rest 0", "60000000 end some.1 on 0, rest 0", "60000000 start some.2 on 0, rest 50000000",
		"100000000 end long.0 on 1, rest 0", "100000000 start none.0 on 1, rest 10000000",
		"110000000 end some.2 on 0, rest 0", "110000000 end none.0 on 1, rest 0",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
}

func TestRulesThatDivideLinksAreRefused(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{4, 4}, Count: 2}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 3}},
	}
	jobs := []sim.Job{{User: cluster.NewUser("u", []float64{1, 1}, 1), Tasks: 2, Duration: 1e6}}
	for _, name := range []string{"drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq"} {
		r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, name)}
		var refused *policies.UnsupportedError
		if _, err := r.Run(t.Context()); !errors.As(err, &refused) {
			t.Errorf("%s with a link: error %v", name, err)
		}
		without := *env
		without.Links = nil
		plain := []sim.Job{{User: cluster.NewUser("u", []float64{1, 1}), Tasks: 2, Duration: 1e6}}
		r = &Replay{Env: &without, Jobs: plain, Rule: mustOrdered(t, name)}
		if _, err := r.Run(t.Context()); err != nil {
			t.Errorf("%s without links: %v", name, err)
		}
	}
}
