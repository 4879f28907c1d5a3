// Package run runs scenarios.
//
// One scenario and one instance number make one [Case], a plain value that holds
// everything a replay needs. [Case.Run] replays it on one goroutine, and [Gather]
// runs many cases on several, returning their results in the order of the cases:
// tables have the same bytes for any number of workers.
//
// Every draw comes from a stream that is seeded by the experiment, the workload
// part of the scenario (trace and number of users), the instance and the name of
// the stream. Policies, and the settings of the cluster, are not part of it: all
// of them face the same jobs.
package run
