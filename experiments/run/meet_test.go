package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// requesting is a workload whose jobs request these amounts of cpu, mem and gpu.
func requesting(units string, amounts ...[3]float64) *Population {
	var jobs []traces.Job
	for i, a := range amounts {
		jobs = append(jobs, traces.Job{ID: fmt.Sprint(i), Tasks: 1, DurationUS: 1, CPU: a[0], Mem: a[1], GPU: a[2]})
	}
	return NewPopulation(jobs, traces.Meta{Label: "real", Units: units})
}

func having(units map[string]string, links []string, resources ...string) *cluster.Environment {
	env := &cluster.Environment{Resources: resources, Units: units, Servers: []cluster.Server{{Name: "s", Capacity: make([]float64, len(resources)), Count: 1}}}
	for _, name := range links {
		env.Links = append(env.Links, cluster.Link{Name: name, Capacity: 1})
	}
	return env
}

func TestAWorkloadMeetsACluster(t *testing.T) {
	cores := map[string]string{"cpu": "core", "mem": "GB", "gpu": "GPUs", "up": "MHz"}
	const units = "cpu: cores; mem: GB; gpu: GPUs"
	three := requesting(units, [3]float64{1, 2, 0}, [3]float64{0, 1, 1}, [3]float64{1, 1, 2})
	for _, c := range []struct {
		what    string
		jobs    *Population
		cluster *cluster.Environment
		ignore  []string
		err     []string // lines, behind "workload real on c.json: "
		mark    string
		ignored map[string]int
		notes   []string
	}{
		{what: "all is there", jobs: three, cluster: having(cores, nil, "gpu", "mem", "cpu"), mark: "real"},
		{what: "one is missing", jobs: three, cluster: having(cores, nil, "cpu", "mem"),
			err: []string{"2 of 3 jobs request gpu, which the cluster has not (it has cpu, mem); to run the jobs without, give --ignore gpu (in a spec ignore: gpu)"}},
		{what: "two are missing, one ignored", jobs: three, cluster: having(cores, nil, "cpu"), ignore: []string{"gpu"},
			err: []string{"3 of 3 jobs request mem, which the cluster has not (it has cpu); to run the jobs without, give --ignore mem (in a spec ignore: mem)"}},
		{what: "cpu is missing", jobs: three, cluster: having(cores, nil, "mem", "gpu"), ignore: []string{"cpu"},
			mark: "real; ignored: cpu (2 jobs)", ignored: map[string]int{"cpu": 2}},
		{what: "two are ignored", jobs: three, cluster: having(cores, nil, "cpu"), ignore: []string{"mem", "gpu"},
			mark: "real; ignored: mem (3 jobs), gpu (2 jobs)", ignored: map[string]int{"mem": 3, "gpu": 2}},
		{what: "nobody requests what is ignored", jobs: requesting(units, [3]float64{1, 1, 0}), cluster: having(cores, nil, "cpu", "mem"), ignore: []string{"gpu"},
			mark: "real", ignored: map[string]int{"gpu": 0}},
		{what: "ignored, but there", jobs: three, cluster: having(cores, nil, "cpu", "mem", "gpu"), ignore: []string{"gpu"},
			err: []string{"ignore gpu: the cluster has it, so that nothing of it is to be ignored"}},
		{what: "units contradict", jobs: requesting("cpu, mem: fraction of the largest machine", [3]float64{1, 1, 0}), cluster: having(cores, nil, "cpu", "mem"),
			err: []string{`cpu: the jobs count in "fraction of the largest machine", the cluster in "core"`, `mem: the jobs count in "fraction of the largest machine", the cluster in "GB"`}},
		{what: "GB and GiB", jobs: requesting("cpu: cores; mem: GiB", [3]float64{1, 1, 0}), cluster: having(cores, nil, "cpu", "mem"),
			err: []string{`mem: the jobs count in "GiB", the cluster in "GB": write the cluster's in GiB (1 GiB is 1.073741824 GB)`}},
		{what: "missing and contradicting", jobs: requesting("cpu: millicores; gpu: GPUs", [3]float64{1, 0, 1}), cluster: having(cores, nil, "cpu"),
			err: []string{"1 of 1 jobs request gpu, which the cluster has not (it has cpu); to run the jobs without, give --ignore gpu (in a spec ignore: gpu)",
				`cpu: the jobs count in "millicores", the cluster in "core"`}},
		{what: "a unit of what nobody requests", jobs: requesting("cpu: cores; gpu: percent", [3]float64{1, 0, 0}), cluster: having(cores, nil, "cpu", "gpu"), mark: "real"},
		{what: "unknown on either side", jobs: requesting("cpu: cores", [3]float64{1, 1, 1}), cluster: having(map[string]string{"mem": "GB"}, nil, "cpu", "mem", "gpu"), mark: "real",
			notes: []string{"units that were not compared: cpu (jobs: cores, cluster: not stated), mem (jobs: not stated, cluster: GB), gpu (jobs: not stated, cluster: not stated)"}},
		{what: "Google's first trace", jobs: requesting("cpu, mem: normalised average use, not requests", [3]float64{1, 1, 0}), cluster: having(map[string]string{"cpu": "fraction", "mem": "fraction"}, nil, "cpu", "mem"), mark: "real",
			notes: []string{"units that were not compared: cpu (jobs: normalised average use, not requests, cluster: fraction), mem (jobs: normalised average use, not requests, cluster: fraction)"}},
		{what: "links", jobs: three, cluster: having(cores, []string{"up", "down"}, "cpu", "mem", "gpu"), mark: "real",
			notes: []string{"units that were not compared: down (jobs: MHz, cluster: not stated)"}},
		{what: "links that nobody needs", jobs: requesting(units, [3]float64{0, 1, 0}), cluster: having(cores, []string{"up"}, "cpu", "mem"), mark: "real",
			notes: []string{"no job requests cpu, of which the demand for links is made: nothing of up is needed"}},
		{what: "a link in another unit", jobs: three, cluster: having(map[string]string{"cpu": "cores", "mem": "GB", "gpu": "gpu", "up": "Mbit/s"}, []string{"up"}, "cpu", "mem", "gpu"),
			err: []string{`up: the demand of the jobs is made in "MHz", the link counts in "Mbit/s"`}},
	} {
		t.Run(c.what, func(t *testing.T) {
			before := c.jobs.Workload
			met, err := c.jobs.On(c.cluster, "c.json", c.ignore)
			if c.err != nil {
				var input spec.InputError
				want := "workload real on c.json: " + strings.Join(c.err, "\nworkload real on c.json: ")
				if !errors.As(err, &input) || err.Error() != want {
					t.Errorf("error\n%v\nwant\n%s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]any{c.mark, c.ignored, c.notes}, []any{met.Mark(), met.Ignored, met.Notes}); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(before, c.jobs.Workload); d != "" || met.Label != "real" {
				t.Errorf("the workload itself was changed: %s", d)
			}
		})
	}
}

// Against counting by hand, over random workloads and clusters.
func TestEveryRequestIsThereOrCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var amounts [][3]float64
		count := map[string]int{}
		for range 1 + rng.IntN(5) {
			var a [3]float64
			for r := range a {
				if rng.IntN(3) > 0 {
					a[r] = rng.Float64()
					count[Requests[r]]++
				}
			}
			amounts = append(amounts, a)
		}
		var resources, ignore []string
		missing := false
		for _, name := range Requests {
			switch there := rng.IntN(3); {
			case there == 0:
				resources = append(resources, name)
			case there == 1:
				ignore = append(ignore, name)
			default:
				missing = missing || count[name] > 0
			}
		}
		met, err := requesting("", amounts...).On(having(nil, nil, resources...), "c", ignore)
		if missing != (err != nil) {
			t.Fatalf("%v on %v, ignoring %v: error %v", amounts, resources, ignore, err)
		}
		for _, name := range Requests {
			if err == nil && slices.Contains(ignore, name) && met.Ignored[name] != count[name] {
				t.Fatalf("%v on %v: %d jobs without %s, not %d", amounts, resources, met.Ignored[name], name, count[name])
			}
		}
	}
}
