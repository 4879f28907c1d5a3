package alibaba

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces"
)

// The columns of the lists of GPU 2023.
var (
	podColumns  = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase", "creation_time", "deletion_time", "scheduled_time"}
	nodeColumns = []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}
)

// GPU2023Options choose the lists and the pods.
type GPU2023Options struct {
	Window
	// Pods and Nodes are the names of the lists, without .csv: the trace has
	// several of each, which are variations of one.
	Pods  string `json:"pods"`
	Nodes string `json:"nodes"`
}

// DefaultGPU2023 takes all pods of the default list and all nodes.
func DefaultGPU2023() GPU2023Options {
	return GPU2023Options{Pods: "openb_pod_list_default", Nodes: "openb_node_list_all_node"}
}

// Validate returns what is wrong with the options, or nil.
func (o GPU2023Options) Validate() error {
	for _, name := range []string{o.Pods, o.Nodes} {
		if name == "" || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".csv") {
			return fmt.Errorf("%q is not the name of a list (a file name without .csv)", name)
		}
	}
	return o.Window.Validate()
}

// podImport holds the state of one import.
type podImport struct {
	window  Window
	report  traces.Report
	jobs    []traces.Job
	ends    []int64 // of jobs: deletion of one that runs, µs; -1 for others
	seen    map[string]bool
	latest  int64 // deletion, µs
	nodes   machineTable
	sources traces.SourceSum
}

// ImportGPU2023 reads a list of pods and a list of nodes in the folder dir. The
// rules are in the package's documentation. Without the list of nodes there
// are no machines, and the report says so. With all jobs left out the error
// wraps [traces.ErrEmpty], and the result's report says why. An unreadable row
// is an error that names file, row and column.
func ImportGPU2023(dir string, o GPU2023Options) (*traces.Imported, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	im := &podImport{window: o.Window, seen: map[string]bool{},
		nodes: machineTable{name: "nodes", cpu: 1, mem: 2, gpu: 3, kind: 4, attribute: "model", perCPU: 1000, perMem: 1024, seen: map[string]bool{}}}
	n, err := table{o.Pods, podColumns}.each(dir, &im.sources, im.podRow)
	im.report.AddRead(o.Pods, n)
	if err != nil {
		return nil, err
	}
	im.censor()
	n, err = table{o.Nodes, nodeColumns}.each(dir, &im.sources, func(r row) { im.nodes.row(r, &im.report) })
	im.report.AddRead(o.Nodes, n)
	if errors.Is(err, ErrNoTable) {
		im.report.Note("tables", o.Nodes+" is not at hand: no machines", 1)
	} else if err != nil {
		return nil, err
	}
	im.report.AddKept("jobs", "jobs (pods)", int64(len(im.jobs)))
	im.report.AddKept("machines", "machines", int64(len(im.nodes.list)))
	slices.SortStableFunc(im.jobs, bySubmission)
	res := &traces.Imported{Jobs: im.jobs, Machines: im.nodes.list, NoMachines: noTable, Report: &im.report, Meta: traces.Meta{
		Source: "Alibaba GPU 2023 (cluster-trace-gpu-v2023)", Checksum: im.sources.Sum(),
		Options: traces.OptionsText(o), Label: "real", Units: "cpu: cores; mem: GiB; gpu: GPUs"}}
	return res.Of(dir)
}

// podRow takes in a row of the list of pods.
func (im *podImport) podRow(r row) {
	cpu, hasCPU := r.Amount(1)
	mem, hasMem := r.Amount(2)
	gpus, milli := r.whole(3), r.whole(4)
	id := r.name(0, "a pod")
	created, hasCreated := r.timeUS(8)
	deleted, hasDeleted := r.timeUS(9)
	scheduled, hasScheduled := r.timeUS(10)
	if r.Err() != nil {
		return
	}
	im.latest = max(im.latest, deleted)
	job := traces.Job{ID: id, SubmitUS: created, Tasks: 1, DurationUS: deleted - scheduled,
		CPU: cpu / 1000, Mem: mem / 1024, GPU: float64(gpus*milli) / 1000, Constraints: gpuTypes("model", r.Text(5))}
	reason := ""
	switch {
	case im.seen[job.ID]:
		reason = "a pod a second time: the first row counts"
	case !hasCreated:
		reason = "no creation time"
	case !im.window.Holds(created):
		reason = outside
	case !hasScheduled:
		reason = "never scheduled"
	case !hasDeleted:
		reason = "no deletion time"
	default:
		reason = podRequest(&job, hasCPU, hasMem, gpus)
	}
	if reason == "" {
		reason = checkDuration(job.DurationUS)
	}
	im.seen[job.ID] = true
	if reason != "" {
		im.report.LeaveOut("jobs", reason, 1)
		return
	}
	im.report.Note("jobs", "phase "+r.Own(7), 1)
	if job.Constraints != "" {
		im.report.Note("jobs", "asks for a type of GPU", 1)
	}
	im.jobs = append(im.jobs, job)
	if r.Text(7) != running {
		deleted = -1
	}
	im.ends = append(im.ends, deleted)
}

// podRequest returns what is wrong with a pod's request, "" for nothing.
func podRequest(j *traces.Job, hasCPU, hasMem bool, gpus int64) string {
	switch {
	case !hasCPU:
		return "no cpu request"
	case !hasMem:
		return "no memory request"
	case j.CPU == 0:
		return "zero cpu request"
	case j.Mem == 0:
		return "zero memory request"
	case gpus > 0 && j.GPU == 0:
		return "GPUs requested, but nothing of them"
	}
	return ""
}

// censor marks the pods that ran when the list was made.
func (im *podImport) censor() {
	for i, deleted := range im.ends {
		if deleted == im.latest {
			im.jobs[i].Censored = true
			im.report.Note("jobs", "ran on when the list was made (censored)", 1)
		}
	}
}
