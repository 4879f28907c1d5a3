package audit

import (
	"context"
	"fmt"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// KindName is the kind of a search for what a rule lacks.
const KindName = "audit"

// The parameters that say what is searched.
const (
	parameterPolicy, parameterProperty, parameterShape     = "policy", "property", "shape"
	parameterAllow, parameterDeny, parameterBeyond, blocks = "allow", "deny", "beyond", "block"
)

// The metrics of a block; see [audit.Tally].
const (
	metricEnvironments, metricChanges, metricRefused   = "audit_environments", "audit_changes", "audit_refused"
	metricUnconfirmed, metricFailed, metricFound, unit = "audit_unconfirmed", "audit_failed", "audit_found", "environments"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: metricEnvironments, Unit: unit, Definition: "Environments that were judged in a block of a search, random ones and those of local search."},
		results.Metric{Name: metricChanges, Unit: "changes", Definition: "Lies, departures and other changes that were tried in a block of a search."},
		results.Metric{Name: metricRefused, Unit: unit, Definition: "Environments of a block of a search of which the rule or the property does not speak."},
		results.Metric{Name: metricUnconfirmed, Unit: "cases", Definition: "Cases of a block of a search that are beyond the property by no more than rounding."},
		results.Metric{Name: metricFailed, Unit: unit, Definition: "Environments of a block of a search without a certified answer."},
		results.Metric{Name: metricFound, Unit: "violations", Definition: "Violations that a block of a search ended with: 1, or 0 if it found none."},
	)
	feature := spec.WholeNumber(0, 1<<30)
	spec.RegisterKind(spec.Kind{
		Name:  KindName,
		Title: "Search for environments in which a rule lacks a property: an instance is a block of 100 random ones and those near the nearest misses",
		Parameters: []spec.Parameter{
			{Name: parameterPolicy, Doc: "Allocation rule, as name or name[k=v,…].", Required: true, Canonical: spec.Text(policies.Canonical)},
			{Name: parameterProperty, Doc: "Property that is looked for, as in leontief audit.", Required: true, Canonical: spec.OneOf(propertyNames()...)},
			{Name: parameterShape, Unit: "1", Doc: "Shape of the environments, by its number in package policies/audit; 0: as the property has it.", Default: "0", Canonical: spec.WholeNumber(0, int64(audit.AccessPoints))},
			{Name: parameterAllow, Unit: "1", Doc: "Features that are looked at although the papers assume them away, as the sum of their numbers in package sim/cluster.", Default: "0", Canonical: feature},
			{Name: parameterDeny, Unit: "1", Doc: "Features that are not looked at, as such a sum.", Default: "0", Canonical: feature},
			{Name: parameterBeyond, Doc: "Whether to look beyond all that the papers assume: no or yes.", Default: "no", Canonical: spec.OneOf("no", "yes")},
			{Name: blocks, Unit: "1", Doc: "Number of the first block, from 0.", Default: "0", Canonical: spec.WholeNumber(0, 1<<40)},
		},
		Open: openSearch,
	})
}

func propertyNames() []string {
	var all []string
	for _, p := range policies.Properties {
		all = append(all, string(p))
	}
	return all
}

// wave is the scenario of the blocks of a question that begin with one. The blocks of a
// violation are the same, of which a row says that there is one; [Ask] searches that
// block again for it.
func (q Question) wave(seed uint64, block int) (spec.Scenario, error) {
	whole := func(n int) string { return strconv.Itoa(n) }
	values := map[string]string{parameterPolicy: q.Rule.Text, parameterProperty: string(q.Property), parameterShape: whole(int(q.Shape)),
		parameterAllow: whole(int(q.Rule.Allow)), parameterDeny: whole(int(q.Rule.Deny)), blocks: whole(block)}
	if q.Rule.Beyond {
		values[parameterBeyond] = "yes"
	}
	return spec.NewScenario(KindName, values, seed, wave)
}

// blocksOf are the blocks of a wave.
type blocksOf struct {
	search audit.Search
	first  int
}

func openSearch(_ context.Context, s spec.Scenario) (spec.Instances, error) {
	rule, err := audit.Named(s.Text(parameterPolicy))
	if err != nil {
		return nil, err
	}
	rule.Allow, rule.Deny = cluster.Feature(s.WholeNumber(parameterAllow)), cluster.Feature(s.WholeNumber(parameterDeny))
	rule.Beyond = s.Text(parameterBeyond) == "yes"
	property := policies.Property(s.Text(parameterProperty))
	if !audit.Applies(rule, property) {
		return nil, spec.OfInput(fmt.Errorf("%s cannot be asked of %s", property, rule.Meta.Name))
	}
	return &blocksOf{audit.Search{Rule: rule, Property: property, Seed: s.Seed, Shape: audit.Shape(s.WholeNumber(parameterShape))}, int(s.WholeNumber(blocks))}, nil
}

// Instance implements [spec.Instances].
func (b *blocksOf) Instance(_ context.Context, i int) ([]results.Row, error) {
	found, t, err := b.search.Block(b.first + i)
	if err != nil {
		return nil, err
	}
	to, violations := results.Row{Experiment: KindName, Workload: "random (synthetic)"}, 0.0
	if found != nil {
		violations = 1
	}
	return []results.Row{
		to.Measure(metricEnvironments, float64(t.Environments)), to.Measure(metricChanges, float64(t.Changes)),
		to.Measure(metricRefused, float64(t.Refused)), to.Measure(metricUnconfirmed, float64(t.Unconfirmed)),
		to.Measure(metricFailed, float64(t.Failed)), to.Measure(metricFound, violations),
	}, nil
}

// stored returns what the blocks from one on have found, by a runner that may know it.
// A block with a violation is searched again: its rows say only that there is one.
func (q Question) stored(ctx context.Context, by run.Runner, search audit.Search, block int) ([]part, error) {
	s, err := q.wave(search.Seed, block)
	if err != nil {
		return nil, err
	}
	rows, err := by(ctx, []spec.Scenario{s})
	if err != nil {
		return nil, err
	}
	parts, again := make([]part, wave), make([]bool, wave)
	for _, r := range rows.Of(s) {
		t, v := &parts[r.Instance].tally, int(r.Value)
		switch r.Metric {
		case metricEnvironments:
			t.Environments = v
		case metricChanges:
			t.Changes = v
		case metricRefused:
			t.Refused = v
		case metricUnconfirmed:
			t.Unconfirmed = v
		case metricFailed:
			t.Failed = v
		case metricFound:
			again[r.Instance] = v > 0
		}
	}
	for i := range parts {
		if again[i] {
			if parts[i].found, parts[i].tally, err = search.Block(block + i); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// Waves are the first waves of blocks that the search of a cell consists of.
func (c Cell) Waves(seed uint64, n int) ([]spec.Scenario, error) {
	q, err := c.question()
	if err != nil {
		return nil, err
	}
	var all []spec.Scenario
	for k := range n {
		s, err := q.wave(seed, k*wave)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
