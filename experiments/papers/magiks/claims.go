package magiks

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// entry starts a ledger entry.
func (p *plan) entry(item, id, claim, workload string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim, Workload: workload}
}

// entries is the ledger, in the paper's order.
func (p *plan) entries(rows run.Rows) ([]ledger.Entry, error) {
	parts := []papers.Part{{Item: examples, Make: workedExamples}}
	for _, f := range p.figureTables() {
		parts = append(parts, papers.Part{Item: f.item, Make: papers.Ready(func() []ledger.Entry {
			var all []ledger.Entry
			for _, a := range f.axes {
				c := &claims{p, f.item, a, sampled(rows, a.runs), rows.Of(a.runs[0])[0].Workload}
				all = append(all, map[string]func() []ledger.Entry{MetricMoves: c.moves, MetricNUSF: c.welfare, MetricMaxEnvy: c.envy}[f.metrics[0]]()...)
			}
			return all
		})})
	}
	of := func(entries func(run.Rows) []ledger.Entry) func() ([]ledger.Entry, error) {
		return papers.Ready(func() []ledger.Entry { return entries(rows) })
	}
	return p.Entries(append(parts, papers.Part{Item: equilibria, Make: of(p.properties)},
		papers.Part{Item: otherReadings, Make: of(p.otherReadings)}, papers.Part{Item: heterogeneous, Make: of(p.searched)})...)
}

// claims are those on one axis of one figure.
type claims struct {
	plan     *plan
	item     string
	axis     axis
	sample   *sample
	workload string
}

// words judges one claim.
func (c *claims) words(id, claim string, statistic func(reader) float64, bound ledger.Bound, known ...string) ledger.Entry {
	e := c.plan.entry(c.item, c.axis.name+"/"+id, claim, c.workload)
	return e.Words(c.sample.estimate(statistic), bound, known...)
}

// observed judges a claim by an extreme over all realisations.
func (c *claims) observed(id, claim string, value float64, bound ledger.Bound, known ...string) ledger.Entry {
	return c.plan.entry(c.item, c.axis.name+"/"+id, claim, c.workload).Words(c.sample.observed(value), bound, known...)
}

// The bounds by which words of the paper are tested; they were set before
// anything was run.
const (
	linear   = 0.98 // "roughly linearly": R² of the line through the means
	powerMin = 0.8  // and the exponent of the power law through them
	powerMax = 1.2
	flat     = 0.05 // "does not impact", "insensitive": max/min - 1 of the means
	alike    = 0.01 // "does not damage": relative difference of RIM and BIM
	twiceMin = 1.75 // "twice as fast"
	twiceMax = 2.25
)

// What is known of the reasons where a claim does not hold.
const (
	moveTarget  = "a random user that moves to a random better server and not to its best needs more moves: item readings"
	levelling   = "by how many users a random start overfills servers is of order √(n·m), and the exponents are near 1/2"
	manyTies    = "with few levels many users are alike, and a tie is no reason to move"
	independent = "the synthetic workload draws cpu, memory and GPUs independently of each other, mostly from a few values"
	bksMild     = "what section IV-C constructs is rare among random associations of many users"
)

// mix is what is known of the synthetic workload.
func (c *claims) mix() []string {
	if c.workload == paiSource().label() {
		return []string{independent}
	}
	return nil
}

// moves: figures 2 and 3.
func (c *claims) moves() []ledger.Entry {
	n := len(c.axis.values)
	var all []ledger.Entry
	for _, policy := range []string{rim, bim} {
		at := func(read reader) func(int) float64 {
			return func(k int) float64 { return read(k, policy, MetricMoves) }
		}
		switch c.axis.name {
		case "n", "m":
			all = append(all,
				c.words("linear/"+policy, "mean moves grow linearly: R² of a line", func(read reader) float64 {
					_, r2 := fit(c.axis.values, at(read))
					return r2
				}, ledger.AtLeast(linear), levelling),
				c.words("exponent/"+policy, "exponent of the power law through the mean moves", func(read reader) float64 {
					return exponent(c.axis.values, at(read))
				}, ledger.Bound{Min: powerMin, Max: powerMax}, levelling),
				c.words("slope/"+policy, "slope of that line, moves per "+map[string]string{"n": "user", "m": "server"}[c.axis.name], func(read reader) float64 {
					slope, _ := fit(c.axis.values, at(read))
					return slope
				}, ledger.AtLeast(0)))
		case "l":
			all = append(all, c.words("flat/"+policy, "mean moves do not depend on l from l = 5: max/min - 1", func(read reader) float64 {
				return spread(n-3, func(k int) float64 { return at(read)(k + 3) })
			}, ledger.AtMost(flat)))
		default:
			all = append(all, c.words("flat/"+policy, "mean moves do not depend on h: max/min - 1", func(read reader) float64 {
				return spread(n, at(read))
			}, ledger.AtMost(flat), manyTies))
		}
	}
	return append(all, c.words("twice", "RIM's mean moves over BIM's, mean over the axis", func(read reader) float64 {
		sum := 0.0
		for k := range n {
			sum += read(k, rim, MetricMoves) / read(k, bim, MetricMoves)
		}
		return sum / float64(n)
	}, ledger.Bound{Min: twiceMin, Max: twiceMax}, moveTarget),
		c.words("sometimes-slower", "BIM may need more moves than RIM: largest share of realisations over the axis", func(read reader) float64 {
			return -least(n, func(k int) float64 { return -read(k, bim, MetricSlower) })
		}, ledger.AtLeast(1e-5)))
}

