// Package solve solves the convex programs that rules are made of, each with a
// certificate: lexicographic max-min ([MaxMin]), Nash welfare ([Nash]), linear welfare with
// lower bounds and without envy ([Linear]), and the domination factor ([Domination]).
//
// All of them optimise over the feasible region χ of an environment, the x ≥ 0 with
//
//	Σ_j x[j,s]·d[j,s,r] ≤ c[s,r]             for every server s and resource r,
//	Σ_j Σ_{s behind e} x[j,s]·d[j,e] ≤ c[e]  for every link e,
//	Σ_s x[j,s] ≤ n[j]                        for every user j,
//
// and x[j,s] = 0 where j may not run on s. Rows are divided by their capacity and tasks
// counted in units of the user's own (program.go), so that tolerances are relative.
//
// # Certificates
//
// A result is feasible within [Feasibility] and within [Accuracy] of the optimum, which
// its dual proves: every bound is a sum of terms that are not negative, so nothing cancels.
// What doubles do not certify is solved again in numbers of 512 bits (package extended);
// what that does not certify is an error, and no number is returned.
//
// # Method
//
// MaxMin and Linear are simplex methods with generalised upper bounds: one working row for
// each capacity, however many users there are. In the order of reading: basis.go (the state
// and its invariants), inverse.go, keys.go; entering.go, ratio.go and primal.go (the primal
// method); dualratio.go, dual.go and slide.go (the dual method, and its parametric form for
// users that come and go); refresh.go (accuracy). On these stand filling.go and maxmin.go,
// and envy.go, envyworst.go and linear.go. Nash is an interior point method of its own
// (nash.go), polished to the last digits (nashpolish.go).
package solve
