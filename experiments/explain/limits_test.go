package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// kinds are the random environments.
var kinds = []twin.Options{
	{Users: 4, Servers: 2, Resources: 2},
	{Users: 5, Servers: 3, Resources: 2, Links: 1},
	{Users: 6, Servers: 3, Resources: 3, Links: 1, Weights: true},
	{Users: 6, Servers: 4, Resources: 2, Links: 2, Weights: true, Eligibility: true},
	{Users: 6, Servers: 3, Resources: 2, Links: 1, Caps: true, Eligibility: true},
	{Users: 6, Servers: 3, Resources: 3, Links: 1, ZeroDemands: true, ZeroCapacities: true, Eligibility: true},
	{Users: 5, Servers: 3, Resources: 2, Links: 1, DemandOn: true, Eligibility: true},
}

// explained calls do with the explanations of random environments by a rule.
func explained(t *testing.T, name string, seeds int, do func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation)) {
	rule, err := audit.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for k, o := range kinds {
		for seed := range seeds {
			env := twin.Random(rand.New(rand.NewPCG(uint64(seed), uint64(k))), o)
			a, err := policies.Allocate(rule.Policy, env)
			if err != nil {
				continue // the rule refuses it
			}
			e, err := Explain(rule, env, Options{})
			if err != nil {
				t.Fatalf("%s, kind %d, seed %d: %v", name, k, seed, err)
			}
			n++
			t.Run(fmt.Sprintf("%d/%d", k, seed), func(t *testing.T) { do(t, env, a, e) })
		}
	}
	if n == 0 {
		t.Errorf("%s was asked nothing", name)
	}
}

// longOr returns the size of make test-long, or that of make test.
func longOr(long, short int) int {
	if os.Getenv("LEONTIEF_LONG") != "" {
		return long
	}
	return short
}

// dual is the program of one user, stated by the test.
type dual struct {
	env   *cluster.Environment
	j     int
	floor []float64
	price []float64
	// envy are the prices of the rows against envy, by envier and envied; nil of a rule
	// without such rows.
	envy [][]float64
}

// costOf is what a task of user i costs on server s.
func (d *dual) costOf(i, s int) float64 {
	sum := 0.0
	for row := range d.price {
		sum += d.price[row] * d.coefficient(i, s, row)
	}
	for v := range d.envy {
		sum += d.envy[v][i]*twin.Worth(d.env, v, i, s) - d.envy[i][v]
	}
	return sum
}

// coefficient is what a task of user i on server s takes of a capacity.
func (d *dual) coefficient(i, s, row int) float64 {
	if e := row - len(d.env.Servers)*len(d.env.Resources); e >= 0 {
		if d.env.Links[e].Servers != nil && !d.env.Links[e].Servers.Has(s) || d.env.Users[i].LinkDemand == nil {
			return 0
		}
		return d.env.Users[i].LinkDemand[e]
	}
	if row/len(d.env.Resources) != s {
		return 0
	}
	if on, differs := d.env.Users[i].DemandOn[s]; differs {
		return on[row%len(d.env.Resources)]
	}
	return d.env.Users[i].Demand[row%len(d.env.Resources)]
}

func (d *dual) hosts(i, s int) bool {
	if d.env.Users[i].Eligible != nil && !d.env.Users[i].Eligible.Has(s) {
		return false
	}
	for row := range d.price {
		if d.coefficient(i, s, row) > 0 && d.env.RowCapacity(row) == 0 {
			return false
		}
	}
	return true
}

// pricesOf reads the prices of an explanation, by row.
func pricesOf(env *cluster.Environment, l Limits) []float64 {
	price := make([]float64, env.Rows())
	for _, u := range l.UsedUp {
		for row := range price {
			if env.RowName(row) == u.Name {
				price[row] = u.Price
			}
		}
	}
	return price
}

// envyPricesOf reads the prices of rows against envy of an explanation.
func envyPricesOf(env *cluster.Environment, l Limits) [][]float64 {
	number, price := map[string]int{}, make([][]float64, len(env.Users))
	for j := range env.Users {
		number[env.Users[j].Name], price[j] = j, make([]float64, len(env.Users))
	}
	for _, r := range l.EnvyRows {
		price[number[r.Envier]][number[r.Envied]] += r.Price
	}
	return price
}

