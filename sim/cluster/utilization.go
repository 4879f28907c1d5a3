package cluster

// MeanUtilization says how much of each capacity of a cluster was used on
// average over time. Of a capacity it is
//
//	∫ used dt / (total · T),
//
// T being the time in which at least one user was in the system and the integral
// being over that time: instants without a user count nowhere. It is 0 where the
// total is 0. Both task models report it; they differ in what is used: what the
// allocation gives out, or what the running tasks hold.
type MeanUtilization struct {
	// Region is the cluster whose capacities these are.
	Region *Environment
	// Rows are of the resources of each server class and of each link, in the
	// order of [Environment.Row].
	Rows []float64
	// Resources are of each resource on all servers together.
	Resources []float64
}

// NewMeanUtilization returns the utilization of a cluster from that of its rows.
func NewMeanUtilization(region *Environment, rows []float64) *MeanUtilization {
	u := &MeanUtilization{Region: region, Rows: rows, Resources: make([]float64, len(region.Resources))}
	for r := range u.Resources {
		used, total := 0.0, 0.0
		for s := range region.Servers {
			used += rows[region.Row(s, r)] * region.Capacity(s, r)
			total += region.Capacity(s, r)
		}
		if total > 0 {
			u.Resources[r] = used / total
		}
	}
	return u
}
