package policies_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// Demands over twelve decades together with zero demands, eligibility and
// overlapping links are answered by every egalitarian rule that takes them.
func TestTwelveDecadesAndAllElse(t *testing.T) {
	opt := twin.Options{Users: 10, Servers: 4, Resources: 3, Links: 3, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true}
	for _, name := range policies.Names() {
		p := rule(t, name)
		if _, egalitarian := p.(policies.Normalizer); !egalitarian {
			continue
		}
		answered := 0
		for seed := range uint64(25) {
			a, err := p.Allocate(twin.Random(rand.New(rand.NewPCG(seed, 7000)), opt))
			var refused *policies.UnsupportedError
			if errors.As(err, &refused) {
				continue
			}
			if err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				continue
			}
			answered++
			if err := a.Feasible(1e-9); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
		}
		if answered < 20 && name != "drf" {
			t.Errorf("%s: only %d of 25 were answered", name, answered)
		}
	}
}
