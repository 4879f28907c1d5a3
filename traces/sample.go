package traces

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Sample draws n of the jobs, uniformly and without replacement, and returns
// them in the order of submission (ties: in the order of jobs). Jobs is not
// changed. It is an error to ask for more jobs than there are, or for none.
//
// The draw is the first n steps of a Fisher–Yates shuffle of 0, 1, …; for one
// state of rng and one list of jobs it is always the same.
func Sample(rng *rand.Rand, jobs []Job, n int) ([]Job, error) {
	if len(jobs) == 0 {
		return nil, ErrEmpty
	}
	if err := CanDraw(n, len(jobs)); err != nil {
		return nil, err
	}
	index := SampleOf(rng, len(jobs), n)
	slices.SortFunc(index, func(a, b int) int {
		return cmp.Or(cmp.Compare(jobs[a].SubmitUS, jobs[b].SubmitUS), cmp.Compare(a, b))
	})
	sample := make([]Job, n)
	for i, k := range index {
		sample[i] = jobs[k]
	}
	return sample, nil
}

// SampleOf draws n of the numbers from 0 to of−1 as [Sample] draws jobs, in the order in
// which they are drawn. Only what was moved in the shuffle is held.
func SampleOf(rng *rand.Rand, of, n int) []int {
	moved, drawn := map[int]int{}, make([]int, n)
	at := func(i int) int {
		if v, is := moved[i]; is {
			return v
		}
		return i
	}
	for i := range n {
		k := i + rng.IntN(of-i)
		drawn[i] = at(k)
		moved[k] = at(i)
	}
	return drawn
}

// CanDraw returns the error of [Sample] where n of so many jobs can not be drawn.
func CanDraw(n, of int) error {
	if n < 1 || n > of {
		return fmt.Errorf("%d of %d jobs cannot be drawn: 1 to %[2]d can", n, of)
	}
	return nil
}
