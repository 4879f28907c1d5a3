package tsfer

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// Realiser makes the realisation of a seed of a workload with one fitted
// parameter, the median of the tasks' durations in seconds. For one seed only
// the durations depend on the median. [FittedWith] is one.
type Realiser func(medianS float64, seed int64) (*Workload, error)

// redrawnName is the workload that [Redrawn] makes.
const redrawnName = "redrawn"

// Redrawn returns the workload that has each of the given jobs once, with its
// own request and task count, in random order; arrivals and durations are those
// of the embedded fitted workload. It is labelled hybrid: half of it is drawn.
// The jobs should be the first 1,000 submissions, as in the paper.
func Redrawn(jobs []traces.Job, meta traces.Meta) Realiser {
	return func(medianS float64, realisation int64) (*Workload, error) {
		options := synthetic.Fitted()
		options.Name, options.Jobs, options.Durations.Median = redrawnName, len(jobs), medianS
		drawn, err := synthetic.Generate(options, realisation)
		if err != nil {
			return nil, err
		}
		mixed := slices.Clone(jobs)
		rng := stream.New("tsfer/redrawn", realisation, "order")
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for i := range mixed {
			mixed[i].SubmitUS, mixed[i].DurationUS, mixed[i].Censored = drawn[i].SubmitUS, drawn[i].DurationUS, false
		}
		redrawn := meta
		redrawn.Label = redrawnName + " (hybrid)"
		redrawn.Options = synthetic.Meta(options, realisation).Options
		return &Workload{Population: run.NewPopulation(mixed, redrawn), FittedTo: true}, nil
	}
}
