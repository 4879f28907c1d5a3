package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// madeUpPolicies are as many as the fullest figure of a paper has.
var madeUpPolicies = []string{
	"tsf-er", "drf-er", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq",
}

// madeUpStyles are theirs.
var madeUpStyles = func() Styles {
	all := Styles{}
	for i, name := range madeUpPolicies {
		look := [][3]string{{"black", "solid", "●"}, {"vermillion", "long dashes", "○"}, {"sky blue", "short dashes", "△"}, {"orange", "dash-dot-dot", "▽"},
			{"grey", "sparse dashes", "□"}, {"blue", "dashed", "▲"}, {"green", "dotted", "▼"}, {"purple", "dash-dot", "■"}}[i]
		var err error
		if all[name], err = NewStyle(strings.ToUpper(name), look[0], look[1], look[2]); err != nil {
			panic(err)
		}
	}
	return all
}()

const madeUpWorkload = "made up (synthetic)"

// sweepRows are rows of a made-up sweep, results of nothing: values are
// 10·rho + n + instance/4, 1 more for mnw.
func sweepRows() []results.Row {
	var rows []results.Row
	for p, policy := range []string{"tsf-er", "mnw"} {
		for _, rho := range []float64{.9, .5} {
			for _, n := range []int64{10, 20} {
				for i := range int64(3) {
					rows = append(rows, results.Row{Policy: policy, Point: resulttest.Point(fmt.Sprintf("n=%d,rho=%g,h=5,l=4", n, rho)), Instance: i, Metric: "jct_factor",
						Value: 10*rho + float64(n) + float64(i)/4 + float64(p), Unit: results.UnitRatio, Workload: madeUpWorkload})
				}
			}
		}
	}
	return rows
}

// threeApart is half of the interval of a, a + 0.25 and a + 0.5: Student's at
// n = 3, 4.3026527·0.25/√3, times 1 - 1/18.
const threeApart = 0.5865328

// overTime are rows of two policies at times 0, 1, … min, over one instance: policy k
// has k·minute.
func overTime(minutes int, policies ...string) []results.Row {
	var rows []results.Row
	for k, policy := range policies {
		for m := range minutes {
			r := results.Row{Policy: policy, Metric: "waiting_tasks", Unit: "tasks", Value: float64((k + 1) * m), Workload: madeUpWorkload}
			r.At(60 * float64(m))
			rows = append(rows, r)
		}
	}
	return rows
}

func drawn(t *testing.T, rows []results.Row, v View) Figure {
	t.Helper()
	if v.Name == "" {
		v.Name = "f"
	}
	f, err := Draw(rows, v, madeUpStyles)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	return f
}

// madeUpFigure returns a figure of panels of points, a point a policy at each of
// three values of a parameter. They are invented: they are results of nothing.
func madeUpFigure(panels int, w Length, policies ...string) Figure {
	var rows []results.Row
	metrics := []string{"jct_factor", "domination_factor"}[:panels]
	for k, metric := range metrics {
		for i, policy := range policies {
			for g, rho := range []float64{0.5, 0.7, 0.9} {
				for instance := range int64(5) {
					v := 1 + float64(k) + .05*float64(i*(g+1)) + .01*math.Sin(float64(7*i+3*g)+float64(instance))
					rows = append(rows, results.Row{Policy: policy, Point: resulttest.Point(fmt.Sprintf("rho=%g", rho)), Instance: instance, Metric: metric, Value: v, Unit: results.UnitRatio, Workload: madeUpWorkload})
				}
			}
		}
	}
	f, err := Draw(rows, View{Name: fmt.Sprintf("made-up-%d", panels), Y: metrics, Width: w}, madeUpStyles)
	if err != nil {
		panic(err)
	}
	return f
}
