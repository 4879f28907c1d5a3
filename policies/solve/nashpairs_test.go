package solve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// halfway returns a solver some iterations along the path of a program of pairs.
func halfway(t *testing.T, env *cluster.Environment) *Nash {
	var s Nash
	s.Load(env)
	for j := range env.Users {
		s.Add(j)
	}
	if !s.prog.pairs {
		t.Fatal("no program of pairs")
	}
	s.start()
	for range 3 {
		s.residuals()
		if !s.advance() {
			t.Fatal("the path ends early")
		}
	}
	return &s
}

// The passes of a program of pairs leave what the general ones leave, to the last bit.
func TestPassesOfPairsAreTheGeneralOnes(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 77))
		env := twin.Benchmark(1+rng.IntN(40), 2+rng.IntN(20), seed)
		for j := range env.Users {
			env.Users[j].Weight = 0.5 + rng.Float64()
			if rng.IntN(4) == 0 {
				env.Users[j].Tasks = 1 + 5*rng.Float64()
			}
		}
		s := halfway(t, env)
		s.residuals()
		var want [][]float64
		for _, s.prog.pairs = range []bool{false, true} {
			for c := range s.y { // the last direction, of which the corrector takes a part
				s.dy[c], s.dz[c] = 0.1*s.y[c], -0.1*s.z[c]
			}
			for i := range s.users {
				u := &s.users[i]
				u.du, u.dp, u.droom, u.dnu = 0.1*u.u, -0.1*u.p, 0.1*u.room, -0.1*u.nu
				if u.cap > 1e300 {
					u.droom, u.dnu = 0, 0
				}
			}
			s.residuals()
			got := [][]float64{slices.Clone(s.q), slices.Clone(s.rp), {s.yz}}
			s.second = 0.5
			s.direction(0.01)
			got = append(got, slices.Clone(s.dy), slices.Clone(s.dz), slices.Clone(s.h), slices.Clone(s.corr), slices.Clone(s.rhs),
				[]float64{s.step.primal, s.step.dual, s.step.zdy, s.step.ydz, s.step.dydz})
			for i := range s.users {
				u := &s.users[i]
				got = append(got, []float64{u.u, u.least, u.du, u.dp, u.shift})
			}
			if want == nil {
				want = got
			}
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("seed %d, part %d: %.17g…, the general pass %.17g…", seed, i, got[i][:1], want[i][:1])
				}
			}
		}
	}
}

// The matrix of a program of pairs is that of the general program up to rounding, also where
// some columns have no weight.
func TestMatrixOfPairsIsTheGeneralOne(t *testing.T) {
	for seed := range uint64(10) {
		s := halfway(t, twin.Benchmark(150, 2+int(seed), seed))
		s.residuals()
		s.weigh()
		for c := range s.e {
			if c%5 == int(seed)%5 {
				s.e[c] = 0
			}
		}
		for i := range s.users {
			s.lead(&s.users[i])
		}
		s.assemble()
		got := slices.Clone(s.schur)
		s.prog.pairs = false
		s.assemble()
		for i, v := range s.schur {
			if off := got[i] - v; !(off <= 1e-12*max(v, -v) && -off <= 1e-12*max(v, -v)) {
				t.Fatalf("seed %d: entry %d is %v, in the general program %v", seed, i, got[i], v)
			}
		}
	}
}

// What measure sums up two users at a time, without a branch for what is 0, is what it sums
// up one by one, to the last bit.
func TestMeasureOfPairsIsTheGeneralOne(t *testing.T) {
	dense := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 78))
		env := twin.Benchmark(1+rng.IntN(40), 1+rng.IntN(20), seed)
		if seed%4 == 0 { // on one server the usual demand may not count at all
			env = twin.Benchmark(1+rng.IntN(40), 1, seed)
			for j := range env.Users {
				env.Users[j].DemandOn = map[int][]float64{0: {1 + rng.Float64(), rng.Float64()}}
			}
		}
		var s Nash
		if _, err := s.Solve(env); err != nil {
			t.Fatal(err)
		}
		f := &s.fine
		for k := range f.price { // costs that differ in the last digits, and in digits beyond
			f.price[k] = f.price[k].plus(1e-16 * rng.Float64() * f.price[k].hi)
		}
		for c := range f.work { // leave the optimum, and some servers
			if seed%2 == 0 {
				break
			}
			if u := s.users[c*len(s.users)/len(f.work)]; rng.IntN(4) == 0 && c != u.first {
				f.work[c], f.basic[c] = double{}, false
			} else if rng.IntN(4) == 0 {
				f.work[c] = f.work[c].times(1 - 0.01*rng.Float64())
			}
		}
		if f.mostly() {
			dense++
		}
		var want []any
		for _, s.prog.pairs = range []bool{false, true} {
			clear(f.used)
			clear(f.total)
			s.measure()
			costs := make([]double, 0, len(f.cost))
			for c, cost := range f.cost {
				if f.basic[c] {
					costs = append(costs, cost)
				}
			}
			got := []any{slices.Clone(f.used), slices.Clone(f.total), costs, []double{{f.gap, f.off}, {f.over, 0}}, f.negative}
			if want == nil {
				want = got
			}
			for i := range want {
				a, ok := got[i].([]double)
				if b, _ := want[i].([]double); ok && !slices.Equal(a, b) || !ok && got[i] != want[i] {
					t.Fatalf("seed %d, part %d: %v, one by one %v", seed, i, got[i], want[i])
				}
			}
		}
	}
	if dense < 20 {
		t.Errorf("only %d of 40 are of the kind that is summed up two users at a time", dense)
	}
}
