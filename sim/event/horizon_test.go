package event

import (
	"math"
	"testing"
)

func TestNoSpanOfAClockOverflows(t *testing.T) {
	for _, first := range []Time{Earliest, -1e15, -2, -1, 0, 1, 1e18} {
		last := Horizon(first)
		if last >= Never || last < math.MaxInt64/2 || last-first < 0 {
			t.Errorf("the clock from %d µs ends at %d µs", first, last)
		}
		if first < 0 && last-first != math.MaxInt64 {
			t.Errorf("the clock from %d µs could be longer", first)
		}
	}
}
