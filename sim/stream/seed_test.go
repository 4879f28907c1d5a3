package stream

import (
	"fmt"
	"math"
	"testing"
)

// The numbers below must never change: every published result depends on
// them.
func TestStreamIsStable(t *testing.T) {
	rng := New("tsf-er/table3", "n=15,rho=0.7", 42, "jobs")
	got := fmt.Sprint(rng.Uint64(), rng.Uint64(), rng.IntN(1000), rng.NormFloat64())
	if want := "2190808759386299320 2000341954878266391 454 1.435767327237543"; got != want {
		t.Errorf("first draws %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", Key()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; got != want {
		t.Errorf("key of no parts %s, want the SHA-256 of nothing, %s", got, want)
	}
}

func TestDifferentNamesDiffer(t *testing.T) {
	names := [][]any{
		{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"c", "ab"}, {1}, {"1"}, {1, 0}, {-1},
		{uint64(math.MaxUint64)}, {0}, {"i\x00\x00\x00\x00\x00\x00\x00\x01"},
	}
	seen := map[[32]byte][]any{}
	for _, n := range names {
		k := Key(n...)
		if other, dup := seen[k]; dup {
			t.Errorf("%q and %q name the same stream", n, other)
		}
		seen[k] = n
	}
}

func TestIntegersOfOneValueAreOnePart(t *testing.T) {
	if Key(7) != Key(int64(7)) || Key(7) != Key(uint64(7)) {
		t.Error("7 names different streams by its Go type")
	}
}

func TestOtherPartsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a float named a stream")
		}
	}()
	New("experiment", 0.7)
}
