package traces_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/leontief-sim/leontief/traces"
)

// A workload is made, written, read and drawn from. What its numbers count stands
// in the file.
func Example() {
	dir, err := os.MkdirTemp("", "traces")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "jobs.parquet")
	jobs := []traces.Job{
		{ID: "maps", SubmitUS: 0, Tasks: 8, DurationUS: 900e6, CPU: 1, Mem: 2},
		{ID: "search", SubmitUS: 638e6, Tasks: 20, DurationUS: 3600e6, CPU: 2, Mem: 2},
		{ID: "ads", SubmitUS: 700e6, Tasks: 1, DurationUS: 60e6, CPU: .5, Mem: 4},
	}
	meta := traces.Meta{Source: "an example", Label: "made up (synthetic)", Units: "cpu: cores; mem: GB"}
	if err := traces.WriteJobs(path, jobs, meta); err != nil {
		log.Fatal(err)
	}

	read, meta, err := traces.ReadJobs(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs, %s, cpu in %s\n", len(read), meta.Label, traces.UnitOf(meta.Units, "cpu"))
	description := traces.Describe(read)
	fmt.Printf("%d tasks, at most %v a job\n", description.TotalTasks, description.Tasks.Q[len(traces.Levels)-1])

	// The same generator draws the same jobs, in the order of their submission.
	drawn, err := traces.Sample(rand.New(rand.NewPCG(1, 2)), read, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range drawn {
		fmt.Printf("%s: %d tasks of %d s\n", j.ID, j.Tasks, j.DurationUS/1e6)
	}
	// Output:
	// 3 jobs, made up (synthetic), cpu in cores
	// 29 tasks, at most 20 a job
	// search: 20 tasks of 3600 s
	// ads: 1 tasks of 60 s
}
