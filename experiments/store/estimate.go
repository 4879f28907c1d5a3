package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// Outlook says what is left to do of a sweep, and about how long it takes.
type Outlook struct {
	Plan      string  `json:"plan"` // [Sweep.Hash]
	Name      string  `json:"name"`
	Scenarios int     `json:"scenarios"`
	Instances int     `json:"instances"`
	Done      int     `json:"done"`     // scenarios that are in the folder
	Missing   int     `json:"missing"`  // instances of the others
	Measured  int     `json:"measured"` // instances that were run for the estimate
	Seconds   float64 `json:"seconds"`  // of one worker, for what is missing
	Workers   int     `json:"workers"`
}

// Look finds out what is missing of the sweep in a folder, which need not exist,
// and estimates its time: from what the scenarios took that are there, and from
// the first and the last missing scenario of each kind and rule that has none
// there, of which it runs one instance each. Nothing is written: another process may
// be at work in the folder.
func (p *Sweep) Look(ctx context.Context, folder string, workers int) (*Outlook, error) {
	store, err := OpenStore(folder, nil)
	if err != nil {
		return nil, err
	}
	o := &Outlook{Plan: p.Hash(), Name: p.Name, Scenarios: len(p.Scenarios), Workers: workers}
	took := costs{}
	var missing []spec.Scenario
	for _, s := range p.Scenarios {
		o.Instances += s.Instances
		found, err := store.peek(s)
		switch {
		case err != nil && unreadable(err):
			return nil, err
		case err != nil || found == nil: // one that is damaged is none
			missing = append(missing, s)
			o.Missing += s.Instances
			continue
		}
		o.Done++
		if t := found.timing(); t.Instances > 0 {
			took.add(s, t.BusySeconds/float64(t.Instances))
		}
	}
	if o.Measured, err = took.measure(ctx, missing); err != nil {
		return nil, err
	}
	for _, s := range missing {
		o.Seconds += took.of(s) * float64(s.Instances)
	}
	return o, nil
}

// group is what scenarios of about the same cost have in common.
type group struct{ kind, policy string }

func groupOf(s spec.Scenario) group { return group{s.Kind, s.Parameters["policy"].String()} }

// costs are the seconds of an instance of each scenario that is known, by group.
type costs map[group][]float64

func (c costs) add(s spec.Scenario, seconds float64) { c[groupOf(s)] = append(c[groupOf(s)], seconds) }

// of estimates the seconds of an instance: the mean of its group, or of all
// groups where nothing is known of it.
func (c costs) of(s spec.Scenario) float64 {
	known := c[groupOf(s)]
	if known == nil {
		known = slices.Concat(slices.Collect(maps.Values(c))...)
	}
	sum := 0.0
	for _, seconds := range known {
		sum += seconds
	}
	return sum / float64(max(1, len(known)))
}

// measure runs an instance of the first and of the last scenario of each group that is
// not known, and returns how many: no further one is run after a while.
func (c costs) measure(ctx context.Context, missing []spec.Scenario) (int, error) {
	const most, budget = 16, 10 * time.Second
	var ends []spec.Scenario // the first of each group, then the last
	last := map[group]spec.Scenario{}
	for _, s := range missing {
		if _, again := last[groupOf(s)]; !again && c[groupOf(s)] == nil {
			ends = append(ends, s)
		}
		last[groupOf(s)] = s
	}
	for _, s := range ends {
		if other := last[groupOf(s)]; other.ID() != s.ID() {
			ends = append(ends, other)
		}
	}
	until := time.Now().Add(budget)
	for i, s := range ends {
		if i == most || time.Now().After(until) {
			return i, nil
		}
		start := time.Now()
		run, err := s.Open(ctx)
		if err == nil {
			_, err = run.Instance(ctx, 0)
		}
		if err != nil {
			return i, fmt.Errorf("%s %s: %w", s.Kind, s.String(), err)
		}
		c.add(s, time.Since(start).Seconds())
	}
	return len(ends), nil
}