// value is what the prices prove: Σ π·c − Σ q·floor.
func (d *dual) value() float64 {
	sum := 0.0
	for row, price := range d.price {
		sum += price * d.env.RowCapacity(row)
	}
	for i, floor := range d.floor {
		if i == d.j || floor == 0 {
			continue
		}
		least := math.Inf(1)
		for s := range d.env.Servers {
			if d.hosts(i, s) {
				least = min(least, d.costOf(i, s))
			}
		}
		sum -= least * floor
	}
	return sum
}

// between returns the least and the largest price of a capacity in all dual solutions. Its
// variables are the prices of the capacities, what a task of every user costs at least, and
// the prices of the rows against envy.
func (d *dual) between(t *testing.T, row int, optimum float64) (low, high float64) {
	k, n := len(d.price), len(d.floor)
	rows := func() []float64 { return make([]float64, k+n+len(d.envy)*n) }
	for _, sign := range []float64{-1, 1} {
		p := &twin.LP{C: rows()}
		p.C[row] = sign
		worth := rows() // Σ π·c − Σ q·floor ≤ the optimum
		for r := range k {
			worth[r] = d.env.RowCapacity(r)
		}
		for i := range n {
			if i != d.j {
				worth[k+i] = -d.floor[i]
			}
			for s := range d.env.Servers {
				if !d.hosts(i, s) || i != d.j && d.floor[i] == 0 && d.envy == nil {
					continue
				}
				a := rows()
				for r := range k {
					a[r] = d.coefficient(i, s, r)
				}
				for v := range d.envy {
					if v != i {
						a[k+n+v*n+i], a[k+n+i*n+v] = twin.Worth(d.env, v, i, s), -1
					}
				}
				switch {
				case i == d.j:
					p.Add(a, twin.GE, 1)
				default:
					a[k+i] = -1
					p.Add(a, twin.GE, 0)
				}
			}
		}
		p.Add(worth, twin.LE, optimum*(1+1e-9))
		sol, err := p.Solve()
		if err != nil {
			return math.Inf(-1), math.Inf(1) // unbounded, or beyond what the tableau can do
		}
		if sign < 0 {
			low = -sol.Value
		} else {
			high = sol.Value
		}
	}
	return low, high
}

// What the explanation says bounds a user is a dual solution of the program that the test
// states: feasible, tight where it has a price, of the value of an independent linear
// program, and the same where there is but one.
func TestPricesAreDualSolutions(t *testing.T) {
	for _, name := range []string{"tsf-er", "cdrf", "drfh", "drf-er", "cmmf-cpu", "egalitarian", "mnw", "utilitarian", "ru", "cru"} {
		t.Run(name, func(t *testing.T) {
			proved, unique, later, envious := 0, 0, 0, 0
			explained(t, name, 6, func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation) {
				norm := normOf(t, name, env)
				for j, u := range e.Users {
					if u.Limits.By == ByTasks || u.Limits.By == ByHosting {
						continue
					}
					want := map[bool]string{true: ByShares, false: ByOthers}[norm != nil]
					if name == "cru" && len(u.Limits.EnvyRows) > 0 {
						want = ByEnvy
						envious++
					}
					if u.Limits.By != want {
						t.Errorf("user %s is limited by %s (%s), want %s", u.Name, u.Limits.By, u.Limits.Reason, want)
						continue
					}
					proved++
					d := &dual{env: env, j: j, floor: floorsOf(env, a, norm, j), price: pricesOf(env, u.Limits)}
					if name == "cru" {
						d.envy = envyPricesOf(env, u.Limits)
					}
					for i := range d.floor {
						if i != j && d.floor[i] == 0 && a.Tasks[i] > 0 {
							later++
							break
						}
					}
					unique += d.check(t, a, u)
				}
			})
			t.Logf("%d users, %d of them before another one is full, %d with prices of envy; %d prices are unique", proved, later, envious, unique)
			if name == "cru" && envious < 10 {
				t.Errorf("only %d users are limited by envy", envious)
			}
			if proved < 50 || unique < 20 {
				t.Errorf("only %d users and %d unique prices were looked at", proved, unique)
			}
		})
	}
}

