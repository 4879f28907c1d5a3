package whole

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// kind is what users of the same demands and the same eligibility share.
type kind struct {
	waiting.Kind
	key   string
	user  cluster.User // any of them
	users int          // present; a kind goes with its last user
	norm  *order.Norm  // N
	alone float64      // K: tasks that the empty cluster holds at once
	eta   float64      // η'
}

// kinds finds or makes the kind of a user.
type kinds struct {
	env           *cluster.Environment
	servers       *waiting.Servers
	norm          func(u *cluster.User) (*order.Norm, error)
	fair          bool // η' is asked for
	linksReachAll bool
	known         map[string]*kind
	norms         order.Norms
	key           []byte    // scratch
	room          []float64 // scratch
	alike         []int     // per class: the group of those with the same capacities
	groups        []group
}

// group is the servers of the same capacities.
type group struct {
	server  int     // one of them
	servers float64 // of all classes
	may     float64 // scratch: of those that may run a user
}

func newKinds(env *cluster.Environment, servers *waiting.Servers, norm func(u *cluster.User) (*order.Norm, error), fair bool) kinds {
	k := kinds{env: env, servers: servers, norm: norm, fair: fair, known: map[string]*kind{}, norms: order.NewNorms(), linksReachAll: true}
	for e := range env.Links {
		for s := range env.Servers {
			k.linksReachAll = k.linksReachAll && env.Reaches(e, s)
		}
	}
	k.group()
	return k
}

// group finds which classes have the same capacities.
func (k *kinds) group() {
	known, server := map[string]int{}, 0
	for s := range k.env.Servers {
		var key []byte
		for _, units := range k.servers.Capacity(server) {
			key = binary.LittleEndian.AppendUint64(key, uint64(units))
		}
		g, ok := known[string(key)]
		if !ok {
			g = len(k.groups)
			known[string(key)], k.groups = g, append(k.groups, group{server: server})
		}
		k.alike = append(k.alike, g)
		k.groups[g].servers += float64(k.env.Servers[s].Count)
		server += k.env.Servers[s].Count
	}
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
		k.norms.Leave(of.norm)
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
	env := k.env
	one := *u
	one.Tasks = cluster.Inf
	if err := checkDemands(env, u); err != nil {
		return nil, err
	}
	made := &kind{user: one, users: 1}
	k.servers.Describe(u, &made.Kind)
	made.alone = k.aloneOf(&made.Kind)
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
	made.norm = k.norms.Enter(n)
	return made, nil
}

// aloneOf returns K, the tasks of a kind that the empty cluster holds at once:
// with every link to all servers min(Σ_s min_r floor(c/d), min_e floor(c/d)).
// Other links bound the servers behind them in the same way. Where links
// overlap without one containing the other it is the optimum with divisible
// tasks, rounded down, which is not less than K and at most 1 for K = 0.
func (all *kinds) aloneOf(k *waiting.Kind) float64 {
	p, env := all.servers, all.env
	if all.linksReachAll {
		if total := all.roomOf(k); total <= exactly {
			return all.behindAll(k, total)
		}
	}
	all.room = slices.Grow(all.room[:0], len(env.Servers))[:len(env.Servers)]
	room, server := all.room, 0 // per class
	for s := range env.Servers {
		count := env.Servers[s].Count
		if room[s] = 0; k.May.Has(s) {
			room[s] = float64(count) * whole(p.Capacity(server), k.Need.On(s))
		}
		server += count
	}
	if all.linksReachAll {
		total := 0.0
		for _, tasks := range room {
			total += tasks
		}
		return all.behindAll(k, total)
	}
	small := &cluster.Environment{Resources: []string{"tasks"}}
	user := cluster.NewUser("", []float64{1})
	for s := range room {
		// Capacities have to be finite; no user has this many tasks.
		capacity := []float64{min(room[s], math.MaxInt64)}
		small.Servers = append(small.Servers, cluster.Server{Capacity: capacity, Count: 1})
	}
	for e, units := range p.LinkCapacity() {
		if d := k.Need.Link[e]; d > 0 {
			link := env.Links[e]
			link.Capacity = float64(units / d)
			small.Links, user.LinkDemand = append(small.Links, link), append(user.LinkDemand, 1)
		}
	}
	small.Users = []cluster.User{user}
	return math.Floor(small.Eta(0) + wholeTolerance)
}

// exactly is the largest number up to which sums of whole numbers in doubles are exact, in
// any order.
const exactly = 1 << 53

// roomOf returns Σ_s min_r floor(c/d) over the servers that may run a kind, group by group,
// for a demand that is the same everywhere; +Inf for others.
func (all *kinds) roomOf(k *waiting.Kind) float64 {
	if !k.Need.Uniform() {
		return math.Inf(1)
	}
	for g := range all.groups {
		all.groups[g].may = all.groups[g].servers
		if k.May != nil {
			all.groups[g].may = 0
		}
	}
	for i, set := range k.May {
		for ; set != 0; set &= set - 1 {
			if s := i<<6 + bits.TrailingZeros64(set); s < len(all.alike) {
				all.groups[all.alike[s]].may += float64(all.env.Servers[s].Count)
			}
		}
	}
	total := 0.0
	for _, g := range all.groups {
		if g.may > 0 {
			total += g.may * whole(all.servers.Capacity(g.server), k.Need.On(0))
		}
	}
	return total
}

// behindAll returns K where every link reaches all servers, which hold so many tasks.
func (all *kinds) behindAll(k *waiting.Kind, total float64) float64 {
	for e, units := range all.servers.LinkCapacity() {
		if d := k.Need.Link[e]; d > 0 {
			total = min(total, float64(units/d))
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
		if u.DemandOn == nil && (u.Eligible == nil || slices.Max(demand) > 0) {
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
