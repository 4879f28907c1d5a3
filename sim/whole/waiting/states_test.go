package waiting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// crowd is servers of few classes with tasks that come and go at random, and what is known of
// the users by walks through all servers.
type crowd struct {
	*Servers
	env   *cluster.Environment
	rng   *rand.Rand
	users []*cluster.User
	kinds []*Kind
	full  []int64 // per kind: a position of the log at which no server had room for it
	tasks []running
}

// newCrowd has four classes of many servers each; two of them are equal, so that tasks often
// fit equally well on both. With parts one link reaches all, and one the servers of two
// classes. The demands of a third of the users are coarse, so that many servers come to be in
// equal states, those of the others fine.
func newCrowd(parts bool) *crowd {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for s, capacity := range [][]float64{{4, 6}, {6, 6}, {6, 4}, {6, 6}} {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("c", s), Capacity: capacity, Count: 25 + 10*s})
	}
	if parts {
		some := cluster.NewSet(4, 1, 2)
		env.Links = []cluster.Link{{Name: "all", Capacity: 500}, {Name: "some", Capacity: 140, Servers: some}}
	}
	c := &crowd{Servers: NewServersIndexed(env, true), env: env, rng: rand.New(rand.NewPCG(81, 82))}
	if parts {
		c.states.first = c.states.first[:1] // all states have the same hash
	}
	for i := range 60 {
		unit, most := 64, 160
		if i < 20 {
			unit, most = 2, 5
		}
		demand := func() float64 { return float64(c.rng.IntN(most)) / float64(unit) }
		u := cluster.NewUser(fmt.Sprint("u", i), []float64{0.5 + demand(), demand()})
		if i >= 15 && i < 20 { // few servers have room for it, and it is seldom asked for
			u.Demand[0] += 2
		}
		if parts {
			u.LinkDemand = []float64{float64(c.rng.IntN(3)), float64(c.rng.IntN(2))}
		}
		if i%4 == 0 {
			u.Eligible = cluster.NewSet(4, c.rng.Perm(4)[:1+c.rng.IntN(3)]...)
		}
		c.users, c.kinds, c.full = append(c.users, &u), append(c.kinds, c.Kind(&u)), append(c.full, untried)
	}
	return c
}

// end ends a task.
func (c *crowd) end(i int) {
	x := c.tasks[i]
	c.tasks[i], c.tasks = c.tasks[len(c.tasks)-1], c.tasks[:len(c.tasks)-1]
	c.Give(c.kinds[x.kind], x.server, 1)
	c.log.searched = c.log.end // each search has ended
	c.Freed(x.server)
}

// suspend suspends all tasks.
func (c *crowd) suspend() {
	for _, x := range c.tasks {
		c.Suspend(c.kinds[x.kind], x.server, 1)
	}
	c.Emptied()
	c.Suspended()
	for i := range c.full {
		c.full[i] = untried
	}
	c.tasks = c.tasks[:0]
}

// walk returns the best fit by its definition, and whether any server on which the user may run
// has room for it, links being no matter.
func (c *crowd) walk(i int) (best int32, room bool) {
	k, least := c.kinds[i], int64(0)
	best = -1
	for s := range c.Servers.Servers() {
		free, sum := c.Free(s), int64(0)
		fits := c.users[i].Eligible.Has(c.Class(s))
		for r, d := range c.users[i].Demand {
			gap := int64(64 * (c.Grid(r).Float(free[r]) - d)) // demands are multiples of 1/64
			other := int64(c.env.TotalCapacity(1 - r))
			sum, fits = sum+gap*gap*other*other, fits && gap >= 0
		}
		room = room || fits
		for e, link := range c.env.Links {
			fits = fits && (link.Servers != nil && !link.Servers.Has(c.Class(s)) || k.Need.Link[e] <= c.LinkFree()[e])
		}
		if fits && (best < 0 || sum < least) {
			best, least = int32(s), sum
		}
	}
	return best, room
}

// mayHave reports whether a server that a task has left since a position may have room.
func (c *crowd) mayHave(k *Kind, s int32, since int64) bool {
	return k.down.within(c.rooms[s]) && c.left[s] > since && k.May.Has(c.Class(int(s)))
}

