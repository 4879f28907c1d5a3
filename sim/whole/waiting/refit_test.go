package waiting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// constrainedServers has small servers of a few sizes, so that fits that are equally good
// are common, each a class of its own. With parts two links reach half of them each.
func constrainedServers(classes int, parts bool) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for s := range classes {
		capacity := []float64{float64(4 + 2*(s%3)), float64(4 + s%4)}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1})
	}
	if parts {
		for e := range 2 {
			link := cluster.Link{Name: fmt.Sprint("l", e), Capacity: float64(classes) / 2, Servers: cluster.NewSet(classes)}
			for s := e; s < classes; s += 2 {
				link.Servers.Add(s)
			}
			env.Links = append(env.Links, link)
		}
	}
	return env
}

// running is a task of a kind on a server.
type running struct {
	kind   int
	server int32
}

// The best fit is the one that a kind without a memory finds, whatever has moved since the
// kind was looked for last.
func TestTheLastFitLeadsToTheBestFit(t *testing.T) {
	for _, parts := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(71, 72))
		p := NewServersIndexed(constrainedServers(90, parts), true)
		var kinds, fresh []*Kind
		for i := range 40 {
			u := cluster.NewUser(fmt.Sprint("u", i), []float64{0.5 * float64(1+rng.IntN(6)), 0.5 * float64(rng.IntN(5))})
			if parts {
				u.LinkDemand = []float64{float64(rng.IntN(3)), float64(rng.IntN(3))}
			}
			if i%4 > 0 {
				u.Eligible = cluster.NewSet(90, rng.Perm(90)[:1+rng.IntN(90)]...)
			}
			kinds, fresh = append(kinds, p.Kind(&u)), append(fresh, p.Kind(&u))
		}
		var tasks []running
		known, placed := 0, 0
		for range 40000 {
			if n := len(tasks); n > 0 && rng.IntN(100) < 48 {
				i := rng.IntN(n)
				p.Give(kinds[tasks[i].kind], tasks[i].server, 1)
				tasks[i], tasks = tasks[n-1], tasks[:n-1]
				continue
			}
			i := rng.IntN(len(kinds)) * rng.IntN(2)
			if n := kinds[i].near; n != nil && n.at > 0 {
				known++
			}
			fresh[i].near = &nearest{wanted: 1}
			want, got := p.BestFit(fresh[i]), p.BestFit(kinds[i])
			if got != want {
				t.Fatalf("links apart %v: kind %d fits best on %d, want %d", parts, i, got, want)
			}
			if got >= 0 {
				p.Take(kinds[i], got)
				tasks = append(tasks, running{i, got})
				placed++
			}
		}
		if known < 5000 || placed < 5000 {
			t.Errorf("links apart %v: %d fits of %d were known", parts, known, placed)
		}
	}
}

// tryAll returns the best-fit server by its definition, for demands and capacities that are
// multiples of a half; -1 if there is none.
func tryAll(p *Servers, env *cluster.Environment, u *cluster.User) int32 {
	best, least := int32(-1), int64(0)
	for s := range p.Servers() {
		sum, fits := int64(0), u.Eligible.Has(p.Class(s))
		for r, free := range p.Free(s) {
			gap := int64(math.Round(2 * (p.Grid(r).Float(free) - u.Demand[r])))
			other := int64(env.TotalCapacity(1 - r))
			sum, fits = sum+gap*gap*other*other, fits && gap >= 0
		}
		if fits && (best < 0 || sum < least) {
			best, least = int32(s), sum
		}
	}
	return best
}

// The best fit of demands that kinds have in common is the one of the definition, through
// suspensions of almost all tasks, and whatever they take of a link that is full at times.
func TestDemandsInCommonLeadToTheBestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 76))
	const classes = 180
	env := constrainedServers(classes, false)
	env.Links = []cluster.Link{{Name: "all", Capacity: 100}}
	p := NewServersIndexed(env, true)
	var users []*cluster.User
	var kinds []*Kind
	for i := range 60 {
		u := cluster.NewUser(fmt.Sprint("u", i), []float64{0.5 * float64(1+i%5), 0.5 * float64(i%3)}, 0.25*float64(i/15))
		if i%10 == 9 {
			u.Eligible = cluster.NewSet(classes, rng.Perm(classes)[:30+rng.IntN(150)]...)
		}
		users, kinds = append(users, &u), append(kinds, p.Kind(&u))
	}
	var tasks []running
	searches, served, enlarged, refused, used := 0, 0, 0, 0, 0.0
	for step := range 12000 {
		if step%1500 == 0 {
			for len(tasks) > 20 {
				last := tasks[len(tasks)-1]
				p.Suspend(kinds[last.kind], last.server, 1)
				used -= users[last.kind].LinkDemand[0]
				tasks = tasks[:len(tasks)-1]
			}
			p.Suspended()
		}
		if n := len(tasks); n > 0 && rng.IntN(100) < 12 {
			i := rng.IntN(n)
			p.Give(kinds[tasks[i].kind], tasks[i].server, 1)
			used -= users[tasks[i].kind].LinkDemand[0]
			tasks[i], tasks = tasks[n-1], tasks[:n-1]
		}
		i := rng.IntN(1 + rng.IntN(len(kinds)))
		got, want := p.BestFit(kinds[i]), tryAll(p, env, users[i])
		if ld := users[i].LinkDemand[0]; used+ld > env.Links[0].Capacity {
			if want >= 0 {
				refused++
			}
			want = -1
		}
		if got != want {
			t.Fatalf("step %d: demand %v fits best on %d, want %d", step, users[i].Demand, got, want)
		}
		if n := kinds[i].near; n == nil {
			continue // the link kept it out before
		} else if n.served == 0 {
			searches++
		} else {
			served++
			enlarged += n.wanted / 4
		}
		if got >= 0 {
			p.Take(kinds[i], got)
			used += users[i].LinkDemand[0]
			tasks = append(tasks, running{i, got})
		}
	}
	if len(p.near) != 15 {
		t.Errorf("%d demands in common, want 15", len(p.near))
	}
	if searches < 200 || served < 2000 || enlarged < 1000 || refused < 200 {
		t.Errorf("%d searches, %d fits known, %d of them of several, %d kept out by the link", searches, served, enlarged, refused)
	}
}

// The servers that have moved since a position are those of which the latest move is no
// earlier, as long as they are at most as many as are tried.
func TestServersThatMovedSince(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 80))
	for _, servers := range []int{1, 5, movesTried, movesTried + 1, 2 * movesTried, 700} {
		l := newMoveLog(servers)
		latest := make([]int64, servers)
		many := 0
		for end := int64(1); end < 4000; end++ {
			s := rng.IntN(1 + rng.IntN(servers))
			l.add(int32(s))
			latest[s] = end
			position := end + 1 - int64(rng.IntN(int(min(end, 1000))))
			want := 0
			for _, at := range latest {
				if at >= position {
					want++
				}
			}
			got, few := l.since(position, nil)
			if few != (want <= movesTried) || few && len(got) != want {
				t.Fatalf("%d servers, move %d: %d have moved since %d, few: %v, want %d", servers, end, len(got), position, few, want)
			}
			for _, s := range got {
				if latest[s] < position {
					t.Fatalf("server %d has not moved since %d", s, position)
				}
			}
			if !few {
				many++
			}
		}
		if (many > 100) != (servers > movesTried+1) {
			t.Errorf("%d servers: many %d times", servers, many)
		}
	}
}
