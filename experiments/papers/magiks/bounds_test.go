package magiks

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
)

func TestCommonDenominator(t *testing.T) {
	for h, want := range map[int64]float64{1: 1, 2: 2, 3: 6, 4: 12, 6: 60, 10: 2520, 20: 232792560, 1000: math.Inf(1), 1 << 40: math.Inf(1)} {
		if got := commonDenominator(h); got != want {
			t.Errorf("h = %d: %g, want %g", h, got, want)
		}
	}
}

// Two servers: γ·n. Three: at most γ·n moves that lower the largest load, and γ·n
// moves on two servers before, between and after them.
func TestMoveBound(t *testing.T) {
	for _, c := range []struct {
		n, m        int
		gamma, want float64
	}{{150, 1, 2, 0}, {150, 2, 2, 300}, {150, 3, 2, 300 + 301*300}, {3, 4, 1, 3 + 4*15}} {
		if got := moveBound(c.n, c.m, c.gamma); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// benchOf is a bench with a realisation drawn, and its streams.
func benchOf(n, m int, src source, seed uint64) (*bench, *streams) {
	stream := func(k uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, k)) }
	in := &streams{stream(1), stream(2), stream(3), stream(4), map[string]*rand.Rand{rim: stream(5), bim: stream(6)}}
	b := newBench(n, m, src, false)
	b.draw(in)
	return b, in
}

// A play under the rules breaks nothing; one with a move that does not pay breaks
// lemma 1, and lemma 2 where there are two servers; one that goes on for longer than
// the bound breaks theorem 2.
func TestBrokenDescentsAreSeen(t *testing.T) {
	for seed := range uint64(40) {
		m := 2 + int(seed%2)
		b, _ := benchOf(30, m, whole{3, 2}, seed)
		for _, p := range plays {
			if err := b.run(p, [2]uint64{seed, 1}); err != nil || b.fall.broken != [checks]bool{} {
				t.Fatalf("seed %d: %s: %v, %v", seed, p.name, b.fall.broken, err)
			}
		}
		// From the equilibrium any move makes some load larger.
		b.play.Move(0, (b.play.At[0]+1)%m)
		if b.fall.moved(&b.play); !b.fall.broken[lemma1] || b.fall.broken[lemma2] != (m == 2) {
			t.Errorf("seed %d: a move from an equilibrium broke %v", seed, b.fall.broken)
		}
	}
	d := levelled(30, 3, 2)
	before, after := [2]float64{2, 1}, [2]float64{2, 0.5}
	if d.fell(int(d.bound), before, after); d.broken != [checks]bool{} {
		t.Errorf("at the bound: %v", d.broken)
	}
	if d.fell(int(d.bound)+1, before, after); d.broken != [checks]bool{theorem2: true} {
		t.Errorf("beyond the bound: %v", d.broken)
	}
	// Two servers: the largest load must fall, and by 1/γ = 1/2.
	for drop, broken := range map[float64]bool{0: true, 0.25: true, 0.5: false, 2: false} {
		d := levelled(30, 2, 2)
		if d.fell(1, [2]float64{3, 2}, [2]float64{3 - drop, 1.5}); d.broken[lemma2] != broken || d.broken[lemma1] || d.broken[theorem2] {
			t.Errorf("the largest load falls by %g: %v", drop, d.broken)
		}
	}
	if free := levelled(30, 2, 0); free.applies() != [checks]bool{lemma1: true, scaling: true} {
		t.Errorf("without levels %v is checked", free.applies())
	}
}

