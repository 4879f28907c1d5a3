package metrics

import "fmt"

// Series is the time-weighted record of a piecewise constant quantity by
// periods of equal length: of [Origin, Origin+Period), and so on.
type Series struct {
	Origin int64 // µs
	Period int64 // µs, > 0
	bins   []Weighted
}

// Add records that the quantity was value in [from, to), in µs. Values may come
// in any order of time. It panics if to is before from, from before the origin,
// the period not positive or the value not finite.
func (s *Series) Add(value float64, from, to int64) {
	if s.Period <= 0 || from < s.Origin {
		panic(fmt.Sprintf("metrics: a value at %d µs in a series from %d µs with periods of %d µs", from, s.Origin, s.Period))
	}
	checkSpan(value, to-from)
	for from < to {
		k := (from - s.Origin) / s.Period
		end := min(to, s.Origin+(k+1)*s.Period)
		for int64(len(s.bins)) <= k {
			s.bins = append(s.bins, Weighted{})
		}
		s.bins[k].Add(value, end-from)
		from = end
	}
}

// Periods returns how many periods there are up to the last one with a record.
func (s *Series) Periods() int { return len(s.bins) }

// At returns the record of period k, whose mean is over the recorded part of it.
func (s *Series) At(k int) *Weighted { return &s.bins[k] }

// Begin returns when period k begins, in µs.
func (s *Series) Begin(k int) int64 { return s.Origin + int64(k)*s.Period }
