package synthetic

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// PAIName is the name of the workload that [PAI.Generate] makes.
const PAIName = "pai"

// PAI describes a synthetic workload like Alibaba's PAI trace of 2020.
type PAI struct {
	Jobs  int     `json:"jobs"`   // >= 1
	SpanS float64 `json:"span_s"` // submissions are in [0, SpanS) s; > 0
}

// DefaultPAI has as many jobs as the trace has task rows, over as many days.
func DefaultPAI() PAI { return PAI{Jobs: paiTaskRows, SpanS: paiDays * 86400} }

// maxPAIJobs bounds a workload that is generated job by job.
const maxPAIJobs = 100_000_000

// Validate returns what is wrong with the options, or nil.
func (o PAI) Validate() error {
	switch {
	case o.Jobs < 1 || o.Jobs > maxPAIJobs:
		return fmt.Errorf("synthetic workload %s: %d jobs, not 1 to %d", PAIName, o.Jobs, maxPAIJobs)
	case !(o.SpanS > 0) || o.SpanS > maxSeconds:
		return fmt.Errorf("synthetic workload %s: span_s is %v, not within 0 and %v", PAIName, o.SpanS, maxSeconds)
	}
	return nil
}

// Label returns what results made from the workload are marked with.
func (o PAI) Label() string { return PAIName + " (synthetic)" }

// Meta returns the metadata of the jobs that [PAI.Generate] makes.
func (o PAI) Meta(seedNumber int64) traces.Meta {
	options := struct {
		PAI
		Seed int64 `json:"seed"`
	}{o, seedNumber}
	return traces.Meta{
		Source:  "leontief generator, calibrated to aggregate statistics of the Alibaba PAI trace 2020",
		Options: traces.OptionsText(options), Label: o.Label(), Units: "cpu: cores; mem: GB; gpu: GPUs",
	}
}

// Generate makes the jobs one after the other, in order of submission; memory
// does not grow with their number. A job stands for a task row of the trace.
//
// Submissions are a Poisson process, given its number of points, with the
// trace's profile of the hours of a day. The number of tasks, the GPUs, the
// cores and the memory of one are independent; durations depend on whether
// there is more than one task. A draw of more than 800 GPUs in all is cut to
// the largest number of tasks that stays within. The seed and the options
// decide every byte, and each quantity has a random stream of its own.
func (o PAI) Generate(seedNumber int64) (iter.Seq[traces.Job], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	stream := func(name string) *rand.Rand { return stream.New("traces/synthetic/pai", seedNumber, name) }
	return func(yield func(traces.Job) bool) {
		arrivals, tasks, durations := stream("arrivals"), stream("tasks"), stream("durations")
		gpus, requests := stream("gpus"), stream("requests")
		rest := 1.0 // the share of the submissions that is still to come
		for i := range o.Jobs {
			// The next of the sorted uniform variates that are left.
			rest *= math.Pow(1-arrivals.Float64(), 1/float64(o.Jobs-i))
			gpu := drawPAIGPU(gpus)
			n := drawPAITasks(tasks, gpu)
			cpu, mem := PAIRequest(requests)
			if !yield(traces.Job{
				ID: fmt.Sprintf("pai-%07d", i+1), SubmitUS: int64(daily(1-rest, o.SpanS) * 1e6), Tasks: n,
				DurationUS: drawPAIDurationUS(durations, n), CPU: cpu, Mem: mem, GPU: gpu,
			}) {
				return
			}
		}
	}, nil
}

// PAIRequest draws the cores and the memory, in GB, of one instance from the
// published marginals, independently of each other. Outside the published
// quartiles the distribution is an assumption: see paiCPU and paiMem.
func PAIRequest(rng *rand.Rand) (cpu, mem float64) {
	return pick(paiCPU, rng.Float64()), pick(paiMem, rng.Float64())
}

// PAIGPUShare draws the GPUs of one instance of a task that has any, from the
// published frequencies of plan_gpu up to one GPU: 0.1, 0.25, 0.5 or 1.
func PAIGPUShare(rng *rand.Rand) float64 { return pick(paiGPU[:4], rng.Float64()) }

// drawPAIGPU draws the GPUs of one instance of any task.
func drawPAIGPU(rng *rand.Rand) float64 {
	u := rng.Float64() * paiTaskRows
	if u < paiWithoutGPU {
		return 0
	}
	return pick(paiGPU, (u-paiWithoutGPU)/(paiTaskRows-paiWithoutGPU))
}

// drawPAITasks draws the instances of a task.
func drawPAITasks(rng *rand.Rand, gpu float64) int64 {
	u := rng.Float64() * paiTaskRows
	if u < paiSingle {
		return 1
	}
	n := math.Round(geometric(paiGangs, (u-paiSingle)/(paiTaskRows-paiSingle)))
	return int64(min(n, math.Floor(paiLargestGang/max(1, gpu))))
}

// drawPAIDurationUS draws the duration of a task of n instances, in µs.
func drawPAIDurationUS(rng *rand.Rand, n int64) int64 {
	table := paiSingleDurations
	if n > 1 {
		table = paiMultiDurations
	}
	return int64(math.Round(geometric(table, rng.Float64()) * 1e6))
}

// pick returns the value at u, 0 <= u < 1, of the cumulated weights.
func pick(values []weighted, u float64) float64 {
	total := 0
	for _, v := range values {
		total += v.weight
	}
	k := int(u * float64(total))
	for _, v := range values {
		if k -= v.weight; k < 0 {
			return v.value
		}
	}
	return values[len(values)-1].value // u·total was rounded up to total
}

// daily returns the time in [0, spanS) before which the share u of the
// submissions happens, by the profile of paiHours.
func daily(u, spanS float64) float64 {
	day := submitted(86400)
	target := u * submitted(spanS)
	days := math.Floor(target / day)
	left := target - days*day
	for h, weight := range paiHours {
		if w := float64(weight); left < w {
			return min(days*86400+(float64(h)+left/w)*3600, math.Nextafter(spanS, 0))
		} else {
			left -= w
		}
	}
	return min((days+1)*86400, math.Nextafter(spanS, 0))
}

// submitted is the sum of the weights of paiHours over the time from 0 to t.
func submitted(t float64) float64 {
	day := 0.0
	for _, w := range paiHours {
		day += float64(w)
	}
	days := math.Floor(t / 86400)
	sum, hours := days*day, (t-days*86400)/3600
	for h, w := range paiHours {
		sum += float64(w) * min(max(hours-float64(h), 0), 1)
	}
	return sum
}
