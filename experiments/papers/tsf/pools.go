package tsf

import (
	"context"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The runs of figures 6 and 7, as their rows name them.
const (
	runStatic = "static pools"
	runShared = "TSF"            // with the weights of theorem 1
	runEqual  = "TSF, weights 1" // another reading: the text does not speak of weights
	// Another reading: jobs start when they do in table II.
	runStaticLater = "static pools, starts of table II"
	runSharedLater = "TSF, starts of table II"
	// Another placement: see [testbed.pools].
	runPlaced = "TSF, large nodes first"

	runQuiet   = "two elephants" // figure 7
	runCrowded = "six elephants" // figure 7, with four more
)

// poolsOf are the dedicated pools of figure 6.
var poolsOf = [...]span{{1, 10}, {11, 25}, {26, 35}, {36, 50}}

// pools runs figure 6: the jobs of table II, each in its pool; then shared by
// TSF, jobs 1 and 2 on nodes 1–25 and jobs 3 and 4 on all. By theorem 1 a job has
// the weight k/h, k being the tasks that its pool holds and h those of all nodes.
// The text takes demands and run times from table II; the numbers of tasks are
// taken from there too, and all jobs are launched together.
//
// On which of the nodes that fit a task is placed, the text leaves open. Best fit
// packs the jobs that may run anywhere onto the small nodes 1–25, the only ones of
// jobs 1 and 2. One run has them take nodes 26–50 first: a third resource, which
// nobody demands and only nodes 1–25 have, makes these fit worse.
func (b *testbed) pools(ctx context.Context, instance int) ([]results.Row, error) {
	return b.compare(ctx, instance, []scene{
		{runStatic, nodes(), b.pooled(true, false, false)},
		{runShared, nodes(), b.pooled(false, true, false)},
		{runEqual, nodes(), b.pooled(false, false, false)},
		{runStaticLater, nodes(), b.pooled(true, false, true)},
		{runSharedLater, nodes(), b.pooled(false, true, true)},
		{runPlaced, largeFirst(), b.pooled(false, true, false)},
	})
}

// largeFirst are the nodes with a resource that makes nodes 1–25 fit worse.
func largeFirst() *cluster.Environment {
	env := nodes()
	env.Resources = append(env.Resources, "reserve")
	for n := range env.Servers {
		reserve := 1.0
		if n >= 25 {
			reserve = 0
		}
		env.Servers[n].Capacity = append(env.Servers[n].Capacity, reserve)
	}
	return env
}

// pooled are the jobs of figure 6: in their pools or not, with the weights of
// theorem 1 or not, with the start times of table II or all at once.
func (b *testbed) pooled(static, weighted, later bool) []batch {
	env, jobs := nodes(), tableII()
	jobs[0].tasks = b.job1
	for k := range jobs {
		j, pool := &jobs[k], whitelist(poolsOf[k])
		j.nodes = whitelist(span{1, 50})
		if k < 2 {
			j.nodes = whitelist(span{1, 25})
		}
		if static {
			j.nodes = pool
		}
		if weighted {
			j.weight = j.alone(env, pool) / j.alone(env, nil)
		}
		if !later {
			j.start = 0
		}
	}
	return jobs
}

// mice runs figure 7. The demands and run times are those of table II in its
// order: elephants as jobs 1 and 2, mice as jobs 3 and 4; the four more
// elephants as jobs 1 to 4. All start at once, mice last. The text's nodes 25–30
// are six, which with 1–5 makes 11, not the 10 of the text; 26–30 are taken.
func (b *testbed) mice(ctx context.Context, instance int) ([]results.Row, error) {
	quiet, crowded := mousetrap()
	return b.compare(ctx, instance, []scene{{runQuiet, nodes(), quiet}, {runCrowded, nodes(), crowded}})
}

// mousetrap are the jobs of figure 7, without and with the four more elephants.
func mousetrap() (quiet, crowded []batch) {
	jobs := tableII()
	for k := range jobs {
		jobs[k].start = 0
	}
	elephants, mice := slices.Clone(jobs[:2]), slices.Clone(jobs[2:])
	elephants[0].name, elephants[0].nodes = "elephant 1", whitelist(span{1, 40})
	elephants[1].name, elephants[1].nodes = "elephant 2", whitelist(span{11, 50})
	mice[0].name, mice[0].nodes = "mice 1", whitelist(span{1, 5}, span{26, 30})
	mice[1].name, mice[1].tasks, mice[1].nodes = "mice 2", 10, whitelist(span{1, 50})
	more := jobs
	for k := range more {
		more[k].name, more[k].nodes = crowd, whitelist(span{1, 50})
		more[k].streamNumber += len(jobs)
	}
	for _, list := range [][]batch{elephants, more} {
		for k := range list {
			list[k].tasks = 250
		}
	}
	return slices.Concat(elephants, mice), slices.Concat(elephants, more, mice)
}

// crowd is the name of the jobs of figure 7 whose completion is not reported.
const crowd = "more"

// scene is one of the runs that a figure compares.
type scene struct {
	name    string
	env     *cluster.Environment
	batches []batch
}

// compare runs the scenes and returns the completion times of all but the jobs
// that only crowd.
func (b *testbed) compare(ctx context.Context, instance int, scenes []scene) ([]results.Row, error) {
	var rows []results.Row
	for _, s := range scenes {
		jobs := b.jobs(s.batches, instance)
		for k := range jobs {
			need := &jobs[k].User.Demand // nothing of what else there is
			*need = append(*need, make([]float64, len(s.env.Resources)-len(*need))...)
		}
		outcome, err := replayed(ctx, s.env, jobs, "tsf", nil)
		if err != nil {
			return nil, err
		}
		for k := range outcome {
			if s.batches[k].name == crowd {
				continue
			}
			r := b.row(s.batches[k].name, results.MetricCompletion, seconds(outcome[k].jct()))
			r.Point = r.Point.With("run", results.OfText(s.name))
			rows = append(rows, r)
		}
	}
	return rows, nil
}
