package whole

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// kind is what users of the same demands and the same eligibility share.
type kind struct {
	key   string
	user  cluster.User // any of them
	users int          // present; a kind goes with its last user
	need  *cluster.Need
	may   cluster.Set
	// few are the servers that may run it, if these are not many; else nil.
	few []int32
	// least and most bound the demand per resource over the servers that may
	// run it.
	least, most []int64
	down, up    sketch    // of least, then the link demands: rounded down and up
	norm        *norm     // N
	alone       float64   // K: tasks that the empty cluster holds at once
	eta         float64   // η'
	demand      []float64 // of resources, then of links
	support     string    // which of its demands are positive
	failed      uint64    // the last allocation in which it fitted nowhere
}

// kinds finds or makes the kind of a user.
type kinds struct {
	pool  *pool
	norm  func(u *cluster.User) (*norm, error)
	fair  bool
	known map[string]*kind
	norms norms
	key   []byte
}

func (k *kinds) enter(u *cluster.User) (*kind, error) {
	k.key = appendKey(k.key[:0], u)
	if known, ok := k.known[string(k.key)]; ok {
		known.users++
		return known, nil
	}
	made, err := k.make(u)
	if err != nil {
		return nil, fmt.Errorf("job %s: %w", u.Name, err)
	}
	made.key = string(k.key)
	k.known[made.key] = made
	return made, nil
}

func (k *kinds) leave(of *kind) {
	if of.users--; of.users == 0 {
		delete(k.known, of.key)
		k.norms.leave(of.norm)
	}
}

