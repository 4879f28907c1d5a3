package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// estimateBudget ends the measuring of an estimate: no further instance is
// started after it.
const estimateBudget = 10 * time.Second

// mostMeasured is the number of instances that are run for an estimate.
const mostMeasured = 16

// Look finds out what is missing of the sweep in a folder, which need not exist,
// and estimates its time: from what the scenarios took that are there, and from
// the first and the last missing scenario of each kind and rule that has none
// there, of which it runs one instance each. Nothing is written.
func (p *Sweep) Look(ctx context.Context, folder string, workers int) (*Outlook, error) {
	o := &Outlook{Plan: p.Hash(), Name: p.Name, Scenarios: len(p.Scenarios), Workers: workers}
	took := costs{}
	var missing []spec.Scenario
	for _, s := range p.Scenarios {
		o.Instances += s.Instances
		timing, done, err := look(folder, s)
		if err != nil {
			return nil, err
		}
		if !done {
			missing = append(missing, s)
			o.Missing += s.Instances
			continue
		}
		o.Done++
		if timing.Instances > 0 {
			took.add(s, timing.BusySeconds/float64(timing.Instances))
		}
	}
	var err error
	if o.Measured, err = took.measure(ctx, missing); err != nil {
		return nil, err
	}
	for _, s := range missing {
		o.Seconds += took.of(s) * float64(s.Instances)
	}
	return o, nil
}

// look reports what a scenario took that is in a folder, without changing it:
// another process may be at work there.
func look(folder string, s spec.Scenario) (ScenarioTiming, bool, error) {
	if _, err := os.Stat(filepath.Join(folder, scenariosDir)); errors.Is(err, fs.ErrNotExist) {
		return ScenarioTiming{}, false, nil
	}
	store, err := OpenStore(folder, nil)
	if err != nil {
		return ScenarioTiming{}, false, err
	}
	found, err := readStored(store.home(s.ID()), s)
	if err != nil {
		return ScenarioTiming{}, false, unreadable(err) // one that is damaged is none
	}
	return found.Timing, true, nil
}

// group is what scenarios of about the same cost have in common.
type group struct{ kind, policy string }

func groupOf(s spec.Scenario) group { return group{s.Kind, s.Parameters["policy"]} }

// costs are the seconds of an instance, by group, with how many scenarios they
// are the sum of.
type costs map[group]*struct {
	seconds float64
	of      int
}

func (c costs) add(s spec.Scenario, seconds float64) {
	if c[groupOf(s)] == nil {
		c[groupOf(s)] = &struct {
			seconds float64
			of      int
		}{}
	}
	c[groupOf(s)].seconds += seconds
	c[groupOf(s)].of++
}

// of estimates the seconds of an instance: the mean of its group, or of all
// groups where nothing is known of it.
func (c costs) of(s spec.Scenario) float64 {
	if known := c[groupOf(s)]; known != nil {
		return known.seconds / float64(known.of)
	}
	sum, of := 0.0, 0
	for _, known := range c {
		sum, of = sum+known.seconds, of+known.of
	}
	return sum / float64(max(1, of))
}

// measure runs instances of scenarios whose group is not known and returns how
// many.
func (c costs) measure(ctx context.Context, missing []spec.Scenario) (int, error) {
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
	until := time.Now().Add(estimateBudget)
	for i, s := range ends {
		if i == mostMeasured || time.Now().After(until) {
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
