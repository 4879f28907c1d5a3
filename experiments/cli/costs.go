package cli

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/papers/audit"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// costsText has a line for each scenario of the papers, kind, rule, id and the seconds
// of an instance, and one for each cell of their tables of properties; make costs writes
// it. Only the estimates of what is left depend on it.
//
//go:embed costs.txt
var costsText string

// costs are seconds of one worker.
type costs struct {
	exact  map[string]float64
	groups map[string][]float64
}

func readCosts() costs {
	c := costs{map[string]float64{}, map[string][]float64{}}
	for line := range strings.Lines(costsText) {
		f := strings.Fields(line)
		if len(f) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		seconds, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			panic(fmt.Sprintf("costs.txt: %q", line))
		}
		c.exact[f[0]+" "+f[2]] = seconds
		c.groups[f[0]+" "+f[1]] = append(c.groups[f[0]+" "+f[1]], seconds)
	}
	return c
}

// CostKey is what is known of a scenario whatever its seed and number of instances.
func CostKey(s spec.Scenario) (kind, rule, id string) {
	rule = "-"
	if v, ok := s.Parameters["policy"]; ok {
		rule = v.String()
	}
	s.Seed, s.Instances = 0, 0
	return s.Kind, rule, s.ID()
}

// of is the cost of an instance: of the scenario or, where that is not known, the mean
// of those of its kind and rule; a second where these are not known either.
func (c costs) of(s spec.Scenario) float64 {
	kind, rule, id := CostKey(s)
	if seconds, ok := c.exact[kind+" "+id]; ok {
		return seconds
	}
	return mean(c.groups[kind+" "+rule], 1)
}

// cell is the cost of a cell of the tables of properties: of a cross the search until
// there is a violation, of a tick so much for each environment.
func (c costs) cell(cell audit.Cell, environments int) float64 {
	if seconds, ok := c.exact["cross "+cell.ID()]; ok {
		return seconds
	}
	if seconds, ok := c.exact["tick "+cell.ID()]; ok {
		return seconds * float64(environments)
	}
	return float64(environments) * 1e-4
}

func mean(values []float64, none float64) float64 {
	if len(values) == 0 {
		return none
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
