package magiks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

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
	readings = []play{{rim + "[to=best]", game.Rule{To: game.ToBest}}, {rim + "[to=pair]", game.Rule{To: game.ToPair}},
		{bim + "[gain=ratio]", game.Rule{Gain: game.ByRatio}}, {bim + "[gain=tasks]", game.Rule{Gain: game.ByTasks}}}
)

// bench runs realisations of one size, one after the other, in memory of its own.
type bench struct {
	n, m     int
	source   source
	readings bool

	game   game.Game
	play   game.Play
	start  []int
	out    outcome
	demand []float64 // user-major
	limit  []float64
	lacks  [properties]bool
	nusf   []ranked // of each rule

	realised int     // how many realisations there were
	need     []int64 // of the user with a scaled report, before

	levels int64 // of whole demands; 0 for others
	gamma  int64 // their common denominator; 0 where that is too large
	pcg    rand.PCG
	rng    *rand.Rand // of pcg: the choices of a play
	fall   descent

	server solve.NashServer
	nash   solve.Nash // where that gives up
	here   []int      // the users of the server at hand, with their needs and shares
	needs  []float64
	shares []float64

	pooled cluster.Environment // all servers as one
	users  []cluster.User
	values []float64
	linear solve.Linear
}

func newBench(n, m int, src source, more bool) *bench {
	l := src.resources()
	b := &bench{n: n, m: m, source: src, readings: more,
		start: make([]int, n), demand: make([]float64, n*l), limit: make([]float64, l), values: make([]float64, n)}
	b.out = outcome{n: n, m: m, l: l, need: make([]float64, n*l), at: make([]int, n), y: make([]float64, n)}
	if w, ok := src.(whole); ok {
		b.levels = w.h
		if gamma := commonDenominator(w.h); gamma < 1<<52 {
			b.gamma = int64(gamma)
		}
	}
	b.rng, b.fall = rand.New(&b.pcg), levelled(n, m, b.levels)
	ones := make([]float64, l)
	names := make([]string, l)
	for r := range ones {
		ones[r], names[r] = 1, fmt.Sprint("r", r)
	}
	b.pooled = cluster.Environment{Resources: names, Servers: []cluster.Server{{Name: "server", Capacity: ones, Count: 1}}}
	for j := range n {
		b.users = append(b.users, cluster.NewUser(fmt.Sprint("u", j), b.out.need[j*l:(j+1)*l]))
		b.values[j] = 1
	}
	b.pooled.Users = b.users
	return b
}

// begin forgets what other blocks left, on which no number of this one may depend.
func (b *bench) begin() {
	b.realised, b.server = 0, solve.NashServer{}
}

// streams are the random streams of a block. Each rule has its own, so that
// none moves the numbers of another.
type streams struct {
	demands, start, balanced, scaled *rand.Rand
	moves                            map[string]*rand.Rand
}

// realise draws a realisation and runs every rule on it.
func (b *bench) realise(in *streams, t *tally) error {
	b.draw(in)
	all := plays
	if b.readings {
		all = append(append([]play(nil), plays...), readings...)
	}
	b.nusf = b.nusf[:0]
	moves := [2]int{}
	for i, p := range all {
		seed := [2]uint64{in.moves[p.name].Uint64(), in.moves[p.name].Uint64()}
		if err := b.run(p, seed); err != nil {
			return err
		}
		c := t.of(p.name)
		c.moved(b.play.Moves)
		if i >= len(plays) {
			continue
		}
		moves[i] = b.play.Moves
		copy(b.out.at, b.play.At)
		for j := range b.out.y {
			b.out.y[j] = b.play.Share(j)
		}
		b.look(c)
		broken := b.fall.broken
		var err error
		if broken[scaling], err = b.scale(p, seed, in.scaled); err != nil {
			return err
		}
		c.check(b.fall.applies(), broken)
	}
	if moves[1] > moves[0] {
		t.slower++
	}
	t.realisations++
	b.realised++
	return b.others(in, t)
}

// run plays a rule from the start at hand to its equilibrium; the seed decides its
// choices. It returns an error where a play does not end, which theorem 1 excludes.
func (b *bench) run(p play, seed [2]uint64) error {
	b.pcg.Seed(seed[0], seed[1])
	b.play.Start(&b.game, b.start)
	b.fall.start(&b.play)
	for b.play.Step(p.rule, b.rng) {
		if b.fall.moved(&b.play); b.play.Moves > endless {
			return fmt.Errorf("%s: no equilibrium after %d moves", p.name, b.play.Moves)
		}
	}
	return nil
}

