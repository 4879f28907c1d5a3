package tsfer

import "github.com/leontief-sim/leontief/sim/cluster"

// Cluster returns the servers of section 6.2: (1, 1), (1+ρ, 1−ρ) and
// (1−ρ, 1+ρ) of cpu and memory, in units of the largest machine of the Google
// trace, behind one link of the given capacity in MHz. ρ is in [0, 1].
func Cluster(rho, mhz float64) *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Units:     map[string]string{"cpu": cluster.FractionOfLargest, "mem": cluster.FractionOfLargest, "bw": "MHz"},
		Servers: []cluster.Server{
			{Name: "s1", Capacity: []float64{1, 1}, Count: 1},
			{Name: "s2", Capacity: []float64{1 + rho, 1 - rho}, Count: 1},
			{Name: "s3", Capacity: []float64{1 - rho, 1 + rho}, Count: 1},
		},
		Links: []cluster.Link{{Name: "bw", Capacity: mhz}},
	}
}
