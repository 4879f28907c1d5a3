package alibaba

import (
	"path/filepath"
	"testing"
)

func TestThePaperWorkloadWithoutTheSampleIsSynthetic(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none.csv")} {
		res, err := PaperWorkload(path, HybridOptions{GPUs: WholeGPUs, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		// 1,261,050 task rows in 64 days · 4% · 14 days.
		if len(res.Jobs) != 11034 || res.Meta.Label != "pai (synthetic)" {
			t.Errorf("%d jobs, label %q", len(res.Jobs), res.Meta.Label)
		}
		if last := res.Jobs[len(res.Jobs)-1].SubmitUS; last >= PaperSpanUS {
			t.Errorf("a submission at %d µs", last)
		}
	}
}

func TestThePaperWorkloadIsTwoWeeksOfTheSample(t *testing.T) {
	res, err := PaperWorkload(realFile(t, "pai2020/derived_gpu_tasks_sample.csv"), HybridOptions{GPUs: WholeGPUs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Jobs) != 5328 || res.Meta.Label != "hybrid" {
		t.Errorf("%d jobs, label %q", len(res.Jobs), res.Meta.Label)
	}
	wantLeftOut(t, res.Report, "jobs", "submitted after the first two weeks", 30174-5328)
}

func TestEveryTaskOfThePaperWorkloadFitsAServer(t *testing.T) {
	for _, path := range []string{"", filepath.Join(folder{"sample.csv": sampleText}.write(t), "sample.csv")} {
		res, err := PaperWorkload(path, HybridOptions{GPUs: SharedGPUs, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range res.Jobs {
			fits := false
			for _, s := range PaperCluster().Servers {
				fits = fits || j.CPU <= s.Capacity[0] && j.Mem <= s.Capacity[1] && j.GPU <= s.Capacity[2]
			}
			if !fits {
				t.Fatalf("%+v fits no server", j)
			}
		}
	}
}
