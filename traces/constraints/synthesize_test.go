package constraints

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/traces"
)

// someCluster makes n machines of two sizes.
func someCluster(n int) []traces.Machine {
	machines := make([]traces.Machine, n)
	for i := range machines {
		size := 0.5 + 0.5*float64(i%2)
		machines[i] = traces.Machine{ID: fmt.Sprint(i), CPU: size, Mem: size}
	}
	return machines
}

func someJobs(n int) []traces.Job {
	rng := rand.New(rand.NewPCG(1, 2))
	jobs := make([]traces.Job, n)
	for i := range jobs {
		jobs[i] = traces.Job{ID: fmt.Sprint(i), Tasks: 1, DurationUS: 1, CPU: rng.Float64(), Mem: 0.1}
	}
	return jobs
}

// The two points of figure 8a, in every one of 20 draws.
func TestSynthesisMeetsThePublishedPoints(t *testing.T) {
	for draw := range 20 {
		machines, jobs := Synthesize(someCluster(1000), someJobs(4500), "test", draw)
		m, err := NewMatcher(machines)
		if err != nil {
			t.Fatal(err)
		}
		everywhere, few := 0, 0
		for i := range jobs {
			set, err := m.Eligible(jobs[i].Constraints)
			if err != nil {
				t.Fatal(err)
			}
			switch n := m.Count(set); {
			case n == 1000:
				everywhere++
			case n <= 200:
				few++
			}
		}
		share, half := float64(everywhere)/4500, float64(few)/4500
		if share >= EverywhereBelow || share < 0.1 {
			t.Errorf("draw %d: %.3f of the jobs run everywhere", draw, share)
		}
		if half < HalfOnFew || half > 0.6 {
			t.Errorf("draw %d: %.3f of the jobs run on at most 200 machines", draw, half)
		}
	}
}

func TestSynthesisHas21AttributesIn4Classes(t *testing.T) {
	total, share := 0, 0.0
	for _, g := range groups {
		total += g.attributes
	}
	for _, c := range classes {
		share += c.share
	}
	if total != 21 || attributeCount != 21 || len(classes) != 4 || share < 0.999999 || share > 1.000001 {
		t.Errorf("%d attributes, %d classes with a share of %g", total, len(classes), share)
	}
	machines, _ := Synthesize(someCluster(1000), nil, "test")
	seen := map[string]bool{}
	for i := range machines {
		attributes, err := ParseAttributes(machines[i].Attributes)
		if err != nil {
			t.Fatal(err)
		}
		for name := range attributes {
			seen[name] = true
		}
	}
	if len(seen) != 21 {
		t.Errorf("%d attributes occur: %v", len(seen), seen)
	}
}

func TestSynthesisIsDecidedByItsStream(t *testing.T) {
	m1, j1 := Synthesize(someCluster(100), someJobs(100), "test", 1)
	m2, j2 := Synthesize(someCluster(100), someJobs(100), "test", 1)
	m3, j3 := Synthesize(someCluster(100), someJobs(100), "test", 2)
	if !slices.Equal(m1, m2) || !slices.Equal(j1, j2) {
		t.Error("the same stream draws differently")
	}
	if slices.Equal(m1, m3) || slices.Equal(j1, j3) {
		t.Error("another stream draws the same")
	}
}

// No job loses by its constraints the only machines that are large enough.
func TestSynthesisLeavesAMachine(t *testing.T) {
	machines, jobs := Synthesize(someCluster(6), someJobs(2000), "test")
	m, err := NewMatcher(machines)
	if err != nil {
		t.Fatal(err)
	}
	unconstrained := 0
	for i := range jobs {
		set, err := m.Eligible(jobs[i].Constraints)
		if err != nil {
			t.Fatal(err)
		}
		if !hosted(&jobs[i], machines, set) {
			t.Errorf("job %d with %s has no machine", i, jobs[i].Constraints)
		}
		if jobs[i].Constraints == "" {
			unconstrained++
		}
	}
	if unconstrained < 500 {
		t.Errorf("%d unconstrained jobs: 340 ask for nothing, and of the others many can not be satisfied by six machines", unconstrained)
	}
	giant := []traces.Job{{ID: "g", Tasks: 1, DurationUS: 1, CPU: 2}}
	if _, jobs := Synthesize(machines, giant, "test"); jobs[0].Constraints != "" {
		t.Errorf("a job that fits nowhere has the constraints %s", jobs[0].Constraints)
	}
}

func TestLabels(t *testing.T) {
	for from, want := range map[string]string{
		"real":               "hybrid (real jobs, synthetic constraints)",
		"google (synthetic)": "google (synthetic)",
		"mine":               "mine, synthetic constraints",
	} {
		if got := Label(from); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}
