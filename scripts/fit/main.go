// Fit finds the one fitted parameter of the embedded workload, the constant
// synthetic.FittedMedianS:
//
//	go run ./scripts/fit
//
// It prints the median duration at which TSF-ER's mean JCT factor at n = 15,
// ρ = 0.7, 2 MHz is the published 0.491, and changes nothing.
//
//	go run ./scripts/fit -table4
//
// finds the two of the workload for table 4, synthetic.TwoParameterTasks and
// synthetic.TwoParameterMedianS: the medians at which TSF-ER's mean JCT factor
// is the published 0.491 in the fluid model and 0.849 with whole tasks.
//
//	go run ./scripts/fit -trace jobs.parquet
//
// does the first with the requests and task counts of a trace's first 1,000
// submissions in the place of drawn ones; arrivals and durations stay drawn. With
// -populations the fit is to the mean of so many realisations, and they are
// compared at that median.
//
//	go run ./scripts/fit -populations 8
//
// without -trace fits nothing. It shows what the intervals of the ledger leave
// out: how the results move, at the fitted median, from one realisation of the
// workload's 1,000 jobs to another.
//
//	go run ./scripts/fit -scarcer 1.5
//
// does the first where cpu and memory are 1.5 times as scarce beside the link, and
// compares the table 3 of that workload (the shipped spec tsf-er-table3) with the
// printed one; with -populations it compares realisations, as above.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// The published values of TSF-ER that the workloads are fitted to: its mean JCT
// factor at n = 15, ρ = 0.7 and 2 MHz in table 3, and in table 4 with a slot of
// 256 s.
const (
	fluidTarget = 0.491
	wholeTarget = 0.849
)

// The size of the fit, and its seed, which no result is made with: the fit would be
// to their instances.
const (
	fitInstances = 20000
	seed         = 491
)

