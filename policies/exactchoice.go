package policies

import (
	"fmt"
	"math/big"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Verify implements [Verifier]: every user is on one server, which gives its
// users the KS solution, and nobody would run more on another one. Which of
// several equilibria the play reaches is not verified.
func (magiks) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	for s := range env.Servers {
		if env.Servers[s].Count > 1 {
			return errNotStated
		}
	}
	e := exact.New(env)
	if len(e.Links) > 0 {
		return errNotStated
	}
	at, err := servers(e, x)
	if err != nil {
		return err
	}
	for j := range x {
		for s := range e.Capacity {
			runs := ks(e, at, j, s)
			switch {
			case runs == nil:
			case s == at[j] && runs.Cmp(x[j][s]) != 0:
				return fmt.Errorf("user %q holds %s, the KS solution is %s", e.Names[j], x[j][s].RatString(), runs.RatString())
			case s != at[j] && runs.Cmp(x[j][at[j]]) > 0:
				return fmt.Errorf("user %q would move: %s instead of %s", e.Names[j], runs.RatString(), x[j][at[j]].RatString())
			}
		}
	}
	return e.Feasible(x)
}

// servers returns the server of each user.
func servers(e *exact.Environment, x [][]*big.Rat) ([]int, error) {
	at := make([]int, len(x))
	for j := range x {
		at[j] = -1
		for s, v := range x[j] {
			if v.Sign() > 0 && at[j] >= 0 {
				return nil, fmt.Errorf("user %q is on two servers", e.Names[j])
			}
			if v.Sign() > 0 {
				at[j] = s
			}
		}
		if at[j] < 0 {
			return nil, errNotStated
		}
	}
	return at, nil
}

// ks returns what user j runs on server s, if it is or were there, by the KS
// solution: w[j]·ψ[j,s]/load, load = max_r Σ w[i]·ψ[i,s]·d[i,r]/c[s,r]; nil if
// it cannot run there.
func ks(e *exact.Environment, at []int, j, s int) *big.Rat {
	mine := psi(e, j, s)
	if mine == nil || mine.Sign() == 0 {
		return nil
	}
	load := new(big.Rat)
	for r, c := range e.Capacity[s] {
		if c.Sign() == 0 {
			continue
		}
		sum := new(big.Rat)
		for i := range at {
			if i != j && at[i] != s {
				continue
			}
			part := new(big.Rat).Mul(e.Weight[i], psi(e, i, s))
			part.Mul(part, e.Demand[i][s][r])
			sum.Add(sum, part.Quo(part, c))
		}
		if sum.Cmp(load) > 0 {
			load = sum
		}
	}
	return mine.Quo(mine.Mul(mine, e.Weight[j]), load)
}

// psi is what user j runs on server s alone; nil where it may not, or needs
// nothing there.
func psi(e *exact.Environment, j, s int) *big.Rat {
	var least *big.Rat
	for r, d := range e.Demand[j][s] {
		if d.Sign() > 0 {
			if q := new(big.Rat).Quo(e.Capacity[s][r], d); least == nil || q.Cmp(least) < 0 {
				least = q
			}
		}
	}
	if !e.May[j][s] {
		return nil
	}
	return least
}
