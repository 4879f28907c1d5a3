package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// File is the name of the file of a witness, and Changed that of the
// environment after the change, if there is one.
func (a *Answer) File() string {
	name := fileName(cmp.Or(a.Rule.Text, a.Rule.Meta.Name)) + "-" + string(a.Property) + ".json"
	if a.Cell != nil {
		name = a.Cell.Paper + "-" + a.Cell.Item + "-" + name
	}
	return name
}

// fileName returns the text form of a rule as a part of a name of a file: two sets of
// parameters have two files.
func fileName(rule string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-", r)) {
			return r
		}
		return '-'
	}, rule), "-")
}

// Changed returns the name that goes with a witness's file for the environment
// after the change.
func Changed(file string) string { return beside(file, "changed") }

// Pools returns the name that goes with a witness's file for the environment in which
// every user has its dedicated pool only.
func Pools(file string) string { return beside(file, "pools") }

func beside(file, what string) string {
	return strings.TrimSuffix(file, ".json") + "." + what + ".json"
}

// pooled reports whether the weights of a property's witnesses come from pools.
func pooled(p policies.Property) bool { return p == policies.SPD || p == policies.SPU }

// Files returns the files of a witness: the environment and, for a property
// that compares two allocations, what it becomes: with the lie, without the
// user who leaves, with the larger capacity; for dedicated pools, with every
// user confined to its pool. Where the weights of a lie come from pools, these are a
// third.
func (a *Answer) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	env, after := Environments(a.Question, a.Found.Case)
	all := map[string]*cluster.Environment{a.File(): env, Changed(a.File()): after}
	if pooled(a.Property) {
		all[Pools(a.File())] = confined(a.Found.Case, env, false)
	}
	for name, e := range all {
		if e == nil {
			continue
		}
		var b bytes.Buffer
		if err := cluster.WriteEnvironment(&b, e); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

// Environments returns the environment of a case and what it becomes; nil if
// nothing changes.
func Environments(q Question, c audit.Case) (before, after *cluster.Environment) {
	switch q.Property {
	case policies.SP:
		return c.Env, audit.Told(c)
	case policies.PM:
		var rest []int
		for j := range c.Env.Users {
			if j != c.User {
				rest = append(rest, j)
			}
		}
		return c.Env, c.Env.Subset(rest)
	case policies.RM:
		return c.Env, audit.Grown(c)
	case policies.SPL:
		return c.Env, audit.Split(c)
	case policies.SPD, policies.SPU:
		if l, err := audit.WithPools(q.Rule, c); err == nil {
			return l.Before, l.After
		}
	case policies.SID:
		env, _, _ := audit.Entitled(q.Rule, c)
		return env, confined(c, env, true)
	}
	return c.Env, nil
}

// confined returns env with every user on the servers of its pool only; useful says
// to leave out those that it cannot use.
func confined(c audit.Case, env *cluster.Environment, useful bool) *cluster.Environment {
	after := env.Clone()
	for j := range after.Users {
		pool := cluster.NewSet(len(env.Servers))
		for s, owner := range c.Owner {
			if owner >= 0 && c.Env.Users[owner].Name == after.Users[j].Name && (!useful || env.MayRun(j, s)) {
				pool.Add(s)
			}
		}
		after.Users[j].Eligible = pool
	}
	return after
}

// CaseOf is the inverse of [Environments]: it reads the change off the two
// environments, and the pools of a lie about weights off a third.
func CaseOf(p policies.Property, before, after, pools *cluster.Environment) (audit.Case, error) {
	c := audit.Case{Env: before}
	if after == nil {
		return c, nil
	}
	if pooled(p) {
		if pools == nil || len(pools.Users) != len(before.Users) || !sameCluster(before, pools) {
			return c, fmt.Errorf("weights come from pools, and there is no environment of the same users with these beside the witness (%s)", Pools("FILE.json"))
		}
		c.Owner = owners(pools)
	}
	if !sameCluster(before, after) {
		return c, fmt.Errorf("before and after differ in resources, servers or links, of which no change of %s speaks", p)
	}
	switch p {
	case policies.SP, policies.SPD, policies.SPU:
		return lieOf(c, after)
	case policies.PM, policies.SPL:
		for j := range before.Users {
			if !slices.ContainsFunc(after.Users, func(u cluster.User) bool { return u.Name == before.Users[j].Name }) {
				c.User = j
				return c, nil
			}
		}
		return c, fmt.Errorf("nobody has left")
	case policies.RM:
		for row := range before.Rows() {
			if was, is := before.RowCapacity(row), after.RowCapacity(row); was != is {
				c.Row, c.Factor = row, is/was
				return c, nil
			}
		}
		return c, fmt.Errorf("no capacity has grown")
	case policies.SID:
		if len(after.Users) != len(before.Users) {
			return c, fmt.Errorf("a pool changes no user's presence")
		}
		c.Owner = owners(after)
	}
	return c, nil
}

// sameCluster reports whether two environments have the same resources, and
// servers and links of the same names.
func sameCluster(a, b *cluster.Environment) bool {
	return slices.Equal(a.Resources, b.Resources) &&
		slices.EqualFunc(a.Servers, b.Servers, func(s, t cluster.Server) bool { return s.Name == t.Name && s.Count == t.Count }) &&
		slices.EqualFunc(a.Links, b.Links, func(s, t cluster.Link) bool { return s.Name == t.Name })
}

// owners reads the dedicated pools off the servers of each user.
func owners(after *cluster.Environment) []int {
	owner := make([]int, len(after.Servers))
	for s := range owner {
		owner[s] = -1
		for j := range after.Users {
			if after.Users[j].Eligible.Has(s) {
				owner[s] = j
			}
		}
	}
	return owner
}

// lieOf finds the user whose report differs.
func lieOf(c audit.Case, after *cluster.Environment) (audit.Case, error) {
	if len(after.Users) != len(c.Env.Users) {
		return c, fmt.Errorf("a lie changes no user's presence")
	}
	for j := range after.Users {
		if !same(&c.Env.Users[j], &after.Users[j]) {
			report := after.Users[j]
			c.User, c.Report = j, &report
			return c, nil
		}
	}
	return c, fmt.Errorf("nobody lies")
}

func same(a, b *cluster.User) bool {
	equal := slices.Equal(a.Demand, b.Demand) && slices.Equal(a.LinkDemand, b.LinkDemand) &&
		slices.Equal(a.Eligible, b.Eligible) && (a.Eligible == nil) == (b.Eligible == nil) && a.Tasks == b.Tasks && len(a.DemandOn) == len(b.DemandOn)
	for s, d := range a.DemandOn {
		equal = equal && slices.Equal(d, b.DemandOn[s])
	}
	return equal
}
