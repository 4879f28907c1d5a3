package magiks

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Names of the metrics of the server-choice game.
const (
	MetricMoves          = "moves"           // to an equilibrium, mean over realisations; unit UnitMoves
	MetricMovesHistogram = "moves_histogram" // realisations that took as many moves as the parameter moves says; unit UnitRealisations
	MetricSlower         = "bim_slower"      // share of the realisations in which BIM took more moves than RIM
	MetricNUSF           = "nusf"            // normalised utilitarian social function Σ x/(m·ψ), mean over realisations
	MetricMaxEnvy        = "max_envy"        // largest envy of two users in all realisations
	MetricMeanEnvy       = "mean_max_envy"   // largest envy of two users, mean over realisations
	MetricViolations     = "violations"      // realisations without a property; with a colon and its name
	UnitMoves            = "moves"
	UnitRealisations     = "realisations"
)

// tally is what a block of realisations adds up to.
type tally struct {
	realisations int
	slower       int // in which BIM needed more moves than RIM
	names        []string
	counts       map[string]*count
}

// count is the part of one rule.
type count struct {
	moves         []int // how many realisations took so many
	welfare, envy float64
	worst         float64 // largest envy of all
	lacks         [properties]int
	total         float64 // of moves
}

// of returns the part of a rule.
func (t *tally) of(name string) *count {
	c, ok := t.counts[name]
	if !ok {
		if t.counts == nil {
			t.counts = map[string]*count{}
		}
		c = &count{}
		t.counts[name] = c
		t.names = append(t.names, name)
	}
	return c
}

func (c *count) moved(moves int) {
	for len(c.moves) <= moves {
		c.moves = append(c.moves, 0)
	}
	c.moves[moves]++
	c.total += float64(moves)
}

// rows writes the tally; to has what all rows have in common.
func (t *tally) rows(to results.Row) []results.Row {
	var rows []results.Row
	add := func(policy, metric string, value float64, unit string) {
		r := to
		r.Policy, r.Metric, r.Value, r.Unit = policy, metric, value, unit
		rows = append(rows, r)
	}
	each := float64(t.realisations)
	for _, name := range t.names {
		c := t.counts[name]
		if c.moves != nil {
			add(name, MetricMoves, c.total/each, UnitMoves)
			for k, found := range c.moves {
				if found > 0 {
					r := to
					r.Parameters += fmt.Sprintf(",moves=%d", k)
					r.Policy, r.Metric, r.Value, r.Unit = name, MetricMovesHistogram, float64(found), UnitRealisations
					rows = append(rows, r)
				}
			}
		}
		if c.welfare > 0 {
			add(name, MetricNUSF, c.welfare/each, results.UnitRatio)
		}
		if c.worst > 0 {
			add(name, MetricMaxEnvy, c.worst, results.UnitRatio)
			add(name, MetricMeanEnvy, c.envy/each, results.UnitRatio)
			for p, found := range c.lacks {
				if p == propertyNE && (name == beq || name == bnbs) {
					continue // it is checked under the KS rule, which is not theirs
				}
				add(name, MetricViolations+":"+propertyNames[p], float64(found), UnitRealisations)
			}
		}
	}
	add(bim, MetricSlower, float64(t.slower)/each, results.UnitRatio)
	return rows
}
