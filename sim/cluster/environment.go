// Package cluster describes who wants what from which servers.
//
// An [Environment] is a plain value: servers with capacities, links outside
// them, and users with demands. Everything that the papers derive from these
// alone (γ, η, ψ) is a method here; everything that a rule decides is in
// package policies. The symbols are those of the sim package's documentation.
package cluster

// Environment is one allocation problem: the servers and links of a cluster
// and the users that are present.
//
// Rows and columns have fixed meanings everywhere in leontief: resources are
// indexed by r in the order of Resources, server classes by s, links by e and
// users by j.
type Environment struct {
	Resources []string
	// Units says what the numbers of a resource or a link count, by its name:
	// "cores", "MHz". Nothing here converts; where jobs of a trace come to a
	// cluster, [CanonicalUnit] tells whether both count the same. A name that
	// is absent has a unit that is not known.
	Units   map[string]string
	Servers []Server
	Links   []Link
	Users   []User
}

// Server is a class of Count identical servers, each with the same Capacity.
//
// Every divisible rule treats a class as one server of Count times the
// capacity, which is exact: an allocation to the class can be spread evenly.
type Server struct {
	Name     string
	Capacity []float64 // per resource, of one server; finite and >= 0
	Count    int       // >= 1
	// Attributes are what placement constraints of jobs look at, by name. Nil: they are
	// not stated, so that constraints can not be compared with them. They decide nothing
	// here: where jobs come to a cluster, [User.Eligible] is made of them.
	Attributes map[string]string
	// Taints keep off the tasks of jobs that do not tolerate each of them. They, too,
	// decide nothing here.
	Taints []Taint
}

// Link is a resource outside the servers (an "external resource"): each task
// that runs on a server of Servers takes its user's link demand from it.
type Link struct {
	Name     string
	Capacity float64 // finite and >= 0
	Servers  Set     // nil: every server
}

// User is one user (a job of a trace is one user) with its demand per task.
type User struct {
	Name       string
	Demand     []float64 // per resource
	LinkDemand []float64 // per link; nil: none
	Weight     float64   // > 0
	Tasks      float64   // task cap n[j]; +Inf: unbounded
	Eligible   Set       // servers that may run it; nil: every server
	// DemandOn replaces Demand on the servers that it names.
	DemandOn map[int][]float64
}

// NewUser returns a user with weight 1, no task cap and no constraints.
func NewUser(name string, demand []float64, linkDemand ...float64) User {
	return User{Name: name, Demand: demand, LinkDemand: linkDemand, Weight: 1, Tasks: Inf}
}

// With returns the same servers and links with other users. The servers,
// links and units are shared, not copied.
func (env *Environment) With(users []User) *Environment {
	return &Environment{Resources: env.Resources, Units: env.Units, Servers: env.Servers, Links: env.Links, Users: users}
}

// Subset returns the environment in which only the users of idx are present,
// in that order. Servers, links and users are shared, not copied.
func (env *Environment) Subset(idx []int) *Environment {
	users := make([]User, len(idx))
	for i, j := range idx {
		users[i] = env.Users[j]
	}
	return env.With(users)
}

// Capacity returns the capacity of resource r on the whole class s.
func (env *Environment) Capacity(s, r int) float64 {
	return float64(env.Servers[s].Count) * env.Servers[s].Capacity[r]
}

// TotalCapacity returns Σ_s c[s,r].
func (env *Environment) TotalCapacity(r int) float64 {
	total := 0.0
	for s := range env.Servers {
		total += env.Capacity(s, r)
	}
	return total
}

// MayRun reports p[j,s]: whether user j may run on server class s.
func (env *Environment) MayRun(j, s int) bool { return env.Users[j].Eligible.Has(s) }

// Reaches reports whether link e is on the way to server class s.
func (env *Environment) Reaches(e, s int) bool { return env.Links[e].Servers.Has(s) }

// Demand returns d[j,·] on server class s, per resource.
func (env *Environment) Demand(j, s int) []float64 {
	if d, ok := env.Users[j].DemandOn[s]; ok {
		return d
	}
	return env.Users[j].Demand
}

// LinkDemand returns d[j,e].
func (env *Environment) LinkDemand(j, e int) float64 {
	if ld := env.Users[j].LinkDemand; ld != nil {
		return ld[e]
	}
	return 0
}

// Row returns the index of the capacity row of (server class s, resource r);
// the rows of links follow those of all servers. See [Environment.LinkRow].
func (env *Environment) Row(s, r int) int { return s*len(env.Resources) + r }

// LinkRow returns the index of the capacity row of link e.
func (env *Environment) LinkRow(e int) int { return len(env.Servers)*len(env.Resources) + e }

// Rows returns K, the number of capacity rows: Σ_s |R| + |links|.
func (env *Environment) Rows() int { return env.LinkRow(len(env.Links)) }
