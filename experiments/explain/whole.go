package explain

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// What bounds a user of whole tasks, beside [ByTasks].
const (
	// ByServers: the next task of the user fits on no server.
	ByServers = "servers"
	// ByScheduler: it fits on some, and has not been started there.
	ByScheduler = "scheduler"
)

// Held is what a user has of whole tasks at a time.
type Held struct {
	// On is the number of its tasks that run on each single server, numbered class by
	// class as in [cluster.Ledger].
	On map[int]int
	// Waiting and Done count its tasks that do not run.
	Waiting, Done int64
}

// Tasks are the tasks of a user, where they are whole.
type Tasks struct {
	Running int64 `json:"running"`
	Waiting int64 `json:"waiting"`
	Done    int64 `json:"done"`
	// Nearest is the server that lacks least for the next task of a user with tasks that
	// wait; null where the task fits on one, or no server may run it.
	Nearest *Nearest `json:"nearest,omitempty"`
	// Lacks says of each class that may run the user why its next task fits on none of
	// its servers, or on which it does; of a user with tasks that wait.
	Lacks []Lack `json:"lacks"`
}

// Nearest is a server and what it lacks for one more task.
type Nearest struct {
	Server string   `json:"server"` // its class
	Number int      `json:"number"` // in the class, from 0
	Lacks  []Amount `json:"lacks"`  // what is missing of each resource and link
}

// Amount is an amount of a resource or of a link.
type Amount struct {
	Resource string  `json:"resource,omitempty"`
	Link     string  `json:"link,omitempty"`
	Amount   float64 `json:"amount"`
}

// Free are servers of a class that have the same amounts free.
type Free struct {
	Server  string    `json:"server"`  // the class
	Numbers []int     `json:"numbers"` // in the class, from 0
	Free    []float64 `json:"free"`    // by resource, in the order of the environment
}

// Lack says what a class of servers lacks for one more task of a user.
type Lack struct {
	Server  string `json:"server"`  // the class
	Servers int    `json:"servers"` // in it
	Fits    int    `json:"fits"`    // how many have room for the task, links included
	// Short counts the servers that have too little of a resource, and all of them
	// for a link to them of which too little is left.
	Short []Short `json:"short"`
}

// Short is a resource or a link of which servers have too little for one more task.
type Short struct {
	Resource string `json:"resource,omitempty"`
	Link     string `json:"link,omitempty"`
	Servers  int    `json:"servers"`
}

// Whole says why each user runs what it runs where tasks are whole: what is used, what a
// task that waits lacks on each class of servers, envy for what others run, and what the
// user would have alone and in an equal division. n[j] of the environment are the tasks
// that are not done. The share is x/(w·N) of an egalitarian rule, and x/η of any other;
// rule is nil where users are served in order of arrival. All is counted exactly
// ([cluster.Ledger]); it is an error if what runs does not fit.
//
// Whole tasks have no prices, and a lie would change which tasks ran where ever since, so
// neither is said of them. [Explanation.WithFluid] adds those of a division.
func Whole(name, title string, rule policies.Policy, env *cluster.Environment, held []Held, users []int) (*Explanation, error) {
	ledger := cluster.NewLedger(env)
	a, err := running(ledger, env, held)
	if err != nil {
		return nil, err
	}
	if err := sharesOf(rule, a); err != nil {
		return nil, err
	}
	e := &Explanation{Policy: name, Title: title, Capacities: capacities(a), Users: []User{}, Resources: env.Resources, Free: free(ledger, env)}
	e.count(ledger)
	for _, s := range env.Servers {
		e.Servers = append(e.Servers, s.Name)
	}
	judge := fair.NewJudge(env)
	for j := range env.Users {
		if users != nil && !slices.Contains(users, j) {
			continue
		}
		u := user(env, a, j)
		u.Whole = &Tasks{Running: int64(a.Tasks[j]), Waiting: held[j].Waiting, Done: held[j].Done, Lacks: []Lack{}}
		u.Limits = Limits{By: ByTasks, UsedUp: []UsedUp{}, Rivals: []Rival{}}
		if held[j].Waiting > 0 {
			u.Limits.By = u.Whole.wait(ledger, env, j)
			if u.Limits.By == ByServers {
				u.Whole.Nearest = nearest(ledger, env, j)
			}
		}
		u.Envy = envy(judge, a, j)
		e.Users = append(e.Users, u)
	}
	return e, nil
}

// running takes what runs from the ledger, and returns it as an allocation.
func running(ledger *cluster.Ledger, env *cluster.Environment, held []Held) (*cluster.Allocation, error) {
	n, width := len(env.Users), len(env.Servers)
	a := &cluster.Allocation{Region: env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n)}
	for j := range held {
		need := ledger.Need(&env.Users[j])
		for server := range ledger.Servers() {
			for range held[j].On[server] {
				if !ledger.Fits(need, server) {
					return nil, fmt.Errorf("what runs of user %q does not fit on server %d of the cluster", env.Users[j].Name, server)
				}
				ledger.Take(need, server)
				a.X[j*width+ledger.Class(server)]++
				a.Tasks[j]++
			}
		}
	}
	return a, nil
}

// sharesOf fills in the shares.
func sharesOf(rule policies.Policy, a *cluster.Allocation) error {
	norm := a.Region.Etas(nil)
	if n, ok := rule.(policies.Normalizer); ok {
		var err error
		if norm, err = n.Normalize(a.Region); err != nil {
			return err
		}
		for j := range norm {
			norm[j] *= a.Region.Users[j].Weight
		}
	}
	for j, x := range a.Tasks {
		if x > 0 {
			a.Share[j] = x / norm[j]
		}
	}
	return nil
}

// wait says what the next task of user j lacks, and what bounds the user.
func (t *Tasks) wait(ledger *cluster.Ledger, env *cluster.Environment, j int) string {
	need, by := ledger.Need(&env.Users[j]), ByServers
	first := 0 // server of the class
	for s := range env.Servers {
		count := env.Servers[s].Count
		if env.MayRun(j, s) {
			l := lack(ledger, env, need, s, first)
			if l.Fits > 0 {
				by = ByScheduler
			}
			t.Lacks = append(t.Lacks, l)
		}
		first += count
	}
	return by
}

// counts says how many tasks a user has.
func (t *Tasks) counts() string {
	return fmt.Sprintf("%d running, %d waiting, %d done", t.Running, t.Waiting, t.Done)
}

// verb is a number of servers with a verb.
func verb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