// appendKey writes all that a kind depends on.
func appendKey(key []byte, u *cluster.User) []byte {
	vector := func(values []float64) {
		key = binary.LittleEndian.AppendUint32(key, uint32(len(values)))
		for _, v := range values {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
	}
	vector(u.Demand)
	vector(u.LinkDemand)
	if u.Eligible != nil {
		key = append(key, 1)
		for _, w := range u.Eligible {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
	}
	if len(u.DemandOn) > 0 {
		servers := make([]int, 0, len(u.DemandOn))
		for s := range u.DemandOn {
			servers = append(servers, s)
		}
		slices.Sort(servers)
		for _, s := range servers {
			key = binary.LittleEndian.AppendUint32(append(key, 2), uint32(s))
			vector(u.DemandOn[s])
		}
	}
	return key
}

func (k *kinds) make(u *cluster.User) (*kind, error) {
	env := k.pool.env
	one := *u
	one.Tasks = cluster.Inf
	if err := checkDemands(env, u); err != nil {
		return nil, err
	}
	made := &kind{user: one, users: 1, need: k.pool.Need(u), may: u.Eligible}
	made.bound(env, u)
	made.few = k.pool.few(u.Eligible)
	made.down, made.up = sketchDemand(made.least, made.need.Link)
	made.demand = append(slices.Clone(u.Demand), make([]float64, len(env.Links))...)
	copy(made.demand[len(u.Demand):], u.LinkDemand)
	support := make([]byte, len(made.demand))
	for r, d := range made.demand {
		if d > 0 {
			support[r] = 1
		}
	}
	made.support = string(support)
	made.alone = k.pool.alone(made)
	if made.alone == 0 {
		return made, nil
	}
	if k.fair {
		made.eta = env.With([]cluster.User{one}).EtaEligible(0)
	}
	n, err := k.norm(&made.user)
	if err != nil {
		return nil, err
	}
	made.norm = k.norms.enter(n)
	return made, nil
}

// bound finds the bounds of the demand over eligible servers.
func (k *kind) bound(env *cluster.Environment, u *cluster.User) {
	if u.DemandOn == nil {
		k.least = k.need.On(0)
		k.most = k.least
		return
	}
	for r := range env.Resources {
		low, high := int64(math.MaxInt64), int64(0)
		for s := range env.Servers {
			if u.Eligible.Has(s) {
				low, high = min(low, k.need.On(s)[r]), max(high, k.need.On(s)[r])
			}
		}
		k.least, k.most = append(k.least, low), append(k.most, high)
	}
}

// fewServers is the number of eligible servers up to which a search looks at
// them one by one: then an index of all servers helps little.
const fewServers = 128

// few returns the servers of a set of classes if they are few.
func (p *pool) few(may cluster.Set) []int32 {
	if may == nil {
		return nil
	}
	few, first := []int32{}, 0
	for class, s := range p.env.Servers {
		if may.Has(class) {
			if len(few)+s.Count > fewServers {
				return nil
			}
			for i := range s.Count {
				few = append(few, int32(first+i))
			}
		}
		first += s.Count
	}
	return few
}

// alone returns K, the tasks of a kind that the empty cluster holds at once:
// with every link to all servers min(Σ_s min_r floor(c/d), min_e floor(c/d)).
// Other links bound the servers behind them in the same way. Where links
// overlap without one containing the other it is the optimum with divisible
// tasks, rounded down, which is not less than K and at most 1 for K = 0.
func (p *pool) alone(k *kind) float64 {
	room := make([]float64, len(p.env.Servers)) // per class
	server := 0
	for s, class := range p.env.Servers {
		if k.may.Has(s) {
			room[s] = float64(class.Count) * whole(p.Capacity(server), k.need.On(s))
		}
		server += class.Count
	}
	if len(p.global) == len(p.env.Links) {
		return p.behindAll(k, room)
	}
	small := &cluster.Environment{Resources: []string{"tasks"}}
	user := cluster.NewUser("", []float64{1})
	for s := range room {
		// Capacities have to be finite; no user has this many tasks.
		capacity := []float64{min(room[s], math.MaxInt64)}
		small.Servers = append(small.Servers, cluster.Server{Capacity: capacity, Count: 1})
	}
	for e, all := range p.LinkCapacity() {
		if d := k.need.Link[e]; d > 0 {
			link := p.env.Links[e]
			link.Capacity = float64(all / d)
			small.Links, user.LinkDemand = append(small.Links, link), append(user.LinkDemand, 1)
		}
	}
	small.Users = []cluster.User{user}
	return math.Floor(small.Eta(0) + wholeTolerance)
}

// behindAll returns K where every link reaches all servers.
func (p *pool) behindAll(k *kind, room []float64) float64 {
	total := 0.0
	for _, tasks := range room {
		total += tasks
	}
	for e, all := range p.LinkCapacity() {
		if d := k.need.Link[e]; d > 0 {
			total = min(total, float64(all/d))
		}
	}
	return total
}

// checkDemands checks what the ledger and the fairness figures rely on.
func checkDemands(env *cluster.Environment, u *cluster.User) error {
	if len(u.Demand) != len(env.Resources) || u.LinkDemand != nil && len(u.LinkDemand) != len(env.Links) {
		return fmt.Errorf("%d demands and %d of links, for %d resources and %d links",
			len(u.Demand), len(u.LinkDemand), len(env.Resources), len(env.Links))
	}
	if err := checkAmounts(u.LinkDemand); err != nil {
		return err
	}
	for s := range env.Servers {
		demand := u.Demand
		if on, differs := u.DemandOn[s]; differs {
			demand = on
		}
		if err := checkAmounts(demand); err != nil {
			return err
		}
		if len(demand) != len(env.Resources) || u.Eligible.Has(s) && slices.Max(demand) == 0 {
			return fmt.Errorf("demand %v on server %s: one positive amount is needed, of %d", demand, env.Servers[s].Name, len(env.Resources))
		}
		if u.DemandOn == nil && u.Eligible == nil {
			break // it is the same on all
		}
	}
	return nil
}

func checkAmounts(demand []float64) error {
	for r, d := range demand {
		if !(d >= 0) || math.IsInf(d, 1) {
			return fmt.Errorf("demand[%d] is %g: it has to be finite and not negative", r, d)
		}
	}
	return nil
}

// wholeTolerance is what the optimum of a program in small whole numbers may
// lie below its value from rounding.
const wholeTolerance = 1e-6

// whole returns min over d > 0 of floor(c/d).
func whole(capacity, demand []int64) float64 {
	least := math.Inf(1)
	for r, d := range demand {
		if d > 0 {
			least = min(least, float64(capacity[r]/d))
		}
	}
	return least
}
