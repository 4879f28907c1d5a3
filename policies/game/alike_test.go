package game

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// alikeAndNot returns one game twice: on identical servers, and on the same servers as
// any others would be taken.
func alikeAndNot(t *testing.T, rng *rand.Rand, n, m, l, levels int) (alike, other *Game) {
	capacity := make([]float64, l)
	env := &cluster.Environment{}
	for r := range capacity {
		capacity[r] = 1 + float64(rng.IntN(levels))
		env.Resources = append(env.Resources, fmt.Sprint("r", r))
	}
	for s := range m {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1})
	}
	alike = &Game{}
	alike.Alike(n, m, l)
	for j := range n {
		demand, unit := make([]float64, l), float64(int(1)<<rng.IntN(8))
		for r := range demand {
			demand[r] = unit * float64(1+rng.IntN(levels))
		}
		env.Users = append(env.Users, cluster.NewUser(fmt.Sprint("u", j), demand))
		alike.Set(j, demand, capacity)
	}
	other, err := Of(env)
	if err != nil {
		t.Fatal(err)
	}
	return alike, other
}

// What is found of identical servers by their loads is what is found by asking every
// user: the same moves, in the same random choices, under every rule.
func TestIdenticalServersAreServers(t *testing.T) {
	moves := 0
	for seed := range uint64(240) {
		rng := rand.New(rand.NewPCG(seed, 21))
		n, m := 2+rng.IntN(150), 1+rng.IntN(12)
		alike, other := alikeAndNot(t, rng, n, m, 1+rng.IntN(5), []int{2, 4, 50000}[seed%3])
		at := make([]int, n)
		alike.Random(rng, at)
		rule := []Rule{{}, {To: ToBest}, {To: ToPair}, {Gain: ByShare}, {Gain: ByRatio}, {Gain: ByTasks}}[seed%6]
		var p, q Play
		p.Start(alike, at)
		q.Start(other, at)
		one, two := rand.New(rand.NewPCG(seed, 22)), rand.New(rand.NewPCG(seed, 22))
		for {
			if rng.IntN(4) == 0 && p.Unhappy() != q.Unhappy() {
				t.Fatalf("seed %d, %+v: %d are unhappy, and %d", seed, rule, p.Unhappy(), q.Unhappy())
			}
			more := q.Step(rule, two)
			if p.Step(rule, one) != more || !slices.Equal(p.At, q.At) {
				t.Fatalf("seed %d, %+v, move %d: %v, and %v", seed, rule, q.Moves, p.At, q.At)
			}
			if !more {
				break
			}
		}
		if p.Unhappy() != 0 || q.Unhappy() != 0 {
			t.Errorf("seed %d, %+v: it ends with unhappy users", seed, rule)
		}
		moves += p.Moves
	}
	if moves < 2000 {
		t.Errorf("only %d moves", moves)
	}
}

// slowest asks every user about every server.
func (p *Play) slowest(by Gain) (who, server int) {
	who, most := -1, 0.0
	for j := range p.At {
		to, least := -1, 0.0
		for s := range p.g.Servers {
			cost := p.own(j)
			if s != p.At[j] {
				cost = p.cost(j, s)
			}
			if to < 0 || cost < least {
				to, least = s, cost
			}
		}
		if gain := p.gain(by, j, least); least < p.own(j) && (who < 0 || gain > most) {
			who, server, most = j, to, gain
		}
	}
	return who, server
}

// With few levels many users gain the same: the first of them moves, to the first of its
// best servers, whatever moves there were before.
func TestTheFirstOfThoseWhoGainMostMoves(t *testing.T) {
	nobody := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 23))
		n := 2 + rng.IntN(80)
		alike, other := alikeAndNot(t, rng, n, 1+rng.IntN(6), 1+rng.IntN(4), 2+rng.IntN(3))
		for _, g := range []*Game{alike, other} {
			at := make([]int, n)
			g.Random(rng, at)
			var p Play
			p.Start(g, at)
			for more := true; more; more = p.Step(Rule{}, rng) {
				for _, by := range []Gain{ByShare, ByRatio, ByTasks} {
					who, to := p.eager(by)
					if want, best := p.slowest(by); who != want || who >= 0 && to != best {
						t.Fatalf("seed %d, by %s: %d moves to %d, not %d to %d", seed, by, who, to, want, best)
					}
					if who < 0 {
						nobody++
					}
				}
			}
		}
	}
	if nobody < 400 {
		t.Errorf("nobody gained in %d games only", nobody)
	}
}

// The users that sets of buckets find are those that fit, with needs that are rounded and
// with whole parts of a common denominator that is no power of two.
func TestWhomIsWhoFits(t *testing.T) {
	found, left := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 24))
		n, m, l, levels := 1+rng.IntN(140), 1+rng.IntN(8), 1+rng.IntN(9), []int{3, 10, 50000}[seed%3]
		g, capacity, at := &Game{}, make([]float64, l), make([]int, n)
		g.Alike(n, m, l)
		for r := range capacity {
			capacity[r] = float64(levels)
		}
		if levels == 10 {
			g.Denominator(2520)
		}
		for j := range at {
			demand := make([]float64, l)
			for r := range demand {
				demand[r] = float64(1 + rng.IntN(levels))
			}
			g.Set(j, demand, capacity)
		}
		g.Random(rng, at)
		var p Play
		p.Start(g, at)
		for to := range m {
			// Limits at which somebody just fits or just does not are among these.
			set, limit := make([]uint64, g.words), p.with(rng.IntN(n), to)+int64(rng.IntN(2))
			for w := range set {
				set[w] = rng.Uint64() | rng.Uint64()
			}
			any := p.whom(set, to, limit)
			for j := range n {
				bit := uint64(1) << (j & 63)
				want, got := set[j>>6]&bit != 0 && p.fits(j, to, limit), any && p.some[j>>6]&bit != 0
				if want != got {
					t.Fatalf("seed %d, server %d: user %d is found: %v, fits: %v", seed, to, j, got, want)
				}
				if want {
					found++
				} else {
					left++
				}
			}
		}
	}
	if found < 10000 || left < 10000 {
		t.Errorf("%d found and %d not: one side is hardly looked at", found, left)
	}
}
