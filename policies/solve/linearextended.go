package solve

import (
	"errors"

	"github.com/leontief-sim/leontief/policies/solve/extended"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// slacks are the parts of all lower bounds, and of the worth of another's bundle,
// that are given up in extended precision, in the order in which they are tried.
// Numbers that were rounded once are infeasible by that as often as not.
var slacks = [...]float64{0, 0x1p-52, 1e-15, 1e-14, 1e-13, 1e-12}

// extend solves in extended precision what doubles do not certify; err is what
// they ended with, which stays where the program is too large.
func (s *Linear) extend(q LinearProblem, err error) (*cluster.Allocation, error) {
	for _, slack := range slacks {
		a, failed := s.extendWith(q, slack)
		if failed == nil {
			return a, nil
		}
		if !errors.Is(failed, extended.ErrInfeasible) {
			break
		}
	}
	return nil, err
}

// extendWith adds rows against envy, all that are violated at a time, until there
// is none.
func (s *Linear) extendWith(q LinearProblem, slack float64) (*cluster.Allocation, error) {
	p := extended.LinearProblem{Value: q.Value, Lower: make([]float64, s.prog.users), Present: s.presence(q)}
	for j := range q.Lower {
		p.Lower[j] = q.Lower[j] * (1 - slack)
	}
	if q.EnvyFree {
		s.envy.load(s.env, &s.prog, q.Sated)
	}
	for {
		r, err := extended.Linear(s.env, p)
		if err != nil {
			return nil, err
		}
		s.result.X = append(s.result.X[:0], r.X...)
		if q.EnvyFree {
			if rows := s.envy.all(p.Present, r.X, slack); len(rows) > 0 {
				p.Envy = append(p.Envy, rows...)
				continue
			}
		}
		s.result.Prices = append(s.result.Prices[:0], r.Prices...)
		s.result.EnvyPrices = nil
		if q.EnvyFree {
			s.result.EnvyPrices = []cluster.EnvyPrice{}
		}
		for t, price := range r.Envy {
			s.result.EnvyPrices = append(s.result.EnvyPrices, cluster.EnvyPrice{Envier: p.Envy[t].Envier, Envied: p.Envy[t].Source, Price: price})
		}
		s.cert = cluster.Certificate{Primal: r.Excess, Gap: r.Gap, Rounds: r.Rounds, Pivots: r.Pivots}
		return s.check(q, p.Present)
	}
}

// presence returns who takes part; it is valid until the next call.
func (s *Linear) presence(q LinearProblem) []bool {
	s.present = resize(s.present, s.prog.users)
	for j := range s.present {
		s.present[j] = q.Present == nil
	}
	for _, j := range q.Present {
		s.present[j] = true
	}
	return s.present
}

// all returns the rows, relaxed by slack, against every envy among users that
// something can host whose row is not known yet.
func (f *envyFinder) all(present []bool, x []float64, slack float64) []extended.Envy {
	var rows []extended.Envy
	totals := f.totals(x)
	for i, total := range totals {
		for j := range totals {
			if total == 0 || i == j || !present[j] || !f.envies(j) || f.known[[2]int{j, i}] {
				continue
			}
			if f.bundle(j, i, total, x) > (1+tolEnvy)*totals[j] {
				f.known[[2]int{j, i}] = true
				row := extended.Envy{Source: i, Envier: j, Ratio: make([]float64, f.p.servers)}
				for s := range row.Ratio {
					row.Ratio[s] = f.on(j, i, s) * (1 - slack)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// check completes what follows from the allocation in s.result.X, and withholds
// a result that is not certified: the certificate's Primal then includes by how
// much, relative to it, a task cap, a lower bound or what an envied bundle is
// worth is missed by the numbers that are handed out.
func (s *Linear) check(q LinearProblem, present []bool) (*cluster.Allocation, error) {
	a, n := &s.result, s.prog.users
	a.Region, a.Unservable, a.Certificate = s.env, a.Unservable[:0], s.cert
	a.Tasks, a.Share = resize(a.Tasks, n), resize(a.Share, n)
	primal := s.cert.Primal
	for j := range n {
		a.Tasks[j] = 0
		for _, x := range a.On(j) {
			a.Tasks[j] += x
		}
		if cap := s.env.Users[j].Tasks; a.Tasks[j] > cap {
			primal = max(primal, a.Tasks[j]/cap-1)
		}
		if !present[j] {
			continue
		}
		if !s.prog.servable(j) {
			a.Unservable = append(a.Unservable, j)
		} else if q.Lower != nil && q.Lower[j] > 0 {
			primal = max(primal, 1-a.Tasks[j]/q.Lower[j])
		}
	}
	if q.EnvyFree {
		primal = max(primal, s.envy.excess(present, a.X))
	}
	a.Certificate.Primal = primal
	if !(primal <= Feasibility && s.cert.Gap <= Accuracy) {
		return nil, &UncertifiedError{"linear welfare", primal, s.cert.Gap}
	}
	return a, nil
}

// excess returns by how much, relative to what it holds, anybody envies more
// than it should.
func (f *envyFinder) excess(present []bool, x []float64) float64 {
	worst, totals := 0.0, f.totals(x)
	for i, total := range totals {
		for j := range totals {
			if total == 0 || i == j || !present[j] || !f.envies(j) {
				continue
			}
			if f.uniform && f.below(j, i, (1+worst)*totals[j]/total) {
				continue
			}
			if other := f.bundle(j, i, total, x); other > (1+worst)*totals[j] {
				worst = other/totals[j] - 1
			}
		}
	}
	return worst
}

func (f *envyFinder) totals(x []float64) []float64 {
	totals := make([]float64, f.p.users)
	for j := range totals {
		for _, v := range x[j*f.p.servers : (j+1)*f.p.servers] {
			totals[j] += v
		}
	}
	return totals
}
