package metrics

import "fmt"

// Series is the time-weighted record of a piecewise constant quantity by
// periods of equal length: of [Origin, Origin+Period), and so on. Memory is that
// of the periods from the first one with a record to the last.
type Series struct {
	Origin int64 // µs
	Period int64 // µs, > 0
	Until  int64 // µs; what comes later is not recorded. 0: all is
	first  int64 // the period of bins[0], from the origin
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
	if s.Until > 0 {
		to = min(to, s.Until)
	}
	for from < to {
		k := (from - s.Origin) / s.Period
		end := to
		if begin := s.Origin + k*s.Period; to-begin > s.Period {
			end = begin + s.Period
		}
		s.bin(k).Add(value, end-from)
		from = end
	}
}

// bin returns the record of the k-th period from the origin.
func (s *Series) bin(k int64) *Weighted {
	switch missing := s.first - k; {
	case len(s.bins) == 0:
		s.first = k
	case missing > 0:
		s.bins = append(make([]Weighted, missing, missing+int64(len(s.bins))), s.bins...)
		s.first = k
	}
	for int64(len(s.bins)) <= k-s.first {
		s.bins = append(s.bins, Weighted{})
	}
	return &s.bins[k-s.first]
}

// Periods returns how many periods there are from the first one with a record up
// to the last.
func (s *Series) Periods() int { return len(s.bins) }

// At returns the record of the k-th of these periods, whose mean is over the
// recorded part of it.
func (s *Series) At(k int) *Weighted { return &s.bins[k] }

// Begin returns when the k-th of these periods begins, in µs.
func (s *Series) Begin(k int) int64 { return s.Origin + (s.first+int64(k))*s.Period }
