package magiks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/stream"
)

// KindName is the kind of the paper's simulations.
const KindName = "magiks"

func init() {
	spec.RegisterKind(spec.Kind{
		Name:  KindName,
		Title: "MAGIKS on identical servers: moves to an equilibrium, welfare and envy beside BKS, BNBS, BEQ and UBOUND",
		Parameters: []spec.Parameter{
			{Name: "workload", As: "source", Doc: "Demands: integers in [1, h], pai (synthetic, the marginals of Alibaba's PAI trace) or gpu2023 (its pods of 2023).",
				Default: integers, Canonical: spec.OneOf(integers, pai, gpu2023)},
			{Name: "alibaba", Doc: "Folder of the lists of gpu2023.", File: spec.AnyPath, Canonical: spec.FolderOrNone(lists()...)},
			{Name: "n", Unit: "1", Doc: "Users.", Default: "150", Canonical: spec.WholeNumber(1, 100000)},
			{Name: "m", Unit: "1", Doc: "Servers.", Default: "10", Canonical: spec.WholeNumber(1, 10000)},
			{Name: "l", Unit: "1", Doc: "Resources; pai and gpu2023 have four, whatever is said.", Default: "4", Canonical: spec.WholeNumber(1, 100)},
			{Name: "h", Unit: "1", Doc: "Levels of the whole demands; of no meaning for pai and gpu2023.", Default: "50000", Canonical: spec.WholeNumber(1, 1<<40)},
			{Name: "realisations", Unit: "1", Doc: "Realisations of one instance, which is a block of them.", Default: "500", Canonical: spec.WholeNumber(1, 1_000_000)},
			{Name: "readings", Doc: "Whether to run what else the paper's text can mean: no or yes.", Default: "no", Canonical: spec.OneOf("no", "yes")},
		},
		Open: open,
	})
}

// setting is an open scenario.
type setting struct {
	s      spec.Scenario
	source source
	bench  sync.Pool
}

func open(_ context.Context, s spec.Scenario) (spec.Instances, error) {
	in := &setting{s: s}
	var err error
	switch s.Text("workload") {
	case pai:
		in.source = paiSource()
	case gpu2023:
		in.source, err = gpu2023As(s)
	default:
		in.source = whole{int(s.WholeNumber("l")), s.WholeNumber("h")}
	}
	if err != nil {
		return nil, err
	}
	n, m, more := int(s.WholeNumber("n")), int(s.WholeNumber("m")), s.Text("readings") == "yes"
	in.bench.New = func() any { return newBench(n, m, in.source, more) }
	return in, nil
}

// Instance runs block i. Settings that differ in the number of servers only
// have the same users.
func (in *setting) Instance(ctx context.Context, i int) ([]results.Row, error) {
	b := in.bench.Get().(*bench)
	defer in.bench.Put(b)
	b.begin()
	stream := func(name string) *rand.Rand {
		return stream.New(Paper, in.s.Seed, in.s.Text("workload"), b.n, in.source.resources(), "block", i, name)
	}
	from := &streams{demands: stream("demands"), start: stream("start"), balanced: stream("balanced"), scaled: stream("scaled"), moves: map[string]*rand.Rand{}}
	for _, p := range append(append([]play(nil), plays...), readings...) {
		from.moves[p.name] = stream("moves/" + p.name)
	}
	t := &tally{}
	for k := range in.s.WholeNumber("realisations") {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if err := b.realise(from, t); err != nil {
			return nil, fmt.Errorf("realisation %d: %w", k, err)
		}
	}
	return t.rows(results.Row{Experiment: Paper, Workload: in.source.label(),
		Point: results.NewPoint(map[string]results.Value{"l": results.OfInt(int64(in.source.resources()))})}), nil
}
