// Package game is the server-choice game of the MAGIKS paper: every user picks
// one server and receives what that server's local rule gives it among those
// that picked the same, and moves elsewhere as long as that pays.
//
// [Game] and [Play] are the game under the Kalai-Smorodinsky (KS) local rule,
// made to be played many million times: nothing is allocated after the first
// play of a size, and a move costs two servers, not all. [KS], [Nash] and
// [Equal] are local rules on environments, written as they are defined, and a
// [Table] finds by enumeration what equilibria a small game has under any rule.
// The two halves share no arithmetic, and the tests compare them.
//
// Reference: E. Meskar and B. Liang, "MAGIKS: Fair Multi-resource Allocation
// Game Induced by Kalai-Smorodinsky Bargaining Solution".
package game
