package game

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/fair"
)

// MostAssociations is the largest number of associations that a [Table] goes
// through.
const MostAssociations = 1 << 22

// Table holds what a local rule gives every user in every company: the whole of
// a small game.
type Table struct {
	Users, Servers int
	tasks          [][]float64 // server·2^users + company: tasks of its members, in order; nil: not asked yet
	rule           fair.Local
}

// NewTable returns the table of a local rule, which is asked as the entries are
// needed. A game of more than
// [MostAssociations], or more than 20 users, panics.
func NewTable(users, servers int, rule fair.Local) *Table {
	if users > 20 || math.Pow(float64(servers), float64(users)) > MostAssociations {
		panic(fmt.Sprintf("game: %d users on %d servers are too many to enumerate", users, servers))
	}
	return &Table{users, servers, make([][]float64, servers<<users), rule}
}

// tasksOf returns what user j receives on server s among the users of a set, of
// which it is one.
func (t *Table) tasksOf(j, s int, company uint) (float64, error) {
	at := s<<t.Users | int(company)
	if t.tasks[at] == nil {
		var users []int
		for i := range t.Users {
			if company>>i&1 == 1 {
				users = append(users, i)
			}
		}
		tasks, err := t.rule(s, users)
		if err != nil {
			return 0, err
		}
		all := make([]float64, t.Users)
		for i, who := range users {
			all[who] = tasks[i]
		}
		t.tasks[at] = all
	}
	return t.tasks[at][j], nil
}

// Gain returns the largest factor by which some user would gain by moving from
// the association, and that move; at most 1 at an equilibrium, 0 where nobody
// could move. A user that has nothing and would have something gains +Inf.
func (t *Table) Gain(at []int) (factor float64, user, to int, err error) {
	sets := make([]uint, t.Servers)
	for j, s := range at {
		sets[s] |= 1 << j
	}
	user, to = -1, -1
	for j, from := range at {
		now, err := t.tasksOf(j, from, sets[from])
		if err != nil {
			return 0, -1, -1, err
		}
		for s := range sets {
			if s == from {
				continue
			}
			then, err := t.tasksOf(j, s, sets[s]|1<<j)
			if err != nil {
				return 0, -1, -1, err
			}
			if f := then / now; then > 0 && (user < 0 || f > factor) {
				factor, user, to = f, j, s
			}
		}
	}
	return factor, user, to, nil
}

// Equilibria returns all associations in which no user gains by moving, by more
// than the relative tolerance, in order of the users' servers.
func (t *Table) Equilibria(tolerance float64) ([][]int, error) {
	var found [][]int
	err := t.each(func(at []int, factor float64) bool {
		if factor <= 1+tolerance {
			found = append(found, append([]int(nil), at...))
		}
		return true
	})
	return found, err
}

// Calm returns Σ max(0, margin - gain) over all associations with the [Table.Gain]
// of each, and the least gain, which is above 1 exactly where there is no
// equilibrium: what a search for a game without an equilibrium
// lowers. Unlike the least gain alone it falls with every equilibrium that is
// made less stable.
func (t *Table) Calm(margin float64) (calm, least float64, err error) {
	least = math.Inf(1)
	err = t.each(func(_ []int, factor float64) bool {
		calm += math.Max(0, margin-factor)
		least = math.Min(least, factor)
		return true
	})
	return calm, least, err
}

// each calls f for every association until it returns false.
func (t *Table) each(f func(at []int, factor float64) bool) error {
	at := make([]int, t.Users)
	for {
		factor, _, _, err := t.Gain(at)
		if err != nil {
			return err
		}
		if !f(at, factor) {
			return nil
		}
		j := t.Users - 1
		for ; j >= 0 && at[j] == t.Servers-1; j-- {
			at[j] = 0
		}
		if j < 0 {
			return nil
		}
		at[j]++
	}
}

// UpToNaming returns the associations that differ in more than the names of
// the servers, each once, with servers numbered as the users come to them.
func UpToNaming(all [][]int) [][]int {
	var different [][]int
	seen := map[string]bool{}
	for _, at := range all {
		name := map[int]int{}
		plain := make([]int, len(at))
		for j, s := range at {
			if _, known := name[s]; !known {
				name[s] = len(name)
			}
			plain[j] = name[s]
		}
		if key := fmt.Sprint(plain); !seen[key] {
			seen[key] = true
			different = append(different, plain)
		}
	}
	return different
}

// Cyclic reports whether users who improve by more than the relative tolerance,
// one at a time and each to any server that is better for it, can come back to
// an association: whether the game lacks the finite improvement property.
func (t *Table) Cyclic(tolerance float64) (bool, error) {
	better, err := t.improvements(tolerance)
	if err != nil {
		return false, err
	}
	// Associations that no move leads to are taken out until none is left, or
	// only those on and behind a cycle.
	into := make([]int, len(better))
	for _, moves := range better {
		for _, to := range moves {
			into[to]++
		}
	}
	var free []int
	for state, k := range into {
		if k == 0 {
			free = append(free, state)
		}
	}
	taken := 0
	for ; len(free) > 0; taken++ {
		state := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range better[state] {
			if into[to]--; into[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return taken < len(better), nil
}

// improvements lists the associations that one improving move leads to, for
// each association; user 0 is the lowest digit of its number.
func (t *Table) improvements(tolerance float64) ([][]int, error) {
	weight := make([]int, t.Users+1)
	weight[0] = 1
	for j := range t.Users {
		weight[j+1] = weight[j] * t.Servers
	}
	better := make([][]int, weight[t.Users])
	sets := make([]uint, t.Servers)
	for state := range better {
		clear(sets)
		for j := range t.Users {
			sets[state/weight[j]%t.Servers] |= 1 << j
		}
		for j := range t.Users {
			from := state / weight[j] % t.Servers
			now, err := t.tasksOf(j, from, sets[from])
			if err != nil {
				return nil, err
			}
			for s := range sets {
				if s == from {
					continue
				}
				then, err := t.tasksOf(j, s, sets[s]|1<<j)
				if err != nil {
					return nil, err
				}
				if then > now*(1+tolerance) {
					better[state] = append(better[state], state+(s-from)*weight[j])
				}
			}
		}
	}
	return better, nil
}
