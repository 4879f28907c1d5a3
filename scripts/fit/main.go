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
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/leontief-sim/leontief/experiments/papers/tsfer"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// The size of the fit, and its seed, which no result is made with.
const (
	fitInstances  = 20000
	fit4Instances = 1500
	submissions   = 1000 // the first ones of a trace, as in the paper
	seed          = 491
)

func main() {
	table4 := flag.Bool("table4", false, "fit the workload of table 4")
	populations := flag.Int("populations", 0, "compare so many realisations (seeds 1, 2, …) at the fitted median, instead of fitting; at least 2")
	instances := flag.Int("instances", 1500, "with -populations: instances of every setting")
	trace := flag.String("trace", "", "Parquet file of jobs: fit with their requests and task counts")
	flag.Parse()
	var err error
	switch {
	case flag.NArg() > 0 || *populations < 0 || *populations == 1 || *instances < 1 || *table4 && *trace != "":
		err = fmt.Errorf("want no arguments, no or at least 2 populations, at least 1 instance, and -table4 without -trace")
	case *table4:
		err = fit4(os.Stdout)
	case *trace != "":
		err = fitTrace(os.Stdout, *trace, *populations, *instances)
	case *populations > 0:
		err = compare(os.Stdout, tsfer.FittedWith, synthetic.FittedMedianS, *populations, *instances)
	default:
		_, err = fit(os.Stdout, tsfer.FittedWith, 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// fitTrace fits with the jobs of a file and, if asked, compares realisations.
func fitTrace(w io.Writer, path string, populations, instances int) error {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return err
	}
	p := run.NewPopulation(jobs, meta)
	run.FirstSubmissions(p, submissions)
	fmt.Fprintf(w, "%d jobs\n", len(p.Jobs))
	of := tsfer.Redrawn(p.Jobs, meta)
	medianS, err := fit(w, of, max(1, populations))
	if err != nil || populations == 0 {
		return err
	}
	return compare(w, of, medianS, populations, instances)
}

// fit prints the median and returns it.
func fit(w io.Writer, of tsfer.Realiser, populations int) (medianS float64, err error) {
	fit, err := tsfer.FitMedian(context.Background(), of, tsfer.FitSize{Realisations: populations, Instances: fitInstances}, seed, runtime.NumCPU())
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(w, "median %.4g s: mean JCT factor %.4f (standard error %.4f, %d instances of %d realisations)\n",
		fit.MedianS, fit.Factor, fit.StandardError, fitInstances, populations)
	return fit.MedianS, err
}

func fit4(w io.Writer) error {
	f, err := tsfer.FitTable4(context.Background(), fit4Instances, seed, runtime.NumCPU())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "medians %.4g tasks and %.4g s: mean JCT factor %.4f (standard error %.4f) fluid, %.4f (%.4f) with whole tasks, %d instances\n",
		f.Tasks, f.DurationS, f.Fluid, f.FluidError, f.Whole, f.WholeError, fit4Instances)
	return err
}

// compare prints a line a realisation, then the means and the standard
// deviations over them.
func compare(w io.Writer, of tsfer.Realiser, medianS float64, populations, instances int) error {
	all, err := tsfer.Realise(context.Background(), of, medianS, populations, instances, seed, runtime.NumCPU())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "median %.4g s, ρ = 0.7, 2 MHz, %d instances of each n; drop: of TSF-ER below CRU, in %%\n", medianS, instances)
	line := func(name string, number func(column func(*tsfer.Realisation) float64) float64) {
		fmt.Fprintf(&b, "%-13s", name)
		for i, s := range tsfer.RealisationSettings {
			fmt.Fprintf(&b, "  n=%d: %.4f drop %5.2f", s.N,
				number(func(r *tsfer.Realisation) float64 { return r.Factor[i] }),
				number(func(r *tsfer.Realisation) float64 { return 100 * r.Drop[i] }))
		}
		fmt.Fprintln(&b)
	}
	for k := range all {
		line(fmt.Sprint("population ", all[k].Seed), func(column func(*tsfer.Realisation) float64) float64 { return column(&all[k]) })
	}
	line("mean", func(column func(*tsfer.Realisation) float64) float64 { m, _ := tsfer.Spread(all, column); return m })
	line("deviation", func(column func(*tsfer.Realisation) float64) float64 { _, d := tsfer.Spread(all, column); return d })
	_, err = w.Write(b.Bytes())
	return err
}