// welfare: figures 4 and 5.
func (c *claims) welfare() []ledger.Entry {
	n := len(c.axis.values)
	nusf := func(read reader, policy string) func(int) float64 {
		return func(k int) float64 { return read(k, policy, MetricNUSF) }
	}
	all := []ledger.Entry{
		c.words("half", "mean NUSF of MAGIKS over that of UBOUND, least of RIM and BIM over the axis", func(read reader) float64 {
			return least(n, func(k int) float64 { return math.Min(nusf(read, rim)(k), nusf(read, bim)(k)) / nusf(read, ubound)(k) })
		}, ledger.AtLeast(0.5), c.mix()...),
		c.words("bnbs-above", "mean NUSF of BNBS above MAGIKS: least difference over the axis", func(read reader) float64 {
			return least(n, func(k int) float64 { return nusf(read, bnbs)(k) - math.Max(nusf(read, rim)(k), nusf(read, bim)(k)) })
		}, ledger.AtLeast(0)),
		c.words("rim-like-bim", "mean NUSF of RIM and BIM: largest relative difference over the axis", func(read reader) float64 {
			return -least(n, func(k int) float64 { return -math.Abs(nusf(read, rim)(k)/nusf(read, bim)(k) - 1) })
		}, ledger.AtMost(alike)),
		c.words("beq-is-1", "NUSF of BEQ is 1: largest difference over the axis", func(read reader) float64 {
			return -least(n, func(k int) float64 { return -math.Abs(nusf(read, beq)(k) - 1) })
		}, ledger.AtMost(1e-9)),
	}
	switch c.axis.name {
	case "l":
		return append(all, c.words("rises", "mean NUSF of MAGIKS rises with l: least step", func(read reader) float64 {
			return least(n-1, func(k int) float64 { return nusf(read, rim)(k+1) - nusf(read, rim)(k) })
		}, ledger.AtLeast(0)))
	case "n":
		return all
	}
	return append(all, c.words("flat", fmt.Sprintf("mean NUSF of MAGIKS does not depend on %s: max/min - 1", c.axis.name), func(read reader) float64 {
		return spread(n, nusf(read, rim))
	}, ledger.AtMost(flat)))
}

// envy: figures 6 and 7.
func (c *claims) envy() []ledger.Entry {
	n := len(c.axis.values)
	most := func(policy string) float64 {
		return -least(n, func(k int) float64 { return -c.sample.largest(k, policy, MetricMaxEnvy) })
	}
	fewest := func(policy string) float64 {
		return least(n, func(k int) float64 { return c.sample.largest(k, policy, MetricMaxEnvy) })
	}
	ahead := func(policy string) float64 {
		return least(n, func(k int) float64 {
			magiks := math.Max(c.sample.largest(k, rim, MetricMaxEnvy), c.sample.largest(k, bim, MetricMaxEnvy))
			return c.sample.largest(k, policy, MetricMaxEnvy) - magiks
		})
	}
	return []ledger.Entry{
		c.observed("at-most-2/"+rim, "largest envy of MAGIKS-RIM over the axis", most(rim), ledger.AtMost(2)),
		c.observed("at-most-2/"+bim, "largest envy of MAGIKS-BIM over the axis", most(bim), ledger.AtMost(2)),
		c.observed("above-2/"+bks, "largest envy of BKS, the least over the axis", fewest(bks), ledger.AtLeast(2), bksMild),
		c.observed("above-magiks/"+bks, "largest envy of BKS above that of RIM and BIM: least difference over the axis", ahead(bks), ledger.AtLeast(0)),
		c.observed("above-magiks/"+bnbs, "largest envy of BNBS above that of RIM and BIM: least difference over the axis", ahead(bnbs), ledger.AtLeast(0)),
		c.observed("above-2/"+bnbs, "largest envy of BNBS, the least over the axis", fewest(bnbs), ledger.AtLeast(2)),
		c.observed("ceil-floor/"+beq, "largest envy of BEQ over ⌈n/m⌉/⌊n/m⌋, the largest over the axis", -least(n, func(k int) float64 {
			s := c.axis.runs[k]
			users, servers := float64(s.WholeNumber("n")), float64(s.WholeNumber("m"))
			return -c.sample.largest(k, beq, MetricMaxEnvy) / (math.Ceil(users/servers) / math.Floor(users/servers))
		}), ledger.AtMost(1+1e-9)),
	}
}

