// Package waiting answers the one question of a rule that serves users in an
// order: which waiting user is served next, and on which server?
//
// The answer is defined without any index: of the users with a waiting task that
// fits on some server on which it may run, with the links having room for it, the
// first one in the order of [order.Turn]; and of the servers on which the task
// fits, the best-fit one (see [Servers.BestFit]). [Queue] asks for it; a walk
// through all users and all servers gives the same answers, and the tests compare
// them. [Index] does it without either walk.
//
// # How
//
// A waiting user is one that fits nowhere. So a departure is of interest only
// to users that fit on its server now and, where it gives back some of a link,
// to users that the link had kept out. Users are kept in trees of boxes around
// their demands, with the first user of each box (users.go); servers in a tree of
// boxes around what is free there (package boxes) or, where many are in equal states,
// in groups by state (states.go). A search compares sketches, in which amounts are
// rounded to 15 bits and several fill a word (sketch.go), and leaves out the boxes in
// which nobody fits. What it finds is tried in whole units.
//
// Without links the users that may fit are known from the freed servers, so a search
// goes through boxes and users in the order of service and opens none twice, however
// many tasks start at the instant (search.go, frontier.go). With links a user that a link
// kept out may fit on any server; a search then goes depth first and begins anew for
// every task, leaving out what comes after the best one found (linked.go).
//
// Invariant: a demand that fits is within the sketch of what is free (no false
// negatives). So a search by sketches finds every user that fits, and some that
// do not.
//
// # Cost
//
// Putting a user in or taking it out is O(log n). A search has no bound better
// than the number of users; for demands of few dimensions it looks at few boxes:
// a placement takes about a microsecond with 10,000 waiting users on 20 servers.
// Memory is that of the users and servers.
package waiting
