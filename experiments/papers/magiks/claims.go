package magiks

import (
	"fmt"

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
			c := newClaims(p, f, rows)
			return map[string]func() []ledger.Entry{MetricMoves: c.moves, MetricNUSF: c.welfare, MetricMaxEnvy: c.envy}[f.metrics[0]]()
		})})
	}
	of := func(entries func(run.Rows) []ledger.Entry) func() ([]ledger.Entry, error) {
		return papers.Ready(func() []ledger.Entry { return entries(rows) })
	}
	return p.Entries(append(parts, papers.Part{Item: equilibria, Make: of(p.properties)},
		papers.Part{Item: otherReadings, Make: of(p.otherReadings)}, papers.Part{Item: heterogeneous, Make: of(p.searched)})...)
}

// properties: theorems 1, 3, 4 and 5 at every equilibrium of figures 2 to 7, what is
// proven of the moves to it, and what section VI says of the other rules.
func (p *plan) properties(rows run.Rows) []ledger.Entry {
	s := sampled(rows, append(p.settings(), p.blocks[levels]...))
	both := p.label() + "; " + whole{}.label()
	var all []ledger.Entry
	add := func(id, claim string, value float64, bound ledger.Bound) {
		all = append(all, p.entry(equilibria, id, claim, both).Words(s.observed(value), bound))
	}
	without := func(name string, rules ...string) float64 {
		sum := 0.0
		for _, rule := range rules {
			sum += s.total(rule, MetricViolations+":"+name)
		}
		return sum
	}
	theorem := [properties]string{"1", "3", "3", "3", "4", "5"}
	for k, name := range propertyNames {
		add(name+"/magiks", fmt.Sprintf("theorem %s: realisations of RIM and BIM without %s", theorem[k], name), without(name, rim, bim), ledger.AtMost(0))
	}
	for k, claim := range [checks]string{
		"lemma 1: realisations of RIM and BIM with a move that does not lower the sorted loads lexicographically",
		"lemma 2: with two servers and h levels, realisations of RIM and BIM with a move that does not lower the largest load by 1/γ, or with more than γ·n moves, γ the least common multiple of 1 to h",
		"theorem 2: with h levels, realisations of RIM and BIM with more moves than the proof allows, γ·n with two servers and γ·n + (γ·n + 1)·(moves with one server less) with more",
		"section VII, scale invariance: realisations of RIM and BIM in which a random user gains by reporting a power of two times its demand",
	} {
		add(checkNames[k]+"/magiks", claim, without(checkNames[k], rim, bim), ledger.AtMost(0))
	}
	for _, k := range []int{propertyLEF, propertyLSI, propertyLPO, propertyMMS} {
		name := propertyNames[k]
		add(name+"/balanced", fmt.Sprintf("section VI: realisations of BKS and BNBS without %s", name), without(name, bks, bnbs), ledger.AtMost(0))
		if k == propertyLPO {
			add("LPO/"+beq, "section VI: BEQ violates LPO: realisations", without(name, beq), ledger.AtLeast(1))
		} else {
			add(name+"/"+beq, fmt.Sprintf("section VI: realisations of BEQ without %s", name), without(name, beq), ledger.AtMost(0))
		}
	}
	add("NE/"+bks, "section VI: BKS need not be at an equilibrium: realisations that are not", without(propertyNames[propertyNE], bks), ledger.AtLeast(1))
	add(leastNUSF+"/"+beq, "section VI: BEQ provides the minimum NUSF among the rules: realisations in which another rule has less, counted for each",
		without(leastNUSF, rim, bim, bks, bnbs, ubound), ledger.AtMost(0))
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
			{"rim-better", "RIM's mean moves over BIM's: a random user moves to a random better server", rim, bim, twice},
			{"rim-best", "RIM's mean moves over BIM's: a random user moves to its best server", readings[0].name, bim, twice},
			{"rim-pair", "RIM's mean moves over BIM's: a random pair of a user and a better server", readings[1].name, bim, twice},
			{"bim-ratio", "BIM's mean moves: gain as a factor over gain as a share", readings[2].name, bim, ledger.Bound{Min: 1 - flat, Max: 1 + flat}},
			{"bim-tasks", "BIM's mean moves: gain in tasks over gain as a share", readings[3].name, bim, ledger.Bound{Min: 1 - flat, Max: 1 + flat}},
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
