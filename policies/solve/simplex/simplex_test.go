package simplex

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// rational makes the dictionary of a program in rational numbers, under Bland's rule or
// with the largest cost.
func rational(stall, most int, rows []string, bounds string) *Dictionary[big.Rat, *big.Rat] {
	rules := Rules[big.Rat]{Zero: func() (zero big.Rat) { return }, Less: func(x, y *big.Rat) { x.Sub(x, y) }, Stall: stall, Most: most}
	a := make([][]big.Rat, len(rows))
	for i := range rows {
		a[i] = numbers(rows[i])
	}
	return New(rules, len(a[0]), a, numbers(bounds))
}

// numbers reads rational numbers.
func numbers(text string) []big.Rat {
	words := strings.Fields(text)
	out := make([]big.Rat, len(words))
	for i, word := range words {
		if _, ok := out[i].SetString(word); !ok {
			panic(word)
		}
	}
	return out
}

// max 5x+4y+3z (Chvátal, chapter 2): 13 at (2, 0, 1), with the prices (1, 0, 1).
func TestKnownOptimum(t *testing.T) {
	for _, stall := range []int{0, 5} {
		d := rational(stall, 0, []string{"2 3 1", "4 1 2", "3 4 2"}, "5 11 8")
		if err := d.Maximize(numbers("5 4 3")); err != nil {
			t.Fatal(err)
		}
		x, p := d.Point(), d.Duals()
		got := []string{d.Value().RatString(), x[0].RatString(), x[1].RatString(), x[2].RatString(), p[0].RatString(), p[1].RatString(), p[2].RatString()}
		for i, want := range []string{"13", "2", "0", "1", "1", "0", "1"} {
			if got[i] != want {
				t.Errorf("stall %d: %v", stall, got)
				break
			}
		}
	}
}

// max x+y with x+y ≤ 4, x ≥ 1, y ≥ 1: the slack start is infeasible.
func TestFirstPhase(t *testing.T) {
	d := rational(0, 0, []string{"1 1", "-1 0", "0 -1"}, "4 -1 -1")
	if err := d.Maximize(numbers("1 1")); err != nil || d.Value().RatString() != "4" {
		t.Errorf("%v, %v", d.Value(), err)
	}
}

// A program in which the largest cost goes round in a cycle (Chvátal, chapter 3), and
// Bland's rule does not.
func TestCycles(t *testing.T) {
	cycling := func(stall, most int) error {
		d := rational(stall, most, []string{"0.5 -5.5 -2.5 9", "0.5 -1.5 -0.5 1", "1 0 0 0"}, "0 0 1")
		return d.Maximize(numbers("10 -57 -9 -24"))
	}
	if err := cycling(0, 0); err != nil {
		t.Error(err)
	}
	if err := cycling(6, 1000); err != nil {
		t.Error(err)
	}
	if err := cycling(1<<30, 1000); !errors.Is(err, ErrPivots) {
		t.Errorf("without Bland's rule: %v", err)
	}
}

func TestNoOptimum(t *testing.T) {
	if err := rational(0, 0, []string{"1", "-1"}, "1 -2").Maximize(numbers("1")); !errors.Is(err, ErrInfeasible) {
		t.Error(err)
	}
	if err := rational(0, 0, []string{"-1"}, "1").Maximize(numbers("1")); !errors.Is(err, ErrUnbounded) {
		t.Error(err)
	}
}
