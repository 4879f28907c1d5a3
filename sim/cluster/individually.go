package cluster

import (
	"fmt"
	"slices"
)

// Individually returns the environment with every class written out as its servers, in
// order, and the class of each server. A class of several servers called s becomes s/1,
// s/2, …; an environment without such a class is returned itself.
func (env *Environment) Individually() (*Environment, []int) {
	class := make([]int, 0, len(env.Servers))
	for s := range env.Servers {
		for range env.Servers[s].Count {
			class = append(class, s)
		}
	}
	if len(class) == len(env.Servers) {
		return env, class
	}
	single := env.With(slices.Clone(env.Users))
	single.Servers, single.Links = make([]Server, len(class)), slices.Clone(env.Links)
	n := 0
	for v, s := range class {
		if n++; v > 0 && class[v-1] != s {
			n = 1
		}
		single.Servers[v] = env.Servers[s]
		if single.Servers[v].Count > 1 {
			single.Servers[v].Count, single.Servers[v].Name = 1, fmt.Sprintf("%s/%d", env.Servers[s].Name, n)
		}
	}
	for e := range single.Links {
		single.Links[e].Servers = single.Links[e].Servers.ofServers(class)
	}
	for j := range single.Users {
		u := &single.Users[j]
		u.Eligible, u.DemandOn = u.Eligible.ofServers(class), nil
		for v, s := range class {
			if d, differs := env.Users[j].DemandOn[s]; differs {
				if u.DemandOn == nil {
					u.DemandOn = map[int][]float64{}
				}
				u.DemandOn[v] = d
			}
		}
	}
	return single, class
}

// ofServers returns a set of classes as the set of their servers.
func (set Set) ofServers(class []int) Set {
	if set == nil {
		return nil
	}
	servers := NewSet(len(class))
	for v, s := range class {
		if set.Has(s) {
			servers.Add(v)
		}
	}
	return servers
}
