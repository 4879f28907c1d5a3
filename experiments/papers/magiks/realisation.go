package magiks

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The rules, by their names in the registry, which are theirs in all tables.
const (
	rim    = "magiks-rim"
	bim    = "magiks-bim"
	ubound = "ubound"
	bnbs   = "bnbs"
	bks    = "bks"
	beq    = "beq"
)

// play is a rule of the game with its name.
type play struct {
	name string
	rule game.Rule
}

// plays are the two rules of the paper; readings are what its text can mean
// beside them.
var (
	plays    = []play{{rim, game.Rule{}}, {bim, game.Rule{Gain: game.ByShare}}}
	readings = []play{{rim + "[to=better]", game.Rule{Anywhere: true}},
		{bim + "[gain=ratio]", game.Rule{Gain: game.ByRatio}}, {bim + "[gain=tasks]", game.Rule{Gain: game.ByTasks}}}
)

// bench runs realisations of one size, one after the other, in memory of its
// own. Nothing is allocated but by the Nash solver.
type bench struct {
	n, m     int
	source   source
	readings bool

	game   game.Game
	play   game.Play
	start  []int
	out    outcome
	demand []float64
	limit  []float64
	lacks  [properties]bool

	servers []cluster.Environment // of the Nash rule: one a server, its users from all
	pooled  cluster.Environment
	users   []cluster.User
	values  []float64
	nash    solve.Nash
	linear  solve.Linear
}

func newBench(n, m int, src source, more bool) *bench {
	l := src.resources()
	b := &bench{n: n, m: m, source: src, readings: more,
		start: make([]int, n), demand: make([]float64, l), limit: make([]float64, l), values: make([]float64, n)}
	b.out = outcome{n: n, m: m, l: l, need: make([]float64, n*l), at: make([]int, n), y: make([]float64, n)}
	ones := make([]float64, l)
	names := make([]string, l)
	for r := range ones {
		ones[r], names[r] = 1, fmt.Sprint("r", r)
	}
	one := cluster.Environment{Resources: names, Servers: []cluster.Server{{Name: "server", Capacity: ones, Count: 1}}}
	for j := range n {
		b.users = append(b.users, cluster.NewUser(fmt.Sprint("u", j), b.out.need[j*l:(j+1)*l]))
		b.values[j] = 1
	}
	b.pooled = one
	b.pooled.Users = b.users
	for range m {
		b.servers = append(b.servers, one)
	}
	return b
}

// streams are the random streams of a block. Each rule has its own, so that
// none moves the numbers of another.
type streams struct {
	demands, start, balanced *rand.Rand
	moves                    map[string]*rand.Rand
}

// realise draws a realisation and runs every rule on it.
func (b *bench) realise(in *streams, t *tally) error {
	b.draw(in)
	all := plays
	if b.readings {
		all = append(append([]play(nil), plays...), readings...)
	}
	moves := [2]int{}
	for i, p := range all {
		b.play.Start(&b.game, b.start)
		out := b.play.Run(p.rule, in.moves[p.name])
		if !out.Equilibrium {
			return fmt.Errorf("%s: no equilibrium after %d moves", p.name, out.Moves)
		}
		t.of(p.name).moved(out.Moves)
		copy(b.out.at, b.play.At)
		for j := range b.out.y {
			b.out.y[j] = b.play.Share(j)
		}
		if i < len(plays) {
			moves[i] = out.Moves
			b.look(t.of(p.name))
		}
	}
	if moves[1] > moves[0] {
		t.slower++
	}
	t.realisations++
	return b.others(in, t)
}

// draw draws the servers, the users and the start.
func (b *bench) draw(in *streams) {
	b.source.capacity(in.demands, b.limit)
	b.game.Alike(b.n, b.m, len(b.limit))
	for j := range b.n {
		b.source.demand(in.demands, b.demand)
		b.game.Set(j, b.demand, b.limit)
		largest := 0.0
		for r, d := range b.demand {
			largest = math.Max(largest, d/b.limit[r])
		}
		for r, d := range b.demand {
			b.out.need[j*len(b.limit)+r] = d / b.limit[r] / largest
		}
	}
	b.game.Random(in.start, b.start)
}

// others runs the rules that play no game: three on one balanced association,
// and the bound.
func (b *bench) others(in *streams, t *tally) error {
	game.Balanced(in.balanced, b.out.at, b.m)
	b.out.gather(false)
	for j, s := range b.out.at {
		load := 0.0
		for _, x := range b.out.sum[s*b.out.l : (s+1)*b.out.l] {
			load = max(load, x)
		}
		b.out.y[j] = 1 / load
	}
	b.look(t.of(bks))
	b.out.gather(false)
	for j, s := range b.out.at {
		b.out.y[j] = 1 / float64(b.out.users[s])
	}
	b.look(t.of(beq))
	if err := b.bargain(); err != nil {
		return err
	}
	b.look(t.of(bnbs))
	best, err := b.linear.Solve(&b.pooled, solve.LinearProblem{Value: b.values})
	if err != nil {
		return fmt.Errorf("%s: %w", ubound, err)
	}
	sum := 0.0
	for _, y := range best.Tasks {
		sum += y
	}
	t.of(ubound).welfare += sum
	return nil
}

// bargain fills in the Nash solution of each server.
func (b *bench) bargain() error {
	for s := range b.servers {
		env := &b.servers[s]
		env.Users = env.Users[:0]
		for j, at := range b.out.at {
			if at == s {
				env.Users = append(env.Users, b.users[j])
			}
		}
		if len(env.Users) == 0 {
			continue
		}
		a, err := b.nash.Solve(env)
		if err != nil {
			return fmt.Errorf("%s: %w", bnbs, err)
		}
		k := 0
		for j, at := range b.out.at {
			if at == s {
				b.out.y[j] = a.Tasks[k]
				k++
			}
		}
	}
	return nil
}

// look measures the outcome at hand.
func (b *bench) look(c *count) {
	c.welfare += b.out.nusf()
	envy := b.out.envy()
	c.envy += envy
	c.worst = max(c.worst, envy)
	b.out.violations(envy, &b.lacks)
	for p, lacks := range b.lacks {
		if lacks {
			c.lacks[p]++
		}
	}
}
