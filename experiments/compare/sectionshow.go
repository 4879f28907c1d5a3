package compare

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/metrics"
)

func (f *Findings) howSection() Section {
	s := Section{Title: "How sure this is"}
	length := lengthOf(f.Block)
	with := 0
	_, n := f.sums(f.Rules[f.Baseline].Fates, jobValues[0].of, nil)
	for _, jobs := range n {
		if jobs > 0 {
			with++
		}
	}
	if with < metrics.LeastBlocks {
		s.Lead = []string{fmt.Sprintf("There are no intervals: the jobs were submitted in %s (%s each), and fewer than %d say nothing of the next one. --block takes a shorter time.", plural(with, "block"), length, metrics.LeastBlocks)}
		return s
	}
	s.Lead = []string{fmt.Sprintf("Intervals are 95%%: paired and studentised bootstrap over blocks of the jobs by their submission (%s each, %d of %d with jobs), drawn whole and with replacement %d times; each end the farther of that and of the jackknife's (docs/compare.md).", length, with, f.n, metrics.Resamples)}
	s.Notes = []string{"They say how much another time of the same kind may differ, and nothing of a change in the load. For what a block carries over to the next, as a queue over midnight, they are widened by its correlation with the next. " + f.carried(), measured}
	return s
}

// measured is what was found of intervals, see TestBlocksCover.
const measured = "Of samples with a known answer such intervals held it in 93 to 98% where sizes and effects of blocks are normal or a little skewed (lognormal, σ = 1/2), from 8 blocks on and with a correlation of up to 0.6; in 92 to 95% where a few blocks have most of the jobs and of the effect (lognormal, σ = 1)."

// carried says how much blocks have to do with the ones before them.
func (f *Findings) carried() string {
	rules := f.distinct()
	if len(rules) < 2 {
		return ""
	}
	worst, of := 0.0, ""
	for _, i := range rules[1:] {
		a, n := f.sums(f.Rules[i].Fates, jobValues[1].of, nil)
		b, _ := f.sums(f.Rules[f.Baseline].Fates, jobValues[1].of, nil)
		if r := autocorrelation(minus(a, b), n); r > worst {
			worst, of = r, f.Rules[i].Policy
		}
	}
	if of == "" {
		return "In the differences of completion times no block resembles the one before it."
	}
	return fmt.Sprintf("In the differences of completion times it is up to %.2f (%s): longer blocks help.", worst, of)
}

// autocorrelation is that of neighbours of a[b] - θ·m[b], θ = Σa/Σm.
func autocorrelation(a, m []float64) float64 {
	sa, sm := 0.0, 0.0
	for i := range a {
		sa, sm = sa+a[i], sm+m[i]
	}
	var both, one float64
	for i := range a {
		e := a[i] - sa/sm*m[i]
		one += e * e
		if i > 0 {
			both += e * (a[i-1] - sa/sm*m[i-1])
		}
	}
	if one == 0 {
		return 0
	}
	return both / one
}
