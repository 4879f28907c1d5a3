package solve

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/extended"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Each guard of the solver alone: what it keeps out passes all the others.

// twoRounds is solved in two rounds: user a has server s, b goes on to 3 on t.
func twoRounds() *cluster.Environment {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}, {Name: "t", Capacity: []float64{3}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("a", []float64{1}), cluster.NewUser("b", []float64{1})},
	}
	env.Users[0].Eligible, env.Users[1].Eligible = cluster.NewSet(2, 0), cluster.NewSet(2, 1)
	return env
}

// secondRound returns what certify says of the second round of twoRounds after a
// change between the rounds.
func secondRound(t *testing.T, change func(s *MaxMin)) error {
	t.Helper()
	var s MaxMin
	s.Load(twoRounds(), []float64{1, 1})
	s.Add(0)
	s.Add(1)
	s.begin()
	s.greedy()
	b := &s.basis
	b.rate[0], b.rate[1] = 1, 1
	for s.cert.Rounds = 1; ; s.cert.Rounds++ {
		if err := b.raise(math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		if err := b.primal(math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		if err := s.certify(math.Inf(1)); err != nil || s.cert.Rounds == 2 {
			return err
		}
		b.lower()
		s.freezePriced()
		if b.rate[0] != 0 || b.rate[1] != 1 {
			t.Fatalf("rates %v after the first round", b.rate)
		}
		change(&s)
	}
}

func TestALaterRoundIsHeldToMore(t *testing.T) {
	if err := secondRound(t, func(*MaxMin) {}); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	var uncertified *UncertifiedError
	if err := secondRound(t, func(s *MaxMin) { s.errors[0] = 1e-7 }); err != nil {
		t.Errorf("an error of the first round on another server: %v", err)
	}
	// a holds 5e-13 more than there is on s.
	if err := secondRound(t, func(s *MaxMin) { s.basis.fixed[0] += 5e-13 }); !errors.As(err, &uncertified) {
		t.Errorf("a row that is off by 5e-13: %v", err)
	}
}

// The level of a later round is off by what the frozen shares may be.
func TestErrorsOfEarlierRoundsAreInherited(t *testing.T) {
	env := twoRounds()
	env.Links = []cluster.Link{{Name: "l", Capacity: 3}}
	env.Users[0].LinkDemand, env.Users[1].LinkDemand = []float64{1}, []float64{1}
	var s MaxMin
	s.Load(env, []float64{1, 1})
	s.Add(0)
	s.Add(1)
	s.begin()
	s.greedy()
	b := &s.basis
	b.rate[0], b.rate[1] = 1, 1
	for s.cert.Rounds = 1; s.cert.Rounds <= 2; s.cert.Rounds++ {
		if b.raise(math.Inf(1)) != nil || b.primal(math.Inf(1)) != nil {
			t.Fatal("no optimum")
		}
		err := s.certify(math.Inf(1))
		if s.cert.Rounds == 2 {
			var uncertified *UncertifiedError
			if !errors.As(err, &uncertified) || math.Abs(uncertified.Gap-1e-6/2) > 1e-9 {
				t.Errorf("%v; the link leaves b 3 − 1 ± 1e-6", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b.lower()
		s.freezePriced()
		s.errors[0] = 1e-6
	}
}

// A result of more than one round whose rows are off by more than a later user's
// needs is not written, however little that is.
func TestTheRowsOfALaterRoundAreExact(t *testing.T) {
	var s MaxMin
	s.Load(twoRounds(), []float64{1, 1})
	s.Add(0)
	s.Add(1)
	if err := s.start(); err != nil || s.cert.Rounds != 2 {
		t.Fatalf("%v, %d rounds", err, s.cert.Rounds)
	}
	s.basis.residual = 5e-13
	var uncertified *UncertifiedError
	if _, err := s.collect(); !errors.As(err, &uncertified) {
		t.Errorf("%v", err)
	}
}

// Needs over many decades: doubles give one user 1.6 times what it has in
// extended precision, and certify it.
func TestWideNeedsAreNotLeftToDoubles(t *testing.T) {
	opt := twin.Options{Users: 4, Servers: 2, Resources: 2, Links: 2, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true}
	env := twin.Random(rand.New(rand.NewPCG(376, 7700)), opt)
	norm, all := norms(env), []bool{true, true, true, true}
	got, err := solveMaxMin(env, norm)
	if err != nil {
		t.Fatal(err)
	}
	r, err := extended.MaxMin(env, norm, all, func([]bool) float64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 4)
	for i, x := range r.X {
		want[i/2] += x
	}
	sameTotals(t, "wide", got.Tasks, want, 1e-9)
}

func TestALevelBelowZeroIsNotCertified(t *testing.T) {
	var s MaxMin
	s.Load(twoRounds(), []float64{1, 1})
	s.Add(0)
	if _, err := s.Solve(); err != nil {
		t.Fatal(err)
	}
	if gap := s.gap(); gap > 1e-9 {
		t.Fatalf("gap %g", gap)
	}
	for _, level := range []float64{0, -1} {
		s.basis.val[s.basis.gpos] = level
		if gap := s.gap(); !math.IsInf(gap, 1) {
			t.Errorf("gap %g at the level %g", gap, level)
		}
	}
}

// The last check withholds what the parts of the certificate add up to.
func TestTheLastCheckWithholds(t *testing.T) {
	for _, c := range []cluster.Certificate{{Gap: 1.1e-8}, {Primal: 1.1e-9}, {Gap: math.NaN()}, {Primal: math.NaN()}} {
		s := MaxMin{result: cluster.Allocation{Certificate: c}}
		var uncertified *UncertifiedError
		if _, err := s.check(); !errors.As(err, &uncertified) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	s := MaxMin{result: cluster.Allocation{Certificate: cluster.Certificate{Gap: 0.9e-8, Primal: 0.9e-9}}}
	if _, err := s.check(); err != nil {
		t.Error(err)
	}
}

// What taking an allocation back into the region costs is a part of its gap.
func TestWhatARetractionCostsCounts(t *testing.T) {
	var s MaxMin
	s.Load(twoRounds(), []float64{1, 1})
	s.Add(0)
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	// What is written is 5e-9 more than what fits.
	s.prog.scale[0] *= 1 + 5e-9
	s.basis.residual = 5e-12
	a, err := s.collect()
	if err != nil {
		t.Fatal(err)
	}
	if !(a.Certificate.Gap >= 4.9e-9 && a.Certificate.Gap < 5.2e-9) || a.Tasks[0] > 1+1e-15 {
		t.Errorf("gap %g with %.12g tasks of 1", a.Certificate.Gap, a.Tasks[0])
	}
}

// A restart keeps task caps that the level exceeds by less than the tolerance.
func TestARestartKeepsCaps(t *testing.T) {
	env := twoRounds()
	env.Users[1].Eligible = cluster.NewSet(2, 0)
	env.Users[0].Tasks = 1 - 5e-10
	var s MaxMin
	s.Load(env, []float64{1, 1})
	s.Add(0)
	s.Add(1)
	if _, err := s.Solve(); err != nil {
		t.Fatal(err)
	}
	s.Remove(1)
	a, err := s.Solve()
	if err != nil {
		t.Fatal(err)
	}
	if a.Tasks[0] > env.Users[0].Tasks*(1+1e-15) {
		t.Errorf("%.17g tasks, the cap is %.17g", a.Tasks[0], env.Users[0].Tasks)
	}
}

// An inverse that is older than refreshAfter pivots is computed anew.
func TestTheInverseIsRefreshed(t *testing.T) {
	env := twin.Random(rand.New(rand.NewPCG(1, 2)), twin.Options{Users: 12, Servers: 4, Resources: 2, Links: 1})
	for name, run := range map[string]func(b *basis) error{
		"primal": func(b *basis) error { return b.primal(math.Inf(1)) },
		"dual":   func(b *basis) error { return b.dual() },
		"slide": func(b *basis) error {
			if !b.follow(0, 0) {
				return errSingular
			}
			return b.slide(0, 0)
		},
	} {
		var s MaxMin
		s.Load(env, norms(env))
		for j := range env.Users {
			s.Add(j)
		}
		if _, err := s.Solve(); err != nil {
			t.Fatal(err)
		}
		if s.state != warm {
			t.Fatal("the basis is cold")
		}
		b := &s.basis
		for i := range b.cols {
			b.cols[i] *= 1 + 1e-6 // what pivots have left of it
		}
		b.fresh = refreshAfter + 1
		if err := run(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b.fresh > refreshAfter {
			t.Errorf("%s: an inverse of %d pivots is in use", name, b.fresh)
		}
	}
}

// While nothing moves the first user with a gain is let in, not the best one.
func TestBlandsRuleChooses(t *testing.T) {
	differ := 0
	for seed := range uint64(20) {
		env := twin.Random(rand.New(rand.NewPCG(seed, 3)), twin.Options{Users: 40, Servers: 8, Resources: 2})
		var s MaxMin
		s.Load(env, norms(env))
		for j := range env.Users {
			s.Add(j)
		}
		s.begin()
		s.greedy()
		b := &s.basis
		for j := range b.rate {
			b.rate[j] = 1
		}
		if err := b.raise(math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		b.setPrices()
		first := -1
		for j := range b.users {
			if _, gain := b.offer(j); gain > 0 && first < 0 {
				first = j
			}
		}
		usual, _ := b.choose()
		b.nextUser, b.stalled = 7, stallLimit+1
		bland, found := b.choose()
		if found && b.userOf(bland) != first {
			t.Errorf("seed %d: user %d is let in, the first is %d", seed, b.userOf(bland), first)
		}
		if found && usual != bland {
			differ++
		}
	}
	if differ < 3 {
		t.Errorf("only %d choices differ from the usual ones", differ)
	}
}

// Of two variables that stop at once the one with the larger pivot element leaves,
// under Bland's rule the one with the lower number.
func TestBlandsRuleLeaves(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1, 1}, Count: 1}},
		Users: []cluster.User{cluster.NewUser("frozen", []float64{0, 0.5}), cluster.NewUser("u", []float64{1, 0.5})},
	}
	var s MaxMin
	s.Load(env, []float64{1, 1})
	s.Add(0)
	s.Add(1)
	s.begin()
	s.greedy()
	b := &s.basis
	b.fixed[0], b.rate[1] = 1, 1
	if !b.refresh() {
		t.Fatal("singular")
	}
	for stalled, want := range map[int]variable{0: slackVar(0), stallLimit + 1: slackVar(1)} {
		b.stalled = stalled
		b.load(b.levelVar())
		b.solve()
		if got := b.ratio(b.levelVar(), math.Inf(1)); got.id != want || got.theta != 1 {
			t.Errorf("after %d steps of no length: %+v, want variable %d", stalled, got, want)
		}
	}
}

// Steps of no length are counted, and a step of some length ends the count.
func TestStepsOfNoLengthAreCounted(t *testing.T) {
	var s MaxMin
	s.Load(twoRounds(), []float64{1, 1})
	s.Add(0)
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	b := &s.basis
	b.stalled = 5
	b.take(b.levelVar(), step{kind: exitLimit, theta: 0}, 1)
	if b.stalled != 6 {
		t.Errorf("stalled %d, want 6", b.stalled)
	}
	b.take(b.levelVar(), step{kind: exitLimit, theta: 1}, 1)
	if b.stalled != 0 {
		t.Errorf("stalled %d, want 0", b.stalled)
	}
}

// A pivot element that is lost beside the others of its column is refused.
func TestADualPivotThatIsLostIsRefused(t *testing.T) {
	env := twin.Benchmark(6, 3, 1)
	var s MaxMin
	s.Load(env, norms(env))
	for j := range env.Users {
		s.Add(j)
	}
	if _, err := s.Solve(); err != nil {
		t.Fatal(err)
	}
	b := &s.basis
	for i, v := range b.in {
		if v == b.levelVar() {
			continue
		}
		before := b.in[i]
		for t := range b.tight {
			for l := range b.m {
				if l != i {
					b.cols[t*b.ld+l] *= 1e30
				}
			}
		}
		if err := b.replace(i, true); err != errSingular || b.in[i] != before {
			t.Errorf("%v", err)
		}
		return
	}
}

// Linear welfare is held to its bounds, to envy-freeness and to its certificate by
// what is handed out.
func TestWhatLinearHandsOutIsChecked(t *testing.T) {
	env := twoRounds()
	env.Users[0].Eligible, env.Users[1].Eligible = nil, nil
	check := func(q LinearProblem, cert cluster.Certificate, x ...float64) error {
		s := Linear{env: env, cert: cert}
		s.prog.load(env)
		s.envy.load(env, &s.prog, nil)
		s.result.X = x
		_, err := s.check(q, []bool{true, true})
		return err
	}
	sound := LinearProblem{Lower: []float64{1, 2}, EnvyFree: true}
	if err := check(sound, cluster.Certificate{}, 1, 1, 0, 2); err != nil {
		t.Fatal(err)
	}
	var uncertified *UncertifiedError
	for name, err := range map[string]error{
		"a lower bound": check(LinearProblem{Lower: []float64{1, 2 + 1e-8}}, cluster.Certificate{}, 1, 1, 0, 2),
		"envy":          check(LinearProblem{EnvyFree: true}, cluster.Certificate{}, 1, 1-1e-8, 0, 2),
		"a gap":         check(LinearProblem{}, cluster.Certificate{Gap: 2e-8}, 1, 1, 0, 2),
		"a violation":   check(LinearProblem{}, cluster.Certificate{Primal: 2e-9}, 1, 1, 0, 2),
	} {
		if !errors.As(err, &uncertified) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatARetractionOfLinearCostsCounts(t *testing.T) {
	var s Linear
	q := LinearProblem{Value: []float64{1, 1}}
	if _, err := s.Solve(twoRounds(), q); err != nil {
		t.Fatal(err)
	}
	for j := range s.prog.scale {
		s.prog.scale[j] *= 1 + 5e-9
	}
	s.basis.residual, s.cert.Gap = 5e-12, 0
	a, err := s.writeOut(q)
	if err != nil {
		t.Fatal(err)
	}
	if !(a.Certificate.Gap >= 4.9e-9 && a.Certificate.Gap < 5.2e-9) || a.Tasks[1] > 3+1e-15 {
		t.Errorf("gap %g with %.12g tasks of 3", a.Certificate.Gap, a.Tasks[1])
	}
}
