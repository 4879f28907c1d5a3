package plots

import (
	"reflect"
	"testing"
)

// 1, 2, …, 9 and 40: quartiles 3.25, 5.5 and 7.75, whiskers at 1 and 9.
func TestBoxByHand(t *testing.T) {
	got := NewBox([]float64{40, 9, 8, 7, 6, 5, 4, 3, 2, 1})
	want := Box{N: 10, Mean: 8.5, Q1: 3.25, Median: 5.5, Q3: 7.75, WhiskerLow: 1, WhiskerHi: 9, Beyond: []float64{40}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// A value beyond the whiskers is listed once.
	got = NewBox([]float64{2, 2, 4, 2, 4, 2, 2, 2, 2})
	want = Box{N: 9, Mean: 22. / 9, Q1: 2, Median: 2, Q3: 2, WhiskerLow: 2, WhiskerHi: 2, Beyond: []float64{4}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
