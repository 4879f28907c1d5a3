package policies

import (
	"fmt"
	"math/big"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Verify implements [Verifier]: Theorem 1 of the paper, that every user has a
// bottleneck resource on every server where it could run.
func (perServer) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	e := exact.New(env)
	if len(e.Links) > 0 {
		return errNotStated
	}
	if err := e.Feasible(x); err != nil {
		return err
	}
	totals := exact.Totals(x)
	for s := range e.Capacity {
		share := make([]*big.Rat, len(x)) // x[j]/(w[j]·γ[j,s]); nil: no server of j's
		for j := range x {
			if alone := psi(e, j, s); alone != nil && alone.Sign() > 0 {
				share[j] = new(big.Rat).Quo(totals[j], alone.Mul(alone, e.Weight[j]))
			}
		}
		for j := range x {
			if share[j] != nil && !bottleneck(e, x, share, j, s) {
				return fmt.Errorf("user %q has no bottleneck on server %s", e.Names[j], env.Servers[s].Name)
			}
		}
	}
	return nil
}

// bottleneck reports whether some resource of server s that user j needs is
// used up and held by nobody of a larger share.
func bottleneck(e *exact.Environment, x [][]*big.Rat, share []*big.Rat, j, s int) bool {
	for r, c := range e.Capacity[s] {
		if e.Demand[j][s][r].Sign() == 0 {
			continue
		}
		used, largest := new(big.Rat), true
		for m := range x {
			held := new(big.Rat).Mul(x[m][s], e.Demand[m][s][r])
			used.Add(used, held)
			if held.Sign() > 0 && share[m].Cmp(share[j]) > 0 {
				largest = false
			}
		}
		if largest && used.Cmp(c) == 0 {
			return true
		}
	}
	return false
}
