package mtp

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
)

func rule(t *testing.T, name string) policies.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// randomProof draws demands with the ratios of i and j on either side of 1.
func randomProof(rng *rand.Rand) Proof {
	p := Proof{Points: [2]int{1 + rng.IntN(3), 1 + rng.IntN(3)}}
	k := float64(p.Points[1]) / float64(p.Points[0])
	below, above := math.Exp(-0.2-2*rng.Float64()), math.Exp(0.2+2*rng.Float64())
	i, j := math.Exp(4*rng.Float64()-2), math.Exp(4*rng.Float64()-2)
	p.I, p.J = [2]float64{i, i * below * k}, [2]float64{j, j * above * k}
	return p
}

// What lemma 3 leaves to rules that are Pareto optimal and envy-free, and the
// bounds of theorem 1's proof on what the liar then runs, on random
// environments.
func TestProofsLieOnRandomEnvironments(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	scenarios := [2]int{}
	for range 60 {
		p := randomProof(rng)
		for _, name := range []string{"mtp", "cru", "tsf"} {
			a, err := rule(t, name).Allocate(p.Environment())
			if err != nil {
				t.Fatal(err)
			}
			alpha, beta := p.share(a, 0), p.share(a, 1)
			first := alpha <= lemmaTolerance && beta >= (1+p.ratio(p.I))/2-lemmaTolerance
			second := beta >= 1-lemmaTolerance && alpha <= (1-1/p.ratio(p.J))/2+lemmaTolerance
			if !first && !second {
				t.Fatalf("%s, %+v: i holds %v and %v, against lemma 3", name, p, alpha, beta)
			}
			p.Inside = true
			b, err := rule(t, name).Allocate(p.Environment())
			if err != nil || math.Abs(b.Tasks[0]-a.Tasks[0]) > 1e-4*a.Tasks[0] {
				t.Fatalf("%s, %+v: i runs %v tasks behind links, %v with the bandwidth inside: %v", name, p, a.Tasks[0], b.Tasks[0], err)
			}
			p.Inside = false
			lie, err := p.Lie(rule(t, name))
			if err != nil {
				t.Fatalf("%s, %+v: %v", name, p, err)
			}
			if got, least := lie.Lying/lie.Honest-1, p.leastGain(alpha, beta); got < least-1e-3 || got <= 0 {
				t.Fatalf("%s, %+v: %s gains %v, the proof guarantees %v", name, p, lie.Truth.Name, got, least)
			}
			if lie.Truth.Name == "i" {
				scenarios[0]++
			} else {
				scenarios[1]++
			}
		}
	}
	if min(scenarios[0], scenarios[1]) < 10 {
		t.Errorf("the scenarios came up %v times", scenarios)
	}
}

// leastGain is what the proof guarantees the liar, relative to what it has.
// Scenario I: i ends with all of the second group and at least
// (1 − 1/√d[j])/2 of the first. Scenario II: j ends with all of the first and at
// least (1 − √d[i])/2 of the second.
func (p Proof) leastGain(alpha, beta float64) float64 {
	run := func(d [2]float64, first, second float64) float64 {
		return first*float64(p.Points[0])/d[0] + second*float64(p.Points[1])/d[1]
	}
	if alpha <= lemmaTolerance {
		return run(p.I, (1-1/math.Sqrt(p.ratio(p.J)))/2, 1)/run(p.I, alpha, beta) - 1
	}
	return run(p.J, 1, (1-math.Sqrt(p.ratio(p.I)))/2)/run(p.J, 1-alpha, 1-beta) - 1
}

// An equal division fits neither scenario. Under FIFO i holds everything, which
// fits the second one, and no lie of j's helps it.
func TestLieOfARuleThatIsNot(t *testing.T) {
	p := proofs()[0]
	_, err := p.Lie(rule(t, "eq"))
	var lemma *LemmaError
	if !errors.As(err, &lemma) || math.Abs(lemma.First-0.5) > 1e-9 || math.Abs(lemma.Second-0.5) > 1e-9 {
		t.Errorf("%v", err)
	}
	if lie, err := p.Lie(policytest.FIFO); err != nil || lie.Gain() > 0 {
		t.Errorf("FIFO: %v, %v", lie, err)
	}
}

// Every rule that is claimed to be PO and EF, or PO and SI, has its entry, and
// only pooling is not defined for access points.
func TestTheoremsSpeakOfEveryClaimingRule(t *testing.T) {
	entries, err := theorems()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]ledger.Entry{}
	for _, e := range entries {
		found[e.ID] = e
	}
	want := 0
	for _, meta := range policies.All() {
		for id, with := range map[string]policies.Property{"theorem1": policies.EF, "theorem2": policies.SI} {
			if !claims(meta, policies.PO) || !claims(meta, with) {
				continue
			}
			want++
			e, ok := found["theorems/"+id+"/"+meta.Name]
			switch {
			case !ok:
				t.Errorf("%s of %s: no entry", id, meta.Name)
			case e.Verdict == ledger.NotRun && strings.Contains(e.Why, "not defined"):
			case e.Verdict != ledger.Reproduced:
				t.Errorf("%s of %s: %s, %s", id, meta.Name, e.Verdict, e.Why)
			}
		}
	}
	if len(entries) != want || want < 10 {
		t.Errorf("%d entries, want %d", len(entries), want)
	}
	if e := found["theorems/theorem1/mtp"]; e.Verdict != ledger.Reproduced || !strings.Contains(e.Claim, "has the first two") {
		t.Errorf("mtp: %+v", e)
	}
	if e := found["theorems/theorem1/drf-er"]; !strings.Contains(e.Claim, "drf-er is not EF") {
		t.Errorf("drf-er: %+v", e)
	}
}

func TestExamplesAreReproduced(t *testing.T) {
	for name, f := range map[string]func() ([]ledger.Entry, error){"sec4.2": section42, "fig2": figure2} {
		entries, err := f()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Verdict != ledger.Reproduced || e.Item != name {
				t.Errorf("%s: %s: %s", e.ID, e.Verdict, e.Why)
			}
		}
		if i := slices.IndexFunc(entries, func(e ledger.Entry) bool { return e.ID == "fig2/tsf/envy" }); i >= 0 && math.Abs(*entries[i].Ours-100*(240./161-1)) > 1e-6 {
			t.Errorf("enviousness of i over j: %v", *entries[i].Ours)
		}
	}
}
