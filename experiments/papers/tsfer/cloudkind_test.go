package tsfer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// The scales are the paper's fourteen days, and two of them.
func TestTheSpecHasTheScalesOfFigures5To10(t *testing.T) {
	for scale, want := range map[string]string{"quick": "2 [1 24 336]", "paper": "14 [1 6 24 72 168 336]"} {
		p := &plan{Request: checked(t, papers.Request{Items: []string{"fig8"}, Scale: scale})}
		all, err := p.scenarios()
		if err != nil {
			t.Fatal(err)
		}
		var slots []int
		for _, one := range all {
			if h := runOf(one).slotH; !slices.Contains(slots, h) {
				slots = append(slots, h)
			}
		}
		if got := fmt.Sprint(all[0].Text("days"), " ", slots); got != want || len(all) != 3*len(slots) {
			t.Errorf("%s: days and slots %s in %d scenarios, want %s", scale, got, len(all), want)
		}
		for _, one := range all {
			if series := runOf(one).slotH == slots[0]; (one.Text("series") == "yes") != series {
				t.Errorf("%s: slot %s has series: %s", scale, one.Text("slot"), one.Text("series"))
			}
		}
		p = &plan{Request: checked(t, papers.Request{Items: []string{"fig5", "fig7"}, Scale: scale})}
		if all, err = p.scenarios(); err != nil || len(all) != 3 {
			t.Errorf("%s: figures 5 and 7 need %d scenarios, %v", scale, len(all), err)
		}
	}
}

func TestTheCloudKindRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, cloudSample[1]), []byte("job_id,arrival_s,service_sec,gpu_count\na,1,2,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, values := range map[string]map[string]string{
		"slot: 5400 s are not whole hours":          {"slot": "5400"},
		"slot: 60 is not in":                        {"slot": "60"},
		`policy: "fifo" is not one of`:              {"policy": "fifo"},
		"alibaba: the workload hybrid needs it":     {"workload": "hybrid"},
		"alibaba: it is for the workload hybrid":    {"alibaba": dir},
		"or it holds no pai2020/derived_gpu_tasks":  {"workload": "hybrid", "alibaba": "nowhere"},
		"days: 0 is not in":                         {"days": "0"},
		`workload: "trace" is not one of `:          {"workload": "trace"},
		"workload: trace.parquet: there is no such": {"workload": "trace.parquet"},
	} {
		all := map[string]string{"slot": "3600", "policy": "mnw"}
		for name, text := range values {
			all[name] = text
		}
		if _, err := spec.NewScenario(CloudKind, all, 1, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := spec.NewScenario(CloudKind, map[string]string{"slot": "3600", "policy": "mnw"}, 1, 2); err == nil {
		t.Error("two instances are no error")
	}
}
