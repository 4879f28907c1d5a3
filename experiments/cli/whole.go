package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
)

// The task models.
const (
	modelFluid = "fluid"
	modelWhole = "whole"
)

// wholeFlags choose the task model and the options of whole tasks.
type wholeFlags struct {
	model, fill, split, suspended string
	slot                          time.Duration
	verify                        bool
}

func (f *wholeFlags) register(cmd *cobra.Command) {
	choose(cmd, &f.model, "model", "task model", modelFluid, modelWhole)
	cmd.Flags().DurationVar(&f.slot, "slot", 0, "time between reallocations of whole tasks, as 256s or 1h; 0: never")
	choose(cmd, &f.fill, "fill", "when the room that rounding leaves is filled: as users come and go, also as tasks end, also at each reallocation", "users", "tasks", "slot")
	choose(cmd, &f.split, "split", "split over servers of the allocation that is rounded", "interior", "vertex")
	choose(cmd, &f.suspended, "suspended", "where suspended tasks queue", "first", "last")
	cmd.Flags().BoolVar(&f.verify, "verify", false, "re-check every invariant of whole tasks after every event, slowly")
}

func (f *wholeFlags) check() error {
	other := f.slot != 0 || f.fill != "users" || f.split != "interior" || f.suspended != "first" || f.verify
	if f.model == modelFluid && other {
		return errors.New("--slot, --fill, --split, --suspended and --verify are for --model whole")
	}
	return nil
}

// tasks are the options that the flags describe, nil in the fluid model.
func (f *wholeFlags) tasks() *run.WholeTasks {
	if f.model == modelFluid {
		return nil
	}
	fill, err := whole.ParseFill(f.fill)
	if err != nil {
		panic(err)
	}
	return &run.WholeTasks{Slot: event.Time(f.slot.Microseconds()), Fill: fill,
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