// roomIsFound compares roomSince with a walk.
func (c *crowd) roomIsFound(t *testing.T, k *Kind) {
	since := c.log.end - logged - c.rng.Int64N(200)
	got, want := c.roomSince(k.down, since, &allowed{may: k.May}), int32(-1)
	for s := range int32(c.Servers.Servers()) {
		if c.mayHave(k, s, since) {
			want = s
		}
	}
	if got < 0 && want >= 0 || got >= 0 && !c.mayHave(k, got, since) {
		t.Fatalf("since %d of %d server %d is said to have room, server %d has", since, c.log.end, got, want)
	}
}

// What is found by states is what a walk through all servers finds: the best fit, ties by
// number, where all servers are asked or those that tasks have left since none had room, with
// links and eligible classes; and whether any server has room. Demands are coarse at first,
// then so fine that servers have too many states, which are given up, then coarse again.
func TestStatesLeadToWhatAWalkFinds(t *testing.T) {
	for _, parts := range []bool{false, true} {
		c, used := newCrowd(parts), false
		seen := map[string]int{}
		for step := range 15000 {
			if step%1500 == 0 {
				c.suspend()
			}
			if step%100 == 99 && !c.states.used { // as after many moves; mostly there are still too many
				c.states.again = 0
			}
			for range c.rng.IntN(3) {
				if n := len(c.tasks); n > 0 && c.rng.IntN(10) < 7 {
					c.end(c.rng.IntN(n))
				}
			}
			i := c.rng.IntN(1 + c.rng.IntN(20))
			if step/2000%3 == 1 {
				i = 20 + c.rng.IntN(40)
			}
			k, since := c.kinds[i], c.full[i]
			c.roomIsFound(t, k)
			want, room := c.walk(i)
			got := c.bestFit(k, since)
			if got != want {
				t.Fatalf("links %v, step %d: demand %v since %d of %d fits best on %d, want %d", parts, step, c.users[i].Demand, since, c.log.end, got, want)
			}
			if !room {
				c.full[i] = c.log.end
			}
			if got < 0 {
				seen["fits nowhere"]++
				continue
			}
			if since != untried && c.log.end-since > logged {
				seen["among those left"]++
			}
			if used != c.states.used {
				used = c.states.used
				seen[fmt.Sprint("states used: ", used)]++
			}
			if used && len(c.states.all[c.states.of[got]].servers) > 1 {
				seen["of several of a state"]++
			}
			c.Take(k, got)
			c.tasks = append(c.tasks, running{i, got})
		}
		for what, least := range map[string]int{"fits nowhere": 200, "among those left": 12, "states used: true": 2, "states used: false": 2, "of several of a state": 1500} {
			if seen[what] < least {
				t.Errorf("links %v: %s %d times, want %d", parts, what, seen[what], least)
			}
		}
	}
}

// The server that a task left first since a position counts as left since, however many tasks
// have left others after it: by states, and by the tree of servers.
func TestTheFirstServerLeftSinceIsFound(t *testing.T) {
	for _, grouped := range []bool{true, false} {
		env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{
			{Name: "large", Capacity: []float64{4}, Count: 100}, {Name: "small", Capacity: []float64{0.75}, Count: 200}}}
		p := NewServersIndexed(env, true)
		if !grouped {
			p.states.again = math.MaxInt64
		}
		one, most, half := cluster.NewUser("one", []float64{1}), cluster.NewUser("most", []float64{3.5}), cluster.NewUser("half", []float64{0.5})
		k, fills, h := p.Kind(&one), p.Kind(&most), p.Kind(&half)
		for s := range int32(300) {
			if s < 100 {
				p.Take(fills, s)
			} else {
				p.Take(h, s)
			}
		}
		since := p.log.end
		if got := p.bestFit(k, since); got >= 0 {
			t.Fatalf("server %d has room, none has", got)
		}
		p.Give(fills, 7, 1)
		p.Freed(7)
		for s := int32(100); s < 300; s++ {
			p.Give(h, s, 1)
			p.Freed(s)
			p.Take(h, s)
		}
		if p.log.end-since <= p.scan {
			t.Fatalf("%d tasks have left, which are tried one by one", p.log.end-since)
		}
		if got := p.bestFit(k, since); got != 7 || p.states.used != grouped {
			t.Errorf("grouped %v: server %d, want 7", grouped, got)
		}
	}
}
