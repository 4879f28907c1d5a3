package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/tsfer"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
)

// gammaSecond is the second parameter of the cycles per bit (see [traces.Bandwidth]).
var gammaSecond = traces.DefaultBandwidth().GammaSecond

// scarce makes realisations whose jobs request k times as much cpu and memory.
func scarce(of realiser, k float64) realiser {
	return func(medianS float64, seed int) ([]traces.Job, traces.Meta, error) {
		jobs, meta, err := of(medianS, seed)
		for i := range jobs {
			jobs[i].CPU *= k
			jobs[i].Mem *= k
		}
		meta.Options += fmt.Sprintf(", cpu and memory times %g", k)
		return jobs, meta, err
	}
}

// scarcer fits the workload of table 3 again where cpu and memory are k times as scarce
// beside the link, and compares the spec of table 3 on it with the printed table. Jobs
// request k times as much, and the cycles per bit are multiplied by k, so that their
// bandwidth stays what it was. With populations the fit is to the mean of so many
// realisations, which are compared in the place of the tables.
func (b *bench) scarcer(w io.Writer, k float64, populations, fitInstances, instances int) error {
	b.second = k * gammaSecond
	of := scarce(fittedWith, k)
	medianS, err := b.fit(w, of, max(1, populations), fitInstances)
	if err != nil {
		return err
	}
	if populations > 0 {
		return b.compare(w, of, medianS, populations, instances)
	}
	jobs, meta, err := of(medianS, run.PopulationSeed)
	if err != nil {
		return err
	}
	path := filepath.Join(b.folder, "scarcer.parquet")
	if err := traces.WriteJobs(path, jobs, meta); err != nil {
		return err
	}
	request := papers.Request{Scale: "paper", Seed: 1, Instances: instances}
	table3, err := request.Spec("tsf-er-table3", map[string]string{"workload": path, "gamma_second": fmt.Sprint(b.second)})
	if err != nil {
		return err
	}
	scenarios, err := table3.Scenarios()
	if err != nil {
		return err
	}
	found, err := run.InMemory(runtime.NumCPU(), nil)(context.Background(), scenarios)
	if err != nil {
		return err
	}
	var rows []results.Row
	for _, s := range scenarios {
		rows = append(rows, found.Of(s)...)
	}
	_, err = fmt.Fprintf(w, "cpu and memory times %g, %d instances: %s\nprinted: %s\n", k, scenarios[0].Instances, tsfer.Table3Of(rows), tsfer.Table3Printed())
	return err
}