// normOf returns N of an egalitarian rule, nil of another.
func normOf(t *testing.T, name string, env *cluster.Environment) []float64 {
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := p.(policies.Normalizer)
	if !ok {
		return nil
	}
	norm, err := n.Normalize(env)
	if err != nil {
		t.Fatal(err)
	}
	return norm
}

// larger reports whether i has a larger share than j; one with an infinite N is filled
// before all others, and has a share of its tasks over its weight.
func larger(env *cluster.Environment, a *cluster.Allocation, norm []float64, i, j int) bool {
	if norm == nil || math.IsInf(norm[i], 1) != math.IsInf(norm[j], 1) {
		return norm != nil && math.IsInf(norm[j], 1)
	}
	share := func(j int) float64 { return a.Tasks[j] / min(norm[j], 1e200) / env.Users[j].Weight }
	return share(i) > share(j)*(1+1e-7)
}

// floorsOf is what the others keep in the program of user j.
func floorsOf(env *cluster.Environment, a *cluster.Allocation, norm []float64, j int) []float64 {
	floor := make([]float64, len(a.Tasks))
	for i := range floor {
		if i != j && !larger(env, a, norm, i, j) {
			floor[i] = a.Tasks[i]
		}
	}
	return floor
}

// check checks the prices of one user, and returns how many of them are unique.
func (d *dual) check(t *testing.T, a *cluster.Allocation, u User) (unique int) {
	t.Helper()
	usage := make([]float64, len(d.price))
	for i := range d.env.Users {
		for s, x := range a.On(i) {
			for row := range usage {
				usage[row] += x * d.coefficient(i, s, row)
			}
		}
	}
	for row, price := range d.price {
		if c := d.env.RowCapacity(row); price < 0 || price > 0 && usage[row] < c*(1-1e-9) {
			t.Errorf("user %s: %s has the price %g, and %g of %g are used", u.Name, d.env.RowName(row), price, usage[row], c)
		}
	}
	for s := range d.env.Servers {
		if d.hosts(d.j, s) && d.costOf(d.j, s) < 1-1e-9 {
			t.Errorf("user %s: a task on server %d costs %g", u.Name, s, d.costOf(d.j, s))
		}
	}
	for i := range d.env.Users {
		for s := range d.env.Servers {
			if d.hosts(i, s) && d.costOf(i, s) < -1e-9*u.Tasks {
				t.Errorf("user %s: a task of user %d on server %d costs %g", u.Name, i, s, d.costOf(i, s))
			}
		}
	}
	for _, r := range u.Limits.EnvyRows {
		if r.Price <= 0 || math.Abs(r.Worth-r.Has) > 1e-9*r.Has {
			t.Errorf("user %s: a row against envy has the price %g, and %g is not %g", u.Name, r.Price, r.Worth, r.Has)
		}
	}
	best, err := twin.Linear(d.env, unit(len(d.floor), d.j), d.floor, d.envy != nil)
	if err != nil {
		t.Logf("user %s: the twin has no answer: %v", u.Name, err)
		return 0
	}
	tolerance := 1e-7 * max(best.Value, 1e-6*d.env.EtaEligible(d.j))
	for what, v := range map[string]float64{"what it has": u.Tasks, "the bound": *u.Limits.Bound, "the dual value": d.value()} {
		if math.Abs(v-best.Value) > tolerance {
			t.Errorf("user %s: %s is %.12g, the optimum %.12g", u.Name, what, v, best.Value)
		}
	}
	for row, price := range d.price {
		low, high := d.between(t, row, best.Value)
		scale := best.Value / d.env.RowCapacity(row)
		if price < low-1e-6*scale || price > high+1e-6*scale {
			t.Errorf("user %s: %s has the price %g, all solutions have %g to %g", u.Name, d.env.RowName(row), price, low, high)
		}
		if high-low < 1e-5*scale && price > 0 {
			unique++
		}
	}
	return unique
}

func unit(n, j int) []float64 {
	v := make([]float64, n)
	v[j] = 1
	return v
}
