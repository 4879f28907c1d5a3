package alibaba

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// HybridName is the name and the label of the hybrid workload.
const HybridName = "hybrid"

// sampleColumns are those of the sample of GPU tasks that was derived from the
// PAI trace.
var sampleColumns = []string{"job_id", "arrival_s", "service_sec", "gpu_count"}

// GPUReading says what one GPU of a gang in the sample stands for.
type GPUReading string

// The two readings of gpu_count.
const (
	// WholeGPUs takes the gang literally: a task of one GPU for each.
	WholeGPUs GPUReading = "whole"
	// SharedGPUs takes the gang as the number of instances, each with a part
	// of a GPU or a whole one, imputed from the published frequencies of
	// plan_gpu. For it speaks that 76.8% of the gangs in the sample are of
	// one GPU and 76.4% of the trace's tasks of one instance, while only 43% of
	// the tasks with a GPU ask for exactly one: gpu_count was rounded up.
	SharedGPUs GPUReading = "shared"
)

// HybridOptions describe the workload.
type HybridOptions struct {
	GPUs GPUReading `json:"gpus"`
	Seed int64      `json:"seed"`
}

// Hybrid makes the hybrid workload from a sample of the PAI trace: a CSV file
// (.csv or .csv.gz) of job_id, arrival_s, service_sec, gpu_count. Submissions,
// durations and gangs are real: a row becomes a job of gpu_count tasks. Cores
// and memory, which the sample does not have, are imputed with
// [synthetic.PAIRequest], one draw a row in the order of the file; so are, on
// request, the parts of a GPU.
//
// Rows without a duration or a GPU and repeated ones are left out and counted.
// Durations in the sample are capped at 48 h; a job at the cap is marked
// censored.
func Hybrid(path string, o HybridOptions) (*traces.Imported, error) {
	if o.GPUs != WholeGPUs && o.GPUs != SharedGPUs {
		return nil, fmt.Errorf("hybrid: gpus is %q, not %q or %q", o.GPUs, WholeGPUs, SharedGPUs)
	}
	im := &hybridImport{seen: map[string]bool{}, options: o,
		requests: stream.New("traces/alibaba/hybrid", o.Seed, "requests"),
		gpus:     stream.New("traces/alibaba/hybrid", o.Seed, "gpus")}
	name := filepath.Base(path)
	if tableName(name) == name {
		return nil, fmt.Errorf("%s: not the name of a .csv or .csv.gz file", path)
	}
	var sum traces.SourceSum
	n, err := table{tableName(name), sampleColumns}.each(filepath.Dir(path), &sum, im.row)
	im.report.AddRead(name, n)
	if err != nil {
		return nil, err
	}
	im.report.AddKept("jobs", "jobs", int64(len(im.jobs)))
	slices.SortStableFunc(im.jobs, bySubmission)
	res := &traces.Imported{Jobs: im.jobs, Report: &im.report, Meta: traces.Meta{
		Source:   "Alibaba PAI 2020, a sample of its GPU tasks: submissions, durations and gangs real; cpu and memory imputed from published marginals",
		Checksum: sum.Sum(), Options: traces.OptionsText(o), Label: HybridName, Units: "cpu: cores; mem: GB; gpu: GPUs"}}
	return res.Of(path)
}

// tableName strips the suffix from a file's name, where it has one.
func tableName(name string) string {
	for _, s := range []string{".csv.gz", ".csv"} {
		if n := len(name) - len(s); n > 0 && name[n:] == s {
			return name[:n]
		}
	}
	return name
}

// capUS is the duration at which the sample was capped.
const capUS = 48 * 3600 * 1_000_000

// hybridImport holds the state of one import.
type hybridImport struct {
	options        HybridOptions
	requests, gpus *rand.Rand
	report         traces.Report
	seen           map[string]bool
	jobs           []traces.Job
}

// row takes in a row of the sample.
func (im *hybridImport) row(r row) {
	id := r.name(0, "a task")
	submit, hasSubmit := r.timeUS(1)
	duration, _ := r.timeUS(2)
	gang := r.whole(3)
	if r.Err() != nil {
		return
	}
	job := traces.Job{ID: id, SubmitUS: submit, Tasks: gang, DurationUS: duration, GPU: 1, Censored: duration >= capUS}
	job.CPU, job.Mem = synthetic.PAIRequest(im.requests)
	if share := synthetic.PAIGPUShare(im.gpus); im.options.GPUs == SharedGPUs {
		job.GPU = share
	}
	reason := checkDuration(duration)
	switch {
	case im.seen[job.ID]:
		reason = "a task a second time: the first row counts"
	case !hasSubmit:
		reason = "no submission time"
	case gang == 0:
		reason = "no GPU"
	}
	im.seen[job.ID] = true
	if reason != "" {
		im.report.LeaveOut("jobs", reason, 1)
		return
	}
	if job.Censored {
		im.report.Note("jobs", "duration at the sample's cap of 48 h (censored)", 1)
	}
	im.report.AddKept("tasks", "tasks", gang)
	im.jobs = append(im.jobs, job)
}
