package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// program is max c·x, lo <= Ax <= hi, x >= 0, by columns.
//
// Columns: user j on server s at j·S+s, then, for tsf-er, the share g.
// Rows: the capacities in the order of Environment.Row, then one per user
// (tsf-er: x[j]/η[j] - g >= 0; cru: x[j] >= ψ[j]), then envy rows. Capacity
// rows are divided by their capacity.
type program struct {
	lo, hi  []float64
	c       []float64
	entries []entry
}

type entry struct {
	row, col int
	value    float64
}

// none stands for a bound that is not there.
const none = 1e30

// write writes the program of the given name on env as text: a line
// "rows columns entries users servers", the costs, a line "lo hi" per row and
// a line "row column value" per entry, by columns.
func write(path, name string, env *cluster.Environment) error {
	p := capacities(env)
	switch name {
	case "tsf-er":
		p.equalShares(env)
	case "cru":
		p.cru(env)
	case "nash":
	default:
		return fmt.Errorf("unknown program %q (known: tsf-er, cru, nash)", name)
	}
	return p.save(path, env)
}

// capacities returns the program with the capacity rows alone.
func capacities(env *cluster.Environment) *program {
	S := len(env.Servers)
	p := &program{c: make([]float64, len(env.Users)*S)}
	for range env.Rows() {
		p.row(-none, 1)
	}
	for j := range env.Users {
		for s := range env.Servers {
			for r, d := range env.Demand(j, s) {
				p.entries = append(p.entries, entry{env.Row(s, r), j*S + s, d / env.Capacity(s, r)})
			}
			for e, link := range env.Links {
				p.entries = append(p.entries, entry{env.LinkRow(e), j*S + s, env.LinkDemand(j, e) / link.Capacity})
			}
		}
	}
	return p
}

func (p *program) row(lo, hi float64) int {
	p.lo, p.hi = append(p.lo, lo), append(p.hi, hi)
	return len(p.lo) - 1
}

// eta is η[j] of a benchmark instance: one link over all servers.
func eta(env *cluster.Environment, j int) float64 {
	total := 0.0
	for s := range env.Servers {
		total += env.Gamma(j, s)
	}
	return math.Min(total, env.Links[0].Capacity/env.LinkDemand(j, 0))
}

// equalShares adds the column g and the rows of the first round of filling.
func (p *program) equalShares(env *cluster.Environment) {
	S, g := len(env.Servers), len(p.c)
	p.c = append(p.c, 1)
	for j := range env.Users {
		row, n := p.row(0, none), eta(env, j)
		for s := range env.Servers {
			p.entries = append(p.entries, entry{row, j*S + s, 1 / n})
		}
		p.entries = append(p.entries, entry{row, g, -1})
	}
}

// cru adds the objective Σ x/η, the bounds x >= ψ and all envy rows.
func (p *program) cru(env *cluster.Environment) {
	S, n := len(env.Servers), len(env.Users)
	for j := range env.Users {
		whole := eta(env, j)
		row := p.row(whole/float64(n), none)
		for s := range env.Servers {
			p.c[j*S+s] = 1 / whole
			p.entries = append(p.entries, entry{row, j*S + s, 1})
		}
	}
	for j := range env.Users {
		for i := range env.Users {
			if i != j {
				p.envy(env, j, i)
			}
		}
	}
}

// envy adds u[j](i) - x[j] <= 0.
func (p *program) envy(env *cluster.Environment, j, i int) {
	S, row := len(env.Servers), p.row(-none, 0)
	for s := range env.Servers {
		p.entries = append(p.entries, entry{row, i*S + s, twin.Worth(env, j, i, s)}, entry{row, j*S + s, -1})
	}
}

func (p *program) save(path string, env *cluster.Environment) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, len(p.lo), len(p.c), len(p.entries), len(env.Users), len(env.Servers))
	for _, c := range p.c {
		fmt.Fprintf(w, "%.17g\n", c)
	}
	for i := range p.lo {
		fmt.Fprintf(w, "%.17g %.17g\n", p.lo[i], p.hi[i])
	}
	slices.SortStableFunc(p.entries, func(a, b entry) int { return a.col - b.col })
	for _, e := range p.entries {
		fmt.Fprintf(w, "%d %d %.17g\n", e.row, e.col, e.value)
	}
	return errors.Join(w.Flush(), f.Close())
}
