package audit

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// Proof is a violation in exact numbers.
type Proof struct {
	User string // whose numbers these are; "" for all users together
	What string // what the numbers are
	// Has is what there is, and Wants what the property asks for, or what the
	// user gets after a change: they differ the way the property forbids.
	Has, Wants *big.Rat
}

// String writes the two numbers.
func (p Proof) String() string {
	who := "all users together"
	if p.User != "" {
		who = fmt.Sprintf("user %q", p.User)
	}
	return fmt.Sprintf("%s, %s: %s against %s", who, p.What, p.Has.RatString(), p.Wants.RatString())
}

// errNotProved says that the violation does not hold in exact numbers.
var errNotProved = errors.New("audit: no violation in exact arithmetic")

// Verify repeats a violation in rational arithmetic: the rule's allocations are
// made rational and verified to be allocations of the rule, and the property is
// judged on them. An error says what could not be verified; it does not mean
// that the violation is wrong, unless the rule's answer was verified and the
// property holds.
func Verify(rule Rule, p policies.Property, c Case) (Proof, error) {
	proof, known := proofs[p]
	if !known {
		return Proof{}, fmt.Errorf("audit: %s is not stated in rational numbers", p)
	}
	return proof(rule, c)
}

var proofs map[policies.Property]func(rule Rule, c Case) (Proof, error)

func init() {
	proofs = map[policies.Property]func(rule Rule, c Case) (Proof, error){
		policies.EF: proveEnvy, policies.SI: proveSharing, policies.PO: proveDomination, policies.SP: proveLie,
		policies.PM: provePopulation, policies.SPL: proveSplit, policies.RM: proveGrowth, policies.SID: provePools,
		policies.SPD: proveLieWithPool(policies.SPD), policies.SPU: proveLieWithPool(policies.SPU),
		policies.BF:  proveReference(fair.BottleneckFairness),
		policies.SRF: proveReference(fair.SingleResourceFairness),
		policies.SMF: proveReference(fair.SingleMachineFairness),
	}
}

// closeness is how near a rational number must be to the solver's to be tried.
const closeness = 1e-7

// exactly returns the rule's allocation in rational numbers: the simplest
// numbers near the solver's or, where those are not an allocation of the rule,
// the solver's servers with the simplest totals near its own. What is returned
// has been verified to be an allocation of the rule.
func (r Rule) exactly(env *cluster.Environment) (*exact.Environment, [][]*big.Rat, error) {
	verifier, ok := r.Policy.(policies.Verifier)
	if !ok {
		return nil, nil, fmt.Errorf("audit: %s is not stated in rational numbers", r.Meta.Name)
	}
	a, err := r.allocate(env)
	if err != nil {
		return nil, nil, err
	}
	if len(a.Region.Servers) != len(env.Servers) {
		return nil, nil, fmt.Errorf("audit: %s allocates from other servers", r.Meta.Name)
	}
	e, x := exact.New(env), simplest(a)
	first := verifier.Verify(env, x)
	if first == nil {
		return e, x, nil
	}
	if x, err = spreadOut(e, a); err == nil {
		err = verifier.Verify(env, x)
	}
	if err != nil {
		return nil, nil, first
	}
	return e, x, nil
}

// simplest returns the simplest rational numbers near an allocation.
func simplest(a *cluster.Allocation) [][]*big.Rat {
	x := make([][]*big.Rat, len(a.Tasks))
	for j := range x {
		alone := a.Region.EtaEligible(j)
		for _, v := range a.On(j) {
			if v <= closeness*alone {
				v = 0
			}
			x[j] = append(x[j], exact.Nearest(v, closeness))
		}
	}
	return x
}

// spreadOut finds an allocation of the simplest totals near those of a on the
// servers that a uses.
func spreadOut(e *exact.Environment, a *cluster.Allocation) ([][]*big.Rat, error) {
	p := e.Region(0)
	for j, total := range a.Tasks {
		p.Equal(e.Total(j), exact.Nearest(total, closeness))
	}
	for i, v := range a.X {
		if v <= closeness*a.Region.EtaEligible(i/len(a.Region.Servers)) {
			p.AtMost(map[int]*big.Rat{i: big.NewRat(1, 1)}, new(big.Rat))
		}
	}
	_, columns, err := p.Maximize(nil)
	if err != nil {
		return nil, err
	}
	return e.Unflatten(columns), nil
}

func proveEnvy(rule Rule, c Case) (Proof, error) {
	e, x, err := rule.exactly(c.Env)
	if err != nil {
		return Proof{}, err
	}
	for j, own := range exact.Totals(x) {
		for i := range x {
			if other := e.Utility(j, i, x); i != j && other.Cmp(own) > 0 {
				return Proof{e.Names[j], fmt.Sprintf("tasks with its own bundle and with that of user %q", e.Names[i]), own, other}, nil
			}
		}
	}
	return Proof{}, errNotProved
}

