package game

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Game holds what the choices of users depend on: for every user j and server
// s the normalised demand
//
//	d̄[j,s,r] = w[j]·(d[j,r]/c[s,r]) / max_r' (d[j,r']/c[s,r'])
//
// (weights relative to the largest), and the price of a unit of load,
// p[j,s] = max_s' ψ[j,s']/ψ[j,s] with ψ[j,s] = min_r c[s,r]/d[j,r], which is 1
// on servers that are alike and +Inf where j may not or cannot run. With
//
//	load(A) = max_r Σ_{i∈A} d̄[i,s,r]
//
// the KS local rule gives user j, on server s among the users A, the tasks
// w[j]·ψ[j,s]/load(A), so j prefers the server on which load·p is smallest.
//
// The normalised demands are rounded up to whole multiples of 2^-k and kept as
// integers, with k so small that the sum of all of them is exact as a float64
// too: k = 52 - ⌈log2(users+1)⌉, 44 for 150 users. So loads are exact whatever the
// order of joining and leaving, and the game ends where the paper's theorem says
// that it does. A tie of rounded loads is a tie; where the normalised demands have
// a small common denominator, [Game.Denominator] makes it one of the true loads.
type Game struct {
	Users, Servers, Resources int

	alike bool      // one row of need and no prices: all servers are the same to everybody
	need  []int64   // d̄·2^k: user-major, then servers (unless alike), then resources
	price []float64 // p: user-major; empty if alike
	worth []float64 // per user: w·max_s ψ, the tasks of a unit of share
	grid  float64   // 2^k, or the common denominator
	exact bool      // grid is a common denominator: nothing is rounded

	top     []int32  // if alike: the resource of which a user needs most, a unit of the grid
	words   int      // of a set of users
	sorted  bool     // below is ready
	bucket  uint     // what a need is shifted by to find its bucket
	scratch []int64  // a user's needs before
	below   []uint64 // resource-major, then buckets: the users with less need than a bucket has

	// Sure says that every play ends at an equilibrium: all servers are alike
	// to each user that may run there, and all demands are positive.
	Sure bool
}

// Alike prepares a game on identical servers, to be filled with [Game.Set].
// All servers are open to all users.
func (g *Game) Alike(users, servers, resources int) {
	g.size(users, servers, resources)
	g.alike, g.Sure = true, true
	g.need = grow(g.need, users*resources)
	g.price = g.price[:0]
	g.worth, g.top = grow(g.worth, users), grow(g.top, users)
}

func (g *Game) size(users, servers, resources int) {
	if users < 0 || servers < 1 || resources < 1 {
		panic(fmt.Sprintf("game: %d users, %d servers, %d resources", users, servers, resources))
	}
	g.Users, g.Servers, g.Resources = users, servers, resources
	g.words = (users + 63) / 64
	g.grid, g.exact, g.sorted = math.Ldexp(1, 52-bits.Len(uint(users))), false, false
}

// Denominator makes all loads of a game that [Game.Alike] prepared exact: d is a
// common denominator of the normalised demands that will be set, and takes the
// place of 2^k. It reports whether that can be had, which is so for d ≤ 2^k; if
// not, the game is left as it was.
func (g *Game) Denominator(d int64) bool {
	if d < 1 || float64(d) > g.grid {
		return false
	}
	g.grid, g.exact, g.sorted = float64(d), true, false
	return true
}

// Set gives user j of a game that [Game.Alike] prepared its demand; capacity is
// that of every server. A demand of 0 everywhere, and a capacity of 0 of what
// is needed, panic.
func (g *Game) Set(j int, demand, capacity []float64) {
	g.scratch = append(g.scratch[:0], g.Need(j, 0)...)
	need := g.Need(j, 0)
	psi := g.normalise(need, demand, capacity, 1)
	if !(psi > 0) || math.IsInf(psi, 1) {
		panic(fmt.Sprintf("game: user %d can run %g tasks on a server", j, psi))
	}
	g.worth[j], g.top[j] = psi, int32(slices.Index(need, int64(g.grid)))
	g.sorted = g.sorted && slices.Equal(g.scratch, need)
}

// normalise fills in w·d̄ in steps of the grid and returns ψ: 0 where a needed capacity
// is 0, +Inf where nothing is needed.
func (g *Game) normalise(need []int64, demand, capacity []float64, weight float64) float64 {
	largest := 0.0
	for r, d := range demand {
		if d > 0 {
			largest = math.Max(largest, d/capacity[r])
		} else {
			g.Sure = false
		}
	}
	if math.IsInf(largest, 1) || largest == 0 {
		return 1 / largest
	}
	for r, d := range demand {
		need[r] = g.steps(d / capacity[r] / largest * weight)
		if d == 0 {
			need[r] = 0
		}
	}
	return 1 / largest
}

