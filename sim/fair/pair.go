package fair

import "github.com/leontief-sim/leontief/sim/cluster"

// Pair is a user that compares its bundle with that of another user.
type Pair struct {
	env *cluster.Environment
	// User is the one who compares and Of the one whose bundle it looks at;
	// both are -1 if there is no pair in which a user would be better off.
	User, Of int
	Own      float64 // u[j](own bundle), tasks
	Other    float64 // u[j](i's bundle), tasks
}

// nobody is the pair of no users.
func nobody(env *cluster.Environment) Pair { return Pair{env: env, User: -1, Of: -1} }

// user and of are the names of the two.
func (p Pair) user() string { return p.env.Users[p.User].Name }
func (p Pair) of() string   { return p.env.Users[p.Of].Name }
