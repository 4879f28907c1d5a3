// Package psdsf has the server procedure of PS-DSF and finds its fixed points.
//
// An allocation is PS-DSF (per-server dominant-share fair) if every user has a
// bottleneck on every server that can host it, see [fair.Bottlenecks]. Given
// what the users hold elsewhere there is exactly one way to divide a server so
// that this is true of it, [Server.Fill]: the max-min allocation of the levels
// x[j]/(w[j]·γ[j,s]). PS-DSF is a fixed point of letting every server do so.
//
// # Existence
//
// The paper does not show that there is one; there always is. Fill depends
// continuously on what is held elsewhere: by Theorem 1 its graph is closed (of
// converging environments some subsequence has the same bottlenecks, and
// saturation and the order of levels survive the limit), and its answer is
// unique and bounded. So the map of all servers together has a fixed point in
// the product of their feasible sets, by Brouwer's theorem.
//
// # Uniqueness
//
// With one resource the totals are unique: there they are the proportionally
// fair ones, which are the constrained max-min ones where demands do not differ
// between servers. With several resources they are not. What the shares compare
// depends on the user's dominant resource only; users with the same dominant
// resource on two servers can swap places between them without a change of
// level, while the resource that is used up may be another one, of which they
// need different amounts. The fixed points then form a continuum, some of which
// dominate others: PS-DSF is not Pareto optimal. [Solve] returns the one that
// the paper's Algorithm I leads to from DRF on each server.
//
// # Convergence
//
// The paper does not show that Algorithm I ends, and there are environments in
// which it goes round in a cycle for ever. See [Solve].
package psdsf
