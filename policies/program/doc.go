// Package program makes allocation rules of programs in any language.
//
// A program reads JSON Lines from its standard input and writes JSON Lines to its
// standard output, one answer a line:
//
//  1. It is sent {"leontief": 1} and answers {"leontief": 1, "kind": "normaliser" or
//     "allocation", "title": "…", "claims": {"EF": true, …}, "version": "…"}; all but
//     the first two may be left out.
//  2. It is sent {"id": 7, "environment": {…}}, an environment as [cluster.Environment.Line]
//     writes it, and answers one of
//     {"id": 7, "normaliser": [N1, …]}, one N[j] >= 0 a user, "inf" for a user whose
//     demands the rule does not see;
//     {"id": 7, "allocation": [[x of user 1 on server 1, …], …]};
//     {"id": 7, "unsupported": "reason"}.
//  3. When its input ends, it ends.
//
// A rule of kind normaliser is one of [policies.Egalitarian]: solved exactly, certified,
// restarted, and ordered by shares with whole tasks. An allocation is checked, see
// [Rule.Allocate].
//
// A rule has one process for each goroutine that asks it at a time, started once and
// used again. A process that ends, is silent for longer than the limit, or gives what is
// not of the form, is ended with all processes of its group, and the rule answers with
// that [*Error] from then on. On Unix the processes also end when this one is killed;
// what leaves its process group on purpose (setsid) is out of reach.
package program
