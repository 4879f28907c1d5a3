package waiting

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// Sets find every user who may fit on a target where it may run, and no other; sketches
// are exact for amounts so small.
func TestSetsFindWhoMayFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	const classes = 70
	env := constrainedServers(classes, false)
	p := NewServersIndexed(env, true)
	big := p.Kind(&cluster.User{Demand: []float64{4, 4}})
	ix := NewIndex(p)
	l := ix.eligible
	kinds := map[int32]*Kind{}
	found := 0
	for round := range 2000 {
		if s := int32(rng.IntN(classes)); p.Fits(big, s) && rng.IntN(3) == 0 {
			p.Take(big, s)
		}
		user := int32(rng.IntN(1 + round/2))
		if kinds[user] != nil {
			l.drop(user)
			delete(kinds, user)
		} else {
			u := cluster.NewUser("u", []float64{float64(1+rng.IntN(80)) / 10, float64(rng.IntN(60)) / 10})
			if rng.IntN(4) > 0 {
				u.Eligible = cluster.NewSet(classes, rng.Perm(classes)[:1+rng.IntN(classes)]...)
			}
			kinds[user] = p.Kind(&u)
			l.add(user, kinds[user], order.Unseen.ScaleOf(1).Turn(0, round))
		}
		ix.targets = ix.targets[:0]
		for range 1 + rng.IntN(4) {
			s := rng.IntN(classes)
			ix.targets = append(ix.targets, target{server: int32(s), class: s})
		}
		ix.listing = true
		ix.aim()
		got := map[int32]bool{}
		for w := 0; w<<6 < len(l.users); w++ {
			mask := rng.Uint64() | rng.Uint64()
			both := [2]uint64{l.fitting(w, ix.targets, mask), l.fitting(w, ix.targets, ^mask)}
			if both[0]&^mask != 0 || both[1]&mask != 0 {
				t.Fatalf("%x and %x are found of %x and its complement", both[0], both[1], mask)
			}
			for bit := range 64 {
				if (both[0]|both[1])>>bit&1 == 1 {
					got[l.users[w<<6+bit]] = true
				}
			}
		}
		for user, k := range kinds {
			want := false
			for _, x := range ix.targets {
				want = want || p.Fits(k, x.server)
			}
			if got[user] != want {
				t.Fatalf("user %d is found: %v, want %v", user, got[user], want)
			}
			delete(got, user)
			if want {
				found++
			}
		}
		if len(got) > 0 {
			t.Fatalf("users %v are found that do not wait", got)
		}
	}
	if found < 10000 {
		t.Errorf("only %d users found", found)
	}
}

// Sets that would take too much memory are given up.
func TestSetsAreBounded(t *testing.T) {
	p := NewServersIndexed(constrainedServers(1000, false), true)
	l := NewIndex(p).eligible
	u := cluster.NewUser("u", []float64{1, 1})
	k := p.Kind(&u)
	turn := order.Unseen.ScaleOf(1).Turn(0, 0)
	for user := range int32(64 * listedWords / 1001) {
		l.add(user, k, turn)
		if l.words > 0 && len(l.sets) > listedWords {
			t.Fatalf("%d words for %d users", len(l.sets), user+1)
		}
	}
	l.drop(10)
	l.move(11, turn)
	if l.words != 0 || l.sets != nil {
		t.Errorf("%d words a set, %d in all", l.words, len(l.sets))
	}
}

// someone is a user of a queue under test.
type someone struct {
	kind           *Kind
	scale          *order.Scale
	place, running int
	waiting        int // tasks; 0: it is not in the queue
}

func (u *someone) turn() order.Turn { return u.scale.Turn(int64(u.running), u.place) }

// walk is Next by its definition.
func walk(p *Servers, users []someone) (user, server int32) {
	user, server = -1, -1
	for i := range users {
		if users[i].waiting == 0 {
			continue
		}
		if mine := users[i].turn(); user >= 0 {
			if first := users[user].turn(); !mine.Before(&first) {
				continue
			}
		}
		users[i].kind.near = nil
		if s := p.BestFit(users[i].kind); s >= 0 {
			user, server = int32(i), s
		}
	}
	return user, server
}

// checkOrder checks that users are in order of service where the sets say so.
func checkOrder(t *testing.T, l *eligible, users []someone) {
	t.Helper()
	before := -1
	for _, user := range l.users {
		if user < 0 || !l.inOrder {
			continue
		}
		if mine := users[user].turn(); before >= 0 {
			if first := users[before].turn(); !first.Before(&mine) {
				t.Fatalf("user %d stands before %d", before, user)
			}
		}
		before = int(user)
	}
}

