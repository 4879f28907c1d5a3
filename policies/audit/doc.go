// Package audit searches for environments in which a rule lacks a property.
//
// The papers prove and refute properties by hand. Here each property is an
// executable definition (package fair), and a search looks for an environment,
// and for the lie, the departure or the larger capacity, that violates it:
// random environments of growing size and of many families ([Draw]), then local
// search from those that came nearest; for strategy-proofness the liar's best
// reply by pattern search over what it reports, which where weights come from
// dedicated pools is about the weight, too. What is found is shrunk to few
// users, servers and simple numbers ([Shrink]) and verified in exact rational
// arithmetic where the rule's answer can be ([Verify]).
//
// A violation counts from [Margin], which is well above the accuracy of the
// solvers; one that is small is enlarged first, to [Clear] if it can be.
//
// Results depend on the seed and on the number of environments only: the search
// is a sequence of independent blocks ([Search.Block]), which may run on any
// number of workers.
package audit
