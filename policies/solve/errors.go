package solve

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/policies/solve/extended"
)

var (
	errUnbounded  = errors.New("solve: the program is unbounded")
	errInfeasible = errors.New("solve: no feasible allocation")
	errSingular   = errors.New("solve: the basis became singular")
	errPivots     = errors.New("solve: too many pivots")
	errWide       = errors.New("solve: the demands of a user span too many decades")
)

// ErrPrecision is returned where the numbers of an environment span so many decades
// (some 58 between two parts of capacities) that extended precision does not do.
var ErrPrecision = extended.ErrPrecision

// UncertifiedError is returned where a result is not certified to [Accuracy]
// and [Feasibility]; the numbers are withheld.
type UncertifiedError struct {
	Program     string
	Primal, Gap float64
}

func (e *UncertifiedError) Error() string {
	return fmt.Sprintf("solve: %s is not certified: constraints hold within %.3g (asked: %.0e), the objective within %.3g (asked: %.0e), relative",
		e.Program, e.Primal, Feasibility, e.Gap, Accuracy)
}
