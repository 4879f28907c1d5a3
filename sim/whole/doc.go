// Package whole replays jobs whose tasks are whole: a task runs on one
// server, needs its full demand there for as long as it lasts, and starts only
// if it fits.
//
// # The instants of a replay
//
// What falls on one instant is handled in the order completions, arrivals, one
// allocation, samples. Between instants nothing changes. With a slot length T
// the allocation at a multiple of T is a reallocation if any task or user has
// arrived or left since the last one: every running task is suspended, shares
// are reset, and everything is allocated again. A suspended task keeps its
// progress and later resumes with [SuspendCost] added to what remains of it.
//
// # Rules
//
// [ShareOrdered] is Algorithm 2 of the TSF-ER paper for every egalitarian
// rule: among the users with a waiting task that fits somewhere, serve the one
// with the smallest share x[j]/(w[j]·N[j]), of several the one with the
// smaller 1/N[j], then the one that comes first in the stream; put the task on
// the best-fit server. [FIFO] serves users in order of arrival and otherwise
// does the same. [Rounded] is what the paper does with rules that have no
// integral form, mnw and cru.
//
// # Cost
//
// Neither the waiting users nor the servers are ever walked through: package
// waiting finds the next user and its server with an index of both. Memory is that
// of the jobs.
//
// # The end of the clock
//
// Whatever starts ends on the clock ([event.Horizon]). A job that even alone would
// be done later is refused when it arrives. Others turn out to be late as they
// wait: a job is refused before an allocation if one of its waiting tasks, started
// then, would end beyond the clock. Its waiting tasks go, and it leaves when those
// that run have ended. The same where the next slot, for which a rounded rule
// waits, lies beyond it. All are counted ([sim.Result]).
//
// # Exactness
//
// Resources are counted in whole units ([cluster.Ledger]), time in whole
// microseconds: there is no drift. Shares are compared as rational numbers, every
// number of the input being the decimal that it is written as, so two tasks of
// 0.3 weigh as much as three of 0.2, and so are the sums of squares of best fit;
// doubles decide only where a proved bound on their rounding allows it (packages
// order and waiting). The one result depends on the arguments
// alone.
package whole
