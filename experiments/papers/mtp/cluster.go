package mtp

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// LinkMHz is the bandwidth of every access point.
const LinkMHz = 20

// table1 holds the servers (cpu, mem) of each access point, in units of the
// largest capacity of each resource.
var table1 = [][][]float64{
	{{0.25, 1}},
	{{0.25, 0.75}, {0.75, 0.25}},
	{{0.25, 1}, {1, 1}},
	{{1, 1}, {0.5, 0.75}},
	{{0.25, 1}, {0.75, 0.5}},
}

// Cluster returns the five access points of table 1, each a link of so many MHz
// with the servers behind it.
func Cluster(mhz float64) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"},
		Units: map[string]string{"cpu": cluster.FractionOfLargest, "mem": cluster.FractionOfLargest}}
	servers := 0
	for _, point := range table1 {
		servers += len(point)
	}
	for e, point := range table1 {
		link := cluster.Link{Name: fmt.Sprintf("ap%d", e+1), Capacity: mhz, Servers: cluster.NewSet(servers)}
		for k, capacity := range point {
			link.Servers.Add(len(env.Servers))
			env.Servers = append(env.Servers, cluster.Server{
				Name: fmt.Sprintf("ap%d-s%d", e+1, k+1), Capacity: capacity, Count: 1})
		}
		env.Links = append(env.Links, link)
		env.Units[link.Name] = "MHz"
	}
	return env
}
