// Package google2019 imports the Google cluster traces of 2019 (version 3, eight cells
// of Borg) from exports of their tables: JSON with an object a line, as published and
// as BigQuery exports them, or CSV with the names of the columns.
//
// # The files
//
// A folder with files whose names begin with collection_events, instance_events and, for
// machines, machine_events and machine_attributes, and end in .json, .jsonl, .ndjson or .csv, packed by gzip
// or not: any number of each, such as the published
// instance_events-000000000042.json.gz, in the folder or in one below it with the
// table's name. Fields of a structure are nested or have flat names with a dot or an
// underscore (resource_request.cpus, resource_request_cpus). Whole numbers may be in
// quotation marks; enumerations are numbers or names. Rows may be in any order: exports
// are.
//
// # What becomes a job
//
// A collection that is a job (not an alloc set) becomes a [traces.Job]:
//
//   - SubmitUS: the time of its first SUBMIT event. Time 0 marks what was submitted
//     before the trace began, at 600 s.
//   - Tasks: its distinct instances with a usable SUBMIT row in instance_events.
//   - CPU, Mem: the medians of what these request in their first one (of an even number
//     the mean of the middle two), as fractions: normalised compute units, and of the
//     largest machine's memory.
//   - DurationUS: when all these tasks finished inside the files at hand, the mean over
//     them of the time from their first SCHEDULE to the end that follows; else that of the
//     collection's own events; for a collection without an end, the time from its
//     SCHEDULE to the last event at hand, with Censored set.
//   - User, Priority: those of its first SUBMIT event.
//   - Constraints: those of its tasks' SUBMIT rows that count, which have to be the same
//     for all (see package constraints). LESS_THAN, GREATER_THAN, LESS_THAN_EQUAL and
//     GREATER_THAN_EQUAL compare floating point numbers.
//
// FAIL, FINISH, KILL and LOST are ends, and EVICT where nothing follows it; QUEUE, ENABLE
// and UPDATE events change nothing. Machines have the attributes that machine_attributes
// gives them at the time that the options name. The rules are those of package google2011, whose
// results the two traces can be compared by.
//
// # What is left out
//
// Alloc sets are reservations in which jobs run, and not work; jobs that run inside
// one are kept and noted, and so are those that had to wait for others or limit their tasks
// on one machine. Jobs whose tasks differ in their constraints are left out. Rows whose event was synthesised by Google
// (missing_type) are left out, and SUBMIT rows without a request or, if not asked for, with
// a zero one; and jobs for which submission, tasks, requests or duration cannot be had.
// All are counted by reason.
//
// # Cost
//
// Each table is read once. In memory are the collections of the files and the events of
// the tasks of those in the window, 16 bytes each beside some hundred a task: choose a
// window, as a cell has some hundred million tasks. Of 50,000 jobs with 500,000 tasks
// (1.65 million rows of JSON) the process peaked at 310 MB, in 10 s of processor time.
//
// Reference: J. Wilkes, Google cluster-usage traces v3, 2020.
package google2019
