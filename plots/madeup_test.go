package plots

import (
	"fmt"
	"math"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
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

const madeUpWorkload = "made up for tests"

// madeUpFigure returns a figure of panels of points, a point a policy at each of
// three values of a parameter. They are invented: they are results of nothing.
func madeUpFigure(panels int, w Width, policies ...string) Figure {
	f := Figure{Name: fmt.Sprintf("made-up-%d", panels), Width: w, Styles: madeUpStyles, Note: "Workload: " + madeUpWorkload + "."}
	for k := range panels {
		p := &Points{XLabel: "Server heterogeneity ρ", YLabel: "Made-up\nmetric", Groups: []string{"0.5", "0.7", "0.9"}}
		for i, policy := range policies {
			s := Series{Policy: policy}
			for g := range p.Groups {
				v := 1 + float64(k) + .05*float64(i*(g+1))
				wobble := .02 * math.Abs(math.Sin(float64(7*i+3*g)))
				s.Points = append(s.Points, results.Summary{Mean: v, Low: v - wobble, High: v + wobble, N: 5})
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
