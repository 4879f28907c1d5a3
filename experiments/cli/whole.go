package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/sweeps"
)

// The parameters of experiments that are flags by the same name, with the same values
// and default: of both task models, and of whole tasks alone.
var (
	bothChoices  = []string{"gamma", "users"}
	wholeChoices = []string{"fill", "split", "caps", "floor", "suspended"}
)

// modelFlags choose the task model, which is the experiment of a block, and its options.
type modelFlags struct {
	model  string
	slot   time.Duration
	verify bool
	chosen map[string]*string // by parameter
}

func (f *modelFlags) register(cmd *cobra.Command) {
	choose(cmd, &f.model, "model", "task model", sweeps.Fluid, sweeps.Whole)
	cmd.Flags().DurationVar(&f.slot, "slot", 0, "time between reallocations of whole tasks, as 256s or 1h; 0: never")
	f.chosen = map[string]*string{}
	for _, name := range slices.Concat(bothChoices, wholeChoices) {
		f.chosen[name] = chooseParameter(cmd, parameterOf(sweeps.Whole, name))
	}
	cmd.Flags().BoolVar(&f.verify, "verify", false, "re-check every invariant of whole tasks after every event, slowly")
}

// parameterOf is a parameter of an experiment.
func parameterOf(experiment, name string) spec.Parameter {
	kind, unknown := spec.KindNamed(experiment)
	p, none := kind.Parameter(name)
	if err := cmp.Or(unknown, none); err != nil {
		panic(err)
	}
	return p
}

func (f *modelFlags) check() error {
	other := f.slot != 0 || f.verify
	for _, name := range wholeChoices {
		other = other || *f.chosen[name] != parameterOf(sweeps.Whole, name).Default
	}
	if f.model == sweeps.Fluid && other {
		return fmt.Errorf("--slot, --%s and --verify are for --model whole", strings.Join(wholeChoices, ", --"))
	}
	return nil
}

// set gives the parameters that the flags stand for their values.
func (f *modelFlags) set(values map[string]string) {
	choices := bothChoices
	if f.model == sweeps.Whole {
		choices = slices.Concat(bothChoices, wholeChoices)
		values["slot"] = strconv.FormatFloat(f.slot.Seconds(), 'g', -1, 64)
		values["verify"] = map[bool]string{true: "yes", false: "no"}[f.verify]
	}
	for _, name := range choices {
		values[name] = *f.chosen[name]
	}
}

// tenants reports whether tenants share the cluster, and not each job by itself.
func (f *modelFlags) tenants() bool { return *f.chosen["users"] == "tenant" }

// spec describes the model of whole tasks in the manifest; nil in the fluid model.
func (f *modelFlags) spec() map[string]any {
	if f.model == sweeps.Fluid {
		return nil
	}
	all := map[string]any{"model": f.model, "slot_s": f.slot.Seconds()}
	for _, name := range wholeChoices {
		all[name] = *f.chosen[name]
	}
	return all
}
