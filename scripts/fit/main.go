// Fit finds the one fitted parameter of the embedded workload, the constant
// synthetic.FittedMedianS:
//
//	go run ./scripts/fit
//
// It prints the median duration at which TSF-ER's mean JCT factor at n = 15,
// ρ = 0.7, 2 MHz is the published 0.491, and changes nothing.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/leontief-sim/leontief/experiments/tsfer"
)

// The size of the fit, and its seed, which no result is made with.
const (
	instances = 20000
	seed      = 491
)

func main() {
	fit, err := tsfer.FitMedian(context.Background(), instances, seed, runtime.NumCPU())
	if err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
	fmt.Printf("median %.4g s: mean JCT factor %.4f (standard error %.4f, %d instances)\n", fit.MedianS, fit.Factor, fit.StandardError, instances)
}