// Where a gain is measured in tasks, which depend on the unit of the report, users
// do gain by scaled reports, and the check sees it; under the paper's rules none does.
func TestScaledReportsThatPayAreSeen(t *testing.T) {
	gains := map[string]int{}
	for seed := range uint64(300) {
		for _, p := range append([]play{{"tasks", game.Rule{Gain: game.ByTasks}}}, plays...) {
			b, in := benchOf(20, 4, whole{3, 50}, seed)
			if err := b.run(p, [2]uint64{seed, 2}); err != nil {
				t.Fatal(err)
			}
			for j := range b.out.y {
				b.out.y[j] = b.play.Share(j)
			}
			if gain, err := b.scale(p, [2]uint64{seed, 2}, in.scaled); err != nil {
				t.Fatal(err)
			} else if gain {
				gains[p.name]++
			}
		}
	}
	if gains["tasks"] < 10 || gains[rim]+gains[bim] > 0 {
		t.Errorf("users gain by scaled reports in %v of 300 realisations", gains)
	}
}

// The realisation is as it was after a scaled report.
func TestScaledReportsLeaveNoTrace(t *testing.T) {
	b, in := benchOf(20, 4, whole{3, 50000}, 1)
	before := append([]float64(nil), b.demand...)
	for range 30 {
		if _, err := b.scale(plays[0], [2]uint64{1, 1}, in.scaled); err != nil {
			t.Fatal(err)
		}
	}
	for i, d := range b.demand {
		if d != before[i] {
			t.Fatalf("demand %d was %g and is %g", i, before[i], d)
		}
	}
}

// Of random lists of loads, few values so that many are equal, fell says just what
// sorting all of them says.
func TestTwoLoadsSayWhetherAllFell(t *testing.T) {
	rng, fallen := rand.New(rand.NewPCG(1, 1)), 0
	for range 20000 {
		d := levelled(30, 5, 0)
		a, b := rng.IntN(5), rng.IntN(4)
		if b >= a {
			b++
		}
		for s := range d.loads {
			d.loads[s] = float64(rng.IntN(4))
		}
		then := append([]float64(nil), d.loads...)
		then[a], then[b] = float64(rng.IntN(4)), float64(rng.IntN(4))
		d.fell(1, [2]float64{d.loads[a], d.loads[b]}, [2]float64{then[a], then[b]})
		down := func(x, y float64) int { return cmp.Compare(y, x) }
		slices.SortFunc(d.loads, down)
		slices.SortFunc(then, down)
		fell := slices.Compare(then, d.loads) < 0
		if d.broken[lemma1] == fell {
			t.Fatalf("%v after %v: %v", then, d.loads, d.broken)
		}
		if fell {
			fallen++
		}
	}
	if fallen < 5000 || fallen > 15000 {
		t.Errorf("%d of 20000 fell", fallen)
	}
}

// A play after a scaled report that is not played again would have ended as before.
func TestAScaledReportIsTheSameGame(t *testing.T) {
	for seed := range uint64(100) {
		b, in := benchOf(20, 4, whole{3, 50000}, seed)
		for _, p := range plays {
			if err := b.run(p, [2]uint64{seed, 2}); err != nil {
				t.Fatal(err)
			}
			for j := range b.out.y {
				b.out.y[j] = b.play.Share(j)
			}
			moves, at := b.play.Moves, append([]int(nil), b.play.At...)
			b.realised = replayed - 1
			b.play.Moves = -1
			if _, err := b.scale(p, [2]uint64{seed, 2}, in.scaled); err != nil || b.play.Moves != -1 {
				t.Fatalf("seed %d, %s: it was played again, %v", seed, p.name, err)
			}
			b.realised = replayed
			if _, err := b.scale(p, [2]uint64{seed, 2}, in.scaled); err != nil || b.play.Moves != moves || !slices.Equal(b.play.At, at) {
				t.Fatalf("seed %d, %s: %d moves where there were %d, %v", seed, p.name, b.play.Moves, moves, err)
			}
		}
	}
}

func TestARuleBelowBEQIsSeen(t *testing.T) {
	least, less, more := &count{}, &count{}, &count{}
	b := &bench{nusf: []ranked{{less, 0.99}, {least, 1}, {more, 1}}}
	b.rank(least)
	if least.below != 0 || less.below != 1 || more.below != 0 {
		t.Errorf("%d, %d, %d", least.below, less.below, more.below)
	}
}
