package main

// mutation is a change of one place of a file, and the tests that must fail with it.
type mutation struct{ file, from, to, tests, run string }

// mutations break what holds across packages (docs/architecture.md), and guards that
// nothing else would miss.
var mutations = []mutation{
	// 1. Every allocation is certified, and checked where it leaves its rule.
	{"policies/certify.go", "if handed.Fits(solve.Feasibility) {", "if true {", "./policies", "EveryAnswerIsChecked|AWrongAnswer"},
	{"policies/solve/maxmin.go", "if !(c.Primal <= Feasibility && c.Gap <= Accuracy) {", "if !(c.Primal <= Feasibility) {", "./policies/solve", "TheLastCheck"},
	{"policies/solve/maxmin.go", "if s.cert.Rounds > 1 && excess > tolLater {", "if false {", "./policies/solve", "TheRowsOfALaterRound"},
	{"policies/solve/maxmin.go", "s.cert.Gap += retract(a, excess+clipped)", "retract(a, excess+clipped)", "./policies/solve", "ARetractionCosts"},
	{"policies/solve/filling.go", "gap += s.inherited()", "gap += 0", "./policies/solve", "ErrorsOfEarlierRounds"},
	{"policies/solve/tolerance.go", "widest = 1e7", "widest = 1e300", "./policies/solve", "WideNeeds"},
	{"policies/solve/primal.go", "if b.fresh > refreshAfter && !b.refresh() {", "if b.fresh > 1<<40 && !b.refresh() {", "./policies/solve", "InverseIsRefreshed"},
	{"policies/solve/dual.go", "if b.fresh > refreshAfter && !b.refresh() {", "if b.fresh > 1<<40 && !b.refresh() {", "./policies/solve", "InverseIsRefreshed"},
	{"policies/solve/slide.go", "if b.fresh > refreshAfter && !b.refresh() {", "if b.fresh > 1<<40 && !b.refresh() {", "./policies/solve", "InverseIsRefreshed"},
	{"policies/solve/entering.go", "bland := b.stalled > stallLimit", "bland := false", "./policies/solve", "BlandsRule"},
	{"policies/solve/ratio.go", "return c.first(b.stalled > stallLimit)", "return c.first(false)", "./policies/solve", "BlandsRule"},
	{"policies/solve/primal.go", "b.stalled++", "b.stalled = 0", "./policies/solve", "StepsOfNoLength"},
	// 2. All events of an instant come before one allocation; the clock does not wrap.
	{"sim/event/engine.go", "return a.At < b.At || a.At == b.At && a.Phase < b.Phase", "return a.At < b.At", "./sim/event", "."},
	{"sim/event/event.go", "return Never + min(first, -1)", "return Never", "./sim/event", "Overflows"},
	{"sim/fluid.go", "if float64(job.Arrival)+r.Standalone > float64(f.horizon) {", "if false {", "./sim", "."},
	{"sim/whole/clock.go", "u.longestWaiting() > e.horizon-e.now {", "false {", "./sim/whole", "Late|Clock|WaitTooLong"},
	// What a search leaves out has not changed since it was last looked at.
	{"sim/whole/waiting/bestfit.go", "p.tree.Stamp[node] <= p.ask.since {", "p.tree.Stamp[node] <= p.ask.since+1 {", "./sim/whole/waiting", "FirstServerLeft"},
	// 4. The draws depend on the workload, never on the rule.
	{"sim/stream/seed.go", "name = binary.BigEndian.AppendUint64(append(name, 's'), uint64(len(p)))", "name = append(name, 's')", "./sim/stream", "."},
	// 5. The error of the lowest index, at any number of workers.
	{"experiments/run/pool.go", "for _, err := range g.errs {", "for i := range g.errs {\n\t\terr := g.errs[len(g.errs)-1-i]", "./experiments/run", "Gather"},
	// 8. A result is there as a whole, and nothing is read from a folder that was changed.
	{"traces/parquet/seal.go", "if hex.EncodeToString(h.Sum(nil)) != says {", "if says == \"\" {", "./traces/parquet", "EveryFlippedBit"},
	{"experiments/results/sealed/sealed.go", "if err == nil && sum != m.Digests[name] {", "if err == nil && sum[:2] != m.Digests[name][:2] && name != \"b.json\" {", "./experiments/results/sealed", "EveryByte"},
	{"experiments/results/sealed/sealed.go", "case !intact(data, m.Seal):", "case false:", "./experiments/results/sealed", "EveryByte"},
	{"traces/output/output.go", "return errors.Join(f.close(), syncFolder(filepath.Dir(f.path)))", "return f.close()", "./traces/output", "."},
	// 6, 11. What is measured of a replay, recomputed from its tables.
	{"experiments/compare/study.go", "momentValue{MetricEFSat, \"EF-SAT\", func(m *Moment) float64 { return m.EFSat }},", "momentValue{MetricEFSat, \"EF-SAT\", func(m *Moment) float64 { return m.SISat }},", "./experiments/compare", "EachValueOfMoments"},
	{"experiments/compare/moment.go", "return min(x, users[j].Tasks) / etas[j]", "return x / etas[j]", "./experiments/compare", "Fairest"},
	{"experiments/compare/moment.go", "SISat: judge.MinSISat(a, nil).Sat, Jain", "SISat: judge.MinSISat(a, nil).Sat * 1.001, Jain", "./experiments/compare", "Fairest"},
	// The rules, in the pages that show what they give and in the papers' commands.
	{"policies/tsfer.go", "&progressive{normalize: eta, exactly: statedEta}", "&progressive{normalize: normalizeDRFER}", "./scripts/pages", "WhichRule$"},
	{"policies/tsfer.go", "&progressive{normalize: eta, exactly: statedEta}", "&progressive{normalize: normalizeDRFER}", "./scripts/pages", "WhichRulePods"},
	{"policies/tsfer.go", "&progressive{normalize: eta, exactly: statedEta}", "&progressive{normalize: normalizeDRFER}", "./scripts/pages", "ShownOutput$/^README"},
	{"sim/metrics/blocks.go", "len(q) >= Resamples/2 {", "len(q) > Resamples {", "./sim/metrics", "EndsOfBlocks"},
	{"sim/metrics/blocks.go", "return math.Log(theta), 1 / theta })", "return math.Log(theta), 1 })", "./sim/metrics", "EndsOfBlocks"},
	{"sim/metrics/blocks.go", "h.blocks[i], known = true, false", "h.blocks[i] = true", "./sim/metrics", "EmptyBlocks"},
	{"experiments/papers/tsfer/cloudkind.go", "if c.verify {", "if false {", "./experiments/cli", "Scripts$/^reproduce$"},
	{"experiments/papers/tsfer/plan.go", "itemTable3, itemFig3, itemFig4, itemTable4}\n", "itemTable3, itemFig3, itemFig4}\n", "./experiments/cli", "ReproduceShows"},
}