func main() {
	table4 := flag.Bool("table4", false, "fit the workload of table 4")
	populations := flag.Int("populations", 0, "compare so many realisations (seeds 1, 2, …) at the fitted median, instead of fitting; at least 2")
	instances := flag.Int("instances", 1500, "with -populations, -scarcer or -table4: instances of every setting")
	trace := flag.String("trace", "", "Parquet file of jobs: fit with their requests and task counts")
	scarcer := flag.Float64("scarcer", 0, "fit with cpu and memory so many times as scarce, and compare table 3")
	flag.Parse()
	err := fmt.Errorf("want no arguments, no or at least 2 populations, at least 1 instance, and -trace without -table4 and -scarcer > 0")
	if flag.NArg() == 0 && *populations >= 0 && *populations != 1 && *instances >= 1 && *scarcer >= 0 && alone(*table4, *trace != "") && alone(*trace != "", *scarcer > 0) {
		err = inFolder(func(b *bench) error {
			switch {
			case *table4:
				return b.fit4(os.Stdout, *scarcer, *instances)
			case *scarcer > 0:
				return b.scarcer(os.Stdout, *scarcer, *populations, fitInstances, *instances)
			case *trace != "":
				return b.fitTrace(os.Stdout, *trace, *populations, *instances)
			case *populations > 0:
				return b.compare(os.Stdout, fittedWith, synthetic.FittedMedianS, *populations, *instances)
			}
			_, err := b.fit(os.Stdout, fittedWith, 1, fitInstances)
			return err
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// alone reports whether at most one of the options is given.
func alone(given ...bool) bool {
	n := 0
	for _, g := range given {
		if g {
			n++
		}
	}
	return n <= 1
}

// fitTrace fits with the jobs of a file and, if asked, compares realisations.
func (b *bench) fitTrace(w io.Writer, path string, populations, instances int) error {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return err
	}
	of, kept := redrawn(jobs, meta)
	fmt.Fprintf(w, "%d jobs\n", kept)
	medianS, err := b.fit(w, of, max(1, populations), fitInstances)
	if err != nil || populations == 0 {
		return err
	}
	return b.compare(w, of, medianS, populations, instances)
}

// fit finds the median duration at which TSF-ER's mean JCT factor in the fluid model,
// over all realisations together, is the published one. Only durations change with
// the median, all in the same proportion but for their limits, and every median faces
// the same draws; so the mean falls as the median rises, up to rounding. It prints the
// median and returns it.
func (b *bench) fit(w io.Writer, of realiser, populations, instances int) (medianS float64, err error) {
	var mean, deviation float64
	medianS, err = bisect(1e3, 1e7, 1e-3, fluidTarget, func(median float64) (float64, error) {
		var factors []float64
		for population := 1; population <= populations; population++ {
			more, err := b.factors(of, median, population, central("tsf-er", 15, 0), instances/populations)
			if err != nil {
				return 0, err
			}
			factors = append(factors, more...)
		}
		mean, deviation = stat.PopMeanStdDev(factors, nil)
		return mean, nil
	})
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(w, "median %.4g s: mean JCT factor %.4f (standard error %.4f, %d instances of %d realisations)\n",
		medianS, mean, deviation/math.Sqrt(float64(instances/populations*populations)), instances, populations)
	return medianS, err
}

// fit4 finds the medians of task counts and of durations at which TSF-ER's mean JCT
// factor is the published one in both models: for each of task counts that of the
// durations is found as [bench.fit] does. With more and shorter tasks the factor of
// whole tasks falls, up to the sampling of the instances. With k > 0 jobs request k
// times as much cpu and memory, as in [bench.scarcer].
func (b *bench) fit4(w io.Writer, k float64, instances int) error {
	made := twoParameters
	if k > 0 {
		b.second = k * gammaSecond
		made = func(tasks float64) realiser { return scarce(twoParameters(tasks), k) }
	}
	var durationS float64
	var mean, deviation [2]float64 // fluid, whole
	tasks, err := bisect(1, 300, 1e-2, wholeTarget, func(tasks float64) (_ float64, err error) {
		of := made(tasks)
		measure := func(model int, durationS float64) (float64, error) {
			factors, err := b.factors(of, durationS, 1, central("tsf-er", 15, 256*model), instances)
			if err == nil {
				mean[model], deviation[model] = stat.PopMeanStdDev(factors, nil)
			}
			return mean[model], err
		}
		durationS, err = bisect(10, 1e7, 1e-3, fluidTarget, func(s float64) (float64, error) { return measure(0, s) })
		if err != nil {
			return 0, err
		}
		return measure(1, durationS)
	})
	if err != nil {
		return err
	}
	root := math.Sqrt(float64(instances))
	_, err = fmt.Fprintf(w, "medians %.4g tasks and %.4g s: mean JCT factor %.4f (standard error %.4f) fluid, %.4f (%.4f) with whole tasks, %d instances\n",
		tasks, durationS, mean[0], deviation[0]/root, mean[1], deviation[1]/root, instances)
	return err
}

// bisect finds where a function that falls reaches a target, to so much of x: by
// halving the logarithm. The function is evaluated there last. It is an error if its
// value there is not near the target, as it is not between the bounds then.
func bisect(low, high, accuracy, target float64, f func(x float64) (float64, error)) (x float64, err error) {
	from, to := math.Log(low), math.Log(high)
	for to-from > accuracy {
		middle := (from + to) / 2
		y, err := f(math.Exp(middle))
		if err != nil {
			return 0, err
		}
		if y > target {
			from = middle
		} else {
			to = middle
		}
	}
	x = math.Exp((from + to) / 2)
	y, err := f(x)
	if err == nil && math.Abs(y-target) > 0.01 {
		err = fmt.Errorf("nothing in [%g, %g] gives %g; the nearest gives %g", low, high, target, y)
	}
	return x, err
}

// compare prints a line a realisation, then the means and the standard
// deviations over them.
func (b *bench) compare(w io.Writer, of realiser, medianS float64, populations, instances int) error {
	numbers, err := b.realisations(of, medianS, populations, instances)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "median %.4g s, ρ = 0.7, 2 MHz, %d instances of each n; drop: of TSF-ER below CRU, in %%\n", medianS, instances)
	line := func(name string, number func(of []float64) float64) {
		fmt.Fprintf(w, "%-13s", name)
		for i, n := range users {
			fmt.Fprintf(w, "  n=%d: %.4f drop %5.2f", n, number(numbers[2*i]), 100*number(numbers[2*i+1]))
		}
		fmt.Fprintln(w)
	}
	for k := range populations {
		line(fmt.Sprint("population ", k+1), func(of []float64) float64 { return of[k] })
	}
	line("mean", func(of []float64) float64 { return stat.Mean(of, nil) })
	line("deviation", func(of []float64) float64 { return stat.StdDev(of, nil) })
	return nil
}
