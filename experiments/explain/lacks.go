package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// count replaces what is used and unused by the counts of the ledger, and notes how much of
// each capacity is free on one server.
func (e *Explanation) count(ledger *cluster.Ledger) {
	width := len(e.Resources)
	total, left := make([]int64, len(e.Capacities)), make([]int64, len(e.Capacities))
	most := make([]int64, len(e.Capacities))
	for server := range ledger.Servers() {
		for r, units := range ledger.Free(server) {
			row := ledger.Class(server)*width + r
			total[row] += ledger.Capacity(server)[r]
			left[row], most[row] = left[row]+units, max(most[row], units)
		}
	}
	links := len(e.Capacities) - len(ledger.LinkFree())
	copy(total[links:], ledger.LinkCapacity())
	copy(left[links:], ledger.LinkFree())
	for row := range e.Capacities {
		c := &e.Capacities[row]
		grid := ledger.Grid(min(row, links-1) % width)
		if row >= links {
			grid = ledger.LinkGrid(row - links)
		} else {
			free := grid.Float(most[row])
			c.FreeOnOne = &free
		}
		if c.Used, c.Unused = grid.Float(total[row]-left[row]), 0; total[row] > 0 {
			c.Unused = float64(left[row]) / float64(total[row])
		}
	}
}

// free groups the servers of each class by what they have free, in the order of their
// first server.
func free(ledger *cluster.Ledger, env *cluster.Environment) (all []Free) {
	first, seen := 0, map[string]int{}
	for s := range env.Servers {
		for number := range env.Servers[s].Count {
			units := ledger.Free(first + number)
			key := fmt.Sprint(s, units)
			at, known := seen[key]
			if !known {
				at, seen[key] = len(all), len(all)
				all = append(all, Free{Server: env.Servers[s].Name, Free: make([]float64, len(units))})
				for r, u := range units {
					all[at].Free[r] = ledger.Grid(r).Float(u)
				}
			}
			all[at].Numbers = append(all[at].Numbers, number)
		}
		first += env.Servers[s].Count
	}
	return all
}

// nearest finds the server that lacks least for one more task of user j: the smallest of
// what is missing of any resource or link, relative to what the task takes of it, where
// most is missing; the first of several.
func nearest(ledger *cluster.Ledger, env *cluster.Environment, j int) *Nearest {
	need, best, at := ledger.Need(&env.Users[j]), cluster.Inf, -1
	for server := range ledger.Servers() {
		if !env.MayRun(j, ledger.Class(server)) {
			continue
		}
		worst := 0.0
		lacks(ledger, need, server, func(_ bool, _ int, missing, takes int64) {
			worst = max(worst, float64(missing)/float64(takes))
		})
		if worst < best {
			best, at = worst, server
		}
	}
	if at < 0 {
		return nil
	}
	class := ledger.Class(at)
	n := &Nearest{Server: env.Servers[class].Name, Number: at, Lacks: []Amount{}}
	for s := range class {
		n.Number -= env.Servers[s].Count
	}
	lacks(ledger, need, at, func(link bool, k int, missing, _ int64) {
		if link {
			n.Lacks = append(n.Lacks, Amount{Link: env.Links[k].Name, Amount: ledger.LinkGrid(k).Float(missing)})
		} else {
			n.Lacks = append(n.Lacks, Amount{Resource: env.Resources[k], Amount: ledger.Grid(k).Float(missing)})
		}
	})
	return n
}

// lacks calls do with every resource of a server, then every link to it, of which too
// little is free for one more task: what is missing, and what the task takes.
func lacks(ledger *cluster.Ledger, need *cluster.Need, server int, do func(link bool, k int, missing, takes int64)) {
	class := ledger.Class(server)
	for r, d := range need.On(class) {
		if missing := d - ledger.Free(server)[r]; d > 0 && missing > 0 {
			do(false, r, missing, d)
		}
	}
	for _, e := range ledger.Behind(class) {
		if missing := need.Link[e] - ledger.LinkFree()[e]; need.Link[e] > 0 && missing > 0 {
			do(true, int(e), missing, need.Link[e])
		}
	}
}

// lack says what class s lacks, whose servers begin with the first.
func lack(ledger *cluster.Ledger, env *cluster.Environment, need *cluster.Need, s, first int) Lack {
	l := Lack{Server: env.Servers[s].Name, Servers: env.Servers[s].Count, Short: []Short{}}
	short := make([]int, len(env.Resources))
	for server := first; server < first+l.Servers; server++ {
		if ledger.Fits(need, server) {
			l.Fits++
		}
		for r, d := range need.On(s) {
			if d > ledger.Free(server)[r] {
				short[r]++
			}
		}
	}
	for r, n := range short {
		if n > 0 {
			l.Short = append(l.Short, Short{Resource: env.Resources[r], Servers: n})
		}
	}
	for _, e := range ledger.Behind(s) {
		if need.Link[e] > ledger.LinkFree()[e] {
			l.Short = append(l.Short, Short{Link: env.Links[e].Name, Servers: l.Servers})
		}
	}
	return l
}

// lacking says what a task that waits lacks.
func (t *Tasks) lacking(by string) string {
	switch {
	case by == ByTasks:
		return "Limits: none of its tasks waits."
	case len(t.Lacks) == 0:
		return "Limits: no server may run it."
	}
	text := "Limits: its next task fits on no server."
	if by == ByScheduler {
		text = "Limits: its next task fits, and has not been started: where rules allocate at slots, a task waits for the next one."
	}
	if len(t.Lacks) > named {
		text += " " + t.lackOfAll()
	} else {
		text += " " + strings.Join(each(t.Lacks, func(l Lack) string { return l.String() }), " ")
	}
	if n := t.Nearest; n != nil {
		what := each(n.Lacks, func(a Amount) string {
			if a.Link != "" {
				return number(a.Amount) + " of link " + printable.Text(a.Link)
			}
			return number(a.Amount) + " " + printable.Text(a.Resource)
		})
		text += fmt.Sprintf(" Least is missing on %s number %d: %s.", printable.Text(n.Server), n.Number, list(what, len(what)))
	}
	return text
}

// String says what a class lacks.
func (l Lack) String() string {
	return fmt.Sprintf("On %s (%d): %s.", printable.Text(l.Server), l.Servers, l.words())
}

func (l *Lack) words() string {
	short := each(l.Short, func(s Short) string {
		if s.Link != "" {
			return "link " + printable.Text(s.Link) + " is short"
		}
		return verb(s.Servers, "lacks", "lack") + " " + printable.Text(s.Resource)
	})
	if l.Fits > 0 {
		short = append(short, verb(l.Fits, "has", "have")+" room")
	}
	return list(short, len(short))
}

// lackOfAll sums over many classes.
func (t *Tasks) lackOfAll() string {
	sum := Lack{}
	for _, l := range t.Lacks {
		sum.Servers, sum.Fits = sum.Servers+l.Servers, sum.Fits+l.Fits
		for _, s := range l.Short {
			at := slices.IndexFunc(sum.Short, func(o Short) bool { return o.Resource == s.Resource && o.Link == s.Link })
			if at < 0 {
				at, sum.Short = len(sum.Short), append(sum.Short, Short{Resource: s.Resource, Link: s.Link})
			}
			sum.Short[at].Servers += s.Servers
		}
	}
	return fmt.Sprintf("Of %d servers of %d classes: %s.", sum.Servers, len(t.Lacks), sum.words())
}