// steps returns a normalised demand in steps of the grid. One that is no multiple
// of 1/d where d was said to be a common denominator panics.
func (g *Game) steps(need float64) int64 {
	x := need * g.grid
	if !g.exact {
		return int64(math.Ceil(x))
	}
	whole := math.Round(x)
	if math.Abs(x-whole) > 0.01 { // rounding makes less than 2^44 · 4·2^-53 of it
		panic(fmt.Sprintf("game: %g is no multiple of 1/%g", need, g.grid))
	}
	return int64(whole)
}

// Need returns d̄[j,s,·], in steps of the grid.
func (g *Game) Need(j, s int) []int64 {
	if !g.alike {
		j = j*g.Servers + s
	}
	return g.need[j*g.Resources : (j+1)*g.Resources]
}

// Price returns p[j,s].
func (g *Game) Price(j, s int) float64 {
	if g.alike {
		return 1
	}
	return g.price[j*g.Servers+s]
}

// Open reports whether user j can run on server s.
func (g *Game) Open(j, s int) bool { return !math.IsInf(g.Price(j, s), 1) }

// Of returns the game on the servers of env, each of which must stand for one
// server (Count 1). A link is one more resource of the one server that it
// reaches. A link that reaches several servers, a task cap, and a user that
// needs nothing on some server are errors: there the game is not defined. A user
// that no server can host is left without a choice, see [Game.Open].
func Of(env *cluster.Environment) (*Game, error) {
	rows, err := single(env)
	if err != nil {
		return nil, err
	}
	g, width := &Game{}, len(env.Resources)
	for _, links := range rows {
		width = max(width, len(env.Resources)+len(links))
	}
	g.size(len(env.Users), len(env.Servers), width)
	g.Sure = true
	g.need = make([]int64, g.Users*g.Servers*width)
	g.price = make([]float64, g.Users*g.Servers)
	g.worth = make([]float64, g.Users)
	heaviest := 0.0
	for j := range env.Users {
		heaviest = math.Max(heaviest, env.Users[j].Weight)
	}
	for j := range env.Users {
		if err := g.enter(env, rows, j, env.Users[j].Weight/heaviest); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// single returns the links of each server, or why env is no game.
func single(env *cluster.Environment) ([][]int, error) {
	rows := make([][]int, len(env.Servers))
	for s := range env.Servers {
		if env.Servers[s].Count != 1 {
			panic(fmt.Sprintf("game: %s is a class of %d servers", env.Servers[s].Name, env.Servers[s].Count))
		}
	}
	for e := range env.Links {
		reached := -1
		for s := range env.Servers {
			if !env.Reaches(e, s) {
				continue
			}
			if reached >= 0 {
				return nil, fmt.Errorf("each server is shared among those who chose it, and link %s couples several", env.Links[e].Name)
			}
			reached = s
			rows[s] = append(rows[s], e)
		}
	}
	for j := range env.Users {
		if !math.IsInf(env.Users[j].Tasks, 1) {
			return nil, fmt.Errorf("the game is defined for unbounded tasks, and users[%d] (%s) has a task cap", j, env.Users[j].Name)
		}
	}
	return rows, nil
}

// enter fills in user j.
func (g *Game) enter(env *cluster.Environment, links [][]int, j int, weight float64) error {
	price := g.price[j*g.Servers : (j+1)*g.Servers]
	most, least := 0.0, math.Inf(1)
	for s := range price {
		demand, capacity := Rows(env, links[s], j, s)
		psi := 0.0
		if env.MayRun(j, s) {
			psi = g.normalise(g.Need(j, s)[:len(demand)], demand, capacity, weight)
		}
		if math.IsInf(psi, 1) {
			return fmt.Errorf("users[%d] (%s) needs nothing of server %s, where any number of its tasks would run", j, env.Users[j].Name, env.Servers[s].Name)
		}
		if price[s] = psi; psi > 0 {
			most, least = math.Max(most, psi), math.Min(least, psi)
			g.Sure = g.Sure && g.sameAs(j, s)
		}
	}
	for s, psi := range price {
		price[s] = most / psi
		if psi == 0 {
			price[s] = math.Inf(1)
		}
	}
	g.worth[j] = weight * most
	g.Sure = g.Sure && (most == least || most == 0)
	return nil
}

// sameAs reports whether user j needs the same on server s as on the first
// that is open to it; price still holds ψ there.
func (g *Game) sameAs(j, s int) bool {
	for first := range s {
		if g.price[j*g.Servers+first] > 0 {
			return slices.Equal(g.Need(j, first), g.Need(j, s))
		}
	}
	return true
}

// Rows returns what a task of j takes on server s, and what there is: of each
// resource, then of the links that lead to s alone.
func Rows(env *cluster.Environment, links []int, j, s int) (demand, capacity []float64) {
	demand = append(demand, env.Demand(j, s)...)
	capacity = append(capacity, env.Servers[s].Capacity...)
	for _, e := range links {
		demand = append(demand, env.LinkDemand(j, e))
		capacity = append(capacity, env.Links[e].Capacity)
	}
	return demand, capacity
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
