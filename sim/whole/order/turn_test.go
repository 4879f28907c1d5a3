package order

import (
	"math/big"
	"testing"
)

// Nobody's turn comes after that of every user, whether doubles hold its N, or
// only a fraction does, or the rule gives it nothing or does not see it.
func TestNobodyComesLast(t *testing.T) {
	norms := map[string]*Norm{
		"half":    NewNorm(0.5, 0, func() *big.Rat { return big.NewRat(1, 2) }),
		"tiny":    NewNorm(1e-310, 0, func() *big.Rat { return new(big.Rat).SetFloat64(1e-310) }),
		"nothing": NewNorm(0, 0, func() *big.Rat { return new(big.Rat) }),
		"unseen":  Unseen,
	}
	for name, n := range norms {
		for _, running := range []int64{0, 3} {
			turn := n.ScaleOf(1).Turn(running, 7)
			if !turn.Before(&Nobody) {
				t.Errorf("%s, %d running: not before nobody", name, running)
			}
			if Nobody.Before(&turn) {
				t.Errorf("%s, %d running: after nobody", name, running)
			}
		}
	}
	if Nobody.Before(&Nobody) {
		t.Error("nobody comes before nobody")
	}
}
