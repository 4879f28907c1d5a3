package waiting

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// pool is a cluster, a queue and what runs, beside a list of those who wait.
type pool struct {
	*Servers
	ix      *Index
	kinds   []*Kind
	counts  []int64 // running tasks per user
	waits   []bool
	running []struct{ user, server int32 }
	scale   *order.Scale
}

func newPool(rng *rand.Rand, servers, users int, constrained bool) *pool {
	env := &cluster.Environment{Resources: []string{"cpu", "gpu"}, Links: []cluster.Link{{Name: "bw", Capacity: float64(4 * servers)}}}
	for range servers {
		env.Servers = append(env.Servers, cluster.Server{Name: "s", Capacity: []float64{16, float64(rng.IntN(3))}, Count: 1})
	}
	norm := order.NewNorm(1, 0, func() *big.Rat { return exact.Rational(1) })
	p := &pool{Servers: NewServers(env), scale: norm.ScaleOf(1), counts: make([]int64, users), waits: make([]bool, users)}
	p.ix = NewIndex(p.Servers)
	for range users {
		u := cluster.NewUser("", []float64{1 + 8*rng.Float64(), float64(rng.IntN(3)) / 2}, 2*rng.Float64())
		if constrained && rng.IntN(2) > 0 {
			u.Eligible = cluster.NewSet(servers, rng.IntN(servers), rng.IntN(servers))
		}
		p.kinds = append(p.kinds, p.Kind(&u))
	}
	return p
}

func (p *pool) turn(user int32) order.Turn { return p.scale.Turn(p.counts[user], int(user)) }

func (p *pool) put(user int32) {
	p.waits[user] = true
	p.ix.Put(user, p.kinds[user], p.turn(user))
}

// end ends a task, whose user then waits.
func (p *pool) end(rng *rand.Rand) {
	i := rng.IntN(len(p.running))
	b := p.running[i]
	p.running = slices.Delete(p.running, i, i+1)
	p.counts[b.user]--
	p.Give(p.kinds[b.user], b.server, 1)
	p.Freed(b.server)
	p.put(b.user)
}

// walk finds the first user that fits by looking at all.
func (p *pool) walk() (user, server int32) {
	user, server = -1, -1
	first := order.Nobody
	for u, waits := range p.waits {
		mine := p.turn(int32(u))
		if !waits || !mine.Before(&first) {
			continue
		}
		if s := p.BestFit(p.kinds[u]); s >= 0 {
			user, server, first = int32(u), s, mine
		}
	}
	return user, server
}

// fill starts tasks until none fits, and reports whether the queue says of each what the walk
// does. A user in eight is served to the end.
func (p *pool) fill(t *testing.T, rng *rand.Rand) (starts int) {
	for ; ; starts++ {
		user, server := p.walk()
		got, where, ok := p.ix.Next()
		if got != user || ok && where != server {
			t.Fatalf("user %d on server %d, want %d on %d", got, where, user, server)
		}
		if !ok {
			return starts
		}
		p.Take(p.kinds[user], server)
		p.counts[user]++
		p.running = append(p.running, struct{ user, server int32 }{user, server})
		if rng.IntN(8) == 0 {
			p.waits[user] = false
			p.ix.Remove(user)
		} else {
			p.put(user)
		}
	}
}

func TestPartsOfTheUsersAreSearchedAsAllOfThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for _, servers := range []int{5, 60} {
		for _, constrained := range []bool{false, true} {
			p := newPool(rng, servers, 500, constrained)
			for user := range p.kinds {
				p.put(int32(user))
			}
			starts, divided, apart := 0, 0, 0
			for step := range 1500 {
				before := p.ix.parts
				starts += p.fill(t, rng)
				p.end(rng)
				if step%100 == 50 { // whoever was served to the end comes back
					for user, waits := range p.waits {
						if !waits {
							p.put(int32(user))
						}
					}
				}
				if step%300 == 299 {
					starts += p.fill(t, rng)
					p.ix.divide()
				}
				if before.field != p.ix.parts.field || !slices.Equal(before.cuts, p.ix.parts.cuts) {
					divided++
				}
			}
			for i, c := range p.ix.trees[1:] {
				if c.len() == 0 {
					continue
				}
				checkUserTree(t, c)
				apart++
				for slot, user := range c.users {
					if user >= 0 && (1+p.ix.parts.of(c.kinds[slot].down) != 1+i || int(p.ix.in[user]) != 1+i) {
						t.Fatalf("user %d is in part %d and tree %d", user, p.ix.parts.of(c.kinds[slot].down), 1+i)
					}
				}
			}
			if starts < 1500 || divided == 0 || apart < 2 {
				t.Errorf("%d servers, constraints %v: %d starts, divided %d times, %d parts", servers, constrained, starts, divided, apart)
			}
		}
	}
}

// What a search leaves out takes more than its room has, and the cost is that of the others.
func TestPartsLeaveOutWhatTakesTooMuch(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for range 300 {
		var rooms []sketch
		for range 1 + rng.IntN(64) {
			rooms = append(rooms, sketch{}.with(1, uint64(rng.IntN(6))))
		}
		taken := make([]uint64, 1+rng.IntN(200))
		for i := range taken {
			taken[i] = uint64(rng.IntN(8))
		}
		slices.Sort(taken)
		whole, p := parts{field: 1}, parts{field: 1}
		cost := p.cut(rooms, taken)
		want := 0.0
		for _, room := range rooms {
			in := 0
			for _, v := range taken {
				switch enters := p.of(sketch{}.with(1, v)) <= p.of(room); {
				case enters:
					in++
				case v <= room.field(1):
					t.Fatalf("cuts %v: %d is left out where %d is free", p.cuts, v, room.field(1))
				}
			}
			want += math.Log2(float64(1+in)) / float64(len(rooms))
		}
		if math.Abs(cost-want) > 1e-12 || cost > whole.cost(rooms, taken)-cutGain*float64(len(p.cuts)) || len(p.cuts) >= mostParts {
			t.Fatalf("cuts %v cost %g, want %g, of %g without", p.cuts, cost, want, whole.cost(rooms, taken))
		}
	}
}

// A demand is within one of the maxima just where some server has room for it in brief.
func TestMaximaHaveRoomWhereSomeServerHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 76))
	p := newPool(rng, 12, 40, false)
	var m maxima
	yes, no := 0, 0
	for range 1000 {
		if k, s := p.kinds[rng.IntN(40)], int32(rng.IntN(12)); p.Fits(k, s) {
			p.Take(k, s)
			p.running = append(p.running, struct{ user, server int32 }{int32(slices.Index(p.kinds, k)), s})
		} else if rng.IntN(6) == 0 {
			i := rng.IntN(len(p.running))
			p.Give(p.kinds[p.running[i].user], p.running[i].server, 1)
			p.running = slices.Delete(p.running, i, i+1)
		}
		m.follow(p.Servers)
		for i, a := range m.rooms {
			for j, b := range m.rooms {
				if i != j && a.within(b) {
					t.Fatalf("%x is within %x", a, b)
				}
			}
		}
		for _, k := range p.kinds {
			room := sketch{k.down.a, k.down.b}.with(2, 0)
			within := func(x sketch) bool { return room.within(x) }
			if want := slices.ContainsFunc(p.rooms, within); slices.ContainsFunc(m.rooms, within) != want {
				t.Fatalf("%x fits: want %v", room, want)
			} else if want {
				yes++
			} else {
				no++
			}
		}
	}
	if yes < 1000 || no < 1000 {
		t.Errorf("%d fit and %d do not", yes, no)
	}
}
