package sweeps

import (
	"context"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/fair"
)

func init() {
	spec.RegisterKind(spec.Kind{
		Name: "sharing", Title: "a workload whose jobs are all present at once: how far the worst-off user is from an equal share",
		Parameters: parameters([]string{"min-si-sat", "refused"}, registered),
		Check:      check,
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			i, err := Open(s)
			return sharing{i}, err
		},
	})
}

// sharing are the instances of a scenario: jobs, cluster and rule are those of the kinds
// beside it.
type sharing struct{ *Instances }

// Instance implements [spec.Instances].
func (s sharing) Instance(_ context.Context, instance int) ([]results.Row, error) {
	c, left, err := s.Draw(instance)
	if err != nil {
		return nil, err
	}
	s.count(left)
	rule, err := policies.New(s.Text(policy))
	if err != nil {
		return nil, err
	}
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	a, err := policies.Allocate(rule, env)
	if err != nil {
		return nil, err
	}
	row := s.Row()
	row.Metric, row.Value = results.MetricMinSISat, fair.NewJudge(env).MinSISat(a, nil).Sat
	return []results.Row{row}, nil
}
