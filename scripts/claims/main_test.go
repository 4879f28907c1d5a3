package main

import (
	"testing"

	"github.com/leontief-sim/leontief/plots/report"
)

// The ends of a sampled mean's interval move √2 times as far away; an accuracy
// stays, and what has no interval promises nothing.
func TestRerunPredictsAnotherSeed(t *testing.T) {
	value, low, high := 1.0, 0.9, 1.2
	for _, c := range []struct {
		entry report.Entry
		want  string
	}{
		{report.Entry{Ours: &value, Low: &low, High: &high, Instances: 40}, "[0.8586, 1.283]"},
		{report.Entry{Ours: &value, Low: &low, High: &high, Instances: 1}, "[0.9, 1.2]"},
		{report.Entry{Ours: &value, Instances: 40}, ""},
		{report.Entry{}, ""},
	} {
		if got := rerun(&c.entry); got != c.want {
			t.Errorf("%+v: %q, want %q", c.entry, got, c.want)
		}
	}
}
