package magiks

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// source draws realisations: one capacity vector, which all servers have, and
// the demand of one user after the other.
type source interface {
	resources() int
	capacity(rng *rand.Rand, c []float64)
	demand(rng *rand.Rand, d []float64)
	label() string
}

// The workloads.
const (
	integers = "integers" // whole demands, uniform in [1, h]
	pai      = "pai"      // marginals of Alibaba's PAI trace of 2020
	gpu2023  = "gpu2023"  // pods and nodes of Alibaba's GPU trace of 2023
)

// gpu2023Label marks results on the pods of 2023.
const gpu2023Label = "gpu2023 (real; synthetic bandwidth)"

// whole draws whole demands: section VI of the paper, the synthesised data.
// Every server has h of everything, so that demands have h equal levels.
type whole struct {
	l int
	h int64
}

func (w whole) resources() int { return w.l }
func (w whole) label() string  { return integers + " (synthetic)" }

func (w whole) capacity(_ *rand.Rand, c []float64) {
	for r := range c {
		c[r] = float64(w.h)
	}
}

func (w whole) demand(rng *rand.Rand, d []float64) {
	for r := range d {
		d[r] = float64(1 + rng.Int64N(w.h))
	}
}

// accessPoints are the bandwidths of an access point, in MHz (section VI).
var accessPoints = [...]float64{50, 100, 150, 200, 250}

// edge adds the bandwidth to what a trace has: cpu, mem, gpu.
type edge struct {
	jobs  func(rng *rand.Rand) (cpu, mem, gpu float64)
	nodes func(rng *rand.Rand) (cpu, mem, gpu float64)
	band  traces.Bandwidth
	name  string
}

func (e *edge) resources() int { return 4 }
func (e *edge) label() string  { return e.name }

func (e *edge) capacity(rng *rand.Rand, c []float64) {
	c[0], c[1], c[2] = e.nodes(rng)
	c[3] = accessPoints[rng.IntN(len(accessPoints))]
}

func (e *edge) demand(rng *rand.Rand, d []float64) {
	d[0], d[1], d[2] = e.jobs(rng)
	d[3] = e.band.MHz(d[0], e.band.CyclesPerBit(rng))
}

// paiMachines are the machines with GPUs of the PAI trace's machine table, by
// their cores, GB and GPUs, and how many there are.
var paiMachines = []struct {
	cpu, mem, gpu float64
	count         int
}{{64, 512, 2, 798}, {96, 512, 2, 497}, {96, 512, 8, 280 + 59}, {96, 384, 8, 135 + 45}}

// paiSource draws tasks with GPUs from the published marginals, and a machine
// with GPUs.
func paiSource() *edge {
	total := 0
	for _, m := range paiMachines {
		total += m.count
	}
	return &edge{
		name: synthetic.PAIName + " (synthetic)", band: traces.DefaultBandwidth(),
		jobs: func(rng *rand.Rand) (cpu, mem, gpu float64) {
			cpu, mem = synthetic.PAIRequest(rng)
			return cpu, mem, synthetic.PAIGPUShare(rng)
		},
		nodes: func(rng *rand.Rand) (cpu, mem, gpu float64) {
			k := rng.IntN(total)
			for _, m := range paiMachines {
				if k -= m.count; k < 0 {
					return m.cpu, m.mem, m.gpu
				}
			}
			panic("magiks: more machines than there are")
		},
	}
}

// lists are the patterns of the files of gpu2023.
func lists() []string {
	names := alibaba.DefaultGPU2023()
	return []string{names.Pods + ".*", names.Nodes + ".*"}
}

// gpu2023As is [gpu2023Source] of the lists that a scenario was made with.
func gpu2023As(s spec.Scenario) (*edge, error) {
	dir, _, err := s.File("alibaba")
	if err != nil {
		return nil, err
	}
	e, err := gpu2023Source(dir)
	return e, errors.Join(err, s.Unchanged("alibaba"))
}

// gpu2023Source draws pods and nodes of the trace in the folder dir, those
// that have GPUs: the paper's demands and capacities are positive.
func gpu2023Source(dir string) (*edge, error) {
	if dir == "" {
		return nil, spec.OfInput(fmt.Errorf("workload %s: alibaba, the folder of the trace, is not given", gpu2023))
	}
	res, err := alibaba.ImportGPU2023(dir, alibaba.DefaultGPU2023())
	if err != nil {
		return nil, spec.OfInput(err)
	}
	var jobs []traces.Job
	for _, j := range res.Jobs {
		if j.GPU > 0 {
			jobs = append(jobs, j)
		}
	}
	var nodes []traces.Machine
	for _, m := range res.Machines {
		if m.GPU > 0 {
			nodes = append(nodes, m)
		}
	}
	if len(jobs) == 0 || len(nodes) == 0 {
		return nil, spec.OfInput(fmt.Errorf("%s: %d pods and %d nodes have GPUs, one of each is needed", dir, len(jobs), len(nodes)))
	}
	return &edge{
		name: gpu2023Label, band: traces.DefaultBandwidth(),
		jobs: func(rng *rand.Rand) (cpu, mem, gpu float64) {
			j := &jobs[rng.IntN(len(jobs))]
			return j.CPU, j.Mem, j.GPU
		},
		nodes: func(rng *rand.Rand) (cpu, mem, gpu float64) {
			m := &nodes[rng.IntN(len(nodes))]
			return m.CPU, m.Mem, m.GPU
		},
	}, nil
}
