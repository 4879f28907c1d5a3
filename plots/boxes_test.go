package plots

import (
	"reflect"
	"testing"
)

// 1, 2, …, 9 and 40: quartiles 3.25, 5.5 and 7.75, whiskers at 1 and 9.
func TestBoxByHand(t *testing.T) {
	histogram := []Occurrence{{40, 1}}
	for v := 9; v > 0; v-- {
		histogram = append(histogram, Occurrence{float64(v), 1})
	}
	got := NewBox(histogram)
	want := Box{N: 10, Mean: 8.5, Q1: 3.25, Median: 5.5, Q3: 7.75, WhiskerLow: 1, WhiskerHi: 9, Beyond: []float64{40}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Counts stand for so many values: 2, 2, 2, 4.
	got = NewBox([]Occurrence{{2, 3}, {4, 1}})
	want = Box{N: 4, Mean: 2.5, Q1: 2, Median: 2, Q3: 2.5, WhiskerLow: 2, WhiskerHi: 2, Beyond: []float64{4}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
