package cli

import (
	"errors"

	"github.com/leontief-sim/leontief/sim"
)

// refusedOr classifies an error of a policy or a replay: that a policy starves
// users is a property of the input, all else a failure of ours.
func refusedOr(err error) error {
	var starved *sim.StarvedError
	if errors.As(err, &starved) {
		return err
	}
	return internal(err)
}