// endless is a number of moves that no play has come near.
const endless = 10_000_000

// scale says whether a random user gains by reporting α times its demand, where a rule
// is played again with the same start and choices. α is a power of two from 1/64 to
// 64: those are exact, so that rounding decides nothing.
//
// The game is looked at every time: a rule that does not count in tasks depends on the
// normalised demands alone, and where the report leaves these as they were the play is
// the same, and nobody gains. Of every [replayed] realisations the first is played again
// all the same.
func (b *bench) scale(p play, seed [2]uint64, rng *rand.Rand) (gains bool, err error) {
	j, power := rng.IntN(b.n), 1+rng.IntN(6)
	if rng.IntN(2) == 0 {
		power = -power
	}
	b.need = append(b.need[:0], b.game.Need(j, 0)...)
	report := b.demand[j*len(b.limit) : (j+1)*len(b.limit)]
	floats.Scale(math.Ldexp(1, power), report)
	b.game.Set(j, report, b.limit)
	same := slices.Equal(b.need, b.game.Need(j, 0)) && p.rule.Gain != game.ByTasks
	if !same || b.realised%replayed == 0 {
		err = b.run(p, seed)
		gains = b.play.Share(j) > b.out.y[j]*(1+tolerance)
	}
	floats.Scale(math.Ldexp(1, -power), report)
	b.game.Set(j, report, b.limit)
	return gains, err
}

// replayed is how many realisations there are to one in which the play after a scaled
// report is not only known but played.
const replayed = 16

// draw draws the servers, the users and the start.
func (b *bench) draw(in *streams) {
	b.source.capacity(in.demands, b.limit)
	l := len(b.limit)
	b.game.Alike(b.n, b.m, l)
	if b.gamma > 0 {
		b.game.Denominator(b.gamma)
	}
	for j := range b.n {
		demand := b.demand[j*l : (j+1)*l]
		b.source.demand(in.demands, demand)
		b.game.Set(j, demand, b.limit)
		largest := 0.0
		for r, d := range demand {
			largest = math.Max(largest, d/b.limit[r])
		}
		for r, d := range demand {
			b.out.need[j*l+r] = d / b.limit[r] / largest
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
	c := t.of(ubound)
	c.welfare += sum
	b.nusf = append(b.nusf, ranked{c, sum})
	b.rank(t.of(beq))
	return nil
}

// bargain fills in the Nash solution of each server.
func (b *bench) bargain() error {
	l := b.out.l
	for s := range b.out.m {
		b.here, b.needs = b.here[:0], b.needs[:0]
		for j, at := range b.out.at {
			if at == s {
				b.here = append(b.here, j)
				b.needs = append(b.needs, b.out.need[j*l:(j+1)*l]...)
			}
		}
		b.shares = resize(b.shares, len(b.here))
		if _, ok := b.server.Solve(b.needs, l, b.shares); !ok {
			if err := b.patiently(); err != nil {
				return err
			}
		}
		for k, j := range b.here {
			b.out.y[j] = b.shares[k]
		}
	}
	return nil
}

// patiently finds the Nash solution of the users here where the faster solver gives up.
func (b *bench) patiently() error {
	env := b.pooled
	env.Users = nil
	for _, j := range b.here {
		env.Users = append(env.Users, b.users[j])
	}
	a, err := b.nash.Solve(&env)
	if err != nil {
		return fmt.Errorf("%s: %w", bnbs, err)
	}
	copy(b.shares, a.Tasks)
	return nil
}

// look measures the outcome at hand.
func (b *bench) look(c *count) {
	nusf := b.out.nusf()
	c.welfare += nusf
	b.nusf = append(b.nusf, ranked{c, nusf})
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

// ranked is the normalised utilitarian social function of a rule in one realisation.
type ranked struct {
	of   *count
	nusf float64
}

// rank notes which rules have a smaller NUSF than the given one.
func (b *bench) rank(lowest *count) {
	least := 0.0
	for _, r := range b.nusf {
		if r.of == lowest {
			least = r.nusf
		}
	}
	for _, r := range b.nusf {
		if r.nusf < least*(1-tolerance) {
			r.of.below++
		}
	}
}
