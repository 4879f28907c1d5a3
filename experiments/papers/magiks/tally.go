package magiks

import (
	"github.com/leontief-sim/leontief/experiments/results"
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
	add := func(policy, metric string, value float64) {
		to.Policy = policy
		rows = append(rows, to.Measure(metric, value))
	}
	each := float64(t.realisations)
	for _, name := range t.names {
		c := t.counts[name]
		if c.moves != nil {
			add(name, MetricMoves, c.total/each)
			for k, found := range c.moves {
				if found > 0 {
					r := to.Measure(MetricMovesHistogram, float64(found))
					r.Point = r.Point.With("moves", results.OfInt(int64(k)))
					rows = append(rows, r)
				}
			}
		}
		if c.welfare > 0 {
			add(name, MetricNUSF, c.welfare/each)
		}
		if c.worst > 0 {
			add(name, MetricMaxEnvy, c.worst)
			add(name, MetricMeanEnvy, c.envy/each)
			for p, found := range c.lacks {
				if p == propertyNE && (name == beq || name == bnbs) {
					continue // it is checked under the KS rule, which is not theirs
				}
				add(name, MetricViolations+":"+propertyNames[p], float64(found))
			}
		}
	}
	add(bim, MetricSlower, float64(t.slower)/each)
	return rows
}
