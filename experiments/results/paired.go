package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/metrics"
)

// Versus compares the policies of a table with one of them: for every cell of
// another policy the mean over instances of its value less the baseline's, with
// its 95% interval ([metrics.Difference]), or with ratio its mean over the
// baseline's ([metrics.Ratio]). Instance i drew the same jobs for all policies,
// so that the comparison is paired: what an instance does to both cancels, and
// the interval may leave out 0 (or 1) where the intervals of the two means
// overlap. Cells are ordered by key, as by [Summarize].
//
// It returns an error where the baseline has no row, where a cell has no
// baseline or other instances than it, and, with ratio, where the baseline's
// mean is 0.
func Versus(rows []Row, baseline string, ratio bool) ([]Cell, error) {
	groups, err := grouped(slices.Values(rows))
	if err != nil {
		return nil, err
	}
	base := map[Key]*group{}
	for i := range groups {
		if groups[i].Policy == baseline {
			base[groups[i].of(baseline)] = &groups[i]
		}
	}
	if len(base) == 0 {
		return nil, fmt.Errorf("no policy %s (there are %s)", baseline, strings.Join(PoliciesOf(rows), ", "))
	}
	var cells []Cell
	for i := range groups {
		g := &groups[i]
		if g.Policy == baseline {
			continue
		}
		b := base[g.of(baseline)]
		if b == nil || !slices.Equal(b.instances, g.instances) {
			return nil, fmt.Errorf("%s: %s of %s has not the same instances as that of %s", g.Key, g.Metric, g.Policy, baseline)
		}
		cell, err := g.versus(b, ratio)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	if cells == nil {
		return nil, fmt.Errorf("the table has no policy but %s", baseline)
	}
	return cells, nil
}

// versus compares a group with that of the baseline.
func (g *group) versus(b *group, ratio bool) (Cell, error) {
	if !ratio {
		return Cell{g.Key, summary(metrics.Difference(g.values, b.values))}, nil
	}
	if metrics.Mean(b.values).Value == 0 {
		return Cell{}, fmt.Errorf("%s: %s of %s is 0: there is no ratio to it", g.Key, g.Metric, b.Policy)
	}
	iv := metrics.Ratio(g.values, b.values)
	if len(g.values) > 1 && !iv.Bounded {
		return Cell{}, fmt.Errorf("%s: %s of %s is 0 in all instances but one: there is no interval of the ratio to it", g.Key, g.Metric, b.Policy)
	}
	key := g.Key
	key.Unit = UnitRatio
	return Cell{key, summary(iv)}, nil
}

// of is the key of the same cell of another policy.
func (k Key) of(policy string) Key {
	k.Policy = policy
	return k
}
