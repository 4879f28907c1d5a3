// Package experiments turns the description of an experiment into results.
//
// A spec names what is to be run; it expands into scenarios; one scenario and
// one instance number make one [Case], a plain value that holds everything a
// run needs. [Case.Run] replays it on one goroutine, and [Gather] runs many
// cases on several, returning their results in the order of the cases: the
// tables have the same bytes for any number of workers.
//
// Every draw comes from a stream that is seeded by the experiment, the
// workload part of the scenario (trace and number of users), the instance and
// the name of the stream. Policies, and the settings of the cluster, are not
// part of it: all of them face the same jobs.
//
// A [Store] keeps the rows of every scenario in the output folder as soon as they
// are there, so that a run that was ended goes on where it was; a [Sweep] is a spec
// that is run through it, whole or in shards that [Merge] puts together.
//
// What a paper prints, and what was found instead, are entries of the
// [Ledger]. Each paper has a folder of its own beneath this one.
package experiments
