package magiks

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// definitions returns the outcome as the subject of package fair: servers of
// capacity 1, and so ψ = 1 and tasks y.
func (o *outcome) definitions() (*cluster.Environment, *fair.Choice) {
	env := &cluster.Environment{}
	var ones []float64
	for r := range o.l {
		env.Resources, ones = append(env.Resources, fmt.Sprint("r", r)), append(ones, 1)
	}
	for s := range o.m {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: ones, Count: 1})
	}
	for j := range o.n {
		env.Users = append(env.Users, cluster.NewUser(fmt.Sprint("u", j), o.need[j*o.l:(j+1)*o.l]))
	}
	return env, fair.NewChoice(env, o.at, o.y)
}

// drawn returns a random outcome: shares of the KS rule on a random, not
// always fair association, or shares at random.
func drawn(rng *rand.Rand) *outcome {
	o := &outcome{n: 2 + rng.IntN(8), m: 1 + rng.IntN(4), l: 1 + rng.IntN(4)}
	for range o.n {
		need := make([]float64, o.l)
		for r := range need {
			need[r] = 0.05 + 0.95*rng.Float64()
		}
		need[rng.IntN(o.l)] = 1
		o.need = append(o.need, need...)
		o.at = append(o.at, rng.IntN(o.m))
		o.y = append(o.y, 0)
	}
	o.gather(false)
	even := rng.IntN(2) == 0
	for j, s := range o.at {
		load := 0.0
		for _, x := range o.sum[s*o.l : (s+1)*o.l] {
			load = max(load, x)
		}
		o.y[j] = 1 / load
		if !even && rng.IntN(2) == 0 {
			o.y[j] *= rng.Float64()
		}
	}
	return o
}

// The fast figures are those of the definitions, kept or broken.
func TestFastPropertiesAreTheDefinitions(t *testing.T) {
	broken := [properties]int{}
	const trials = 400
	for trial := range uint64(trials) {
		o := drawn(rand.New(rand.NewPCG(trial, 1)))
		env, c := o.definitions()
		worst := o.envy()
		if e := c.Envy(); worst > 1 && math.Abs(worst*e.Sat-1) > 1e-9 || worst <= 1 && e.Sat < 1-1e-9 {
			t.Fatalf("trial %d: envy %g, by definition %v", trial, worst, e)
		}
		var lacks [properties]bool
		o.violations(worst, &lacks)
		d, err := c.BestDeviation(game.KS(env))
		if err != nil {
			t.Fatal(err)
		}
		// Slack is per user, LPO of the fast check per server: with positive
		// demands they are the same.
		want := [properties]bool{d.Ratio > 1+tolerance, c.LocalEnvy().Sat < 1-tolerance, c.LocalSharing().Ratio < 1-tolerance,
			c.LocalSlack().Relative > tolerance, c.Envy().Sat < 0.5*(1-tolerance), c.MaximinShare().Ratio < 1-tolerance}
		for p := range lacks {
			if lacks[p] != want[p] {
				t.Errorf("trial %d: lacks %s %v, by definition %v", trial, propertyNames[p], lacks[p], want[p])
			}
			if lacks[p] {
				broken[p]++
			}
		}
	}
	for p, found := range broken {
		if found < trials/20 || found > trials*19/20 {
			t.Errorf("%s is broken in %d of %d trials: one side is hardly looked at", propertyNames[p], found, trials)
		}
	}
}

func runOf(t *testing.T, values map[string]string, instances, workers int) []string {
	t.Helper()
	s, err := spec.NewScenario(KindName, values, 1, instances)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := run.InMemory(workers, nil)(context.Background(), []spec.Scenario{s})
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, r := range rows.Of(s) {
		text = append(text, fmt.Sprintf("%+v", r))
	}
	return text
}

// Blocks are the same on any number of workers, and whatever ran before on
// the memory of a worker.
func TestBlocksDoNotDependOnWorkers(t *testing.T) {
	for _, workload := range []string{integers, pai} {
		values := map[string]string{"workload": workload, "n": "30", "m": "4", "realisations": "8", "readings": "yes"}
		one, four := runOf(t, values, 6, 1), runOf(t, values, 6, 4)
		if !reflect.DeepEqual(one, four) {
			t.Errorf("%s: %d and %d rows differ", workload, len(one), len(four))
		}
		if again := runOf(t, values, 1, 1); !reflect.DeepEqual(again, one[:len(again)]) {
			t.Errorf("%s: the first block depends on the others", workload)
		}
	}
}
