package cli

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/papers"
)

// pieces are the costs of all instances of all papers at a scale, in their order.
func pieces(t *testing.T, scale string) []float64 {
	t.Helper()
	known, all := readCosts(), []float64(nil)
	for _, p := range papers.Papers() {
		request := papers.Request{Scale: scale, Seed: 1}
		if err := p.Check(&request); err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(request)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, s := range plan.Scenarios {
			if seen[s.ID()] {
				continue
			}
			seen[s.ID()] = true
			kind, _, id := CostKey(s)
			if _, ok := known.exact[kind+" "+id]; !ok {
				t.Errorf("%s, %s: no cost of %s %s (make costs)", p.Name, scale, s.Kind, s)
			}
			for range s.Instances {
				all = append(all, known.of(s))
			}
		}
	}
	return all
}

// On a machine of another speed, with instances that take a third more or less than
// they should, a tenth if they take more than a second, the time left is right within a
// fifth after the first minute until the last half: from the start, and where a run goes
// on that was ended.
func TestTheTimeLeftIsRightAfterAMinute(t *testing.T) {
	all := pieces(t, "paper")
	total, half, before := 0.0, 0, 0.0
	for _, cost := range all {
		total += cost
	}
	for ; before < total/2; half++ {
		before += all[half]
	}
	for _, speed := range []float64{.3, 1, 4} {
		for _, there := range []int{0, half} {
			rng := rand.New(rand.NewPCG(uint64(there), 1))
			took := make([]float64, len(all))
			for i, cost := range all {
				spread := .3
				if cost > 1 {
					spread = .1
				}
				took[i] = cost * speed * math.Exp(spread*rng.NormFloat64())
			}
			start := time.Unix(0, 0)
			r := remaining{workers: 2, start: start, last: start}
			for i := range there {
				r.before(all[i], took[i])
			}
			truly := 0.0
			for i := there; i < len(all); i++ {
				r.left += all[i]
				truly += took[i] / 2
			}
			now, checked := 0.0, 0
			for i := there; i < len(all); i++ {
				now += took[i] / 2
				at := start.Add(time.Duration(now * float64(time.Second)))
				r.did(all[i], at)
				if left := truly - now; now > 60 && left > 30 {
					checked++
					if got := r.at(at).Seconds(); math.Abs(got/left-1) > .2 {
						t.Fatalf("speed %g, from %d: after %.0f s %.0f s are left, it says %.0f", speed, there, now, left, got)
					}
				}
			}
			if checked < 100 || r.share() < 1-1e-9 {
				t.Errorf("speed %g: %d moments, %g done", speed, checked, r.share())
			}
		}
	}
}

// Between two ends of instances the time left falls with the clock, and is never none.
func TestTheTimeLeftFallsWithTheClock(t *testing.T) {
	start := time.Unix(0, 0)
	r := remaining{workers: 1, start: start, last: start, left: 100}
	r.did(50, start.Add(50*time.Second))
	for after, want := range map[int]float64{0: 50, 20: 30, 45: 5, 49: 2.5, 500: 2.5} {
		if got := r.at(start.Add(time.Duration(50+after) * time.Second)).Seconds(); math.Abs(got-want) > .01 {
			t.Errorf("%d s later %g s are left, want %g", after, got, want)
		}
	}
}
