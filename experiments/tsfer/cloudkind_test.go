package tsfer

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
)

// sorted puts rows in an order that does not depend on how they were made.
func sorted(rows []plots.Row) []plots.Row {
	text := func(r plots.Row) string { return fmt.Sprintf("%+v", r) }
	return slices.SortedFunc(slices.Values(rows), func(a, b plots.Row) int { return cmp.Compare(text(a), text(b)) })
}

// sweepRows runs the shipped spec as a sweep, changed by the choice.
func sweepRows(t *testing.T, c experiments.Choice) []plots.Row {
	t.Helper()
	text, _ := experiments.ShippedSpec(CloudKind)
	spec, err := experiments.ParseSpec(CloudKind, text, c)
	if err != nil {
		t.Fatal(err)
	}
	sweep, err := experiments.NewSweep(spec)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "out")
	if _, err := sweep.Run(context.Background(), experiments.SweepOptions{Folder: folder, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	rows, err := plots.ReadTable(filepath.Join(folder, "fig5-10.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The shipped spec makes the rows that reproduce makes, to the last bit.
func TestTheSpecMakesTheRowsOfFigures5To10(t *testing.T) {
	p := smallPlan(t, cloudItems[1:]...)
	p.Scale.Cloud.SlotsH = Scales[0].Cloud.SlotsH
	p.Seed, p.Verify = 3, false
	var want []plots.Row
	for item, rows := range reproduce(t, p, 2).Rows {
		if len(rows) == 0 {
			t.Errorf("%s has no rows", item)
		}
		want = append(want, rows...)
	}
	got := sweepRows(t, experiments.Choice{Seed: &p.Seed, Set: map[string]string{"days": "1"}})
	if d := gocmp.Diff(sorted(want), sorted(got)); d != "" || len(want) == 0 {
		t.Errorf("%d rows of reproduce, %d of the sweep (-reproduce +sweep):\n%s", len(want), len(got), d)
	}
}

// The spec's scales are those of reproduce.
func TestTheSpecHasTheScalesOfFigures5To10(t *testing.T) {
	text, _ := experiments.ShippedSpec(CloudKind)
	for _, scale := range Scales {
		spec, err := experiments.ParseSpec(CloudKind, text, experiments.Choice{Scale: scale.Name})
		if err != nil {
			t.Fatal(err)
		}
		scenarios, err := spec.Scenarios()
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for i, h := range scale.Cloud.SlotsH {
			for _, rule := range rules3 {
				want = append(want, fmt.Sprint(rule, scale.Cloud.Days, int64(h)*hourS, i == 0))
			}
		}
		for _, s := range scenarios {
			got = append(got, fmt.Sprint(s.Text("policy"), s.WholeNumber("days"), s.WholeNumber("slot"), s.Text("series") == "yes"))
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s (-reproduce +spec):\n%s", scale.Name, d)
		}
	}
}

func TestTheCloudKindRefuses(t *testing.T) {
	for want, values := range map[string]map[string]string{
		"slot: 5400 s are not whole hours":         {"slot": "5400"},
		"slot: 60 is not in":                       {"slot": "60"},
		`policy: "fifo" is not one of`:             {"policy": "fifo"},
		"alibaba: the workload hybrid needs it":    {"workload": "hybrid"},
		"alibaba: it is for the workload hybrid":   {"alibaba": "x"},
		"days: 0 is not in":                        {"days": "0"},
		`workload: "trace.parquet" is not one of `: {"workload": "trace.parquet"},
	} {
		all := map[string]string{"slot": "3600", "policy": "mnw"}
		for name, text := range values {
			all[name] = text
		}
		if _, err := experiments.NewScenario(CloudKind, all, 1, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := experiments.NewScenario(CloudKind, map[string]string{"slot": "3600", "policy": "mnw"}, 1, 2); err == nil {
		t.Error("two instances are no error")
	}
	s, err := experiments.NewScenario(CloudKind, map[string]string{"slot": "3600", "policy": "mnw", "workload": "hybrid", "alibaba": t.TempDir()}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(context.Background()); err == nil {
		t.Error("a folder without the sample is no error")
	}
}