// A turn that changes may end the order of positions, and an empty list begins it anew.
func TestATurnThatChangesEndsTheOrder(t *testing.T) {
	p := NewServersIndexed(constrainedServers(60, false), true)
	l := NewIndex(p).eligible
	one := cluster.NewUser("u", []float64{1, 1})
	k := p.Kind(&one)
	scale := order.NewNorm(2, 0, func() *big.Rat { return big.NewRat(2, 1) }).ScaleOf(1)
	users := []someone{{kind: k, scale: scale}, {kind: k, scale: scale, place: 1}}
	for range 2 {
		for i := range users {
			users[i].running = 0
			l.add(int32(i), k, users[i].turn())
		}
		if checkOrder(t, l, users); !l.inOrder {
			t.Fatal("users who come in the order of service are not known to be in order")
		}
		users[0].running = 1
		l.move(0, users[0].turn())
		checkOrder(t, l, users)
		l.drop(0)
		l.drop(1)
	}
}

// A search through sets finds the users in the order of service, where this is the order of
// arrival, where it changes with every task, and where it is the first for a time.
func TestSearchesThroughSetsKeepTheOrder(t *testing.T) {
	for _, shares := range []string{"none", "some", "all"} {
		rng := rand.New(rand.NewPCG(77, 78))
		const classes = 60
		p := NewServersIndexed(constrainedServers(classes, false), true)
		ix := NewIndex(p)
		var users []someone
		var tasks []running
		norms := order.NewNorms()
		starts, listed, inOrder, renumbered, positions := 0, 0, 0, 0, 0
		for instant := range 2400 {
			for n := rng.IntN(4)*rng.IntN(2)*rng.IntN(4) + instant/150%2*3; n > 0 && len(tasks) > 0; n-- {
				i := rng.IntN(len(tasks))
				x := tasks[i]
				tasks[i], tasks = tasks[len(tasks)-1], tasks[:len(tasks)-1]
				u := &users[x.kind]
				p.Give(u.kind, x.server, 1)
				p.Freed(x.server)
				if u.running--; u.waiting > 0 {
					ix.Put(int32(x.kind), u.kind, u.turn())
				}
			}
			for range rng.IntN(4 - instant/150%2*3) {
				little := 1e-4 * float64(rng.IntN(3)) // which sketches do not tell
				one := cluster.NewUser("u", []float64{float64(1+rng.IntN(15))/4 + little, float64(rng.IntN(16)) / 4})
				if rng.IntN(5) > 0 {
					one.Eligible = cluster.NewSet(classes, rng.Perm(classes)[:1+rng.IntN(classes/4)]...)
				}
				u := someone{kind: p.Kind(&one), scale: order.Unseen.ScaleOf(1), place: len(users), waiting: 1 + rng.IntN(3)*rng.IntN(3)}
				if shares == "all" || shares == "some" && rng.IntN(12) == 0 {
					n := int64(1 + rng.IntN(4))
					u.scale = norms.Enter(order.NewNorm(float64(n), 0, func() *big.Rat { return big.NewRat(n, 1) })).ScaleOf(1)
				}
				users = append(users, u)
				ix.Put(int32(u.place), u.kind, u.turn())
			}
			for {
				want, on := walk(p, users)
				user, server, ok := ix.Next()
				if user != want || server != on || ok != (want >= 0) {
					t.Fatalf("%s, instant %d: user %d on %d, want %d on %d", shares, instant, user, server, want, on)
				}
				checkOrder(t, ix.eligible, users)
				if ix.listing && ok {
					listed++
					if ix.eligible.inOrder {
						inOrder++
					}
				}
				if !ok {
					break
				}
				if n := len(ix.eligible.users); n < positions {
					renumbered, positions = renumbered+1, 0
				} else {
					positions = n
				}
				u := &users[user]
				p.Take(u.kind, server)
				tasks = append(tasks, running{int(user), server})
				u.running++
				starts++
				if u.waiting--; u.waiting > 0 {
					ix.Put(user, u.kind, u.turn())
				} else {
					ix.Remove(user)
				}
			}
		}
		least := map[string]int{"none": listed, "some": 50}[shares]
		if starts < 1500 || listed < 1000 || inOrder < least || shares != "none" && inOrder > listed/2 || renumbered < 3 {
			t.Errorf("%s: %d starts, %d through sets, %d of them in order of positions, which are given anew %d times", shares, starts, listed, inOrder, renumbered)
		}
	}
}
