package cli

import (
	"errors"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim"
)

// refusedOr classifies an error of a policy or a replay. That a policy is not
// defined for the environment, or starves users, is a property of the input, as
// is a file that can not be used or that changes while it is; all else is a
// failure of ours.
func refusedOr(err error) error {
	var unsupported *policies.UnsupportedError
	var starved *sim.StarvedError
	var input spec.InputError
	if errors.As(err, &unsupported) || errors.As(err, &starved) || errors.As(err, &input) ||
		errors.Is(err, spec.ErrChanged) || errors.Is(err, solve.ErrPrecision) {
		return err
	}
	return internal(err)
}
