// Package twin is the test oracle of the solvers: slow, dense and obvious.
//
// Everything in it is written straight from the definitions, shares no code
// with package solve, and is imported only by tests and by the comparison
// programs under scripts. What takes package solve one solve takes this
// package one per user; what package solve generates on demand is written out
// here in full.
//
// The programs are stated in scaled columns. A column is a pair (user j,
// server s) at which at least a fraction of a task fits; its variable is
// y[j,s] = x[j,s]/γ'[j,s], where γ' is what the user would have with the
// server and the links to it to itself, at most its cap. All coefficients of capacity rows are
// then at most 1 whatever the units, and 0 <= y <= 1.
//
// Accuracy: the answer of every linear program is checked against the rows
// and the dual as they were given (see [LP.Solve]), that of [Nash] against
// its Lagrange bound. What does not pass is an error. In 600 random
// environments with all features, up to 25 users, 6 server classes and 3
// links, one of 480 with demands over 2 to 6 decades and 8 of 120 with demands
// over 12 decades ended so.
package twin
