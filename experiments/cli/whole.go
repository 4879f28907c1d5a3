package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
	"github.com/leontief-sim/leontief/traces/seed"
)

// The task models.
const (
	modelFluid = "fluid"
	modelWhole = "indivisible"
)

// wholeFlags choose the task model and the options of whole tasks.
type wholeFlags struct {
	model, fill, split, suspended string
	slot                          time.Duration
	verify                        bool
}

func (f *wholeFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", modelFluid, "task model: fluid or indivisible")
	cmd.Flags().DurationVar(&f.slot, "slot", 0, "time between reallocations of whole tasks, as 256s or 1h; 0: never")
	cmd.Flags().StringVar(&f.fill, "fill", "users", "what fills the room that rounding leaves: users (one arrives or leaves), tasks (also: one ends) or slot (also: at a reallocation)")
	cmd.Flags().StringVar(&f.split, "split", "interior", "split over servers of the allocation that is rounded: interior or vertex")
	cmd.Flags().StringVar(&f.suspended, "suspended", "first", "where suspended tasks queue: first or last")
	cmd.Flags().BoolVar(&f.verify, "verify", false, "re-check every invariant of whole tasks after every event, slowly")
}

func (f *wholeFlags) check() error {
	_, err := indivisible.ParseFill(f.fill)
	if err != nil {
		err = fmt.Errorf("--fill: %w", err)
	}
	if f.slot < 0 || f.slot%time.Microsecond != 0 {
		err = errors.Join(err, fmt.Errorf("--slot %v: a whole number of microseconds, not negative, is needed", f.slot))
	}
	other := f.slot != 0 || f.fill != "users" || f.split != "interior" || f.suspended != "first" || f.verify
	if f.model == modelFluid && other {
		err = errors.Join(err, errors.New("--slot, --fill, --split, --suspended and --verify are for --model indivisible"))
	}
	return errors.Join(err, oneOf("model", f.model, modelFluid, modelWhole),
		oneOf("split", f.split, "interior", "vertex"), oneOf("suspended", f.suspended, "first", "last"))
}

// tasks are the options that the flags describe; they pass check.
func (f *wholeFlags) tasks() experiments.WholeTasks {
	fill, err := indivisible.ParseFill(f.fill)
	if err != nil {
		panic(err)
	}
	return experiments.WholeTasks{Slot: event.Time(f.slot.Microseconds()), Fill: fill,
		Vertex: f.split == "vertex", SuspendedLast: f.suspended == "last", Verify: f.verify}
}

// wholeSpec describes the model of whole tasks in the manifest.
type wholeSpec struct {
	Model     string  `json:"model"`
	SlotS     float64 `json:"slot_s"`
	Fill      string  `json:"fill"`
	Split     string  `json:"split"`
	Suspended string  `json:"suspended"`
}

// spec is nil in the fluid model.
func (f *wholeFlags) spec() *wholeSpec {
	if f.model == modelFluid {
		return nil
	}
	return &wholeSpec{f.model, f.slot.Seconds(), f.fill, f.split, f.suspended}
}

// run replays the jobs under policy i.
func (s *simulation) run(ctx context.Context, i int) (*experiments.Outcome, error) {
	if s.model == modelFluid {
		return s.caseOf(i).Run(ctx)
	}
	policy := s.policies[i]
	o, err := experiments.Whole{Case: s.caseOf(i), Tasks: s.tasks(),
		Random: seed.Stream("simulate", s.seed, s.population.Label, policy, "fill")}.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &o.Outcome, nil
}
