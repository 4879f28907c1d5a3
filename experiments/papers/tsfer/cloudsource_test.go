package tsfer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

func TestTheCloudWithoutTheSampleIsSynthetic(t *testing.T) {
	w, err := CloudWorkload("")
	if err != nil {
		t.Fatal(err)
	}
	// 1,261,050 task rows in 64 days · 4% · 14 days.
	if len(w.Jobs) != 11034 || w.Label != "pai (synthetic)" {
		t.Errorf("%d jobs, label %q", len(w.Jobs), w.Label)
	}
	if last := w.Jobs[len(w.Jobs)-1].SubmitUS; last >= cloudSpanUS {
		t.Errorf("a submission at %d µs", last)
	}
	fitAServer(t, w)
	if _, err := CloudWorkload(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no "+cloudSample[1]) {
		t.Errorf("a folder without the sample: %v", err)
	}
}

func TestTheCloudIsTwoWeeksOfTheSample(t *testing.T) {
	path := tracetest.AtHand(t, "alibaba/"+cloudSample[0])
	res, err := firstWeeks(path, alibaba.HybridOptions{GPUs: alibaba.WholeGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Jobs) != 5328 || res.Meta.Label != "hybrid" {
		t.Errorf("%d jobs, label %q", len(res.Jobs), res.Meta.Label)
	}
	if n := res.Report.LeftOutFor("jobs", "submitted after the first two weeks"); n != 30174-5328 {
		t.Errorf("%d jobs left out as later", n)
	}
	w, err := CloudWorkload(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	fitAServer(t, w)
}

// fitAServer checks that every task fits on some server.
func fitAServer(t *testing.T, w *Workload) {
	t.Helper()
	for _, j := range w.Jobs {
		fits := false
		for _, s := range alibaba.PaperCluster().Servers {
			fits = fits || j.CPU <= s.Capacity[0] && j.Mem <= s.Capacity[1] && j.GPU <= s.Capacity[2]
		}
		if !fits {
			t.Fatalf("%+v fits no server", j)
		}
	}
}