// properties: theorems 1, 3, 4 and 5 at every equilibrium of figures 2 to 7,
// and what section VI says of the others.
func (p *plan) properties(rows run.Rows) []ledger.Entry {
	s := sampled(rows, p.settings())
	both := p.label() + "; " + whole{}.label()
	var all []ledger.Entry
	add := func(id, claim string, value float64, bound ledger.Bound) {
		all = append(all, p.entry(equilibria, id, claim, both).Words(s.observed(value), bound))
	}
	theorem := [properties]string{"1", "3", "3", "3", "4", "5"}
	for k, name := range propertyNames {
		metric := MetricViolations + ":" + name
		add(name+"/magiks", fmt.Sprintf("theorem %s: realisations of RIM and BIM without %s", theorem[k], name),
			s.total(rim, metric)+s.total(bim, metric), ledger.AtMost(0))
	}
	for _, k := range []int{propertyLEF, propertyLSI, propertyLPO, propertyMMS} {
		metric := MetricViolations + ":" + propertyNames[k]
		add(propertyNames[k]+"/balanced", fmt.Sprintf("section VI: realisations of BKS and BNBS without %s", propertyNames[k]),
			s.total(bks, metric)+s.total(bnbs, metric), ledger.AtMost(0))
		if k == propertyLPO {
			add("LPO/"+beq, "section VI: BEQ violates LPO: realisations", s.total(beq, metric), ledger.AtLeast(1))
		} else {
			add(propertyNames[k]+"/"+beq, fmt.Sprintf("section VI: realisations of BEQ without %s", propertyNames[k]), s.total(beq, metric), ledger.AtMost(0))
		}
	}
	metric := MetricViolations + ":" + propertyNames[propertyNE]
	add("NE/"+bks, "section VI: BKS need not be at an equilibrium: realisations that are not", s.total(bks, metric), ledger.AtLeast(1))
	return all
}

// otherReadings: what the text leaves open of the two rules. They count for
// nothing.
func (p *plan) otherReadings(rows run.Rows) []ledger.Entry {
	var all []ledger.Entry
	for _, run := range p.blocks[otherReadings] {
		s := sampled(rows, []spec.Scenario{run})
		workload := rows.Of(run)[0].Workload
		for _, r := range []struct {
			id, claim, over, under string
			bound                  ledger.Bound
		}{
			{"rim-best", "RIM's mean moves over BIM's: a random user moves to its best server", rim, bim, ledger.Bound{Min: twiceMin, Max: twiceMax}},
			{"rim-better", "RIM's mean moves over BIM's: a random user moves to a random better server", readings[0].name, bim, ledger.Bound{Min: twiceMin, Max: twiceMax}},
			{"bim-ratio", "BIM's mean moves: gain as a factor over gain as a share", readings[1].name, bim, ledger.Bound{Min: 1 - flat, Max: 1 + flat}},
			{"bim-tasks", "BIM's mean moves: gain in tasks over gain as a share", readings[2].name, bim, ledger.Bound{Min: 1 - flat, Max: 1 + flat}},
		} {
			e := p.entry(otherReadings, r.id+"/"+run.Text("workload")+"#reading", r.claim, workload)
			all = append(all, e.Words(s.estimate(func(read reader) float64 {
				return read(0, r.over, MetricMoves) / read(0, r.under, MetricMoves)
			}), r.bound))
		}
	}
	return all
}

// openQuestion marks what answers a question that the paper asks.
const openQuestion = "#open"

// searched: what was found on servers that differ. The paper claims nothing
// there, so that the entries count for nothing; the bounds say what theorem 1
// would if it held.
func (p *plan) searched(rows run.Rows) []ledger.Entry {
	all := restless()
	for _, run := range p.blocks[heterogeneous] {
		s := sampled(rows, []spec.Scenario{run})
		id := fmt.Sprintf("n=%s,m=%s,l=%s,demands=%s", run.Text("n"), run.Text("m"), run.Text("l"), run.Text("demands"))
		for _, c := range []struct{ id, claim, metric, of, why string }{
			{"none", "open question: environments without an equilibrium, of %.0f looked at", MetricNoEquilibrium, MetricSearched, "an environment without an equilibrium was found"},
			{"circular", "lemma 1 beyond its assumptions: environments where improving moves go round, of %.0f", MetricCircular, MetricRandom, "lemma 1 does not extend to servers that differ: there is no order in which each move goes down"},
			{"bim", "plays of MAGIKS-BIM that go round, of %.0f", MetricRounds, MetricPlays, "MAGIKS-BIM went round"},
		} {
			e := p.entry(heterogeneous, c.id+"/"+id+openQuestion, fmt.Sprintf(c.claim, s.total(rim, c.of)), rows.Of(run)[0].Workload)
			all = append(all, e.Words(s.observed(s.total(rim, c.metric)), ledger.AtMost(0), c.why))
		}
	}
	return all
}
