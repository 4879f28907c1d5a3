package game

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// round is a game in which MAGIKS-BIM with gains by ratio goes round: user by
// user, what it takes of the one resource of each server, and its prices there.
// No environment has these numbers; a game may.
func round() *Game {
	g := &Game{}
	g.size(4, 3, 1)
	g.need = []int64{9, 1, 2, 2, 2, 7, 6, 8, 1, 5, 6, 2}
	g.price = []float64{1, 2, 7, 4, 5, 8, 3, 1, 1, 4, 2, 5}
	g.worth = []float64{1, 1, 1, 1}
	return g
}

// The cycle is found, after no more than four times the moves that it takes to
// get into it and once around, and is one: the same six moves come again.
func TestPlaysThatGoRoundEnd(t *testing.T) {
	rule := Rule{Gain: ByRatio}
	var p Play
	p.Start(round(), []int{0, 1, 0, 2})
	out := p.Run(rule, nil)
	if out != (Outcome{Moves: 13, Cycle: 6}) {
		t.Fatalf("%+v", out)
	}
	at := slices.Clone(p.At)
	for move := range 12 {
		if same := slices.Equal(p.At, at); same != (move%6 == 0) {
			t.Errorf("after %d more moves: %v, at the end of the play %v", move, p.At, at)
		}
		if !p.Step(rule, nil) {
			t.Fatal("it stands still")
		}
	}
}

// A random rule is not stopped by a cycle; it goes on to the limit.
func TestRandomPlaysStopAtTheLimit(t *testing.T) {
	var p Play
	p.Start(round(), []int{0, 1, 0, 2})
	out := p.Run(Rule{Limit: 500}, rand.New(rand.NewPCG(1, 1)))
	if out.Equilibrium == (out.Moves == 500) {
		t.Errorf("%+v", out)
	}
}

// With their common denominator 1 + 1/3 + 1/3 is 5/3, as it is not when thirds are
// rounded up to parts of 2^k.
func TestATieOfTrueLoadsIsATie(t *testing.T) {
	demands := [][]float64{{1, 3}, {2, 3}, {3, 1}, {3, 2}}
	play := func(exact bool) *Play {
		g := &Game{}
		g.Alike(len(demands), 2, 2)
		if exact && !g.Denominator(6) {
			t.Fatal("6 is no denominator")
		}
		for j, d := range demands {
			g.Set(j, d, []float64{3, 3})
		}
		p := &Play{}
		p.Start(g, []int{0, 1, 1, 0})
		return p
	}
	// {(1/3,1), (1,2/3)} and {(2/3,1), (1,1/3)}.
	if p := play(true); p.Load(0) != 5./3 || p.Load(1) != 5./3 {
		t.Errorf("exact loads %v, %v", p.Load(0), p.Load(1))
	}
	if p := play(false); p.Load(0) == 5./3 {
		t.Error("the rounded game is exact too: the test shows nothing")
	}
	g := &Game{}
	g.Alike(150, 2, 1)
	if g.Denominator(1<<45) || g.Denominator(0) || !g.Denominator(1<<44) {
		t.Error("which denominators fit is not 1 to 2^44")
	}
	defer func() {
		if recover() == nil {
			t.Error("thirds in a game of halves")
		}
	}()
	g.Alike(1, 1, 2)
	g.Denominator(2)
	g.Set(0, []float64{1, 3}, []float64{3, 3})
}
