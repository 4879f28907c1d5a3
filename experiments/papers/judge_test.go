package papers

import (
	"errors"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
)

// The difference of paired samples that differ by 1 in every instance is exactly 1.
func TestSamplesArePaired(t *testing.T) {
	var rows []results.Row
	for i, v := range []float64{1, 5, 2, 9} {
		rows = append(rows, results.Row{Policy: "a", Instance: int64(i), Metric: "m", Value: v},
			results.Row{Policy: "b", Instance: int64(i), Metric: "m", Value: v + 1}, results.Row{Policy: "b", Metric: "other", Value: 7})
	}
	s := SamplesOf(slices.Values(rows), func(r *results.Row) (string, bool) { return r.Policy, r.Metric == "m" })
	e := s.Estimate(func(mean func(string) float64) float64 { return mean("b") - mean("a") })
	if e != (ledger.Estimate{Value: 1, Low: 1, High: 1, Instances: 4}) {
		t.Errorf("the difference is %+v, want exactly 1", e)
	}
	if Total(slices.Values(rows), "m") != 38 || Total(slices.Values(rows), "none") != 0 {
		t.Errorf("the total is %g, want 38", Total(slices.Values(rows), "m"))
	}
	defer func() {
		if recover() == nil {
			t.Error("what was not measured has a mean")
		}
	}()
	s.Of("c")
}

// The ledger has the parts of the wanted items, in order, and names the item of an error.
func TestEntriesOfTheWantedItems(t *testing.T) {
	part := func(item string) Part {
		return Part{item, Ready(func() []ledger.Entry { return []ledger.Entry{{ID: item}} })}
	}
	r := Request{Items: []string{"fig3", "fig1"}}
	if all, err := r.Entries(part("fig1"), part("fig2"), part("fig3")); err != nil || len(all) != 2 || all[0].ID != "fig1" || all[1].ID != "fig3" {
		t.Errorf("%v, %v", all, err)
	}
	bad := errors.New("bad")
	if _, err := r.Entries(Part{"fig3", func() ([]ledger.Entry, error) { return nil, bad }}); !errors.Is(err, bad) || err.Error() != "fig3: bad" {
		t.Errorf("error %v", err)
	}
}
