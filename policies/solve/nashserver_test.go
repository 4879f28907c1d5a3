package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// needs draws needs of l resources with a largest of 1 for each user, as real numbers,
// as multiples of a quarter (so that prices are not unique and resources equally
// scarce), or over eight orders of magnitude.
func needs(rng *rand.Rand, users, l, kind int) []float64 {
	need := make([]float64, users*l)
	for j := range users {
		row := need[j*l : (j+1)*l]
		for r := range row {
			switch kind {
			case 0:
				row[r] = rng.Float64()
			case 1:
				row[r] = float64(1+rng.IntN(4)) / 4
			default:
				row[r] = math.Pow(10, -8*rng.Float64())
			}
		}
		largest := slices.Max(row)
		for r := range row {
			row[r] /= largest
		}
	}
	return need
}

// On random servers the answer is that of Nash, within both bounds, and uses no more
// than there is. It is refused seldom.
func TestNashServerAgreesWithNash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var fast NashServer
	var slow Nash
	refused, steps, programs := [3]int{}, 0, 1000
	for k := range 3 * programs {
		users, l := 1+rng.IntN(30), 1+rng.IntN(8)
		need, y := needs(rng, users, l, k%3), make([]float64, users)
		gap, ok := fast.Solve(need, l, y)
		steps += fast.Steps
		if !ok {
			refused[k%3]++
			continue
		}
		a, err := slow.Solve(oneServer(need, l, users))
		if err != nil {
			t.Fatal(err)
		}
		off := totalsBound(gap, 1) + a.Certificate.Totals
		used := make([]float64, l)
		for j, got := range y {
			if math.Abs(got/a.Tasks[j]-1) > off {
				t.Fatalf("%d users, %d resources, user %d: %v, Nash %v, bound %g", users, l, j, got, a.Tasks[j], off)
			}
			for r := range used {
				used[r] += need[j*l+r] * got
			}
		}
		if most := slices.Max(used); most > 1+1e-14 {
			t.Fatalf("%g of a resource is used", most)
		}
	}
	t.Logf("of %d programs each %d were refused, %.1f steps each", programs, refused, float64(steps)/float64(3*programs))
	if max(refused[0], refused[1]) > programs/100 || refused[2] > programs/10 {
		t.Errorf("of %d programs each %d were refused", programs, refused)
	}
}

// oneServer is the environment of the needs.
func oneServer(need []float64, l, users int) *cluster.Environment {
	env := &cluster.Environment{Servers: []cluster.Server{{Name: "s", Count: 1}}}
	for r := range l {
		env.Resources = append(env.Resources, fmt.Sprint("r", r))
		env.Servers[0].Capacity = append(env.Servers[0].Capacity, 1)
	}
	for j := range users {
		env.Users = append(env.Users, cluster.NewUser(fmt.Sprint("u", j), need[j*l:(j+1)*l]))
	}
	return env
}

// Two users who need halves of two resources the other way round share both, by
// symmetry: y = 1/(1+1/2).
func TestNashServerKnownAnswer(t *testing.T) {
	var s NashServer
	y := make([]float64, 2)
	gap, ok := s.Solve([]float64{1, 0.5, 0.5, 1}, 2, y)
	if !ok || math.Abs(y[0]-2./3) > 1e-12 || math.Abs(y[1]-2./3) > 1e-12 {
		t.Errorf("%v, gap %g", y, gap)
	}
	// One user needs 1 of both: its prices are not unique, its tasks are.
	y = y[:1]
	if gap, ok = s.Solve([]float64{1, 1}, 2, y); !ok || math.Abs(y[0]-1) > 1e-12 {
		t.Errorf("%v, gap %g", y, gap)
	}
}
