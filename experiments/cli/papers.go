package cli

// The papers that register themselves.
import (
	_ "github.com/leontief-sim/leontief/experiments/mtp"
)