func proveSharing(rule Rule, c Case) (Proof, error) {
	e, x, err := rule.exactly(c.Env)
	if err != nil {
		return Proof{}, err
	}
	shares, err := e.EqualShares()
	if err != nil {
		return Proof{}, err
	}
	return below(e, exact.Totals(x), shares, "tasks and equal share")
}

// below finds a user who has less than it should.
func below(e *exact.Environment, has, wants []*big.Rat, what string) (Proof, error) {
	for j := range has {
		if has[j].Cmp(wants[j]) < 0 {
			return Proof{e.Names[j], what, has[j], wants[j]}, nil
		}
	}
	return Proof{}, errNotProved
}

func proveDomination(rule Rule, c Case) (Proof, error) {
	e, x, err := rule.exactly(c.Env)
	if err != nil {
		return Proof{}, err
	}
	totals, sum := exact.Totals(x), new(big.Rat)
	for _, total := range totals {
		sum.Add(sum, total)
	}
	best, _, err := e.Dominated(totals)
	if err != nil {
		return Proof{}, err
	}
	if best.Cmp(sum) <= 0 {
		return Proof{}, errNotProved
	}
	return Proof{"", "tasks and tasks without anybody's loss", sum, best}, nil
}

func proveLie(rule Rule, c Case) (Proof, error) {
	honest, x, err := rule.exactly(c.Env)
	if err != nil {
		return Proof{}, err
	}
	told, y, err := rule.exactly(Told(c))
	if err != nil {
		return Proof{}, err
	}
	truth := honest.Only(c.User)
	before, err := honest.Held(c.User, x, truth)
	if err != nil {
		return Proof{}, err
	}
	after, err := told.Held(c.User, y, truth)
	if err != nil {
		return Proof{}, err
	}
	if after.Cmp(before) <= 0 {
		return Proof{}, errNotProved
	}
	return Proof{honest.Names[c.User], "true tasks when honest and when lying", before, after}, nil
}

func provePopulation(rule Rule, c Case) (Proof, error) {
	var rest []int
	for j := range c.Env.Users {
		if j != c.User {
			rest = append(rest, j)
		}
	}
	return rule.proveSetback(c.Env, c.Env.Subset(rest), "tasks after the departure and before")
}

func proveSplit(rule Rule, c Case) (Proof, error) {
	return rule.proveSetback(c.Env, Split(c), "tasks after the split and before")
}

func proveGrowth(rule Rule, c Case) (Proof, error) {
	return rule.proveSetback(c.Env, Grown(c), "tasks after the growth and before")
}

func (r Rule) proveSetback(before, after *cluster.Environment, what string) (Proof, error) {
	e, x, err := r.exactly(before)
	if err != nil {
		return Proof{}, err
	}
	f, y, err := r.exactly(after)
	if err != nil {
		return Proof{}, err
	}
	had, has := exact.Totals(x), exact.Totals(y)
	var was []*big.Rat
	for _, name := range f.Names {
		for j := range e.Names {
			if e.Names[j] == name {
				was = append(was, had[j])
			}
		}
	}
	return below(f, has, was, what)
}

func provePools(rule Rule, c Case) (Proof, error) {
	env, _, _ := Entitled(rule, c)
	if env == nil {
		return Proof{}, ErrOutside
	}
	e, x, err := rule.exactly(env)
	if err != nil {
		return Proof{}, err
	}
	k := make([]*big.Rat, e.Users())
	for j := range k {
		if k[j], err = inPool(e, j, c); err != nil {
			return Proof{}, err
		}
	}
	return below(e, exact.Totals(x), k, "tasks and tasks in the pool of its own")
}

// inPool returns k[j], what user j of e can run in the pool that it has in the case.
func inPool(e *exact.Environment, j int, c Case) (*big.Rat, error) {
	pool, may := e.Only(j), make([]bool, e.Servers())
	for s, owner := range c.Owner {
		may[s] = owner >= 0 && c.Env.Users[owner].Name == e.Names[j] && e.May[j][s]
	}
	pool.May = [][]bool{may}
	k, _, err := pool.Region(0).Maximize(pool.Total(0))
	return k, err
}

func proveReference(of func(env *cluster.Environment) (fair.Reference, bool)) func(Rule, Case) (Proof, error) {
	return func(rule Rule, c Case) (Proof, error) {
		ref, ok := of(c.Env)
		if !ok {
			return Proof{}, ErrOutside
		}
		e, x, err := rule.exactly(c.Env)
		if err != nil {
			return Proof{}, err
		}
		norm := make([]*big.Rat, e.Users())
		for j := range norm {
			norm[j] = exact.Nearest(ref.Norm[j], 1e-14)
		}
		want, err := e.MaxMin(norm)
		if err != nil {
			return Proof{}, err
		}
		return below(e, exact.Totals(x), want, "tasks and tasks in "+ref.What)
	}
}
