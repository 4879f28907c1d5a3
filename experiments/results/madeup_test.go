package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// madeUpPolicies are those of figures 3 and 4.
var madeUpPolicies = []string{
	"tsf-er", "drf-er", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq",
}

const madeUpWorkload = "made up for tests"

// madeUpRows returns rows in the form that figures 3 and 4 take. Their values
// are invented: they are results of nothing.
func madeUpRows(instances int) []Row {
	var rows []Row
	for p, policy := range madeUpPolicies {
		for r, rho := range []float64{.5, .7, .9} {
			for i := range instances {
				wobble := .02 * math.Sin(float64(7*p+3*r+11*i))
				away := (rho - .35) * float64(p) / 12
				if p == 0 {
					wobble, away = 0, 0
				}
				row := Row{Experiment: "tsf-er", Policy: policy, Point: pointOf(fmt.Sprintf("n=100,rho=%g,bandwidth_mhz=2", rho)),
					Instance: int64(i), Unit: UnitRatio, Workload: madeUpWorkload}
				put := func(item, metric string, v float64) {
					row.Item, row.Metric, row.Value = item, metric, v
					rows = append(rows, row)
				}
				put("fig3", MetricMinTaskRatio, 1-away-math.Abs(wobble))
				put("fig3", MetricSIViolation, math.Min(1, 1.6*away+math.Abs(wobble)))
				put("fig4", MetricDomination, 1+away/2+math.Abs(wobble))
			}
		}
	}
	return rows
}

// pointOf returns the point that a text k=v,… describes: whole numbers, numbers or texts.
func pointOf(text string) Point {
	values := map[string]Value{}
	for _, pair := range strings.Split(text, ",") {
		k, v, _ := strings.Cut(pair, "=")
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			values[k] = OfInt(i)
		} else if f, err := strconv.ParseFloat(v, 64); err == nil {
			values[k] = OfFloat(f)
		} else {
			values[k] = OfText(v)
		}
	}
	return NewPoint(values)
}

func init() { RegisterMetrics(Metric{Name: "m", Unit: UnitRatio, Definition: "Made up for tests."}) }
